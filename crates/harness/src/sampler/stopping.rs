//! When to stop: interval narrow enough, budget spent, deadline, enough.

use super::cell::Cell;
use super::{Ended, Member, interval};
use crate::sampling::Shape;

/// Deadlines after which not even a first batch is begun.
pub const LATEST: u64 = 2;

/// Time limits of a block: the sums over its points.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Clock time at which everything ends, ns ...
    pub deadline_at_ns: u64,
    /// ... but for the first batch of a cell that had none: a machine that stands still now
    /// and then is not the point's fault.
    pub first_till_ns: u64,
    /// Time for the passes, ns.
    pub budget_ns: u64,
}

impl Limits {
    /// Sums over the members that have a cell.
    pub fn of(members: &[Member<'_>], cells: &[Cell], now_ns: u64) -> Self {
        let (mut budget_ns, mut deadline_ns) = (0u64, 0u64);
        for (index, member) in members.iter().enumerate() {
            if cells.iter().any(|c| c.member == index) {
                budget_ns = budget_ns.saturating_add(member.sampling.budget_ns);
                deadline_ns = deadline_ns.saturating_add(member.sampling.deadline_ns);
            }
        }
        Limits {
            deadline_at_ns: now_ns.saturating_add(deadline_ns),
            first_till_ns: now_ns.saturating_add(deadline_ns.saturating_mul(LATEST)),
            budget_ns,
        }
    }

    /// Whether the cell's next batch would end after the deadline.
    pub fn past_deadline(&self, cell: &Cell, now_ns: u64) -> bool {
        now_ns.saturating_add(cell.expected_wall_ns) > self.deadline_at_ns
    }

    /// The reason not to begin the next pass.
    pub fn before_pass(
        &self,
        cells: &[Cell],
        pass: usize,
        now_ns: u64,
        spent_ns: u64,
    ) -> Option<Ended> {
        if cells.iter().all(Cell::full) {
            return Some(Ended::Enough);
        }
        if now_ns >= self.deadline_at_ns {
            return Some(Ended::Deadline);
        }
        let next_ns: u64 = cells
            .iter()
            .filter(|c| !c.full())
            .fold(0, |sum, c| sum.saturating_add(c.expected_wall_ns));
        // Two passes belong together; the budget is asked before the first.
        let pair_ns = if pass.is_multiple_of(2) {
            next_ns.saturating_mul(2)
        } else {
            next_ns
        };
        let have_wanted = cells.iter().all(Cell::has_wanted);
        (have_wanted && spent_ns.saturating_add(pair_ns) > self.budget_ns).then_some(Ended::Budget)
    }
}

/// Whether every cell's median is known as well as was asked. Single
/// operations are repeated as often as was asked, whatever their spread.
pub fn all_narrow(cells: &[Cell]) -> bool {
    !cells.is_empty() && cells.iter().all(narrow)
}

fn narrow(cell: &Cell) -> bool {
    if cell.full() {
        return true;
    }
    cell.sampling.shape == Shape::Batched
        && cell.sampling.target_width > 0.0
        && cell.raws.len() >= cell.wanted()
        && interval::relative_width(&cell.values())
            .is_some_and(|width| width <= cell.sampling.target_width)
}
