//! The machine in a few lines: what it says of itself next to what was measured.

use analysis::numbers::{quantity, significant, time_ns};
use analysis::{PointView, RunView, whole};
use record::axis::human_bytes;
use record::{Cache, Finding, PointState, Stand, Unit, Verdict};
use serde::Serialize;

/// The measured machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Portrait {
    /// From the nearest cache to memory.
    pub levels: Vec<Level>,
    pub facts: Vec<Fact>,
}

/// A cache, or memory behind all of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Level {
    /// `L1d`, `L2`, `memory`.
    pub name: String,
    pub stated_bytes: Option<u64>,
    /// How many of them the machine says that it has.
    pub instances: u32,
    /// CPUs that share one; 0 where the machine does not say.
    pub shared_by: usize,
    pub capacity: Option<Capacity>,
    /// Of a dependent load that it serves.
    pub latency: Option<Bounds>,
    pub latency_cycles: Option<f64>,
    /// One CPU reads a set that this level holds, 10^9 bytes/s, by the fastest method.
    pub read_gb_per_s: Option<f64>,
}

/// A value between two bounds, in the unit of its field.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    pub center: f64,
    pub low: f64,
    pub high: f64,
}

/// A measured capacity, and how it stands to the stated one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Capacity {
    pub bytes: Bounds,
    pub stand: CapacityStand,
}

/// How a measured capacity stands to what the machine says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CapacityStand {
    Agrees,
    /// Nothing is stated.
    Alone,
    Contradicts,
    /// Methods do not decide; the bounds are those of the one that says most.
    Open,
}

/// One more quantity of the machine, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// `first TLB`.
    pub name: &'static str,
    /// `108 pages of 4 KiB`.
    pub text: String,
}

/// Findings that the portrait shows: in a list of findings they would be said twice.
pub const KEYS: [&str; 16] = [
    "l1d_capacity",
    "l1d_latency",
    "l2_capacity",
    "l2_latency",
    "l3_capacity",
    "l3_latency",
    "dram_latency",
    "tlb_l1_reach",
    "tlb_l2_reach",
    "tlb_l2_latency",
    "page_walk",
    "line_size",
    "cache_levels",
    "clock_rate",
    "nearest_pair",
    "one_cache",
];

const BANDWIDTH: &str = "mem/bandwidth";

impl Portrait {
    /// The portrait that a run allows; without levels where none was looked for.
    pub fn of(view: &RunView) -> Portrait {
        let seen = Seen {
            findings: &view.head.findings,
            cycle_ns: cycle_ns(view),
        };
        let stated = view.head.machine.data_caches();
        if !KEYS.iter().any(|key| seen.any(key).is_some()) {
            return Portrait {
                levels: Vec::new(),
                facts: Vec::new(),
            };
        }
        let of_a_level = |key: &str| key.ends_with("_capacity") || key.ends_with("_latency");
        let levels_seen = KEYS
            .iter()
            .any(|key| of_a_level(key) && seen.any(key).is_some());
        if !levels_seen {
            // Facts alone: there is nothing to draw them next to.
            return Portrait {
                levels: Vec::new(),
                facts: seen.facts(view.head.machine.page_bytes),
            };
        }
        let mut levels: Vec<Level> = (1..=4)
            .filter_map(|number| {
                let stated = stated.iter().find(|c| c.level == number).copied();
                seen.cache(number, stated)
            })
            .collect();
        levels.push(seen.memory(view.head.machine.memory_bytes));
        bandwidths(view, &mut levels);
        Portrait {
            levels,
            facts: seen.facts(view.head.machine.page_bytes),
        }
    }
}

/// What findings say of the machine.
struct Seen<'a> {
    findings: &'a [Finding],
    cycle_ns: Option<f64>,
}

impl Seen<'_> {
    fn any(&self, key: &str) -> Option<&Finding> {
        self.findings.iter().find(|f| f.key == key)
    }

    /// One that decides.
    fn decided(&self, key: &str) -> Option<&Finding> {
        self.any(key).filter(|f| f.verdict != Verdict::Undecided)
    }

    fn bounds(&self, key: &str) -> Option<Bounds> {
        self.decided(key).and_then(bounds)
    }

    fn cache(&self, number: u32, stated: Option<&Cache>) -> Option<Level> {
        let word = match number {
            1 => "l1d".to_owned(),
            n => format!("l{n}"),
        };
        let capacity = self.capacity(&format!("{word}_capacity"));
        let latency = self.bounds(&format!("{word}_latency"));
        if stated.is_none() && capacity.is_none() && latency.is_none() {
            return None;
        }
        Some(Level {
            name: match number {
                1 => "L1d".to_owned(),
                n => format!("L{n}"),
            },
            stated_bytes: stated.map(|c| c.size_bytes),
            instances: stated.map_or(0, |c| c.instances),
            shared_by: stated.map_or(0, |c| c.shared_by.len()),
            capacity,
            latency_cycles: self.cycles(latency),
            latency,
            read_gb_per_s: None,
        })
    }

    fn memory(&self, stated_bytes: u64) -> Level {
        let latency = self.bounds("dram_latency");
        Level {
            name: "memory".to_owned(),
            stated_bytes: (stated_bytes > 0).then_some(stated_bytes),
            instances: 1,
            shared_by: 0,
            capacity: None,
            latency_cycles: self.cycles(latency),
            latency,
            read_gb_per_s: None,
        }
    }

    fn cycles(&self, latency: Option<Bounds>) -> Option<f64> {
        Some(latency?.center / self.cycle_ns?)
    }

    fn capacity(&self, key: &str) -> Option<Capacity> {
        let finding = self.any(key)?;
        let stand = match finding.verdict {
            Verdict::Agree => CapacityStand::Agrees,
            Verdict::Stated => CapacityStand::Alone,
            Verdict::Disagree => CapacityStand::Contradicts,
            Verdict::Undecided => CapacityStand::Open,
        };
        let bytes = match stand {
            CapacityStand::Open => said_by_one(finding),
            _ => bounds(finding),
        };
        bytes.map(|bytes| Capacity { bytes, stand })
    }

    fn facts(&self, page_bytes: u64) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut say = |name, text: Option<String>| {
            facts.extend(text.map(|text| Fact { name, text }));
        };
        let rate = self.decided("clock_rate").and_then(|f| f.value);
        say(
            "core",
            rate.map(|mhz| format!("{} GHz", significant(mhz / 1e3, 3))),
        );
        let page = page_bytes.max(1) as f64;
        let pages = |key: &str| self.bounds(key).map(|reach| (reach.center / page).round());
        say(
            "TLBs",
            match (pages("tlb_l1_reach"), pages("tlb_l2_reach")) {
                (Some(first), Some(second)) => Some(format!("{first:.0} and {second:.0} pages")),
                (Some(only), None) | (None, Some(only)) => Some(format!("{only:.0} pages")),
                (None, None) => None,
            },
        );
        let time = |key: &str| self.bounds(key).map(|b| time_ns(b.center, 3));
        say("page walk", time("page_walk"));
        say("core to core", time("nearest_pair"));
        let line = self.decided("line_size").and_then(|f| f.value);
        say("line", line.map(|b| human_bytes(whole(b))));
        facts
    }
}

fn bounds(finding: &Finding) -> Option<Bounds> {
    let center = finding.value?;
    Some(Bounds {
        center,
        low: finding.low.unwrap_or(center),
        high: finding.high.unwrap_or(center),
    })
}

/// Of a conclusion that is open: the values of the method that it would rest on.
fn said_by_one(finding: &Finding) -> Option<Bounds> {
    let says = finding.methods.iter();
    let says = says.filter(|m| m.stand == Stand::Supports);
    let mut values = says.filter_map(|m| {
        let center = m.value?;
        Some(Bounds {
            center,
            low: m.low.unwrap_or(center),
            high: m.high.unwrap_or(center),
        })
    });
    values.next()
}

/// The cycle of the core: as measured while the loads were, else the core's rate.
fn cycle_ns(view: &RunView) -> Option<f64> {
    let chain = view.table("mem/latency");
    let links = chain.into_iter().flat_map(|t| &t.points);
    let mut links: Vec<f64> = links.filter_map(|p| p.link_ns).collect();
    links.sort_by(f64::total_cmp);
    let counts = view.head.instrument.yardstick;
    let counts = counts.is_some_and(|y| y.counts_cycles());
    let middle = links.get(links.len() / 2).copied().filter(|_| counts);
    let rate = view.head.findings.iter().find(|f| f.key == "clock_rate");
    middle.or_else(|| rate.and_then(|f| f.value).map(|mhz| 1e3 / mhz))
}

/// The rate of reading a set goes to the level that holds it and of which the level before does
/// not hold a half: a set that two levels serve says nothing of either.
fn bandwidths(view: &RunView, levels: &mut [Level]) {
    let Some(table) = view.table(BANDWIDTH) else {
        return;
    };
    let mut below = 0.0;
    for level in levels {
        let holds = match (&level.capacity, level.stated_bytes) {
            _ if level.name == "memory" => f64::INFINITY,
            (Some(c), _) if c.stand != CapacityStand::Open => c.bytes.center,
            (_, Some(bytes)) => bytes as f64,
            _ => continue,
        };
        let fits = |p: &&PointView| {
            let size = p.int("size").unwrap_or(0) as f64;
            let alone = p.int("cores").unwrap_or(1) == 1;
            p.head.state == PointState::Done
                && alone
                && p.word("operation") == "read"
                && matches!(p.word("content"), "" | "data")
                && size > 2.0 * below
                && size <= holds
        };
        let rates = table.points.iter().filter(fits);
        let rates = rates.filter_map(PointView::bandwidth_gb_per_s);
        level.read_gb_per_s = rates.reduce(f64::max);
        below = holds;
    }
}

impl Level {
    /// `2x 48 KiB`, `32 MiB`, `-`.
    pub fn stated(&self) -> String {
        match (self.stated_bytes, self.instances) {
            (None, _) => "-".to_owned(),
            (Some(bytes), 0 | 1) => human_bytes(bytes),
            (Some(bytes), n) => format!("{n}x {}", human_bytes(bytes)),
        }
    }

    /// `48 KiB`, `740 KiB to 1.26 MiB`, `-`; with `!` where it contradicts, `?` where it is open.
    pub fn measured(&self) -> String {
        let Some(capacity) = &self.capacity else {
            return "-".to_owned();
        };
        let mark = match capacity.stand {
            CapacityStand::Contradicts => "! ",
            CapacityStand::Open => "? ",
            CapacityStand::Agrees | CapacityStand::Alone => "",
        };
        format!("{mark}{}", capacity.bytes.sizes())
    }
}

impl Bounds {
    /// As sizes: `5.0 to 6.3 MiB`.
    pub fn sizes(&self) -> String {
        let size = |bytes: f64| quantity(bytes, Unit::Bytes, 3);
        let (low, high) = (size(self.low), size(self.high));
        if low == high {
            return low;
        }
        match (low.split_once(' '), high.split_once(' ')) {
            (Some((number, a)), Some((_, b))) if a == b => format!("{number} to {high}"),
            _ => format!("{low} to {high}"),
        }
    }
}
