//! What follows when a measuring process has ended: which point is to blame,
//! and how the rest goes on.

use super::process::{Heard, WorkerProcess};
use super::running::{End, Phase, Run, head, remove};
use crate::error::HarnessError;
use crate::worker::Block;
use record::PointState;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Processes in a row that may die without finishing a point.
const FRUITLESS: u32 = 2;

impl Run<'_> {
    pub(super) fn after(
        &mut self,
        end: End,
        mut worker: WorkerProcess,
        phase: Phase,
        queue: &mut VecDeque<Block>,
    ) -> Result<(), HarnessError> {
        let patience = Duration::from_nanos(self.session.patience.stop_ns);
        match end {
            End::Finished => {
                worker.end(patience);
                let reason = "the measuring process ended without measuring it".to_owned();
                self.fail_all(queue, &reason)
            }
            End::Stopped => {
                self.last_results(&mut worker, patience, phase, queue)?;
                worker.end(patience);
                Ok(())
            }
            End::Died => {
                // It may have closed its pipe a moment before it is gone.
                let how = worker.end_with_cause(patience, self.forbidden.take());
                self.blame(&how, phase, queue)
            }
            End::Unreadable(cause) => {
                worker.end(Duration::ZERO);
                let how = format!("sent what cannot be read ({cause}) and was ended");
                self.blame(&how, phase, queue)
            }
            End::Hung(silent) => {
                worker.end(Duration::ZERO);
                let how = format!(
                    "did not answer for {:.1} s and was ended",
                    silent.as_secs_f64()
                );
                self.blame(&how, phase, queue)
            }
        }
    }

    /// Points that were finished just before the process heard of the stop.
    fn last_results(
        &mut self,
        worker: &mut WorkerProcess,
        patience: Duration,
        mut phase: Phase,
        queue: &mut VecDeque<Block>,
    ) -> Result<(), HarnessError> {
        worker.ask_to_stop();
        let limit = Instant::now() + patience;
        while let Some(left) = limit.checked_duration_since(Instant::now()) {
            match worker.hear(left) {
                Heard::Event(event) => phase = self.take(event, phase, queue)?,
                Heard::Silence => {}
                Heard::Gone | Heard::Unreadable(_) => break,
            }
        }
        Ok(())
    }

    /// A process ended in `phase`: `how` says in which way.
    fn blame(
        &mut self,
        how: &str,
        phase: Phase,
        queue: &mut VecDeque<Block>,
    ) -> Result<(), HarnessError> {
        match phase {
            Phase::SettingUp(index) => self.fail(
                index,
                &format!("the measuring process {how} during set-up"),
                queue,
            ),
            Phase::Sampling => self.blame_sampling(how, queue),
            Phase::Idle => {
                self.fruitless += 1;
                if self.fruitless < FRUITLESS {
                    return Ok(());
                }
                self.fruitless = 0;
                self.fail_all(
                    queue,
                    &format!("the measuring process {how} before it could measure"),
                )
            }
        }
    }

    /// One point: it is to blame. Several: they are tried one by one.
    fn blame_sampling(
        &mut self,
        how: &str,
        queue: &mut VecDeque<Block>,
    ) -> Result<(), HarnessError> {
        let Some(block) = queue.front() else {
            return Ok(());
        };
        if let [only] = &block.points[..] {
            let index = only.point.index;
            return self.fail(
                index,
                &format!("the measuring process {how} while sampling"),
                queue,
            );
        }
        let block = queue.pop_front().unwrap_or_default();
        for planned in block.points.into_iter().rev() {
            self.remarks.insert(
                planned.point.index,
                format!(
                    "measured alone, not in alternation: the measuring process {how} \
                     while it sampled this point together with others"
                ),
            );
            queue.push_front(Block {
                points: vec![planned],
            });
        }
        Ok(())
    }

    fn fail(
        &mut self,
        index: u32,
        reason: &str,
        queue: &mut VecDeque<Block>,
    ) -> Result<(), HarnessError> {
        let Some(planned) = remove(queue, index) else {
            return Ok(());
        };
        let state = PointState::Failed {
            reason: reason.to_owned(),
        };
        self.keep(&planned, head(&planned, state), &[], &[])
    }

    fn fail_all(&mut self, queue: &mut VecDeque<Block>, reason: &str) -> Result<(), HarnessError> {
        let indices: Vec<u32> = queue
            .iter()
            .flat_map(|b| b.points.iter().map(|p| p.point.index))
            .collect();
        indices
            .into_iter()
            .try_for_each(|index| self.fail(index, reason, queue))
    }
}
