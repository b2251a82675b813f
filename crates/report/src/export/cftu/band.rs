//! `micro-benchmark_Band/risultati`: what each channel moved while all of them
//! did, size by size, and the sum.

use super::points::{Measured, Timed, contexts, is_at, size_of};
use super::{FileSet, Skipped};
use crate::export::ExportError;
use crate::format::counted;
use record::foreign::cftu::{BAND_FOLDER, BandBlock, BandRecord, DatName, Direction};
use record::{PointHead, Run};
use std::collections::BTreeMap;
use std::fmt::Write;

const ID: &str = "offload/bandwidth";
const AXES: [&str; 5] = ["direction", "context", "channel", "pages", "size"];

/// Channels that ran at the same time, by size and repetition.
type Blocks = BTreeMap<(u64, (u16, u32)), Vec<(u16, Timed)>>;

pub(super) fn collect(run: &Run, set: &mut FileSet) -> Result<(), ExportError> {
    let what = format!("{BAND_FOLDER}/*.dat");
    let Some(mut measured) = Measured::of(run, ID, &what, set)? else {
        return Ok(());
    };
    measured.only("pages", "pinned", set);
    if measured.told_apart_by(&AXES, &what, set) {
        for (context, suffix) in contexts(&measured, &what, set) {
            for direction in Direction::ALL {
                of_direction(&measured, &context, &suffix, direction, set);
            }
        }
    }
    Ok(())
}

fn of_direction(
    measured: &Measured<'_>,
    context: &str,
    suffix: &str,
    direction: Direction,
    set: &mut FileSet,
) {
    let file = format!("{BAND_FOLDER}{suffix}/{}", DatName::Band(direction).file());
    let mut settings = vec![("direction", direction.word())];
    if !context.is_empty() {
        settings.push(("context", context));
    }
    let mut blocks = Blocks::new();
    for point in measured.points.iter().filter(|p| is_at(p, &settings)) {
        let (Some(size), Some(channel)) = (size_of(point), channel_of(point)) else {
            continue;
        };
        for timed in measured.timed(point) {
            let block = blocks.entry((size, timed.repetition)).or_default();
            block.push((channel, *timed));
        }
    }
    if blocks.is_empty() {
        set.skipped.push(measured.absence(file, &settings));
        return;
    }
    remark(&blocks, &file, set);
    match text(blocks) {
        Some(text) => set.files.push((file, text)),
        None => set.skipped.push(Skipped::new(
            file,
            "the run does not say when each channel began, or a time is zero",
            "none for this run; a run of this version keeps it",
        )),
    }
}

/// None where the channel is not told by its number.
fn channel_of(point: &PointHead) -> Option<u16> {
    point.value("channel")?.to_string().parse().ok()
}

fn remark(blocks: &Blocks, file: &str, set: &mut FileSet) {
    let sizes: std::collections::BTreeSet<u64> = blocks.keys().map(|(size, _)| *size).collect();
    if blocks.len() > sizes.len() {
        set.remarks.push(format!(
            "{file}: {} repetitions of {} sizes, a block for each; the study has one",
            blocks.len(),
            sizes.len()
        ));
    }
    let channels = |block: &Vec<(u16, Timed)>| block.len();
    let most = blocks.values().map(channels).max().unwrap_or(0);
    let short = blocks.values().filter(|b| b.len() < most).count();
    if short > 0 {
        set.remarks.push(format!(
            "{file}: {} with channels missing; a total is of those that are there",
            counted(short, "block", "blocks")
        ));
    }
}

/// None where a start is not known, or a time is none.
fn text(blocks: Blocks) -> Option<String> {
    let mut text = String::new();
    for ((size, _), mut channels) in blocks {
        channels.sort_by_key(|(channel, _)| *channel);
        let rows = channels.iter().map(|(channel, timed)| {
            let t0_ns = timed.t0_ns.filter(|_| timed.dt_ns > 0 && timed.ops > 0)?;
            Some(BandRecord::measured(
                *channel,
                size,
                timed.ops,
                t0_ns,
                timed.dt_ns,
            ))
        });
        let _ = writeln!(text, "{}", BandBlock::of(rows.collect::<Option<_>>()?));
    }
    Some(text)
}
