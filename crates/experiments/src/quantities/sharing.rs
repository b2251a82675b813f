//! What the two CPUs of a measurement share: a core, a last-level cache. 1 is yes, 0 no.

use analysis::inference::{Agreement, Fooler, Kind, Makes, Method, Quantity};
use record::{MachineCard, Placement, Unit};

pub(crate) const HANDED: &str = "handed";
pub(crate) const CONTENDED: &str = "contended";
pub(crate) const REGISTERS: &str = "registers";
pub(crate) const STREAMED: &str = "streamed";

const STOLEN: Fooler = Fooler {
    by: "a hypervisor that takes one of the CPUs away",
    makes: Makes::Either,
};
/// The hypervisor may run a CPU of a guest anywhere.
const MOVED: Fooler = Fooler {
    by: "a hypervisor that moves its CPUs",
    makes: Makes::Either,
};

/// Whether the two CPUs are threads of one core.
pub const ONE_CORE: Quantity = Quantity {
    methods: &[
        Method {
            name: CONTENDED,
            kind: Kind::Coherence,
            experiment: "mem/line",
            how: "two CPUs add to one word: cores take the line from each other each time, \
                  threads of a core have it in one cache",
            fooled_by: &[
                MOVED,
                Fooler {
                    by: "a partner that is away",
                    makes: Makes::Larger,
                },
            ],
        },
        Method {
            name: HANDED,
            kind: Kind::Handover,
            experiment: "mem/line",
            how: "one CPU loads a word that was dropped from all caches, then the other does: \
                  threads of a core find it in their first cache",
            fooled_by: &[
                MOVED,
                Fooler {
                    by: "a shared cache so near that the clock cannot tell it from the first",
                    makes: Makes::Larger,
                },
            ],
        },
        Method {
            name: REGISTERS,
            kind: Kind::Corun,
            experiment: "colocate/matrix",
            how: "work in registers slows down next to itself on threads of one core only",
            fooled_by: &[STOLEN, MOVED],
        },
    ],
    say: |of| match of.value {
        Some(1.0) => "the measuring CPU and its partner are threads of one core".to_owned(),
        _ => "the measuring CPU and its partner are separate cores".to_owned(),
    },
    card: |card| on_card(card, Placement::SmtSibling),
    ..either("one_core", "threads of one core")
};

/// Whether the two CPUs have a cache in common.
pub const ONE_CACHE: Quantity = Quantity {
    methods: &[
        Method {
            name: HANDED,
            kind: Kind::Handover,
            experiment: "mem/line",
            how: "one CPU loads a word that was dropped from all caches, then the other does: it \
                  comes faster than from memory where they have a cache in common",
            fooled_by: &[
                MOVED,
                Fooler {
                    by: "a way between caches that is shorter than the way to memory",
                    makes: Makes::Larger,
                },
                Fooler {
                    by: "a neighbour that empties the cache meanwhile",
                    makes: Makes::Smaller,
                },
            ],
        },
        Method {
            name: CONTENDED,
            kind: Kind::Coherence,
            experiment: "mem/line",
            how: "two CPUs add to one word: an addition takes less than a load from memory where \
                  the line goes through a cache that they have in common",
            fooled_by: &[
                MOVED,
                Fooler {
                    by: "a CPU that adds several times before it gives the line away",
                    makes: Makes::Larger,
                },
            ],
        },
        Method {
            name: STREAMED,
            kind: Kind::Corun,
            experiment: "colocate/matrix",
            how: "loads from the last-level cache slow down next to a copy that streams through it",
            fooled_by: &[
                Fooler {
                    by: "others that use so much of the cache that the loads miss it anyway",
                    makes: Makes::Smaller,
                },
                STOLEN,
                MOVED,
                Fooler {
                    by: "memory that they have in common",
                    makes: Makes::Larger,
                },
            ],
        },
    ],
    say: |of| match of.value {
        Some(1.0) => "the measuring CPU and its partner have a cache in common".to_owned(),
        _ => "the measuring CPU and its partner have no cache in common".to_owned(),
    },
    card: |card| on_card(card, Placement::SameCache),
    ..either("one_cache", "cache in common")
};

const fn either(key: &'static str, name: &'static str) -> Quantity {
    Quantity {
        key,
        name,
        unit: Unit::Word,
        within: 0.0,
        widest: 1.0,
        methods: &[],
        say: |_: &Agreement| String::new(),
        card: |_| None,
        differs: |_, _| {
            "a hypervisor may report a topology that its CPUs do not have, so the card is the less \
             likely side"
        },
    }
}

/// What the card says, where it knows of two CPUs only: of more it is not recorded which two
/// were measured.
fn on_card(card: &MachineCard, at_least: Placement) -> Option<(f64, String)> {
    let [a, b] = card.places.as_slice() else {
        return None;
    };
    let between = Placement::between(&card.places, a.cpu, b.cpu)?;
    let value = f64::from(u8::from(between <= at_least));
    Some((value, "machine card, topology".to_owned()))
}
