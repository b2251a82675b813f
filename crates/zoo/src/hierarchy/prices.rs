//! What each level costs.

use crate::cores::Core;

/// Latencies by depth.
#[derive(Debug, Clone)]
pub struct Prices {
    cycles: [f64; 3],
    levels: usize,
    memory_ns: f64,
}

impl Prices {
    /// As the core is described.
    pub fn new(core: &Core) -> Self {
        let mut cycles = [0.0; 3];
        for (cycles, level) in cycles.iter_mut().zip(&core.levels) {
            *cycles = level.latency_cycles;
        }
        Prices {
            cycles,
            levels: core.levels.len(),
            memory_ns: core.memory_ns,
        }
    }

    /// A load that this level has, in ns; memory keeps its pace whatever the clock does.
    #[inline]
    pub fn ns(&self, depth: usize, cycle_ns: f64) -> f64 {
        match depth < self.levels {
            true => self.cycles[depth] * cycle_ns,
            false => self.memory_ns,
        }
    }
}
