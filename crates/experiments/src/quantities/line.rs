//! The size of a cache line, and how many bytes are fetched with it.

use analysis::inference::{Agreement, Fooler, Kind, Makes, Method, Quantity};
use engines::memory::card::card_line;
use record::{MachineCard, Unit};

pub(crate) const FLUSH: &str = "flush";
pub(crate) const COHERENCE: &str = "coherence";
pub(crate) const PAIR: &str = "pair";
pub(crate) const COUNTED: &str = "counted";
pub(crate) const WALK: &str = "walk";
pub(crate) const STRIDES: &str = "strides";
pub(crate) const PAIR_OF_LINES: &str = "pair_of_lines";
pub(crate) const BRING: &str = "bring";

/// What every load near another one may have caused, and a store as well: one cause, by
/// whatever method it is seen.
const PREFETCHERS: Fooler = Fooler {
    by: "a prefetcher that fetches neighbouring lines",
    makes: Makes::Larger,
};

/// The bytes that a cache keeps together under one tag.
pub const LINE: Quantity = Quantity {
    key: "line_size",
    name: "cache line",
    unit: Unit::Bytes,
    within: 0.0,
    widest: 1.0,
    methods: &[
        Method {
            name: FLUSH,
            kind: Kind::Flush,
            experiment: "mem/line",
            how: "an instruction drops one word from the caches, and a second word so many bytes \
                  away is loaded: it misses where both are in one line. No load comes in between, \
                  so that nothing is prefetched",
            fooled_by: &[Fooler {
                by: "an instruction that drops more than a line, or less",
                makes: Makes::Either,
            }],
        },
        Method {
            name: COHERENCE,
            kind: Kind::Coherence,
            experiment: "mem/line",
            how: "two CPUs add to words so many bytes apart: they take the line from each other \
                  where both words are in it (false sharing)",
            fooled_by: &[
                PREFETCHERS,
                Fooler {
                    by: "a directory that tracks several lines together",
                    makes: Makes::Larger,
                },
            ],
        },
        Method {
            name: PAIR,
            kind: Kind::Neighbours,
            experiment: "mem/line",
            how: "the second of two loads so many bytes apart hits the first cache where both are \
                  in one line; the pairs lie at random places of the second cache",
            fooled_by: &[PREFETCHERS],
        },
        Method {
            name: COUNTED,
            kind: Kind::Counter,
            experiment: "mem/line",
            how: "the processor counts the lines that come into the first cache during such pairs, \
                  whatever they take: one for a pair in one line, two for one in two lines. With \
                  --counters dcache",
            fooled_by: &[
                PREFETCHERS,
                Fooler {
                    by: "an event that counts less or more than its name says",
                    makes: Makes::Either,
                },
            ],
        },
        Method {
            name: WALK,
            kind: Kind::Sweep,
            experiment: "mem/line",
            how: "the time of an access of a walk through an array grows with the step up to the \
                  line",
            fooled_by: &[
                PREFETCHERS,
                Fooler {
                    by: "a core that is still busy computing",
                    makes: Makes::Smaller,
                },
            ],
        },
        Method {
            name: STRIDES,
            kind: Kind::Sweep,
            experiment: "mem/latency",
            how: "the time of a dependent load grows with the stride up to the line, where no \
                  prefetcher foresees the stride",
            fooled_by: &[
                PREFETCHERS,
                Fooler {
                    by: "a stride that a prefetcher foresees",
                    makes: Makes::Either,
                },
            ],
        },
    ],
    say: |of| format!("the cache line is {} B", of.value.unwrap_or(f64::NAN)),
    card: on_card,
    differs: |_, _| {
        "methods that load nothing between two lines agree on it, so the card is the less likely \
         side (a hypervisor may report the line of another processor)"
    },
};

/// What arrives from memory in one go.
pub const TOGETHER: Quantity = Quantity {
    key: "fetched_together",
    name: "bytes fetched together",
    unit: Unit::Bytes,
    within: 0.0,
    widest: 1.0,
    methods: &[
        Method {
            name: BRING,
            kind: Kind::Flush,
            experiment: "mem/line",
            how: "two words are dropped from the caches and loaded one after the other: the \
                  second load misses unless the first brought its line as well. Pairs of other \
                  distances come in between, so that no distance can be learned",
            fooled_by: &[
                Fooler {
                    by: "a second line that arrives later than the second load",
                    makes: Makes::Smaller,
                },
                PREFETCHERS,
            ],
        },
        Method {
            name: PAIR_OF_LINES,
            kind: Kind::Coherence,
            experiment: "mem/line",
            how: "two CPUs add to words of neighbouring lines: where a miss also fetches the \
                  neighbour, they disturb each other a little, and one line further not",
            fooled_by: &[Fooler {
                by: "a prefetcher that fetches the neighbour for loads only",
                makes: Makes::Smaller,
            }],
        },
    ],
    say: together,
    card: |_| None,
    differs: |_, _| "",
};

fn together(of: &Agreement) -> String {
    let bytes = of.value.unwrap_or(f64::NAN);
    format!("a miss of all caches fetches {bytes} B")
}

fn on_card(card: &MachineCard) -> Option<(f64, String)> {
    card_line(card).map(|l| (l as f64, "machine card, L1d line".to_owned()))
}
