//! Hits and times by function and CPU, as the kernel's own function profile has
//! them, and self time.

use super::stacks::Stacks;
use crate::analyse::distribution::Distribution;
use crate::analyse::event::{Happening, What};
use crate::analyse::known::Known;
use crate::analyse::pass::{Gap, Visitor};
use crate::analyse::symbols::Symbols;
use crate::analyse::table::ByAddress;
use serde::Serialize;

/// One function. Times in ns; of calls whose entry and exit were both seen.
#[derive(Debug, Clone, Default, Serialize)]
pub struct FunctionRow {
    /// Name of the function, or its address in hexadecimal.
    pub function: String,
    /// Calls.
    pub hits: u64,
    /// With the calls that it made, and with time asleep unless the tracer's
    /// option sleep-time was off.
    pub total_ns: u64,
    /// Without the calls that it made.
    pub self_ns: u64,
    /// Of a call.
    pub average_ns: f64,
    /// Of the sample, in ns².
    pub variance_ns2: f64,
    /// The longest one, in ns.
    pub max_ns: u64,
    /// Time off the CPU inside it, and in how many calls.
    pub off_ns: u64,
    /// Calls in which the task was off the CPU.
    pub slept: u64,
    /// Hits and ns by CPU, in the order of `Known::cpus`.
    pub by_cpu: Vec<(u64, u64)>,
    /// Lengths of the calls in ns.
    #[serde(skip)]
    pub time: Distribution,
}

impl FunctionRow {
    fn named(&self, function: String) -> FunctionRow {
        FunctionRow {
            function,
            total_ns: self.time.sum,
            average_ns: self.time.mean(),
            variance_ns2: self.time.variance(),
            max_ns: self.time.max,
            ..self.clone()
        }
    }

    /// One call in ten or more was off the CPU.
    pub fn sleeps(&self) -> bool {
        self.slept > 0 && self.slept * 10 >= self.hits
    }
}

/// Profile of all functions.
#[derive(Debug, Default)]
pub struct Profile {
    /// The open calls of all tasks.
    pub stacks: Stacks,
    /// Without names, and what follows from the lengths of calls.
    rows: ByAddress<FunctionRow>,
}

impl Profile {
    /// Without any call so far.
    pub fn new(known: &Known, symbols: &Symbols) -> Profile {
        Profile {
            stacks: Stacks::new(known, symbols),
            rows: ByAddress::default(),
        }
    }

    /// By total time, then by hits.
    pub fn finish(&self, symbols: &Symbols) -> Vec<FunctionRow> {
        let mut all: Vec<FunctionRow> = self
            .rows
            .iter()
            .map(|(address, row)| row.named(symbols.name(*address)))
            .collect();
        all.sort_by(|a, b| {
            (b.total_ns, b.hits, &a.function).cmp(&(a.total_ns, a.hits, &b.function))
        });
        all
    }

    fn row(&mut self, function: u64, cpu: usize) -> &mut FunctionRow {
        let row = self.rows.entry(function).or_default();
        if row.by_cpu.len() <= cpu {
            row.by_cpu.resize(cpu + 1, (0, 0));
        }
        row
    }
}

impl Visitor for Profile {
    fn event(&mut self, h: &Happening<'_>, _: &Known) {
        if let What::Function { function } = h.what {
            let row = self.row(function, h.cpu);
            row.hits += 1;
            row.by_cpu[h.cpu].0 += 1;
            return;
        }
        let Some(call) = self.stacks.event(h, |_, _| 0) else {
            return;
        };
        let row = self.row(call.function, call.cpu);
        row.hits += 1;
        row.time.add(call.total_ns);
        row.self_ns = row.self_ns.saturating_add(call.self_ns);
        row.off_ns = row.off_ns.saturating_add(call.off_ns);
        row.slept += u64::from(call.off_ns > 0);
        let on = &mut row.by_cpu[call.cpu];
        *on = (on.0 + 1, on.1.saturating_add(call.total_ns));
    }

    fn lost(&mut self, gap: &Gap, _: &Known) {
        self.stacks.lost(gap);
    }
}
