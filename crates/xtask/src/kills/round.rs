//! One kill, and the look around after it.

use super::left::{Left, entries};
use super::victim::Victim;
use crate::files::must_be_built;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Every process of a round has it in its environment.
const MARK: &str = "PONTAGE_KILLS_ROUND";
/// How long what undoes a dead run's changes may take.
const SETTLING: Duration = Duration::from_secs(20);
/// Of a start that shall end by itself.
const LONGEST: Duration = Duration::from_secs(120);

/// What one round found.
#[derive(Debug, Default)]
pub struct Outcome {
    pub killed: bool,
    pub with_caretaker: bool,
    pub after_kill: Left,
    pub after_start: Left,
    /// Records that were left; every one was opened.
    pub records: u32,
    /// Of a recording that was recovered.
    pub recovered_events: Option<u64>,
    pub faults: Vec<String>,
}

impl Outcome {
    /// Whether anything was left after the next start, or went wrong.
    pub fn is_bad(&self) -> bool {
        !self.after_start.is_nothing() || !self.faults.is_empty()
    }
}

/// The program and a folder for what it writes.
pub struct Ground {
    program: PathBuf,
    folder: PathBuf,
}

impl Ground {
    /// The program must have been built; its folder is not made yet.
    pub fn new(program: &Path) -> Result<Ground, String> {
        must_be_built(program)?;
        let folder = std::env::temp_dir().join(format!("pontage-kills-{}", std::process::id()));
        Ok(Ground {
            program: program.to_owned(),
            folder,
        })
    }

    /// # Errors
    /// When the round cannot be run at all.
    pub fn round(&self, victim: &Victim, moment_ms: u64, both: bool) -> Result<Outcome, String> {
        self.fresh()?;
        let before = Left::now([0; 3]);
        let mut outcome = Outcome::default();
        let mut child = self
            .command(victim.line)
            .spawn()
            .map_err(|e| format!("cannot start {}: {e}", self.program.display()))?;
        sleep(Duration::from_millis(moment_ms));
        outcome.killed = matches!(child.try_wait(), Ok(None));
        let known = self.processes().into_iter().collect();
        outcome.with_caretaker = self.kill(&mut child, both);
        self.settle(known);
        outcome.after_kill = self.left(&before);
        self.start_again(victim, &mut outcome);
        self.settle(BTreeSet::new());
        outcome.after_start = self.left(&before);
        for pid in self.processes() {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let words = String::from_utf8_lossy(&line).replace('\0', " ");
            outcome.faults.push(format!("process {pid} lives: {words}"));
        }
        self.clean_up();
        Ok(outcome)
    }

    fn fresh(&self) -> Result<(), String> {
        let _ = fs::remove_dir_all(&self.folder);
        for name in ["out", "tmp"] {
            let folder = self.folder.join(name);
            fs::create_dir_all(&folder)
                .map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
        }
        Ok(())
    }

    /// The program with the words of a line, and `OUT` put in.
    fn command(&self, line: &str) -> Command {
        let out = self.folder.join("out");
        let out = out.to_string_lossy();
        let mut command = Command::new(&self.program);
        command
            .args(words(line).iter().map(|word| word.replace("OUT", &out)))
            .current_dir(&self.folder)
            .env(MARK, &self.folder)
            .env("TMPDIR", self.folder.join("tmp"))
            .env("PONTAGE_STATE_DIR", self.folder.join("state"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Kills the coordinator, with `both` its caretaker in the same command. Whether
    /// there was a caretaker.
    fn kill(&self, child: &mut Child, both: bool) -> bool {
        let mut doomed = vec![child.id()];
        if both {
            doomed.extend(self.caretakers());
        }
        let numbers: Vec<String> = doomed.iter().map(u32::to_string).collect();
        let _ = Command::new("kill")
            .arg("-9")
            .args(&numbers)
            .stderr(Stdio::null())
            .status();
        let _ = child.wait();
        doomed.len() > 1
    }

    fn caretakers(&self) -> Vec<u32> {
        let is_caretaker = |pid: &u32| {
            fs::read(format!("/proc/{pid}/cmdline"))
                .is_ok_and(|line| line.windows(11).any(|w| w == b"__caretaker"))
        };
        self.processes().into_iter().filter(is_caretaker).collect()
    }

    /// Of this round and alive.
    fn processes(&self) -> Vec<u32> {
        let mark = format!("{MARK}={}", self.folder.display());
        let ours = |pid: &u32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment
                .split(|b| *b == 0)
                .any(|word| word == mark.as_bytes())
        };
        let listing = fs::read_dir("/proc").into_iter().flatten().flatten();
        listing
            .filter_map(|e| e.file_name().to_str()?.parse().ok())
            .filter(ours)
            .collect()
    }

    /// Until no process of the round is left, or for as long as that may take. One that
    /// is ending has no environment any more, and still its files and their locks.
    fn settle(&self, mut known: BTreeSet<u32>) {
        let began = Instant::now();
        loop {
            known.extend(self.processes());
            known.retain(|pid| is_alive(*pid));
            if known.is_empty() || began.elapsed() > SETTLING {
                return;
            }
            sleep(Duration::from_millis(10));
        }
    }

    fn left(&self, before: &Left) -> Left {
        let scratch = entries(&self.folder.join("tmp"), "");
        let journals = entries(&self.folder.join("state"), "journal-");
        let folders = self.folders_without_record() + journals;
        Left::now([self.processes().len(), scratch, folders]).beyond(before)
    }

    fn runs(&self) -> Vec<PathBuf> {
        let listing = fs::read_dir(self.folder.join("out")).into_iter().flatten();
        let folders = listing.flatten().map(|e| e.path()).filter(|p| p.is_dir());
        folders
            .filter(|p| p.extension().is_none_or(|e| e != "spool"))
            .collect()
    }

    fn folders_without_record(&self) -> usize {
        let bare = |folder: &PathBuf| !folder.join("run.json").is_file();
        self.runs().iter().filter(|f| bare(f)).count()
    }

    /// What a user does next, and what he finds.
    fn start_again(&self, victim: &Victim, outcome: &mut Outcome) {
        let mut expect = |what: &str, line: &str| {
            if let Err(cause) = self.ends_well(line) {
                outcome.faults.push(format!("{what} {cause}"));
            }
        };
        expect("restore", "restore");
        let quick = "run syscall/getppid --samples 1 --budget-ms 1 --out OUT";
        expect("the next run", quick);
        for run in self.runs().iter().filter(|r| r.join("run.json").is_file()) {
            expect("report of a record", &format!("report '{}'", run.display()));
        }
        outcome.records = u32::from(victim.records) * self.runs().len() as u32;
        if victim.spool {
            self.recover(outcome);
        }
    }

    fn recover(&self, outcome: &mut Outcome) {
        if !self.folder.join("out/trace.dat.spool").is_dir() {
            return;
        }
        let recover = "trace record --recover OUT/trace.dat.spool";
        if let Err(cause) = self.ends_well(recover) {
            outcome.faults.push(format!("recovering {cause}"));
            return;
        }
        if !self.folder.join("out/trace.dat").is_file() {
            return;
        }
        let listed = self
            .command("trace report OUT/trace.dat")
            .stdout(Stdio::piped())
            .output();
        let lines = listed.map_or(0, |o| o.stdout.iter().filter(|b| **b == b'\n').count());
        outcome.recovered_events = Some(lines as u64);
    }

    /// # Errors
    /// How it ended, where not with status 0, and the last lines that it printed.
    fn ends_well(&self, line: &str) -> Result<(), String> {
        let cannot = |e: std::io::Error| format!("cannot be started: {e}");
        let output = self.folder.join("output");
        let log = fs::File::create(&output).map_err(cannot)?;
        let out = log.try_clone().map_err(cannot)?;
        let child = self.command(line).stdout(out).stderr(log).spawn();
        let mut child = child.map_err(cannot)?;
        let began = Instant::now();
        let mut ended = None;
        while ended.is_none() && began.elapsed() < LONGEST {
            ended = child.try_wait().ok().flatten();
            sleep(Duration::from_millis(5));
        }
        let how = match ended {
            Some(status) if status.success() => return Ok(()),
            Some(status) => format!("ended with {status}"),
            None => {
                let at = fs::read_to_string(format!("/proc/{}/wchan", child.id()));
                let _ = child.kill();
                let _ = child.wait();
                let at = at.unwrap_or_default();
                format!("had not ended after {} s (in {at})", LONGEST.as_secs())
            }
        };
        let output = fs::read_to_string(output).unwrap_or_default();
        let mut last: Vec<&str> = output.lines().rev().take(3).collect();
        last.reverse();
        Err(format!("{how}: {}", last.join(" | ")))
    }

    /// What is left must not count for the next round.
    fn clean_up(&self) {
        let numbers: Vec<String> = self.processes().iter().map(u32::to_string).collect();
        if !numbers.is_empty() {
            let _ = Command::new("kill").arg("-9").args(&numbers).status();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What stands between single quotes is one word.
fn words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    let words = parts.map(|(at, part)| match at % 2 {
        1 => vec![part],
        _ => part.split_whitespace().collect(),
    });
    words.flatten().collect()
}

fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest);
    state.is_some_and(|rest| !rest.starts_with(['Z', 'X']))
}
