//! What the turns say: their price, how much of it is the hand-over and how
//! much the bytes, and what another CPU and its sleep add.

use analysis::claims::{Outcome, Quoted, all};
use analysis::compared::ratio;
use analysis::line;
use analysis::sentence::{between, estimated, time, timed, times_as_long};
use analysis::{ExperimentTable, PointView};
use engines::placement;
use engines::transport::claims::{alike_but, fellows, slower};
use engines::transport::findings::waking;
use record::{Finding, Unit};
use stats::Interval;

/// Findings of `ipc/unix_hot_potato`: cost of a turn, of the hand-over and of a byte on
/// one CPU; other placements; wake-ups.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let mut all = Vec::new();
    if let Some(home) = Home::of(table) {
        all.extend(home.turn());
        all.extend(home.hand_over());
        all.extend(home.bytes());
        all.extend(home.elsewhere(table));
    }
    all.extend(waking(table));
    all
}

/// The turns on one CPU, smallest message first; of processes where there are
/// any, as in the origin.
struct Home<'a> {
    turns: Vec<&'a PointView>,
    empty: Option<&'a PointView>,
    one: &'a PointView,
}

impl<'a> Home<'a> {
    fn of(table: &'a ExperimentTable) -> Option<Home<'a>> {
        let modes = ["2processes", "2threads"];
        modes.iter().find_map(|mode| Home::of_mode(table, mode))
    }

    fn of_mode(table: &'a ExperimentTable, mode: &str) -> Option<Home<'a>> {
        let here = at_home(table).filter(|p| p.word("mode") == mode);
        let (empty, mut turns): (Vec<_>, Vec<_>) = here.partition(|p| p.int("size") == Some(0));
        turns.sort_by_key(|p| p.int("size"));
        let one = *turns.iter().find(|p| p.int("size") == Some(1))?;
        Some(Home {
            turns,
            empty: empty.first().copied(),
            one,
        })
    }

    fn between(&self) -> &'static str {
        match self.one.word("mode") {
            "2threads" => "two threads",
            _ => "two processes",
        }
    }

    fn turn(&self) -> Option<Finding> {
        let time = line::sum(&[(1.0, self.one.primary()?.median)])?;
        let text = format!(
            "A one-byte turn between {} on one CPU: {}",
            self.between(),
            timed(&time)
        );
        Some(estimated("turn", Unit::Nanoseconds, time, text))
    }

    /// What a turn costs beyond two calls that move nothing.
    fn hand_over(&self) -> Option<Finding> {
        let (one, empty) = (self.one.primary()?, self.empty?.primary()?);
        let more = line::sum(&[(1.0, one.median), (-1.0, empty.median)])?;
        let text = format!(
            "Handing one byte over takes {} of a turn between {} on one CPU, {:.0} %: writing and \
             reading nothing takes {}",
            timed(&more),
            self.between(),
            100.0 * more.center / one.median.center,
            time(empty.median.center)
        );
        Some(estimated("hand_over", Unit::Nanoseconds, more, text))
    }

    /// What each byte adds, by a straight line through all sizes.
    fn bytes(&self) -> Option<Finding> {
        let (line, largest) = (of_sizes(&self.turns)?, self.turns.last()?);
        let last = largest.int("size")?;
        let all_bytes = line.center * (last - 1) as f64;
        let interval = format!("{:.3} ns a byte ({})", line.center, between(&line, 3));
        let turn = format!(
            "From 1 to {last} bytes a turn between {} on one CPU",
            self.between()
        );
        let text = match line.low > 0.0 {
            true => format!(
                "{turn} grows by {interval}: {:.1} % of a turn of {last} are its bytes",
                100.0 * all_bytes / largest.median_ns()?
            ),
            false => format!("{turn} does not grow beyond noise: {interval}"),
        };
        Some(estimated("cost_of_a_byte", Unit::Nanoseconds, line, text))
    }

    /// The same turn with the partner on each other CPU, asleep.
    fn elsewhere(&self, table: &ExperimentTable) -> Vec<Finding> {
        let alike = |p: &&PointView| alike_but("placement", p, self.one);
        let costlier = |there: &PointView| {
            let placement = there.word("placement");
            let ratio = ratio(self.one, there)?;
            let text = format!(
                "A turn of one byte between {} takes {} {}, {} as on one CPU",
                self.between(),
                time(there.median_ns()?),
                placement::phrase(placement),
                times_as_long(&ratio, 1)
            );
            let key = format!("turn_{placement}");
            Some(estimated(key, Unit::Ratio, ratio, text))
        };
        let elsewhere = table.points.iter().filter(alike);
        elsewhere.filter_map(costlier).collect()
    }
}

/// What a byte more costs.
fn of_sizes(turns: &[&PointView]) -> Option<Interval> {
    let place = |p: &&PointView| Some((p.int("size")? as f64, p.primary()?.median));
    let points: Option<Vec<(f64, Interval)>> = turns.iter().map(place).collect();
    line::slope(&points?)
}

/// Measured turns on one CPU, the empty one among them.
fn at_home(table: &ExperimentTable) -> impl Iterator<Item = &PointView> {
    table.measured([("placement", "same_cpu"), ("partner", "idle")])
}

fn of_size(table: &ExperimentTable, size: i64) -> Vec<&PointView> {
    let here = at_home(table).filter(|p| p.int("size") == Some(size));
    here.collect()
}

/// Claim check: a turn of 512 bytes takes hardly longer than one of 1 byte, on one CPU.
pub fn size_hardly_matters(table: &ExperimentTable) -> Option<Outcome> {
    let pairs = fellows("size", &of_size(table, 1), &of_size(table, 512));
    all(pairs.into_iter().filter_map(|(small, large)| {
        let (small, large) = (Quoted::latency(small)?, Quoted::latency(large)?);
        Some(large.at_most(small).allowing(0.1))
    }))
}

/// Claim check: a turn with an empty message takes less time than one with 1 byte.
pub fn empty_turn_is_cheaper(table: &ExperimentTable) -> Option<Outcome> {
    let pairs = fellows("size", &of_size(table, 0), &of_size(table, 1));
    slower(pairs, 1.0)
}

/// Both sides asleep, on two CPUs and on one.
pub fn other_cpu_costs_more(table: &ExperimentTable) -> Option<Outcome> {
    let home: Vec<&PointView> = at_home(table).collect();
    let away = table.measured([("partner", "idle")]);
    let away: Vec<&PointView> = away.filter(|p| p.word("placement") != "same_cpu").collect();
    slower(fellows("placement", &home, &away), 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::table as listed;
    use testbed::{int, measured, word as set};

    const ID: &str = "ipc/unix_hot_potato";

    fn turn(size: i64, mode: &str, placement: &str, partner: &str, ns: f64) -> PointView {
        let settings = [
            int("size", size),
            set("mode", mode),
            set("placement", placement),
            set("partner", partner),
        ];
        measured(ID, &settings, &[ns])
    }

    /// 4000 ns for two calls, 40 000 for handing one byte over, `byte_ns` for
    /// each further one.
    fn home(mode: &str, sizes: &[i64], byte_ns: f64) -> Vec<PointView> {
        let ns = |size: i64| match size {
            0 => 4000.0,
            _ => 40_000.0 + byte_ns * (size - 1) as f64,
        };
        let point = |size: &i64| turn(*size, mode, "same_cpu", "idle", ns(*size));
        sizes.iter().map(point).collect()
    }

    fn found(points: Vec<PointView>) -> Vec<Finding> {
        findings(&listed(ID, points))
    }

    fn of<'a>(all: &'a [Finding], key: &str) -> &'a Finding {
        let found = all.iter().find(|f| f.key == key);
        found.unwrap_or_else(|| panic!("no {key} in {all:#?}"))
    }

    #[test]
    fn a_turn_is_split_into_calls_hand_over_and_bytes() {
        let all = found(home("2processes", &super::super::SIZES, 4.0));
        let turn = of(&all, "turn");
        assert_eq!(turn.value, Some(40_000.0));
        assert!(turn.sentence.contains("two processes"), "{}", turn.sentence);
        let over = of(&all, "hand_over");
        assert_eq!(over.value, Some(36_000.0));
        // The sides of both: 200 ns of the one, 20 ns of the other.
        let side = 200f64.hypot(20.0);
        assert!((over.low.unwrap() - (36_000.0 - side)).abs() < 1e-6);
        assert!((over.high.unwrap() - (36_000.0 + side)).abs() < 1e-6);
        assert!(over.sentence.contains(" 90 %"), "{}", over.sentence);
        let byte = of(&all, "cost_of_a_byte");
        assert!((byte.value.unwrap() - 4.0).abs() < 1e-9);
        assert!(byte.low.unwrap() > 3.0 && byte.high.unwrap() < 5.0);
        assert!(
            byte.sentence.contains("4.9 % of a turn of 512"),
            "{}",
            byte.sentence
        );
    }

    #[test]
    fn bytes_within_noise_are_said_to_be_so() {
        let all = found(home("2processes", &[0, 1, 64, 512], 0.1));
        let byte = of(&all, "cost_of_a_byte");
        assert!(byte.low.unwrap() < 0.0 && byte.high.unwrap() > 0.1);
        assert!(
            byte.sentence.contains("not grow beyond noise"),
            "{}",
            byte.sentence
        );
    }

    #[test]
    fn points_off_the_line_widen_its_interval() {
        let straight = home("2processes", &super::super::SIZES, 4.0);
        let mut bent = straight.clone();
        for point in bent.iter_mut().step_by(2) {
            let s = &mut point.summaries[0];
            (s.median.center, s.median.low, s.median.high) = (
                s.median.center * 1.05,
                s.median.low * 1.05,
                s.median.high * 1.05,
            );
        }
        let width = |points| {
            let all = found(points);
            let byte = of(&all, "cost_of_a_byte");
            byte.high.unwrap() - byte.low.unwrap()
        };
        assert!(width(bent) > 2.0 * width(straight));
    }

    #[test]
    fn threads_speak_where_no_processes_were_measured_and_nothing_without_turns() {
        let mut both = home("2threads", &[0, 1], 4.0);
        assert!(
            of(&found(both.clone()), "turn")
                .sentence
                .contains("threads")
        );
        both.extend(home("2processes", &[0, 1], 4.0));
        assert!(of(&found(both), "turn").sentence.contains("processes"));
        assert!(found(home("2processes", &[0], 4.0)).is_empty());
        let one = found(home("2processes", &[1], 4.0));
        assert_eq!(one.len(), 1, "neither a hand-over nor a line: {one:#?}");
    }

    #[test]
    fn other_cpus_and_their_sleep_stand_beside_one_cpu() {
        let mut points = home("2processes", &[0, 1], 4.0);
        let near = |partner, ns| turn(1, "2processes", "same_cache", partner, ns);
        points.extend([
            near("awake", 2000.0),
            near("busy", 50_000.0),
            near("idle", 80_000.0),
        ]);
        points.push(turn(1, "2processes", "other_socket", "idle", 120_000.0));
        let all = found(points);
        let near = of(&all, "turn_same_cache");
        assert!((near.value.unwrap() - 2.0).abs() < 1e-9);
        assert!(
            near.sentence
                .contains("on cores under one last-level cache"),
            "{}",
            near.sentence
        );
        assert!((of(&all, "turn_other_socket").value.unwrap() - 3.0).abs() < 1e-9);
        assert!((of(&all, "waking").value.unwrap() - 25.0).abs() < 1e-9);
        assert!((of(&all, "waking_idle").value.unwrap() - 1.6).abs() < 1e-9);
        let mut keys: Vec<&str> = all.iter().map(|f| f.key.as_str()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), all.len());
    }

    #[test]
    fn claims_hold_fail_and_stay_open() {
        let held = |check: fn(&ExperimentTable) -> Option<Outcome>, points| {
            check(&listed(ID, points)).map(|o| o.held().expect(&o.evidence))
        };
        let flat = home("2processes", &[0, 1, 512], 1.0);
        let steep = home("2processes", &[0, 1, 512], 10.0);
        assert_eq!(held(size_hardly_matters, flat.clone()), Some(true));
        assert_eq!(held(size_hardly_matters, steep), Some(false));
        assert_eq!(held(empty_turn_is_cheaper, flat.clone()), Some(true));
        let mut costly = flat.clone();
        costly[0] = turn(0, "2processes", "same_cpu", "idle", 50_000.0);
        assert_eq!(held(empty_turn_is_cheaper, costly), Some(false));
        assert_eq!(held(other_cpu_costs_more, flat.clone()), None);
        for (ns, expected) in [(60_000.0, true), (30_000.0, false)] {
            let mut two = flat.clone();
            two.push(turn(1, "2processes", "same_cache", "awake", 1.0));
            two.push(turn(1, "2processes", "same_cache", "idle", ns));
            assert_eq!(held(other_cpu_costs_more, two), Some(expected));
        }
        let only_one = home("2processes", &[1], 1.0);
        assert_eq!(held(size_hardly_matters, only_one.clone()), None);
        assert_eq!(held(empty_turn_is_cheaper, only_one), None);
    }
}
