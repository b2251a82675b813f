//! Copies by a DMA engine, and the same copies by the CPU.

pub mod bandwidth;
pub mod latency;
pub mod priority;

use engines::offload::axes::{MEMORY, PAGES, WAIT};

/// What copies of all workers at once are asked in, and how often a point is taken.
const DIRECTIONS: &[&str] = &["from_user", "to_user", "both"];
const REPETITIONS: u32 = 11;

/// The pages of all workers, which are not compared: each kind would need a crew
/// with memory of its own.
const PAGES_OF_ALL: catalogue::AxisSpec = catalogue::AxisSpec {
    compared: false,
    ..PAGES
};

/// The first word of what is not varied where all workers copy.
fn plain(grid: catalogue::Grid) -> catalogue::Grid {
    grid.words("pages", &PAGES.words[..1])
        .words("wait", &WAIT.words[..1])
        .words("memory", &MEMORY.words[..1])
}
