//! A load that waits for the one before it: what the machine can, against multichase's best.
//!
//! Both chase one element in each cache line in random order over the whole working set, in
//! transparent huge pages, so that both miss the same caches and no TLB.

use super::json::best;
use super::numbers::median;
use super::ours::Ours;
use super::row::{Row, Rows, Unmeasured};
use super::turns::Turns;
use crate::command::{pinned, succeed};
use std::process::Command;

const PEER: &str = "multichase";
const INSTALL: &str = "github.com/google/multichase: make, then put multichase on the PATH";
const TURNS: usize = 5;
/// First level, second level, last level and memory of most machines; the sizes are the figures.
const SIZES: [&str; 4] = ["16KiB", "256KiB", "4MiB", "256MiB"];
const LINE: &str = "64";
/// Half seconds in a turn of the peer, of which it prints the best. Ours is the best of hundreds of
/// batches of milliseconds: of two half seconds both often have neighbours in them.
const HALF_SECONDS: &str = "6";

/// A row for each size.
pub fn best_latency(ours: &Ours) -> Rows {
    if Command::new(PEER).arg("-h").output().is_err() {
        let skipped = Row::skipped("mem/latency at best", "no multichase", INSTALL);
        return Err(Unmeasured::Skipped(skipped));
    }
    let row = |size: &&str| -> Result<Row, Unmeasured> {
        let here = || at_best(ours, size);
        let turns = Turns::about(TURNS, "ns", here, || multichase_ns(ours.cpu, size))?;
        let what = format!("mem/latency at best, {size}");
        Ok(turns.row(&what, "multichase, its best", 0.97..=1.03))
    };
    SIZES.iter().map(row).collect()
}

/// What the machine can, over the processes of one run.
fn at_best(ours: &Ours, size: &str) -> Result<f64, String> {
    let axes = format!("size={size} pattern=random_line pages=thp");
    let options = format!("--cpu {} --processes 4 --budget-ms 250", ours.cpu);
    let found = best(
        &ours.measured("mem/latency", &options, &axes)?,
        "mem/latency",
    );
    match found.is_empty() {
        true => Err(format!(
            "mem/latency {axes} says nothing of what the machine can"
        )),
        false => Ok(median(&found)),
    }
}

fn multichase_ns(cpu: u32, size: &str) -> Result<f64, String> {
    let size = size.replace("iB", "").to_lowercase();
    let mut chase = pinned(cpu, PEER);
    // -X: stays on the CPU it was given; -T: random over all of it, not within 256 KiB.
    chase.args([
        "-X",
        "-H",
        "-s",
        LINE,
        "-m",
        &size,
        "-T",
        &size,
        "-n",
        HALF_SECONDS,
    ]);
    let text = succeed(&mut chase)?.stdout;
    let last = text.lines().last().unwrap_or_default();
    let figure = last.trim().parse();
    figure.map_err(|_| format!("cannot read multichase's latency: it printed {text:?}"))
}
