//! `--command A B`: two command lines, each timed from its start to its end.

use super::arguments::Ab;
use super::{Ended, Subject, Value, visit};
use crate::commands;
use crate::failure::Failure;
use analysis::paired::{Pair, Side, Stop};
use record::Unit;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A visit repeats a short command until it took so long together ...
const LONG_ENOUGH: Duration = Duration::from_millis(100);
/// ... or that often.
const MOST_REPEATS: usize = 20;

pub struct Commands {
    lines: [String; 2],
    /// For B.
    env: Vec<(String, String)>,
    setting: Option<super::setting::Setting>,
    ignore_failure: bool,
}

impl Commands {
    /// # Errors
    /// A program that is not there, a setting that is none.
    pub fn of(arguments: &Ab, lines: &[String]) -> Result<Commands, Failure> {
        commands::check(lines)?;
        let [a, b] = lines else {
            return Err(Failure::new("cannot compare commands: two are needed"));
        };
        Ok(Commands {
            lines: [a.clone(), b.clone()],
            env: super::sides::variables(&arguments.env)?,
            setting: arguments
                .between
                .as_deref()
                .map(super::setting::Setting::parse)
                .transpose()?,
            ignore_failure: arguments.ignore_failure,
        })
    }

    fn once(&self, side: Side, stop: &AtomicBool) -> Result<Duration, Ended> {
        let line = &self.lines[usize::from(side == Side::B)];
        let mut shell = Command::new("sh");
        shell
            .args(["-c", line])
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        shell.stderr(Stdio::null());
        if side == Side::B {
            shell.envs(self.env.iter().map(|(name, value)| (name, value)));
        }
        let began = Instant::now();
        let status = visit::ended(&mut shell, stop)?;
        let took = began.elapsed();
        match status.success() || self.ignore_failure {
            true => Ok(took),
            false => Err(Ended::Failed(unsuccessful(line, status))),
        }
    }
}

fn unsuccessful(line: &str, status: ExitStatus) -> Failure {
    Failure::new(format!("cannot time `{line}`: it ended with {status}"))
        .hint("to time it all the same: --ignore-failure")
}

impl Subject for Commands {
    fn sides(&self) -> [String; 2] {
        let [a, b] = self.lines.clone();
        let b = super::sides::with(b, &self.env, self.setting.as_ref());
        [a, b]
    }

    fn points(&self) -> usize {
        1
    }

    fn plan(&self) -> Vec<String> {
        vec!["each visit: the command by sh -c, from start to end, output discarded".to_owned()]
    }

    fn place(&mut self, _folder: &Path) -> Result<(), Failure> {
        Ok(())
    }

    /// Files that the first run reads are then in memory for both.
    fn warm_up(&mut self, stop: &AtomicBool) -> Result<(), Ended> {
        self.visit(Side::A, stop)?;
        self.visit(Side::B, stop)?;
        Ok(())
    }

    fn visit(&mut self, side: Side, stop: &AtomicBool) -> Result<Vec<Value>, Ended> {
        if let Some(setting) = &mut self.setting {
            setting.hold(side == Side::B)?;
        }
        let began = Instant::now();
        let mut times = Vec::new();
        while times.is_empty() || (began.elapsed() < LONG_ENOUGH && times.len() < MOST_REPEATS) {
            times.push(self.once(side, stop)?.as_nanos() as f64);
        }
        times.sort_unstable_by(f64::total_cmp);
        let middle = times.len() / 2;
        let median = match times.len() % 2 {
            1 => times[middle],
            _ => f64::midpoint(times[middle - 1], times[middle]),
        };
        Ok(vec![Ok(median)])
    }

    fn pairs(&self) -> Vec<Pair> {
        let name = "whole process".to_owned();
        vec![Pair::new(name, "time".to_owned(), Unit::Nanoseconds, true)]
    }

    fn close(&mut self, _stop: Stop) -> Result<Option<[String; 2]>, Failure> {
        if let Some(setting) = &mut self.setting {
            setting.hold(false)?;
        }
        Ok(None)
    }
}
