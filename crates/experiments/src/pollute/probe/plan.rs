//! What is copied with which set, and how often.

use super::{FRESH, KNOWN, NOTHING, REUSED};
use catalogue::{Grid, KIB, MIB, Preset};
use engines::copier::METHODS;
use engines::placement::near;
use engines::tasks::kinds::sizes;
use harness::Point;
use record::MachineCard;

const BLOCK: i64 = 64 * KIB;
/// What the copying daemon of the study had as its largest block.
const STUDY_BLOCK: i64 = 16064;

/// Turns that count are wanted between these, as many as copy so much.
const FEWEST_TURNS: u32 = 15;
const MOST_TURNS: u32 = 241;
const ALL_TURNS_COPY: u64 = 2 << 30;
/// A neighbour may spoil all but one of so many.
const TRIES: u32 = 4;

/// For all tries; those that need fewer end earlier.
const BUDGET_MS: u64 = 4000;
const QUICK_BUDGET_NS: u64 = 50_000_000;

/// Turns that count, of which a point has enough.
pub fn turns(point: &Point) -> u32 {
    let copied = point.size("copied").max(1) as u64;
    let turns = u32::try_from(ALL_TURNS_COPY / copied).unwrap_or(MOST_TURNS);
    turns.clamp(FEWEST_TURNS, MOST_TURNS)
}

/// Turns, whether they count or not.
pub fn tries(point: &Point) -> u32 {
    TRIES * turns(point)
}

fn grid(set: i64, placement: &str, (buffer, block): (&str, i64), methods: &[&str]) -> Grid {
    of_history(FRESH, set, placement, (buffer, block), methods)
}

fn of_history(
    history: &str,
    set: i64,
    placement: &str,
    (buffer, block): (&str, i64),
    methods: &[&str],
) -> Grid {
    Grid::new(BUDGET_MS)
        .ints("set", [set])
        .words("placement", &[placement])
        .words("buffer", &[buffer])
        .words("history", &[history])
        .ints("block", [block])
        .words("method", methods)
}

/// Grids of `pollute/probe` for this preset; sets are fractions of the caches on the
/// machine card.
pub fn grids(preset: Preset, card: &MachineCard) -> Vec<Grid> {
    let sizes = sizes(card);
    let half_l2 = (sizes.l2_bytes / 2) as i64;
    let walking = ("walking", BLOCK);
    match preset {
        Preset::Quick => {
            let few = grid(half_l2, "same_cpu", walking, &["to_user", "nt"]).ints("copied", [MIB]);
            vec![Grid {
                budget_ns: QUICK_BUDGET_NS,
                ..few
            }]
        }
        Preset::Full => {
            let sweep = [16, 64, 256, 1024, 4096, 16 * 1024, 64 * 1024].map(|kib| kib * KIB);
            let of_llc = (sizes.last_level_bytes / 8) as i64;
            let far = near(card);
            let kernel = ["from_user", "to_user", "movsb", "nt"];
            let largest = 32 * sizes.last_level_bytes as i64;
            let traffic = [4, 8, 16, 32].map(|share| largest / 32 * share);
            let known = [half_l2 / 4, half_l2 / 2, half_l2];
            vec![
                grid(half_l2, "same_cpu", walking, &[NOTHING]).ints("copied", [0]),
                grid(half_l2, "same_cpu", walking, &[KNOWN]).ints("copied", known),
                grid(half_l2, "same_cpu", walking, METHODS).ints("copied", sweep),
                of_history(REUSED, half_l2, "same_cpu", walking, &kernel).ints("copied", sweep),
                grid(half_l2, "same_cpu", ("in_place", STUDY_BLOCK), &kernel).ints("copied", sweep),
                grid(half_l2, far, walking, &kernel).ints("copied", [16 * MIB, 64 * MIB]),
                grid(of_llc, far, walking, &[NOTHING]).ints("copied", [0]),
                grid(of_llc, far, walking, &kernel).ints("copied", traffic),
                grid(of_llc, far, ("in_place", STUDY_BLOCK), &kernel).ints("copied", [largest]),
            ]
        }
    }
}
