//! How deep each CPU slept, and for how long: the states of cpuidle.

use super::event::{Happening, What};
use super::known::Known;
use super::pass::{Gap, Pass, Visitor};
use super::table::found_or_new;
use serde::Serialize;

/// One stay in an idle state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stay {
    /// Its begin, a stamp in ns.
    pub start_ns: u64,
    /// Its end, a stamp in ns.
    pub end_ns: u64,
    /// Number of the state in /sys/devices/system/cpu/cpuN/cpuidle.
    pub state: u32,
}

impl Stay {
    /// From its begin to its end, in ns.
    pub fn length_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }
}

/// Puts `power:cpu_idle` events together, two by two.
#[derive(Debug, Clone, Default)]
pub struct Stays {
    open: Vec<Option<(u64, u32)>>,
}

/// What `cpu_idle` says on leaving.
const AWAKE: u32 = u32::MAX;

impl Stays {
    /// No CPU is known to be in a state.
    pub fn new(known: &Known) -> Stays {
        Stays {
            open: vec![None; known.cpus.len()],
        }
    }

    /// The stay that ends with `state`.
    #[inline]
    pub fn enters(&mut self, cpu: usize, at_ns: u64, state: u32) -> Option<Stay> {
        let before = self.open[cpu].take();
        if state != AWAKE {
            self.open[cpu] = Some((at_ns, state));
        }
        before.map(|(start_ns, state)| Stay {
            start_ns,
            end_ns: at_ns,
            state,
        })
    }

    /// Its end is not in the capture.
    pub fn lost(&mut self, cpu: usize) {
        self.open[cpu] = None;
    }

    /// The one that goes on when the capture ends.
    pub fn ends(&mut self, cpu: usize, until_ns: u64) -> Option<Stay> {
        self.enters(cpu, until_ns, AWAKE)
    }
}

/// Stays of one CPU in one state. Times in ns; the first stay of a capture that
/// began before it, and those next to a gap, are not in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IdleSum {
    /// Number of the CPU.
    pub cpu: u32,
    /// Number of the state in cpuidle.
    pub state: u32,
    /// Whole stays.
    pub count: u64,
    /// Together, in ns.
    pub total_ns: u64,
    /// The longest one, in ns.
    pub max_ns: u64,
}

/// The sums of a capture.
#[derive(Debug, Default)]
pub struct Idle {
    /// By CPU and state.
    pub sums: Vec<IdleSum>,
    stays: Stays,
}

impl Idle {
    /// No CPU is known to be in a state.
    pub fn new(known: &Known) -> Idle {
        Idle {
            sums: Vec::new(),
            stays: Stays::new(known),
        }
    }

    fn add(&mut self, cpu: u32, stay: Stay) {
        let of = |sum: &IdleSum| (sum.cpu, sum.state) == (cpu, stay.state);
        let sum = found_or_new(&mut self.sums, of, || IdleSum {
            cpu,
            state: stay.state,
            ..IdleSum::default()
        });
        let length_ns = stay.length_ns();
        sum.count += 1;
        sum.total_ns = sum.total_ns.saturating_add(length_ns);
        sum.max_ns = sum.max_ns.max(length_ns);
    }
}

impl Visitor for Idle {
    #[inline]
    fn event(&mut self, happening: &Happening<'_>, known: &Known) {
        if let What::CpuIdle { state } = happening.what
            && let Some(stay) = self.stays.enters(happening.cpu, happening.at_ns, state)
        {
            self.add(known.cpus[happening.cpu], stay);
        }
    }

    fn lost(&mut self, gap: &Gap, _: &Known) {
        self.stays.lost(gap.cpu);
    }

    fn end(&mut self, pass: &Pass, known: &Known) {
        for (cpu, span) in pass.cpus.iter().enumerate() {
            if let Some(stay) = self.stays.ends(cpu, span.until_ns) {
                self.add(known.cpus[cpu], stay);
            }
        }
        self.sums.sort_by_key(|sum| (sum.cpu, sum.state));
    }
}
