//! What is described of a core, and which descriptions are possible.

use serde::Deserialize;

/// One core with the memory behind it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Core {
    /// That of its file.
    pub name: String,
    /// For people: `AMD Zen 2`.
    pub title: String,
    /// As the kernel says it: x86_64, aarch64, arm or powerpc64.
    pub arch: String,
    /// Cycles in a nanosecond.
    pub clock_ghz: f64,
    /// Size of a line of every level, in bytes.
    pub line_bytes: u32,
    /// The data caches, nearest first: two or three.
    #[serde(rename = "level")]
    pub levels: Vec<Level>,
    /// The first TLB for data.
    pub dtlb: Tlb,
    /// The second TLB.
    pub stlb: Option<Tlb>,
    /// What reads page tables.
    pub walk: Walk,
    /// A load that no cache has, in ns.
    pub memory_ns: f64,
    /// What fetches ahead.
    #[serde(default, rename = "prefetcher")]
    pub prefetchers: Vec<Prefetcher>,
    /// The way predictor of the first level, where it makes lines evict one another.
    pub utag: Option<Utag>,
    /// Base page, in bytes.
    pub page_bytes: u64,
    /// The huge page of one level up, in bytes.
    pub huge_page_bytes: u64,
    /// What two CPUs cost that write one line.
    pub coherence: Coherence,
    /// The instruction that takes a line out of all caches, where users may execute one.
    pub flush: Option<Flush>,
    /// Where values of this core are published. Not every number was checked against them:
    /// a simulated machine must be plausible and known, not a copy.
    pub sources: Vec<String>,
}

/// One level of cache.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// L1d, L2 or L3.
    pub name: String,
    /// Capacity, in bytes; of all slices together.
    pub bytes: u64,
    /// Lines that a set holds.
    pub ways: u32,
    /// From a load's start to its value, in cycles.
    pub latency_cycles: f64,
    /// Which line of a full set leaves.
    pub policy: Policy,
    /// How its lines relate to those of the levels above it.
    pub inclusion: Inclusion,
    /// How many cores share one; threads of a core always do.
    pub shared_cpus: u32,
    /// Parts over which a hash of the physical address spreads lines; 1: no hash.
    #[serde(default = "one")]
    pub slices: u32,
    /// Ways that others hold for good (cache allocation): of no use here.
    #[serde(default)]
    pub stolen_ways: u32,
}

/// Which line of a full set leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// The least recently used.
    Lru,
    /// The one that a tree of bits points to.
    TreePlru,
    /// Groups of four with a tree each, the groups by last use.
    Lru3Plru4,
    /// QLRU_H00_M1_R0_U1 (Abel and Reineke); leader sets decide whether fills enter old.
    Qlru,
    /// The one predicted to be used last (Jaleel and others, 2010), 2 bits.
    Rrip,
    /// Any.
    Random,
}

/// How the lines of a level relate to those of the levels above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inclusion {
    /// Holds what they hold: a line that leaves here leaves there.
    Inclusive,
    /// Holds what left the level above, and gives it back on a hit.
    Exclusive,
    /// Filled on the way in; its evictions change nothing else.
    NonInclusive,
}

/// A translation lookaside buffer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tlb {
    /// Translations that it holds.
    pub entries: u32,
    /// Of a set; `entries`: fully associative.
    pub ways: u32,
    /// What a hit here adds to a load, in cycles; 0 for the first.
    #[serde(default)]
    pub extra_cycles: f64,
    /// Translations of neighbouring pages on neighbouring frames that share an entry.
    #[serde(default = "one")]
    pub coalesce: u32,
    /// Entries of a TLB of their own for huge pages; none: they share this one.
    pub huge_entries: Option<u32>,
}

/// What reads page tables.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Walk {
    /// Levels of tables; 0: translation is free and loads nothing.
    pub levels: u32,
    /// What a walk costs next to its loads, in cycles.
    pub cycles: f64,
    /// Entries of upper levels that are kept, of each level.
    pub cache_entries: u32,
}

/// What fetches lines before they are asked for.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case",
    deny_unknown_fields
)]
pub enum Prefetcher {
    /// The other line of an aligned pair, into L2.
    AdjacentLine,
    /// The line above or below, into L2, as recent misses went.
    UpDown,
    /// The next line, into L1, on ascending accesses.
    NextLine,
    /// The next of equal strides of one instruction, into L1.
    IpStride {
        /// Equal strides in a row before it acts.
        strides: u32,
        /// How many strides ahead it fetches.
        ahead: u32,
        /// The longest stride it follows, in bytes.
        max_stride_bytes: u32,
    },
    /// Lines ahead of accesses that go one way through a page, into L2.
    Stream {
        /// Accesses in one direction before it acts.
        accesses: u32,
        /// How far ahead it gets, in lines.
        ahead: u32,
    },
    /// The lines of a region that followed the same trigger before, into L1.
    Region {
        /// Size of a region, in bytes.
        region_bytes: u32,
    },
    /// The lines whose misses followed this one before, into L2.
    Temporal {
        /// Pairs of misses that it remembers.
        entries: u32,
    },
}

impl Prefetcher {
    /// Pairs of misses that it remembers.
    pub fn remembers(&self) -> u64 {
        match self {
            Prefetcher::Temporal { entries } => u64::from(*entries),
            _ => 0,
        }
    }
}

/// A way predictor by a hash of the virtual address: two lines of a set with equal hash
/// evict one another.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Utag {
    /// Pairs of address bits; each pair's exclusive or is a bit of the hash. At most 8.
    pub pairs: Vec<[u32; 2]>,
}

/// What two CPUs cost that write one line.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coherence {
    /// An atomic addition to a line that the other CPU wrote last, in ns.
    pub transfer_ns: f64,
    /// To a line of one's own, in ns.
    pub local_ns: f64,
    /// Whether the two lines of a pair disturb one another.
    #[serde(default)]
    pub pair_prefetch: bool,
}

/// The instruction that takes a line out of all caches.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flush {
    /// What one takes out, in bytes: aligned, a line at least.
    pub granule_bytes: u32,
    /// What it costs, in ns.
    pub cost_ns: f64,
}

fn one() -> u32 {
    1
}

const ARCHITECTURES: [&str; 4] = ["x86_64", "aarch64", "arm", "powerpc64"];
/// Tables of the simulator are that wide.
const MOST_WAYS: u32 = 32;

impl Level {
    /// Sets of one slice; any number is possible, then the set is a remainder.
    pub fn sets_per_slice(&self, line_bytes: u32) -> u64 {
        self.bytes / u64::from(self.ways) / u64::from(line_bytes) / u64::from(self.slices)
    }

    fn complaint(&self, line_bytes: u32) -> Option<String> {
        let row = u64::from(self.ways) * u64::from(line_bytes) * u64::from(self.slices);
        let name = &self.name;
        if row == 0 || self.bytes == 0 || !self.bytes.is_multiple_of(row) {
            let bytes = self.bytes;
            return Some(format!("{name}: {bytes} bytes are no multiple of {row}"));
        }
        if self.ways > MOST_WAYS || self.stolen_ways >= self.ways {
            return Some(format!("{name}: {} ways", self.ways));
        }
        let fours = self.ways.is_multiple_of(4) && self.stolen_ways == 0;
        (self.policy == Policy::Lru3Plru4 && !fours)
            .then(|| format!("{name}: {} ways are no groups of four", self.ways))
    }
}

impl Tlb {
    fn complaint(&self) -> Option<String> {
        let rows = self.ways > 0 && self.entries > 0 && self.entries.is_multiple_of(self.ways);
        let shared = self.coalesce.is_power_of_two();
        (!rows || !shared).then(|| format!("a TLB of {} entries, {} ways", self.entries, self.ways))
    }
}

impl Core {
    /// What of the description is impossible; nothing: it can be built.
    pub fn complaint(&self) -> Option<String> {
        if !ARCHITECTURES.contains(&self.arch.as_str()) {
            return Some(format!("unknown architecture {}", self.arch));
        }
        if !self.line_bytes.is_power_of_two() || !(16..=1024).contains(&self.line_bytes) {
            return Some(format!("lines of {} bytes", self.line_bytes));
        }
        let pages = [self.page_bytes, self.huge_page_bytes];
        if pages.iter().any(|bytes| !bytes.is_power_of_two()) || pages[1] <= pages[0] {
            return Some(format!("pages of {} and {} bytes", pages[0], pages[1]));
        }
        if self.clock_ghz.is_nan() || self.clock_ghz <= 0.0 || self.memory_ns.is_nan() {
            return Some(format!("a clock of {} GHz", self.clock_ghz));
        }
        self.complaint_of_parts()
    }

    fn complaint_of_parts(&self) -> Option<String> {
        if !(2..=3).contains(&self.levels.len()) {
            return Some(format!("{} levels of cache", self.levels.len()));
        }
        if self.levels[0].slices != 1 {
            return Some("a first level in slices".to_owned());
        }
        if self.utag.as_ref().is_some_and(|utag| utag.pairs.len() > 8) {
            return Some("a hash of more than 8 bits".to_owned());
        }
        let tlbs = std::iter::once(&self.dtlb).chain(&self.stlb);
        let mut levels = self.levels.iter();
        levels
            .find_map(|level| level.complaint(self.line_bytes))
            .or_else(|| tlbs.into_iter().find_map(Tlb::complaint))
    }
}
