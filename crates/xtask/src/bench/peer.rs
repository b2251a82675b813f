//! `perf bench`, the peer that every distribution has.

use super::row::{Row, Unmeasured};
use crate::command::{pinned, succeed};
use std::process::Command;

/// Command that installs perf.
const INSTALL: &str = "apt install linux-perf (Ubuntu: linux-tools-generic)";

/// `perf version 6.1.187`, with which `what` is compared; skipped where perf does not
/// run.
pub fn perf_version(what: &str) -> Result<String, Unmeasured> {
    succeed(Command::new("perf").arg("--version"))
        .map(|done| done.stdout.trim().to_owned())
        .map_err(|_| Unmeasured::Skipped(Row::skipped(what, "no perf", INSTALL)))
}

/// Nanoseconds per getppid call of `perf bench syscall basic`.
pub fn getppid_ns(cpu: u32, calls: u64) -> Result<f64, String> {
    ns_per_op(cpu, ["syscall", "basic"], calls)
}

/// Nanoseconds per round trip of `perf bench sched pipe`, both ends on `cpu`.
pub fn pipe_round_trip_ns(cpu: u32, trips: u64) -> Result<f64, String> {
    ns_per_op(cpu, ["sched", "pipe"], trips)
}

fn ns_per_op(cpu: u32, [suite, benchmark]: [&str; 2], loops: u64) -> Result<f64, String> {
    let mut perf = pinned(cpu, "perf");
    perf.args(["bench", suite, benchmark, "-l", &loops.to_string()]);
    usecs_per_op(&succeed(&mut perf)?.stdout).map(|us| us * 1000.0)
}

/// GB/s (10^9 bytes, counted once) of each memcpy that perf knows.
pub fn memcpy_gb_per_s(cpu: u32, bytes: u64, loops: u64) -> Result<Vec<(String, f64)>, String> {
    let (size, loops) = (format!("{bytes}B"), loops.to_string());
    let mut perf = pinned(cpu, "perf");
    perf.args([
        "bench", "mem", "memcpy", "-f", "all", "-s", &size, "-l", &loops,
    ]);
    functions(&succeed(&mut perf)?.stdout)
}

/// The `0.247518 usecs/op` line.
fn usecs_per_op(text: &str) -> Result<f64, String> {
    text.lines()
        .find_map(|line| line.trim().strip_suffix("usecs/op"))
        .and_then(|number| number.trim().parse().ok())
        .ok_or_else(|| format!("cannot read perf's usecs/op: it printed {text:?}"))
}

/// `# function 'name' (..)` followed by `93.8 GB/sec`. perf divides by 1024
/// three times and prints GB/sec: what it prints is GiB/s (and MB/sec MiB/s).
fn functions(text: &str) -> Result<Vec<(String, f64)>, String> {
    let mut found = Vec::new();
    let mut name = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# function '") {
            name = rest.split('\'').next().map(str::to_owned);
        }
        if let (Some(rate), Some(function)) = (rate(line), &name) {
            found.push((function.clone(), rate));
        }
    }
    if found.is_empty() {
        return Err(format!(
            "cannot read perf's memcpy rates: it printed {text:?}"
        ));
    }
    Ok(found)
}

fn rate(line: &str) -> Option<f64> {
    let (number, unit) = line.trim().split_once(' ')?;
    let bytes = match unit {
        "GB/sec" => 1024f64.powi(3),
        "MB/sec" => 1024f64.powi(2),
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * bytes / 1e9)
}

#[cfg(test)]
mod tests {
    use super::{functions, usecs_per_op};

    #[test]
    fn syscall_figure_is_read() {
        let text = "# Running 'syscall/basic' benchmark:\n# Executed 10000000 getppid() calls\n     \
                    Total time: 2.475 [sec]\n\n       0.247518 usecs/op\n        4040103 ops/sec\n";
        assert_eq!(usecs_per_op(text), Ok(0.247_518));
        assert!(usecs_per_op("nothing").is_err());
    }

    #[test]
    fn memcpy_rates_are_made_decimal() {
        let text = "# Running 'mem/memcpy' benchmark:\n# function 'default' (Default memcpy() \
                    provided by glibc)\n# Copying 16KB bytes ...\n\n      100.000000 GB/sec\n\
                    # function 'x86-64-movsb' (x)\n# Copying 16KB bytes ...\n\n      \
                    512.000000 MB/sec\n";
        let found = functions(text).unwrap();
        assert_eq!(found[0].0, "default");
        assert!((found[0].1 - 107.374_182_4).abs() < 1e-6);
        assert!((found[1].1 - 0.536_870_912).abs() < 1e-9);
        assert!(functions("# nothing").is_err());
    }
}
