//! Experiments on both sides: each visit is a `pontage run` of one process.

use super::arguments::Ab;
use super::arm::Arm;
use super::setting::Setting;
use super::{Ended, Subject, Value, visit};
use crate::failure::{DONE, Failure, NOTHING_RUNS};
use crate::run::{self, flags};
use crate::runs;
use analysis::paired::{Pair, Side, Stop};
use analysis::{PointView, RunView};
use harness::scratch::Scratch;
use record::{PointState, Run};
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

/// Of what a failed visit said, so many lines are repeated.
const LAST_LINES: usize = 6;

pub struct Sides {
    programs: [PathBuf; 2],
    words: Vec<OsString>,
    env: Vec<(String, String)>,
    setting: Option<Setting>,
    points: usize,
    scratch: Scratch,
    arms: [Arm; 2],
    pairs: Vec<Pair>,
    names: [String; 2],
}

/// NAME=VALUE of `--env`.
///
/// # Errors
/// Without a name.
pub fn variables(texts: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let one = |text: &String| match text.split_once('=').filter(|(name, _)| !name.is_empty()) {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(
            Failure::new(format!("cannot read --env {text}: no NAME=VALUE"))
                .hint("for example: --env MALLOC_ARENA_MAX=1"),
        ),
    };
    texts.iter().map(one).collect()
}

/// B in words: what it has that A has not.
pub fn with(what: String, env: &[(String, String)], setting: Option<&Setting>) -> String {
    let env = env.iter().map(|(name, value)| format!("{name}={value}"));
    let all: Vec<String> = env.chain(setting.map(Setting::words)).collect();
    match all.is_empty() {
        true => what,
        false => format!("{what} with {}", all.join(", ")),
    }
}

impl Sides {
    /// Plans what both sides measure, with this program.
    ///
    /// # Errors
    /// As `pontage run`; a setting or a variable that is none, a program that is not there.
    pub fn of(arguments: &Ab) -> Result<Sides, Failure> {
        let points = run::points(&flags::Run {
            what: arguments.what.clone(),
            axis: arguments.axis.clone(),
            budget_ms: Some(arguments.budget_ms),
            processes: Some(1),
            cpu: arguments.cpu,
            ..flags::Run::default()
        })?;
        let ours = std::env::current_exe()
            .map_err(|e| Failure::new(format!("cannot find this program: {e}")))?;
        let programs = match arguments.binary.as_deref() {
            Some([a, b]) => [program(a)?, program(b)?],
            _ => [ours.clone(), ours],
        };
        let setting = arguments
            .between
            .as_deref()
            .map(Setting::parse)
            .transpose()?;
        let env = variables(&arguments.env)?;
        let what = arguments
            .what
            .iter()
            .map(|w| w.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" ");
        let name = |at: usize| match &arguments.binary {
            Some(binaries) => format!("{} run {what}", binaries[at].display()),
            None => what.clone(),
        };
        let names = [name(0), with(name(1), &env, setting.as_ref())];
        Ok(Sides {
            programs,
            words: words(arguments),
            env,
            setting,
            points,
            scratch: Scratch::make().map_err(|e| {
                Failure::new(format!("cannot create a scratch folder: {e}"))
                    .hint("set TMPDIR to a writable folder that you own")
            })?,
            arms: [Arm::new(names[0].clone()), Arm::new(names[1].clone())],
            pairs: Vec::new(),
            names,
        })
    }

    /// One run of one process in the scratch folder.
    fn measure(&self, side: Side, stop: &AtomicBool) -> Result<Run, Ended> {
        let out = self.scratch.path().join("visit");
        // Of the visit before.
        let _ = fs::remove_dir_all(&out);
        let said = self.scratch.path().join("said");
        let stderr = File::create(&said)
            .map_err(|e| Failure::new(format!("cannot create {}: {e}", said.display())))?;
        let mut command = Command::new(&self.programs[usize::from(side == Side::B)]);
        command.args(&self.words).arg("--out").arg(&out);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(stderr);
        if side == Side::B {
            command.envs(self.env.iter().map(|(name, value)| (name, value)));
        }
        let status = visit::ended(&mut command, stop)?;
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        match code {
            Some(DONE) => {}
            Some(NOTHING_RUNS) => return Err(Ended::Nothing(skipped(&out, &said))),
            // Points that failed are in its record, with their reasons.
            Some(2) if has_run(&out) => {}
            _ => {
                let side = if side == Side::A { "A" } else { "B" };
                let failure =
                    Failure::new(format!("cannot measure {side}: it ended with {status}"));
                return Err(Ended::Failed(failure.hint(last_lines(&said))));
            }
        }
        let folder = only_run(&out)?;
        Ok(Run::open(&folder).map_err(Failure::from)?)
    }
}

/// As a path from the root on: the visits do not search PATH, nor does their folder matter.
fn program(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize().map_err(|e| {
        Failure::new(format!("cannot find program {}: {e}", path.display()))
            .hint("--binary takes the paths of two pontage programs")
    })
}

fn words(arguments: &Ab) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["run".into()];
    words.extend(arguments.what.iter().cloned());
    for axis in &arguments.axis {
        words.extend(["--axis".into(), OsString::from(axis)]);
    }
    let number = |flag: &str, n: u64| [OsString::from(flag), OsString::from(n.to_string())];
    words.extend(number("--budget-ms", arguments.budget_ms));
    words.extend(number("--processes", 1));
    if let Some(cpu) = arguments.cpu {
        words.extend(number("--cpu", u64::from(cpu)));
    }
    words
}

/// Why nothing could be measured, with what helps.
fn skipped(out: &Path, said: &Path) -> String {
    let run = only_run(out)
        .ok()
        .and_then(|folder| Run::open(&folder).ok());
    let reason = run.and_then(|run| {
        let mut points = run.head().points.iter();
        points.find_map(|point| match &point.state {
            PointState::Skipped { reason, remedy } => Some(format!("{reason}\nenable: {remedy}")),
            _ => None,
        })
    });
    reason.unwrap_or_else(|| last_lines(said))
}

fn has_run(out: &Path) -> bool {
    only_run(out).is_ok()
}

fn only_run(out: &Path) -> Result<PathBuf, Failure> {
    let runs = record::list_runs(out)?;
    let last = runs.into_iter().next_back();
    let found = last.filter(|run| run.head.is_ok()).map(|run| run.folder);
    found.ok_or_else(|| Failure::new("cannot find the run of a visit"))
}

/// What a visit said last.
fn last_lines(said: &Path) -> String {
    let text = fs::read(said).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}

/// Every point that was planned, with its first metric.
fn pairs_of(view: &RunView) -> Vec<Pair> {
    let of_table = |table: &analysis::ExperimentTable| {
        let metric = table.head.metrics.first().cloned();
        let pair = move |point: &PointView| {
            let metric = metric.as_ref()?;
            let name = format!("{} {}", point.head.experiment, point.head.label());
            Some(Pair::new(
                name.trim_end().to_owned(),
                metric.name.clone(),
                metric.unit,
                metric.lower_is_better,
            ))
        };
        table.points.iter().filter_map(pair).collect::<Vec<Pair>>()
    };
    view.tables.iter().flat_map(of_table).collect()
}

fn values_of(view: &RunView) -> Vec<(String, Value)> {
    let of_point = |point: &PointView| {
        let name = format!("{} {}", point.head.experiment, point.head.label());
        let value = match &point.head.state {
            PointState::Skipped { reason, .. } => Err(format!("skipped ({reason})")),
            PointState::Failed { reason } => Err(format!("failed ({reason})")),
            PointState::Pending => Err("not measured".to_owned()),
            PointState::Done => point
                .primary()
                .map(|s| s.median.center)
                .ok_or_else(|| "without samples".to_owned()),
        };
        (name.trim_end().to_owned(), value)
    };
    let points = view.tables.iter().flat_map(|t| &t.points);
    points.map(of_point).collect()
}

impl Subject for Sides {
    fn sides(&self) -> [String; 2] {
        self.names.clone()
    }

    fn points(&self) -> usize {
        self.points
    }

    fn plan(&self) -> Vec<String> {
        let words: Vec<String> = self
            .words
            .iter()
            .map(|w| w.to_string_lossy().into_owned())
            .collect();
        vec![format!("each visit: pontage {}", words.join(" "))]
    }

    fn place(&mut self, folder: &Path) -> Result<(), Failure> {
        self.arms.iter_mut().for_each(|arm| arm.place(folder));
        Ok(())
    }

    /// Each visit is a new process anyway.
    fn warm_up(&mut self, _stop: &AtomicBool) -> Result<(), Ended> {
        Ok(())
    }

    fn visit(&mut self, side: Side, stop: &AtomicBool) -> Result<Vec<Value>, Ended> {
        if let Some(setting) = &mut self.setting {
            setting.hold(side == Side::B)?;
        }
        let run = self.measure(side, stop)?;
        self.arms[usize::from(side == Side::B)].add(&run)?;
        let (_, view) = runs::open(run.folder())?;
        if self.pairs.is_empty() {
            self.pairs = pairs_of(&view);
        }
        let values = values_of(&view);
        let of = |pair: &Pair| {
            let found = values.iter().find(|(name, _)| *name == pair.name);
            found.map_or_else(|| Err("missing".to_owned()), |(_, value)| value.clone())
        };
        Ok(self.pairs.iter().map(of).collect())
    }

    fn pairs(&self) -> Vec<Pair> {
        self.pairs.clone()
    }

    fn close(&mut self, stop: Stop) -> Result<Option<[String; 2]>, Failure> {
        if let Some(setting) = &mut self.setting {
            setting.hold(false)?;
        }
        let folders = [self.arms[0].close(stop)?, self.arms[1].close(stop)?];
        Ok(match folders {
            [Some(a), Some(b)] => Some([a, b]),
            _ => None,
        })
    }
}
