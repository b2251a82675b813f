//! Which caches the CPUs share.

use crate::cores::Core;

/// Simulated CPUs: the one that measures, and its partner.
pub const CPUS: usize = 2;

/// Of each level, whether both CPUs have one cache.
#[derive(Debug, Clone, Copy)]
pub struct Sharing {
    shared: [bool; 3],
}

impl Sharing {
    /// Threads of a core share every level; other CPUs what is shared among cores, if they
    /// are of one cluster.
    pub fn new(core: &Core, sibling: bool, one_cluster: bool) -> Self {
        let mut shared = [sibling; 3];
        for (shared, level) in shared.iter_mut().zip(&core.levels) {
            *shared |= one_cluster && level.shared_cpus > 1;
        }
        Sharing { shared }
    }

    /// Whether both CPUs have one cache of that level.
    pub fn is_shared(&self, depth: usize) -> bool {
        self.shared[depth]
    }

    /// The cache of a CPU at that level.
    #[inline]
    pub fn bank(&self, depth: usize, cpu: usize) -> usize {
        if self.shared[depth] { 0 } else { cpu }
    }

    /// The cache of the next level under cache `at`.
    pub fn below(&self, depth: usize, at: usize) -> usize {
        self.bank(depth + 1, at)
    }
}
