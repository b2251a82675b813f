//! `micro-benchmark_Band/risultati`: what each channel moved while all of them
//! did, size by size, and the sum.

use super::FileSet;
use super::points::{Key, Measured, Timed, Wanted, each_context, is_at, place, size_of};
use crate::export::ExportError;
use crate::format::counted;
use record::foreign::cftu::{BAND_FOLDER, BandBlock, BandRecord, DatName, Direction};
use record::{PointHead, Run};
use std::fmt::Write;

const ID: &str = "offload/bandwidth";
const AXES: [&str; 5] = ["direction", "context", "channel", "pages", "size"];

/// What all channels did: sorted by size, repetition and channel, with the place
/// of the row among `timed`.
struct Rows {
    order: Vec<Key>,
    timed: Vec<Timed>,
}

impl Rows {
    /// Rows of one size that ran at the same time.
    fn blocks(&self) -> impl Iterator<Item = &[Key]> {
        self.order.chunk_by(|a, b| a[..2] == b[..2])
    }
}

pub(super) fn collect(run: &Run, set: &mut FileSet) -> Result<(), ExportError> {
    let wanted = Wanted {
        id: ID,
        folder: BAND_FOLDER,
        axes: &AXES,
    };
    each_context(run, &wanted, set, |measured, context, suffix, set| {
        for direction in Direction::ALL {
            of_direction(measured, context, suffix, direction, set);
        }
    })
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
    let rows = rows(measured, &settings);
    if rows.order.is_empty() {
        measured.absence(file, &settings, set);
        return;
    }
    remark(&rows, &file, set);
    match text(&rows) {
        Some(text) => set.file(file, text),
        None => set.skip(
            file,
            "the run does not say when each channel began, or a time is zero",
            "nothing for this run; a run of this version records it",
        ),
    }
}

fn rows(measured: &Measured<'_>, settings: &[(&str, &str)]) -> Rows {
    let (mut order, mut timed) = (Vec::new(), Vec::new());
    for point in measured.points.iter().filter(|p| is_at(p, settings)) {
        let (Some(size), Some(channel)) = (size_of(point), channel_of(point)) else {
            continue;
        };
        for row in measured.timed(point) {
            let last = u64::from(channel) << 48 | timed.len() as u64;
            order.push([size, row.repetition, last]);
            timed.push(row);
        }
    }
    order.sort_unstable();
    Rows { order, timed }
}

/// None where the channel is not known by its number.
fn channel_of(point: &PointHead) -> Option<u16> {
    point.value("channel")?.to_string().parse().ok()
}

fn remark(rows: &Rows, file: &str, set: &mut FileSet) {
    let blocks = rows.blocks().count();
    let sizes = rows.order.chunk_by(|a, b| a[0] == b[0]).count();
    if blocks > sizes {
        set.remarks.push(format!(
            "{file}: {blocks} repetitions of {sizes} sizes, one block each; the study has one"
        ));
    }
    let most = rows.blocks().map(<[Key]>::len).max().unwrap_or(0);
    let short = rows.blocks().filter(|b| b.len() < most).count();
    if short > 0 {
        set.remarks.push(format!(
            "{file}: {} with channels missing; a total covers the present ones",
            counted(short, "block", "blocks")
        ));
    }
}

/// None where a start is not known, or a time is none.
fn text(rows: &Rows) -> Option<String> {
    let mut text = String::new();
    for block in rows.blocks() {
        let mut records = Vec::new();
        for [size, _, last] in block {
            let (channel, at) = ((last >> 48) as u16, last & ((1 << 48) - 1));
            let timed = rows.timed[place(at)];
            let t0_ns = timed.t0_ns.filter(|_| timed.dt_ns > 0 && timed.ops > 0)?;
            records.push(BandRecord::measured(
                channel,
                *size,
                timed.ops,
                t0_ns,
                timed.dt_ns,
            ));
        }
        let _ = writeln!(text, "{}", BandBlock::of(records));
    }
    Some(text)
}
