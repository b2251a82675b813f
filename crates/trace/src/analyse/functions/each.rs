//! Every call of a function, in the order in which they ended.

use super::stacks::{Call, Stacks};
use crate::analyse::event::Happening;
use crate::analyse::known::Known;
use crate::analyse::pass::{Gap, Visitor};
use crate::analyse::symbols::Symbols;
use std::ops::Range;

/// The calls of one function.
#[derive(Debug)]
pub struct EachCall {
    stacks: Stacks,
    wanted: Vec<Range<u64>>,
    /// In the order in which they ended.
    pub calls: Vec<Call>,
}

impl EachCall {
    /// For the calls of `function`, a name in `symbols`.
    pub fn new(known: &Known, symbols: &Symbols, function: &str) -> EachCall {
        EachCall {
            stacks: Stacks::new(known, symbols),
            wanted: symbols.ranges(function).collect(),
            calls: Vec::new(),
        }
    }

    /// Calls whose entry or exit was not seen.
    pub fn dropped(&self) -> u64 {
        self.stacks.dropped
    }
}

impl Visitor for EachCall {
    fn event(&mut self, h: &Happening<'_>, _: &Known) {
        let ended = self.stacks.event(h, |_, _| 0);
        let wanted = |call: &Call| self.wanted.iter().any(|r| r.contains(&call.function));
        self.calls.extend(ended.filter(wanted));
    }

    fn lost(&mut self, gap: &Gap, _: &Known) {
        self.stacks.lost(gap);
    }
}
