//! Boots once more where the emulation may be at fault.

use super::{Lab, Ready, forget_logs};
use crate::guest::life::{self, End, Patience, QEMU_LOG, SILENCE};
use crate::guest::qemu::{CONSOLE, TESTS};
use crate::outcome::{Outcome, Verdict};
use crate::stop::{Stop, cannot};
use std::fs;
use std::time::Duration;

/// A fault of a module that comes in every third run is found by three boots in a row
/// with 70 %, by one with 33 %.
const CLEAN_BOOTS: u32 = 2;

impl Lab<'_> {
    /// One life of a guest, and whether it is the second: a guest whose console falls silent
    /// before init is one that QEMU lost, since nothing of the scenario runs by then.
    pub(super) fn live(
        &self,
        name: &str,
        ready: &Ready,
        number: Option<u32>,
        kill: Option<Duration>,
    ) -> Result<(End, bool), Stop> {
        let patience = Patience {
            deadline: Duration::from_secs(ready.scenario.deadline_s),
            silence: SILENCE,
        };
        let boot = ready.boot(false, number);
        forget_logs(&ready.folder);
        let end = life::run(&boot, patience, kill, self.stop)?;
        if end != End::Silent {
            return Ok((end, false));
        }
        (self.say)(&format!("{name}: silent before init: booting again"));
        keep(ready)?;
        forget_logs(&ready.folder);
        Ok((life::run(&boot, patience, kill, self.stop)?, true))
    }

    /// `outcome`, or that of the boots after it. QEMU's own faults and a kernel that dies
    /// before init are booted again. Behind init a line of the machine's `suspects` lets the
    /// scenario pass only by [`CLEAN_BOOTS`] boots in a row that do; what was found stays in
    /// the outcome, and its logs as `console-suspect.log` and `tests-suspect.log`.
    pub(super) fn again(
        &self,
        name: &str,
        ready: &Ready,
        mut outcome: Outcome,
    ) -> Result<Outcome, Stop> {
        if outcome.verdict != Verdict::Failed {
            return Ok(outcome);
        }
        let console = life::text(&ready.folder.join(CONSOLE));
        let qemu = life::text(&ready.folder.join(QEMU_LOG));
        if outcome.blames_emulation(
            (&ready.scenario.retry_once, &qemu),
            (&ready.machine.retry_before_init, &console),
        ) {
            (self.say)("the emulation failed: trying again");
            let boots = outcome.boots + 1;
            outcome = self.boot(name, ready)?;
            outcome.boots = boots;
            outcome.retried = true;
        } else if let Some(suspect) = ready.machine.suspect(&console) {
            (self.say)(&format!(
                "{name}: the emulation may have caused it ({}): must pass {CLEAN_BOOTS} times",
                suspect.reason
            ));
            keep(ready)?;
            outcome = after_suspect(outcome, || self.boot(name, ready))?;
        }
        Ok(outcome)
    }
}

/// The first outcome that failed, or else the last of [`CLEAN_BOOTS`].
fn after_suspect(
    first: Outcome,
    mut boot: impl FnMut() -> Result<Outcome, Stop>,
) -> Result<Outcome, Stop> {
    let mut last = boot()?;
    let mut boots = first.boots + 1;
    for _ in 1..CLEAN_BOOTS {
        if last.verdict == Verdict::Passed {
            last = boot()?;
            boots += 1;
        }
    }
    Ok(Outcome {
        boots,
        suspected: first.causes,
        ..last
    })
}

fn keep(ready: &Ready) -> Result<(), Stop> {
    for log in [CONSOLE, TESTS] {
        let from = ready.folder.join(log);
        let to = ready.folder.join(log.replace(".log", "-suspect.log"));
        if from.exists() {
            fs::rename(&from, &to).map_err(cannot("rename", &from))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(verdict: Verdict, cause: &str) -> Outcome {
        Outcome {
            boots: 1,
            causes: vec![cause.to_owned()],
            ..Outcome::new("x", verdict)
        }
    }

    #[test]
    fn a_suspect_has_to_pass_each_time_and_is_kept() {
        let all = [
            (vec![true, true], Verdict::Passed, 3),
            (vec![true, false], Verdict::Failed, 3),
            (vec![false], Verdict::Failed, 2),
        ];
        for (passes, verdict, boots) in all {
            let mut passes = passes.into_iter();
            let last = after_suspect(outcome(Verdict::Failed, "oops"), || {
                Ok(match passes.next().expect("no more boots than needed") {
                    true => Outcome::new("x", Verdict::Passed),
                    false => outcome(Verdict::Failed, "again"),
                })
            });
            let last = last.expect("no boot was stopped");
            assert_eq!((last.verdict, last.boots), (verdict, boots));
            assert_eq!(last.suspected, ["oops"]);
        }
    }
}
