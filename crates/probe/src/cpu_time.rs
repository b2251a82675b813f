//! Where the CPUs' time went, from /proc/stat and /proc/loadavg (proc(5)).

use crate::proc_file::ProcFile;
use std::io;
use std::path::Path;

/// Time of one CPU, or of all together, since boot, in clock ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CpuTime {
    pub user: u64,
    pub nice: u64,
    pub system: u64,
    pub idle: u64,
    pub iowait: u64,
    pub irq: u64,
    pub softirq: u64,
    pub steal: u64,
}

impl CpuTime {
    fn parse(fields: &str) -> Option<Self> {
        let mut numbers = fields.split_ascii_whitespace().map(str::parse::<u64>);
        let mut next = || numbers.next()?.ok();
        let (user, nice, system, idle) = (next()?, next()?, next()?, next()?);
        // The later fields came with Linux 2.5.41 to 2.6.11.
        Some(CpuTime {
            user,
            nice,
            system,
            idle,
            iowait: next().unwrap_or(0),
            irq: next().unwrap_or(0),
            softirq: next().unwrap_or(0),
            steal: next().unwrap_or(0),
        })
    }

    /// Ticks in which the CPU worked for this machine.
    pub fn busy(&self) -> u64 {
        self.user + self.nice + self.system + self.irq + self.softirq
    }

    /// All ticks: busy, idle, waiting for I/O and stolen.
    pub fn total(&self) -> u64 {
        self.busy() + self.idle + self.iowait + self.steal
    }

    /// What passed since `earlier`. Idle and iowait are known to step back on
    /// some kernels; a step back counts as nothing.
    pub fn since(&self, earlier: &CpuTime) -> CpuTime {
        CpuTime {
            user: self.user.saturating_sub(earlier.user),
            nice: self.nice.saturating_sub(earlier.nice),
            system: self.system.saturating_sub(earlier.system),
            idle: self.idle.saturating_sub(earlier.idle),
            iowait: self.iowait.saturating_sub(earlier.iowait),
            irq: self.irq.saturating_sub(earlier.irq),
            softirq: self.softirq.saturating_sub(earlier.softirq),
            steal: self.steal.saturating_sub(earlier.steal),
        }
    }

    /// `part` of the whole, 0..=1; 0 when no time passed.
    pub fn share(&self, part: u64) -> f64 {
        if self.total() == 0 {
            0.0
        } else {
            part as f64 / self.total() as f64
        }
    }
}

/// One reading of /proc/stat.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stat {
    pub all: CpuTime,
    /// (CPU number, its time); offline CPUs are absent.
    pub cpus: Vec<(u32, CpuTime)>,
    /// Of all CPUs together, since boot; the kernel has no count for each CPU.
    pub context_switches: Option<u64>,
    /// Tasks made since boot.
    pub forks: Option<u64>,
}

impl Stat {
    /// `None` when there is no `cpu` line to read.
    pub fn parse(text: &str) -> Option<Stat> {
        let mut stat = Stat::default();
        let mut found = false;
        for line in text.lines() {
            let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
            if name == "cpu" {
                stat.all = CpuTime::parse(rest)?;
                found = true;
            } else if let Some(number) = name.strip_prefix("cpu") {
                stat.cpus
                    .push((number.parse().ok()?, CpuTime::parse(rest)?));
            } else if name == "ctxt" {
                stat.context_switches = rest.trim().parse().ok();
            } else if name == "processes" {
                stat.forks = rest.trim().parse().ok();
            }
        }
        found.then_some(stat)
    }

    /// The time of a CPU; None where it is offline.
    pub fn cpu(&self, cpu: u32) -> Option<&CpuTime> {
        self.cpus.iter().find(|(n, _)| *n == cpu).map(|(_, t)| t)
    }

    /// # Errors
    /// As reading `/proc/stat` below `root`; `InvalidData` when it is no such
    /// file.
    pub fn read(root: &Path) -> io::Result<Stat> {
        let mut file = ProcFile::open(root, "/proc/stat")?;
        Stat::parse(file.read()?).ok_or_else(|| malformed("no cpu line"))
    }
}

/// Stolen ticks of one CPU, found without parsing the rest.
pub fn steal_ticks(text: &str, cpu: u32) -> Option<u64> {
    text.lines()
        .take_while(|l| l.starts_with("cpu"))
        .find_map(|line| {
            let (name, rest) = line.split_once(' ')?;
            let number: u32 = name.strip_prefix("cpu")?.parse().ok()?;
            (number == cpu).then(|| CpuTime::parse(rest)).flatten()
        })
        .map(|t| t.steal)
}

/// Reads the stolen time of one CPU again and again.
#[derive(Debug)]
pub struct StealReader {
    file: ProcFile,
    cpu: u32,
    tick_ns: u64,
}

impl StealReader {
    /// # Errors
    /// As opening `/proc/stat` below `root`.
    pub fn open(root: &Path, cpu: u32) -> io::Result<Self> {
        Ok(StealReader {
            file: ProcFile::open(root, "/proc/stat")?,
            cpu,
            tick_ns: tick_ns(),
        })
    }

    /// Stolen time since boot, ns, in steps of a clock tick (10 ms as a rule).
    ///
    /// # Errors
    /// As reading the file; `InvalidData` when the CPU has no line.
    pub fn read_ns(&mut self) -> io::Result<u64> {
        let ticks = steal_ticks(self.file.read()?, self.cpu)
            .ok_or_else(|| malformed(&format!("no line for cpu{}", self.cpu)))?;
        Ok(ticks.saturating_mul(self.tick_ns))
    }
}

/// Length of a clock tick of /proc, ns.
pub fn tick_ns() -> u64 {
    // SAFETY: sysconf takes a number and touches no memory of ours.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    1_000_000_000 / u64::try_from(per_second).unwrap_or(100).max(1)
}

/// /proc/loadavg.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadAverage {
    /// Over the last minute.
    pub one_minute: f64,
}

impl LoadAverage {
    /// The text of /proc/loadavg (proc_loadavg(5)).
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let one_minute = words.next()?.parse().ok()?;
        // What is no such file has no tasks there.
        let (runnable, _) = words.nth(2)?.split_once('/')?;
        let _: u32 = runnable.parse().ok()?;
        Some(LoadAverage { one_minute })
    }

    /// # Errors
    /// As reading `/proc/loadavg` below `root`; `InvalidData` when malformed.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut file = ProcFile::open(root, "/proc/loadavg")?;
        Self::parse(file.read()?).ok_or_else(|| malformed("not a load average"))
    }
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "\
cpu  8139 0 4582 294831 1863 0 324 2838 0 0
cpu0 3336 0 1979 149521 166 0 32 1244 0 0
cpu3 4802 0 2603 145310 1697 0 291 1594 0 0
intr 250988 0 0 0
ctxt 4711
processes 12
procs_running 4
procs_blocked 0
";

    #[test]
    fn every_field_is_in_its_place() {
        let stat = Stat::parse(STAT).unwrap();
        assert_eq!(stat.all.steal, 2838);
        assert_eq!(stat.cpu(3).unwrap().steal, 1594);
        assert_eq!(stat.cpu(0).unwrap().busy(), 3336 + 1979 + 32);
        assert_eq!(stat.cpu(1), None);
        assert_eq!((stat.context_switches, stat.forks), (Some(4711), Some(12)));
        assert_eq!(steal_ticks(STAT, 3), Some(1594));
        assert_eq!(steal_ticks(STAT, 1), None);
    }

    #[test]
    fn old_kernels_print_four_fields() {
        let stat = Stat::parse("cpu  1 2 3 4\ncpu0 1 2 3 4\n").unwrap();
        assert_eq!(stat.all.total(), 10);
        assert_eq!(stat.all.steal, 0);
    }

    #[test]
    fn shares_never_divide_by_zero_and_time_never_runs_back() {
        let a = CpuTime {
            idle: 10,
            user: 5,
            ..CpuTime::default()
        };
        let b = CpuTime {
            idle: 9,
            user: 8,
            ..CpuTime::default()
        };
        let passed = b.since(&a);
        assert_eq!((passed.idle, passed.user), (0, 3));
        assert_eq!(passed.share(passed.busy()), 1.0);
        assert_eq!(CpuTime::default().share(0), 0.0);
    }

    #[test]
    fn foreign_text_is_refused() {
        assert_eq!(Stat::parse(""), None);
        assert_eq!(Stat::parse("cpu x"), None);
        assert_eq!(LoadAverage::parse("0.1 0.2"), None);
        assert_eq!(LoadAverage::parse("0.1 0.2 0.3 x 5"), None);
    }

    #[test]
    fn load_average_as_printed() {
        let load = LoadAverage::parse("0.52 0.58 0.59 3/467 12345\n").unwrap();
        assert_eq!(load.one_minute, 0.52);
    }
}
