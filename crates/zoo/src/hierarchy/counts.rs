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
