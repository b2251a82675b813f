//! Traces: what recording costs, and how fast a recording is read, compared with perf
//! and trace-cmd.

use super::ours::Ours;
use super::peer::perf_version;
use super::row::{Row, Rows};
use super::turns::Turns;
use crate::command::{pinned, succeed};
use crate::files::read;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Round trips of the capture, each two switches and two wake-ups.
const TRIPS: u64 = 300_000;
/// Round trips of one run of the comparison of costs, and its turns.
const COST_TRIPS: u64 = 100_000;
const TURNS: usize = 5;
/// Readings of our own, which are shorter than the peer's.
const READINGS: u32 = 10;
/// Kernel clock ticks in a second of /proc/self/stat, on every Linux of today.
const STAT_HZ: f64 = 100.0;

/// Everything of `trace`; skipped as a whole without the peers or without
/// tracing.
pub fn rows(ours: &Ours) -> Rows {
    perf_version("tracing")?;
    let file = ours.folder.join("bench.dat");
    let Some((kept, lost)) = capture(ours, &file)? else {
        let why = "nothing could be recorded";
        return Ok(vec![Row::skipped("tracing", why, "sudo make bench")]);
    };
    let what = format!("events lost in {TRIPS} pipe round trips");
    let mut all = vec![Row::limit(&what, lost, 0.0, "events")];
    all.extend(reading(ours, &file, kept)?);
    all.push(recording(ours)?);
    Ok(all)
}

/// The default events around perf's pipe benchmark, kept and lost; None where that is
/// refused.
fn capture(ours: &Ours, file: &Path) -> Result<Option<(f64, f64)>, String> {
    let trips = TRIPS.to_string();
    let mut record = ours.pontage(&["trace", "record", "-o"]);
    record.arg(file);
    record.args(["--", "perf", "bench", "sched", "pipe", "-l", &trips]);
    if succeed(&mut record).is_err() {
        return Ok(None);
    }
    let mut stats = ours.pontage(&["trace", "stats", "--format", "json"]);
    let text = succeed(stats.arg(file))?.stdout;
    let stats_json: Value = serde_json::from_str(&text)
        .map_err(|e| format!("cannot read what pontage trace stats says: {e}"))?;
    let number = |name: &str| stats_json["capture"][name].as_f64();
    let kept = number("events").ok_or("cannot find the number of events")?;
    let lost =
        stats_json["lost_by_kernel"].as_f64().unwrap_or(0.0) + number("lost_events").unwrap_or(0.0);
    Ok(Some((kept, lost)))
}

/// User CPU time of slices, and of the peer's text of the same file.
fn reading(ours: &Ours, file: &Path, events: f64) -> Result<Vec<Row>, String> {
    let began = children_s()?.0;
    for _ in 0..READINGS {
        let mut slices = ours.pontage(&["trace", "slices", "--format", "json"]);
        succeed(slices.arg(file))?;
    }
    let own_s = (children_s()?.0 - began) / f64::from(READINGS);
    let mut all = vec![Row::limit(
        "decoding and slices, user CPU",
        own_s / events * 1e9,
        1000.0 / 15.0,
        "ns/event",
    )];
    let began = children_s()?.0;
    let text = ours.folder.join("bench.txt");
    let out =
        fs::File::create(&text).map_err(|e| format!("cannot create {}: {e}", text.display()))?;
    let mut report = Command::new("trace-cmd");
    report.args(["report", "-i"]).arg(file);
    // Into a file: reading it here would be in nobody's time.
    let ended = report.stdout(out).stderr(Stdio::null()).status();
    if !ended.is_ok_and(|status| status.success()) {
        all.push(Row::skipped(
            "slices against trace-cmd report",
            "no trace-cmd",
            "apt install trace-cmd",
        ));
        return Ok(all);
    }
    let peer_s = children_s()?.0 - began;
    all.push(Row::ratio(
        "slices against trace-cmd report, user CPU",
        (own_s, format!("{own_s:.3} s")),
        (peer_s, format!("{peer_s:.3} s for {events:.0} events")),
        0.0..=1.0 / 15.0,
    ));
    Ok(all)
}

/// CPU time that recording sched_switch adds to a round trip, ours and perf's in
/// alternation; the recorders' own time is in it.
fn recording(ours: &Ours) -> Result<Row, String> {
    let (mut ours_us, mut peers_us) = (Vec::new(), Vec::new());
    let trips = COST_TRIPS.to_string();
    let cpu = ours.cpu;
    for _ in 0..TURNS {
        let bench = ["perf", "bench", "sched", "pipe", "-l", trips.as_str()];
        let mut bare = pinned(cpu, bench[0]);
        let off = cpu_of(bare.args(&bench[1..]))?;
        let mut record = ours.pontage(&["trace", "record", "-e", "sched:sched_switch", "-o"]);
        record.arg(ours.folder.join("cost.dat")).arg("--");
        record.args(["taskset", "-c", &cpu.to_string()]).args(bench);
        ours_us.push(added_us(cpu_of(&mut record)?, off));
        let mut perf = Command::new("perf");
        perf.args(["record", "-q", "-a", "-e", "sched:sched_switch", "-o"]);
        perf.arg(ours.folder.join("cost.data")).arg("--");
        perf.args(["taskset", "-c", &cpu.to_string()]).args(bench);
        peers_us.push(added_us(cpu_of(&mut perf)?, off));
    }
    let turns = Turns {
        ours: ours_us,
        peers: peers_us,
        unit: "us",
    };
    let what = "CPU time that recording adds to a round trip";
    Ok(turns.medians(what, "perf record -a", 0.0..=1.0))
}

fn added_us(with_s: f64, without_s: f64) -> f64 {
    (with_s - without_s) * 1e6 / COST_TRIPS as f64
}

fn cpu_of(command: &mut Command) -> Result<f64, String> {
    let (user, system) = children_s()?;
    succeed(command)?;
    let (user_after, system_after) = children_s()?;
    Ok(user_after + system_after - user - system)
}

/// User and system time of all children that were waited for, s: `cutime` and
/// `cstime` of proc(5), in steps of 10 ms.
fn children_s() -> Result<(f64, f64), String> {
    let path = Path::new("/proc/self/stat");
    times(&read(path)?).ok_or_else(|| format!("cannot find times in {}", path.display()))
}

fn times(stat: &str) -> Option<(f64, f64)> {
    // The name may hold anything, and ends with the last bracket.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(13);
    let mut next = || Some(fields.next()?.parse::<f64>().ok()? / STAT_HZ);
    Some((next()?, next()?))
}

#[cfg(test)]
mod tests {
    use super::times;

    #[test]
    fn times_of_children_stand_behind_the_name() {
        let stat = "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 250 100 20 0 1";
        assert_eq!(times(stat), Some((2.5, 1.0)));
        assert_eq!(times("7 (a) S 1"), None);
    }
}
