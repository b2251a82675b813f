//! The rounds of a run: which experiment the next process measures, and what it took.

use super::queue::portion;
use super::running::{Run, head};
use super::{Ending, PlannedExperiment, Spent, schedule};
use crate::error::HarnessError;
use crate::worker::{Block, no_time};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// What a process of an experiment is to do.
fn planned(experiment: &PlannedExperiment) -> Spent {
    let blocks = || experiment.blocks.iter();
    let points: usize = blocks().map(|b| b.points.len()).sum();
    Spent {
        points: u32::try_from(points).unwrap_or(u32::MAX),
        budget_ns: blocks().fold(0, |sum, b| sum.saturating_add(b.budget_ns())),
        recorded_ns: blocks().fold(0, |sum, b| sum.saturating_add(b.lasts_ns())),
        ..Spent::default()
    }
}

fn whole_ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Run<'_> {
    /// Measures the plan, process by process, until it is done or stopped.
    pub fn all(mut self, plan: &[PlannedExperiment]) -> Result<Ending, HarnessError> {
        for process in 0..self.status.processes {
            self.next_index = 0;
            self.status.process = process;
            self.status.points_done = 0;
            let chosen = self.schedule.chosen(process, self.began.elapsed());
            for (at, experiment) in plan.iter().enumerate() {
                self.turn_to(at, experiment);
                let left = self.left_of(experiment);
                let over = self.schedule.left(self.began.elapsed()) == Some(Duration::ZERO);
                if process == 0 && over {
                    self.leave_out(&left)?;
                    continue;
                }
                if process > 0 && !(chosen[at] && self.schedule.fits(at, self.began.elapsed())) {
                    left.iter()
                        .flat_map(|b| &b.points)
                        .for_each(|_| self.count());
                    continue;
                }
                let began = Instant::now();
                self.spent = planned(experiment);
                self.one_experiment(left)?;
                if self.ending.stopped {
                    return Ok(self.ending);
                }
                self.took(at, &experiment.id, began.elapsed());
            }
        }
        if self.session.again {
            let began = Instant::now();
            self.again(plan)?;
            self.ending.again_ns = whole_ns(began.elapsed());
        }
        let ids = plan.iter().map(|experiment| experiment.id.as_str());
        let fewer = schedule::said(ids, &self.schedule);
        self.ending.notes.extend(fewer);
        Ok(self.ending)
    }

    /// This experiment is measured now.
    pub(super) fn turn_to(&mut self, at: usize, experiment: &PlannedExperiment) {
        self.status.at = at;
        self.status.point = None;
        self.status.experiment.clone_from(&experiment.id);
    }

    /// A process of an experiment has ended.
    fn took(&mut self, at: usize, id: &str, time: Duration) {
        self.schedule.took(at, time);
        let mut now = std::mem::take(&mut self.spent);
        now.took_ns = whole_ns(time);
        let known = self.ending.spent.iter().position(|s| s.at == at);
        let known = known.unwrap_or_else(|| {
            let experiment = id.to_owned();
            self.ending.spent.push(Spent {
                experiment,
                at,
                ..Spent::default()
            });
            self.ending.spent.len() - 1
        });
        self.ending.spent[known].add(&now);
    }

    /// There was no time for a first process of these.
    fn leave_out(&mut self, left: &VecDeque<Block>) -> Result<(), HarnessError> {
        let state = no_time("the time of the run was spent before its turn came");
        let mut points = left.iter().flat_map(|block| &block.points);
        points.try_for_each(|planned| self.keep(planned, head(planned, state.clone()), &[], &[]))
    }

    pub(super) fn one_experiment(&mut self, mut left: VecDeque<Block>) -> Result<(), HarnessError> {
        while !left.is_empty() {
            self.queue = portion(&mut left);
            while !self.queue.is_empty() {
                if self.stopped() {
                    self.ending.stopped = true;
                    return Ok(());
                }
                self.one_process()?;
            }
        }
        Ok(())
    }
}
