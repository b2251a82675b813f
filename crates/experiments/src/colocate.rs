//! Workloads that share a CPU, a core or a cache.

pub mod matrix;
pub mod pair;

use catalogue::{Grid, MILLISECOND};
use engines::tasks::axes::DEADLINE_NS;

/// In processes of their own on a near CPU, in windows of so many ms.
fn in_windows(grid: Grid, card: &record::MachineCard, window_ms: i64) -> Grid {
    grid.words("placement", &[engines::placement::near(card)])
        .words("mm", &["separate"])
        .ints("window", [window_ms * MILLISECOND])
        .ints("deadline", [DEADLINE_NS])
}
