//! A reproducible load by stress-ng.
//!
//! On each loaded CPU one stressor that computes (matrix products, which stay
//! in the first cache levels) and one that streams through memory (arrays far
//! beyond the second level), so that caches, memory and the scheduler are all
//! contended. Methods, array size and random seed are fixed.

use crate::affinity::format_list;
use crate::children::{signal_group, tie_to_us};
use crate::error::HarnessError;
use probe::absence::Absence;
use probe::cpu_time::{CpuTime, Stat};
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const GENERATOR: &str = "stress-ng";
/// The generator ends itself after this time, should all else fail.
const LONGEST: &str = "12h";
/// Share of a CPU that must be in use for the load to count as running.
const LOADED: f64 = 0.9;
/// How long the load may take to get there.
const START: Duration = Duration::from_secs(15);
/// Over which each CPU's share is taken.
const WINDOW: Duration = Duration::from_millis(200);
/// How long the generator may take to end after SIGTERM.
const END: Duration = Duration::from_secs(3);

/// `--load`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Load {
    /// None made; how quiet the machine was is recorded.
    #[default]
    Light,
    /// On the CPUs that do not measure.
    Heavy,
    /// On all CPUs.
    HeavyAll,
}

impl Load {
    /// The word of the command line and the record.
    pub fn name(self) -> &'static str {
        match self {
            Load::Light => "light",
            Load::Heavy => "heavy",
            Load::HeavyAll => "heavy-all",
        }
    }

    /// The load of that name.
    pub fn parse(word: &str) -> Option<Self> {
        let all = [Load::Light, Load::Heavy, Load::HeavyAll];
        all.into_iter().find(|load| load.name() == word)
    }

    /// The CPUs to load: `cpus` without those that measure, or all of them.
    pub fn cpus(self, cpus: &[u32], measuring: &[u32]) -> Vec<u32> {
        let wanted = |cpu: &&u32| match self {
            Load::Light => false,
            Load::Heavy => !measuring.contains(cpu),
            Load::HeavyAll => true,
        };
        cpus.iter().filter(wanted).copied().collect()
    }
}

/// Why there is no load: a result where the machine lacks something.
#[derive(Debug)]
pub enum HeavyError {
    Skip(Absence),
    Fail(HarnessError),
}

/// A running load; dropping it ends it.
#[derive(Debug)]
pub struct Heavy {
    child: Child,
    /// Version and command line, for the record.
    pub detail: Vec<String>,
}

impl Heavy {
    /// Starts the load on `cpus` and waits until it runs; `root` is where
    /// /proc is found. To be called from a thread that lives as long as the
    /// load: the kernel ends the load with it.
    ///
    /// # Errors
    /// `Skip` without stress-ng or without a CPU to load, `Fail` when it does
    /// not come up.
    pub fn start(cpus: &[u32], root: &Path) -> Result<Self, HeavyError> {
        Self::start_with(GENERATOR, cpus, root)
    }

    /// Whether `start` can be asked for later: a CPU to load, a generator.
    ///
    /// # Errors
    /// As there.
    pub fn possible(cpus: &[u32]) -> Result<(), HeavyError> {
        Self::version_for(GENERATOR, cpus).map(drop)
    }

    fn version_for(program: &str, cpus: &[u32]) -> Result<String, HeavyError> {
        if cpus.is_empty() {
            return Err(HeavyError::Skip(Absence::new(
                "no CPU is left to load, apart from the measuring ones",
                "pontage run --load heavy-all",
            )));
        }
        version(program)
    }

    fn start_with(program: &str, cpus: &[u32], root: &Path) -> Result<Self, HeavyError> {
        let version = Self::version_for(program, cpus)?;
        let arguments = arguments(cpus);
        let detail = vec![version, format!("{program} {}", arguments.join(" "))];
        let mut command = Command::new(program);
        command
            .args(&arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // SIGTERM: it ends its own children then.
        tie_to_us(&mut command, libc::SIGTERM);
        let child = command
            .spawn()
            .map_err(|source| failed_to_start(program, source))?;
        let mut load = Heavy { child, detail };
        load.wait_until_running(cpus, root)
            .map_err(HeavyError::Fail)?;
        Ok(load)
    }

    fn wait_until_running(&mut self, cpus: &[u32], root: &Path) -> Result<(), HarnessError> {
        let limit = Instant::now() + START;
        let mut seen = "no reading".to_owned();
        let mut before = Stat::read(root).ok();
        while Instant::now() < limit {
            std::thread::sleep(WINDOW);
            if let Ok(Some(status)) = self.child.try_wait() {
                seen = format!("it {}", crate::session::describe_exit(status));
                break;
            }
            let after = Stat::read(root).ok();
            if let Some(lowest) = lowest_use(before.as_ref(), after.as_ref(), cpus) {
                if lowest >= LOADED {
                    return Ok(());
                }
                seen = format!("one of them is {:.0} % in use", lowest * 100.0);
            }
            before = after;
        }
        Err(HarnessError::LoadIdle {
            cpus: format_list(cpus),
            seen,
        })
    }
}

/// Use of the least used of `cpus` between two readings, 0..=1. Stolen time
/// counts: the load had asked for it. None without CPUs or readings.
pub fn lowest_use(before: Option<&Stat>, after: Option<&Stat>, cpus: &[u32]) -> Option<f64> {
    let (before, after) = (before?, after?);
    let mut lowest = f64::INFINITY;
    for cpu in cpus {
        let passed: CpuTime = after.cpu(*cpu)?.since(before.cpu(*cpu)?);
        lowest = lowest.min(passed.share(passed.busy().saturating_add(passed.steal)));
    }
    lowest.is_finite().then_some(lowest)
}

fn arguments(cpus: &[u32]) -> Vec<String> {
    let (count, list) = (cpus.len(), format_list(cpus));
    let line = format!(
        "--taskset {list} --cpu {count} --cpu-method matrixprod --stream {count} \
         --stream-l3-size 8M --no-rand-seed --oomable --timeout {LONGEST} --quiet"
    );
    line.split(' ').map(str::to_owned).collect()
}

/// First line of `--version`.
fn version(program: &str) -> Result<String, HeavyError> {
    let output = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .map_err(|source| failed_to_start(program, source))?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text
        .lines()
        .next()
        .unwrap_or("unknown version")
        .trim()
        .to_owned())
}

fn failed_to_start(program: &str, source: io::Error) -> HeavyError {
    if source.kind() == io::ErrorKind::NotFound {
        return HeavyError::Skip(Absence::new(
            format!("{program} is not installed"),
            "sudo apt-get install stress-ng",
        ));
    }
    HeavyError::Fail(HarnessError::LoadSpawn {
        program: program.to_owned(),
        source,
    })
}

impl Drop for Heavy {
    fn drop(&mut self) {
        signal_group(self.child.id(), libc::SIGTERM);
        let limit = Instant::now() + END;
        while Instant::now() < limit && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(10));
        }
        signal_group(self.child.id(), libc::SIGKILL);
        // Collects it; one that was collected above gives an error to ignore.
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measuring_cpus_are_spared_unless_all_are_asked_for() {
        assert_eq!(Load::Heavy.cpus(&[0, 1, 2, 3], &[1, 2]), [0, 3]);
        assert_eq!(Load::HeavyAll.cpus(&[0, 1], &[1]), [0, 1]);
        assert!(Load::Light.cpus(&[0, 1], &[1]).is_empty());
        assert_eq!(Load::parse("heavy-all"), Some(Load::HeavyAll));
        assert_eq!(Load::parse("Heavy"), None);
    }

    #[test]
    fn without_the_generator_the_remedy_is_named() {
        let Err(HeavyError::Skip(why)) =
            Heavy::start_with("no-such-generator", &[0], Path::new("/"))
        else {
            panic!("started what does not exist");
        };
        assert_eq!(why.reason, "no-such-generator is not installed");
        assert_eq!(why.remedy, "sudo apt-get install stress-ng");
    }

    #[test]
    fn a_machine_with_one_cpu_cannot_be_loaded_during_a_run() {
        let cpus = Load::Heavy.cpus(&[0], &[0]);
        let outcome = Heavy::start(&cpus, Path::new("/"));
        assert!(matches!(outcome, Err(HeavyError::Skip(_))));
        assert!(matches!(Heavy::possible(&cpus), Err(HeavyError::Skip(_))));
    }

    #[test]
    fn a_generator_that_ends_at_once_is_an_error() {
        let outcome = Heavy::start_with("true", &[0], Path::new("/"));
        let Err(HeavyError::Fail(error)) = outcome else {
            panic!("{outcome:?}");
        };
        assert!(
            error
                .to_string()
                .starts_with("cannot bring CPUs 0 under load"),
            "{error}"
        );
    }

    #[test]
    fn use_of_the_least_used_cpu() {
        let stat = |a, b| Stat::parse(&format!("cpu 0 0 0 0\ncpu0 {a} 0 0 0\ncpu1 0 0 0 {b}\n"));
        let (before, after) = (stat(0, 0), stat(20, 20));
        let of = |cpus: &[u32]| lowest_use(before.as_ref(), after.as_ref(), cpus);
        assert_eq!(of(&[0]), Some(1.0));
        assert_eq!(of(&[0, 1]), Some(0.0));
        assert_eq!(of(&[2]), None);
        assert_eq!(of(&[]), None);
    }
}
