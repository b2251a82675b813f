//! Guests that are killed while they work, before the one that is judged.

use super::{Lab, Ready};
use crate::guard;
use crate::guest::life::{self, End};
use crate::guest::qemu::{CONSOLE, TESTS};
use crate::stop::{Stop, cannot};
use std::fs;

/// What the killed guests leave to the verdict.
#[derive(Default)]
pub struct Killed {
    pub kills: u32,
    pub causes: Vec<String>,
}

impl Lab<'_> {
    /// Boots and kills as often as the scenario says. The logs of the first boot
    /// stay as `console-1.log` and `tests-1.log`.
    pub(super) fn crash(&self, name: &str, ready: &Ready) -> Result<Killed, Stop> {
        let mut killed = Killed::default();
        let moments = ready.scenario.crash.iter().flat_map(|c| c.moments());
        for (number, moment) in (1..).zip(moments) {
            let after_ms = moment.as_millis();
            (self.say)(&format!(
                "{name}: boot {number}, killed {after_ms} ms after its KILL"
            ));
            let (end, _) = self.live(name, ready, Some(number), Some(moment))?;
            killed.kills = number;
            if end != End::Killed {
                let cause = format!("boot {number} ended before it could be killed: {end:?}");
                killed.causes.push(cause);
            }
            let console = life::text(&ready.folder.join(CONSOLE));
            let bad = guard::findings(&console, &ready.scenario.benign);
            let bad = bad
                .iter()
                .map(|line| format!("kernel log of boot {number}: {line}"));
            killed.causes.extend(bad);
            for log in [CONSOLE, TESTS] {
                let from = ready.folder.join(log);
                let to = ready
                    .folder
                    .join(log.replace(".log", &format!("-{number}.log")));
                if from.exists() {
                    fs::rename(&from, &to).map_err(cannot("rename", &from))?;
                }
            }
        }
        Ok(killed)
    }
}
