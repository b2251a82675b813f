//! What follows when a measuring process has ended: which point is to blame,
//! and how the rest goes on.

use super::process::{Heard, WorkerProcess};
use super::queue::remove;
use super::running::{End, Phase, Run, head};
use super::silence::TooLong;
use crate::error::HarnessError;
use crate::worker::{Block, no_time};
use record::PointState;
use std::time::{Duration, Instant};

/// Processes in a row that may die without finishing a point.
const FRUITLESS: u32 = 2;

impl Run<'_> {
    pub(super) fn after(
        &mut self,
        end: End,
        mut worker: WorkerProcess,
    ) -> Result<(), HarnessError> {
        let patience = Duration::from_nanos(self.session.patience.stop_ns);
        match end {
            End::Finished => {
                worker.end(patience);
                self.fail_all(&Why::Wrong(
                    "the measuring process ended without measuring it".to_owned(),
                ))
            }
            End::Stopped => {
                self.last_results(&mut worker, patience)?;
                worker.end(patience);
                Ok(())
            }
            End::Died => {
                // It may have closed its pipe a moment before it is gone.
                let how = worker.end_with_cause(patience, self.forbidden.take());
                self.blame(&Why::Wrong(how))
            }
            End::Unreadable(cause) => {
                worker.end(Duration::ZERO);
                let how = format!("sent invalid data ({cause}) and was killed");
                self.blame(&Why::Wrong(how))
            }
            End::Silent(TooLong { lasted, slow }) => {
                worker.end(Duration::ZERO);
                let seconds = lasted.as_secs_f64();
                self.blame(&match slow {
                    true => Why::Slow(format!(
                        "was still at work after {seconds:.1} s and was ended"
                    )),
                    false => {
                        Why::Wrong(format!("did not answer for {seconds:.1} s and was killed"))
                    }
                })
            }
        }
    }

    /// Points that were finished just before the process heard of the stop.
    fn last_results(
        &mut self,
        worker: &mut WorkerProcess,
        patience: Duration,
    ) -> Result<(), HarnessError> {
        worker.ask_to_stop();
        let limit = Instant::now() + patience;
        while let Some(left) = limit.checked_duration_since(Instant::now()) {
            match worker.hear(left) {
                Heard::Event(event) => self.take(event)?,
                Heard::Silence => {}
                Heard::Gone | Heard::Unreadable(_) => break,
            }
        }
        Ok(())
    }

    /// A process ended: `how` says in which way.
    fn blame(&mut self, how: &Why) -> Result<(), HarnessError> {
        match self.phase {
            Phase::SettingUp(index) => {
                let why = how.in_words(|how| format!("the measuring process {how} during set-up"));
                self.fail(index, &why)
            }
            Phase::Sampling => self.blame_sampling(how),
            Phase::Idle => {
                self.fruitless += 1;
                if self.fruitless < FRUITLESS {
                    return Ok(());
                }
                self.fruitless = 0;
                self.fail_all(
                    &how.in_words(|how| {
                        format!("the measuring process {how} before it could measure")
                    }),
                )
            }
        }
    }

    /// One point: it is to blame. Several: they are tried one by one.
    fn blame_sampling(&mut self, how: &Why) -> Result<(), HarnessError> {
        let Some(block) = self.queue.front() else {
            return Ok(());
        };
        if let [only] = &block.points[..] {
            let why = how.in_words(|how| format!("the measuring process {how} while sampling"));
            return self.fail(only.point.index, &why);
        }
        let how = how.text();
        let block = self.queue.pop_front().unwrap_or_default();
        for planned in block.points.into_iter().rev() {
            self.remarks.insert(
                planned.point.index,
                format!(
                    "measured alone, not in alternation: the measuring process {how} \
                     while it sampled this point together with others"
                ),
            );
            self.queue.push_front(Block {
                points: vec![planned],
            });
        }
        Ok(())
    }

    /// The end of a point: failed, or left out where it was only slow.
    fn fail(&mut self, index: u32, why: &Why) -> Result<(), HarnessError> {
        let Some(planned) = remove(&mut self.queue, index) else {
            return Ok(());
        };
        let state = match why {
            Why::Wrong(reason) => PointState::Failed {
                reason: reason.clone(),
            },
            Why::Slow(reason) => no_time(reason),
        };
        self.keep(&planned, head(&planned, state), &[], &[])
    }

    fn fail_all(&mut self, why: &Why) -> Result<(), HarnessError> {
        let points = self.queue.iter().flat_map(|b| &b.points);
        let indices: Vec<u32> = points.map(|p| p.point.index).collect();
        indices
            .into_iter()
            .try_for_each(|index| self.fail(index, why))
    }
}

/// Why a process could not finish a point.
enum Why {
    /// Something went wrong.
    Wrong(String),
    /// It was at work to the end.
    Slow(String),
}

impl Why {
    fn text(&self) -> &str {
        match self {
            Why::Wrong(text) | Why::Slow(text) => text,
        }
    }

    fn in_words(&self, words: impl FnOnce(&str) -> String) -> Why {
        match self {
            Why::Wrong(text) => Why::Wrong(words(text)),
            Why::Slow(text) => Why::Slow(words(text)),
        }
    }
}
