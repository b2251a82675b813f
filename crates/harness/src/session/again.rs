//! Measuring again what something else had a part in.
//!
//! A pipe's round trip of 18 us came out as 3.8 ms where the hypervisor took the CPU at that
//! moment, and a second later it was right. So when all processes of a run are done, points are
//! measured by a further one whose processes met too much: those whose median may rest on such a
//! process, worst first, while there is time. Nothing is taken out for that: the further
//! process joins the others, whatever it finds, and the median over processes is taken of all.
//! Which points these are is decided by what disturbed the samples of each process, never by
//! how its median lies to the others'.

use super::met::Met;
use super::running::Run;
use super::{Ending, PlannedExperiment};
use crate::error::HarnessError;
use crate::worker::Block;
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// Further processes of a point at most: who disturbs three more is there to stay.
const MOST: u16 = 3;
/// Share of the time so far that they may take, of a run without a limit.
const SHARE: u32 = 10;

/// The blocks of an experiment that are worth another process.
struct Wanted {
    at: usize,
    blocks: VecDeque<Block>,
    /// Of their points, how much was doubted, 0..=1.
    share: f64,
    /// What a process of them takes, from what those of the whole experiment took.
    takes: Duration,
}

impl Run<'_> {
    /// Measures again what is worth it, within the time that is left.
    pub(super) fn again(&mut self, plan: &[PlannedExperiment]) -> Result<(), HarnessError> {
        let began = Instant::now();
        let own = self.began.elapsed() / SHARE;
        let planned = self.status.processes;
        let mut points = 0;
        for further in 0..MOST {
            self.status.process = planned.saturating_add(further);
            (self.status.points_done, self.status.points_total) = (0, 0);
            let mut wanted = self.wanted(plan);
            // Of those alike, the cheapest: more points are made good in the same time.
            let worst_first = |a: &Wanted, b: &Wanted| b.share.total_cmp(&a.share);
            wanted.sort_by(|a, b| worst_first(a, b).then(a.takes.cmp(&b.takes)));
            for one in wanted {
                let left = self.schedule.left(self.began.elapsed());
                let left = left.unwrap_or_else(|| own.saturating_sub(began.elapsed()));
                if one.takes > left {
                    continue;
                }
                self.turn_to(one.at, &plan[one.at]);
                points += one.blocks.iter().map(|b| b.points.len()).sum::<usize>();
                self.next_index = 0;
                self.announce(&one.blocks);
                self.one_experiment(one.blocks)?;
                if self.ending.stopped {
                    break;
                }
            }
            if self.ending.stopped {
                break;
            }
        }
        say(&mut self.ending, points);
        // The plan was done before.
        if std::mem::take(&mut self.ending.stopped) {
            let text = "interrupted while points were measured again: the plan was done";
            self.ending.notes.push(text.to_owned());
        }
        Ok(())
    }

    /// By experiment, what is worth another process.
    fn wanted(&mut self, plan: &[PlannedExperiment]) -> Vec<Wanted> {
        let met = std::mem::take(&mut self.met);
        let of = |(at, experiment): (usize, &PlannedExperiment)| {
            let all: usize = experiment.blocks.iter().map(|b| b.points.len()).sum();
            let blocks = experiment.blocks.iter().filter(|b| doubted(b, &met));
            let blocks: VecDeque<Block> = blocks
                .map(|b| self.without_given_up(b))
                .filter(|b| !b.points.is_empty())
                .collect();
            let points: Vec<u32> = blocks
                .iter()
                .flat_map(|b| &b.points)
                .map(|p| p.point.index)
                .collect();
            let shares = points.iter().filter_map(|index| met.get(index));
            let share = shares.map(Met::share).sum::<f64>() / points.len() as f64;
            let part = points.len() as f64 / all.max(1) as f64;
            (!points.is_empty()).then(|| Wanted {
                at,
                blocks,
                share,
                takes: self.schedule.takes(at).mul_f64(part),
            })
        };
        let wanted = plan.iter().enumerate().filter_map(of).collect();
        self.met = met;
        wanted
    }

    /// They count in what is still to be done.
    fn announce(&mut self, blocks: &VecDeque<Block>) {
        let points: usize = blocks.iter().map(|b| b.points.len()).sum();
        let points = u32::try_from(points).unwrap_or(u32::MAX);
        let status = &mut self.status;
        status.points_total = status.points_total.saturating_add(points);
        if let Some(samplings) = status.samplings.get_mut(status.at) {
            samplings.total = samplings.total.saturating_add(points);
        }
    }
}

/// Points of a block are compared, and taken in turn: all of them, or none.
fn doubted(block: &Block, met: &HashMap<u32, Met>) -> bool {
    let mut points = block.points.iter();
    points.any(|p| met.get(&p.point.index).is_some_and(Met::wants_another))
}

fn say(ending: &mut Ending, points: usize) {
    if points > 0 {
        let text = format!(
            "{points} times a point was measured again, because something else had a part in half \
             of its processes or more"
        );
        ending.notes.push(text);
    }
}
