//! What a machine's counters would say if they were exact.

/// Events since the beginning, of all CPUs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Loads and stores of the program.
    pub loads: u64,
    /// Of those, what the first level did not have.
    pub l1_refills: u64,
    /// Of those, what the second level did not have.
    pub l2_refills: u64,
    /// Of those, what no level had.
    pub memory_reads: u64,
    /// Translations that the first TLB did not have.
    pub dtlb_misses: u64,
    /// Of those, what no TLB had.
    pub walks: u64,
    /// Lines of page tables that walks loaded.
    pub walk_loads: u64,
    /// Lines that came by prefetch.
    pub prefetches: u64,
}

impl Counts {
    /// What came since.
    #[must_use]
    pub fn since(&self, before: &Counts) -> Counts {
        Counts {
            loads: self.loads - before.loads,
            l1_refills: self.l1_refills - before.l1_refills,
            l2_refills: self.l2_refills - before.l2_refills,
            memory_reads: self.memory_reads - before.memory_reads,
            dtlb_misses: self.dtlb_misses - before.dtlb_misses,
            walks: self.walks - before.walks,
            walk_loads: self.walk_loads - before.walk_loads,
            prefetches: self.prefetches - before.prefetches,
        }
    }

    /// So many times the same comes again.
    pub fn again(&mut self, same: &Counts, times: u64) {
        self.loads += times * same.loads;
        self.l1_refills += times * same.l1_refills;
        self.l2_refills += times * same.l2_refills;
        self.memory_reads += times * same.memory_reads;
        self.dtlb_misses += times * same.dtlb_misses;
        self.walks += times * same.walks;
        self.walk_loads += times * same.walk_loads;
        self.prefetches += times * same.prefetches;
    }
}
