//! What a simulated machine has around it.

use crate::hierarchy::{Guest, Surroundings};

/// Surroundings with a name.
#[derive(Debug, Clone)]
pub struct Condition {
    /// As `--conditions` names it.
    pub name: &'static str,
    /// The share of runs in which a quantity shall be decided that the description makes
    /// decidable: silence has a limit.
    pub decides: f64,
    around: Surroundings,
}

/// How far the clock wanders, as a share.
const DRIFT: f64 = 0.0;
const STOLEN: f64 = 0.1;

impl Condition {
    /// What a run with this seed has around it: the partner of one in four is a thread of the
    /// same core, of another one a core that shares no cache; and a kernel of its own.
    pub fn around(&self, core: &str, seed: u64) -> Surroundings {
        let around = Surroundings {
            smt_sibling: seed % 4 == 3,
            partner_shares_llc: !seed.is_multiple_of(4),
            ..self.around.clone()
        };
        around.drawn(&format!("{core} {}", self.name), seed)
    }
}

/// A machine by itself, one with a neighbour on its last level, and a guest that loses a tenth
/// of its time and whose memory the host has in pieces.
pub fn conditions() -> Vec<Condition> {
    let of = |name, decides, around: Surroundings| Condition {
        name,
        decides,
        around: Surroundings {
            drift: DRIFT,
            ..around
        },
    };
    let guest = Surroundings {
        guest: Guest::SmallHost,
        ..Surroundings::stolen(STOLEN)
    };
    vec![
        of("quiet", 0.9, Surroundings::quiet()),
        of("neighbour", 0.7, Surroundings::neighbour()),
        of("stolen", 0.7, guest),
    ]
}
