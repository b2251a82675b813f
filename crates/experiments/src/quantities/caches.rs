//! Levels, capacities, ways and latencies of caches, and of memory behind them.

use analysis::inference::{Agreement, Fooler, Kind, Makes, Method, Quantity};
use engines::memory::card::{card_cache, source_of};
use record::axis::human_bytes;
use record::{MachineCard, Unit};

pub(crate) const CHASE: &str = "chase";
pub(crate) const PLACEMENT: &str = "placement";
pub(crate) const CONFLICT: &str = "conflict";
pub(crate) const QUOTIENT: &str = "quotient";
pub(crate) const FLUSHED: &str = "flushed";

/// Distances at which addresses come back to the same set, bytes: no finding of its own.
pub(crate) const WAY_BYTES: [&str; 2] = ["l1d_way_bytes", "l2_way_bytes"];
/// Treads of a staircase, and the time of a load on the last one, ns, which is memory's if
/// the sets were large enough: no findings of their own.
pub(crate) const TREADS: &str = "treads";
pub(crate) const LAST_TREAD: &str = "last_tread";
/// Answered where the last tread is only where the largest set has come to on its way up.
pub(crate) const RISES: &str = "rises";

/// Two times of one level, measured in two experiments, differ by this share at most.
const SAME_TIME: f64 = 0.2;
/// Two capacities.
const SAME_SIZE: f64 = 0.1;

const NEIGHBOURS: Fooler = Fooler {
    by: "neighbours that use a part of the cache",
    makes: Makes::Smaller,
};
const VICTIMS: Fooler = Fooler {
    by: "a cache that keeps what the one in front of it evicts",
    makes: Makes::Larger,
};
const REPLAY: Fooler = Fooler {
    by: "a prefetcher that replays misses in their old order",
    makes: Makes::Larger,
};
/// They fall on the same sets early.
const PIECES: Fooler = Fooler {
    by: "huge pages that the host has in pieces",
    makes: Makes::Smaller,
};
/// Lines that lie far apart are spread over other sets than the address says.
const SCATTERED: Fooler = Fooler {
    by: "huge pages that the host has in pieces",
    makes: Makes::Larger,
};

const BY_CHASE: Method = Method {
    name: CHASE,
    kind: Kind::Sweep,
    experiment: "mem/latency",
    how: "loads in random order over sets that grow: the capacity lies between the last size \
          without misses and the one at which half of the loads miss",
    fooled_by: &[NEIGHBOURS, VICTIMS, REPLAY, PIECES],
};

const BY_PLACEMENT: Method = Method {
    name: PLACEMENT,
    kind: Kind::Placement,
    experiment: "mem/latency",
    how: "the same over base pages, which fall on the sets at random: the share of sets that \
          overflow, by the binomial distribution, is fitted to the rise, translation taken off",
    fooled_by: &[
        NEIGHBOURS,
        VICTIMS,
        Fooler {
            by: "base pages that the kernel did not hand out at random",
            makes: Makes::Either,
        },
        REPLAY,
    ],
};

const BY_CONFLICT: Method = Method {
    name: CONFLICT,
    kind: Kind::Conflict,
    experiment: "mem/associativity",
    how: "lines a power of two apart compete for a set: the number that fits halves with each \
          doubled distance until it is the number of ways",
    fooled_by: &[
        SCATTERED,
        Fooler {
            by: "a way predictor that confuses addresses",
            makes: Makes::Smaller,
        },
        Fooler {
            by: "sets that are chosen by a hash of the address",
            makes: Makes::Larger,
        },
    ],
};

const BY_QUOTIENT: Method = Method {
    name: QUOTIENT,
    kind: Kind::Sweep,
    experiment: "mem/latency",
    how: "the capacity by the chase over the distance at which addresses come back to the same \
          set",
    fooled_by: &[NEIGHBOURS, VICTIMS],
};

const BY_FLUSH: Method = Method {
    name: FLUSHED,
    kind: Kind::Flush,
    experiment: "mem/line",
    how: "single loads of lines that were dropped from the caches, less those of lines that are \
          there",
    fooled_by: &[Fooler {
        by: "a clock whose step is a large part of a miss",
        makes: Makes::Either,
    }],
};

const fn quantity(key: &'static str, name: &'static str, unit: Unit) -> Quantity {
    Quantity {
        key,
        name,
        unit,
        within: 0.0,
        widest: 1.0,
        methods: &[],
        say: |_| String::new(),
        card: |_| None,
        differs: |_, _| "",
    }
}

/// Number of cache levels before memory.
pub const LEVELS: Quantity = Quantity {
    methods: &[BY_CHASE, BY_PLACEMENT],
    say: |of| match of.value {
        Some(1.0) => "there is 1 level of cache".to_owned(),
        value => format!("there are {:.0} levels of cache", value.unwrap_or(f64::NAN)),
    },
    card: |card| {
        let known = card.data_caches().len();
        (known > 0).then(|| (known as f64, "machine card, data caches".to_owned()))
    },
    differs: |measured, card| match measured < card {
        true => {
            "levels of similar latency, or one larger than the largest set, show as one, so the \
             card is the likelier side"
        }
        false => "one step more may be the reach of a TLB, so the card is the likelier side",
    },
    ..quantity("cache_levels", "levels of cache", Unit::Count)
};

/// Capacities, first level first.
pub const CAPACITIES: [Quantity; 3] = [
    Quantity {
        methods: &[BY_CHASE, BY_CONFLICT],
        say: |of| holds("L1d", of),
        card: |card| size_on_card(card, 1),
        ..capacity("l1d_capacity", "capacity of L1d")
    },
    Quantity {
        methods: &[BY_CHASE, BY_PLACEMENT, BY_CONFLICT],
        say: |of| holds("L2", of),
        card: |card| size_on_card(card, 2),
        ..capacity("l2_capacity", "capacity of L2")
    },
    Quantity {
        methods: &[BY_CHASE, BY_PLACEMENT],
        say: |of| holds("L3", of),
        card: |card| size_on_card(card, 3),
        ..capacity("l3_capacity", "capacity of L3")
    },
];

const fn capacity(key: &'static str, name: &'static str) -> Quantity {
    Quantity {
        within: SAME_SIZE,
        // Four of the steps from one set to the next.
        widest: 2.6,
        differs: |measured, card| match measured < card {
            true => {
                "a program here gets what was measured; the rest is used by others who share the \
                 cache, or is not granted to this guest"
            }
            false => {
                "a program here gets what was measured; a cache that keeps what the one in front \
                 of it evicts adds the capacity of that one"
            }
        },
        ..quantity(key, name, Unit::Bytes)
    }
}

/// Ways of the first two levels.
pub const WAYS: [Quantity; 2] = [
    Quantity {
        methods: &[BY_CONFLICT, BY_QUOTIENT],
        say: |of| {
            format!(
                "a set of L1d holds {:.0} lines",
                of.value.unwrap_or(f64::NAN)
            )
        },
        card: |card| ways_on_card(card, 1),
        ..ways("l1d_ways", "ways of L1d")
    },
    Quantity {
        methods: &[BY_CONFLICT, BY_QUOTIENT],
        say: |of| {
            format!(
                "a set of L2 holds {:.0} lines",
                of.value.unwrap_or(f64::NAN)
            )
        },
        card: |card| ways_on_card(card, 2),
        ..ways("l2_ways", "ways of L2")
    },
];

const fn ways(key: &'static str, name: &'static str) -> Quantity {
    Quantity {
        differs: |_, _| {
            "two methods count the same, so the card is the less likely side (a hypervisor may \
             report the cache of another processor)"
        },
        ..quantity(key, name, Unit::Count)
    }
}

/// Time of a dependent load from each level, and from memory.
pub const LATENCIES: [Quantity; 4] = [
    Quantity {
        methods: &[BY_CHASE, BY_CONFLICT],
        say: |of| takes("L1d", of),
        ..latency("l1d_latency", "latency of L1d")
    },
    Quantity {
        methods: &[BY_CHASE, BY_CONFLICT],
        say: |of| takes("L2", of),
        ..latency("l2_latency", "latency of L2")
    },
    Quantity {
        methods: &[BY_CHASE, BY_CONFLICT, BY_PLACEMENT],
        say: |of| takes("L3", of),
        ..latency("l3_latency", "latency of L3")
    },
    Quantity {
        methods: &[BY_CHASE, BY_FLUSH],
        say: |of| takes("memory", of),
        ..latency("dram_latency", "latency of memory")
    },
];

const fn latency(key: &'static str, name: &'static str) -> Quantity {
    Quantity {
        within: SAME_TIME,
        widest: 1.5,
        ..quantity(key, name, Unit::Nanoseconds)
    }
}

fn holds(cache: &str, of: &Agreement) -> String {
    let size = |bytes: f64| human_bytes(stats::whole(bytes));
    let value = of.value.unwrap_or(f64::NAN);
    match of.low < value || of.high > value {
        true => format!(
            "{cache} holds {} ({} to {})",
            size(value),
            size(of.low),
            size(of.high)
        ),
        false => format!("{cache} holds {}", size(value)),
    }
}

fn takes(from: &str, of: &Agreement) -> String {
    let value = of.value.unwrap_or(f64::NAN);
    let digits = usize::from(value < 30.0);
    format!("a dependent load takes {value:.digits$} ns from {from}")
}

fn size_on_card(card: &MachineCard, level: usize) -> Option<(f64, String)> {
    let cache = card_cache(card, level)?;
    Some((cache.size_bytes as f64, source_of(Some(cache), "size")))
}

fn ways_on_card(card: &MachineCard, level: usize) -> Option<(f64, String)> {
    let cache = card_cache(card, level)?;
    Some((f64::from(cache.ways?), source_of(Some(cache), "ways")))
}
