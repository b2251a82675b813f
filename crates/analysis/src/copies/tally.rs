//! Copies counted while they come: memory grows with what differs, not with time.

use super::heads::{BOTH, CALLERS, ONE, TRACE, metric};
use record::{
    AxisValue, CopyOperation, Disturbance, Engine, PointHead, PointState, RecordedCopy, Sample,
    Setting,
};
use stats::whole;
use std::collections::BTreeMap;

/// Callers that get a point of their own; the rest of a routine is one.
const CALLERS_SHOWN: usize = 24;
const OTHERS: &str = "all others";

/// Routine, whether with that of two underscores, engine, power of two.
type Class = (CopyOperation, &'static str, Engine, u32);

#[derive(Debug, Clone, Default)]
struct Sum {
    copies: u64,
    bytes: u64,
    sum_ns: u64,
    /// How many copies took so many nanoseconds.
    times: BTreeMap<u64, u64>,
}

impl Sum {
    fn add(&mut self, bytes: u64, time_ns: u64) {
        self.copies += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        self.sum_ns = self.sum_ns.saturating_add(time_ns);
        *self.times.entry(time_ns).or_default() += 1;
    }

    fn merge(&mut self, other: &Sum) {
        self.copies += other.copies;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        for (time_ns, copies) in &other.times {
            *self.times.entry(*time_ns).or_default() += copies;
        }
    }
}

/// What was counted of recorded copies.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    sizes: BTreeMap<Class, Sum>,
    callers: BTreeMap<(CopyOperation, String), Sum>,
}

impl Tally {
    /// Counts a copy under its size and its caller.
    pub fn add(&mut self, copy: &RecordedCopy) {
        self.add_timed(copy, copy.t1_ns.saturating_sub(copy.t0_ns));
    }

    /// A copy whose time is given, not taken from its ends.
    pub fn add_timed(&mut self, copy: &RecordedCopy, time_ns: u64) {
        let bytes = copy.size_bytes - copy.not_copied_bytes.unwrap_or(0).min(copy.size_bytes);
        // 0 and 1 B together: a logarithmic axis has no place for 0.
        let log2 = copy.size_bytes.max(1).ilog2();
        let mut classes = vec![(copy.operation, ONE)];
        classes.extend(checked(copy.operation).map(|operation| (operation, BOTH)));
        for (operation, routines) in classes {
            let class = (operation, routines, copy.engine, log2);
            self.sizes.entry(class).or_default().add(bytes, time_ns);
        }
        let caller = copy
            .symbol
            .clone()
            .unwrap_or_else(|| format!("{:#x}", copy.caller));
        let key = (copy.operation, caller);
        self.callers.entry(key).or_default().add(bytes, time_ns);
    }

    /// A point for each routine and size, then for each caller; indexes begin
    /// with `first`. `unseen` says why copies of a routine cannot be seen here.
    pub fn points(
        &self,
        first: u32,
        unseen: &dyn Fn(CopyOperation) -> Option<String>,
    ) -> Vec<(PointHead, Vec<Sample>)> {
        let mut points = Vec::new();
        for operation in CopyOperation::ALL {
            for routines in [ONE, BOTH] {
                self.routine(operation, routines, unseen, &mut points);
            }
        }
        self.top_callers(&mut points);
        for (index, (head, _)) in (first..).zip(&mut points) {
            head.index = index;
        }
        points
    }

    fn routine(
        &self,
        operation: CopyOperation,
        routines: &'static str,
        unseen: &dyn Fn(CopyOperation) -> Option<String>,
        points: &mut Vec<(PointHead, Vec<Sample>)>,
    ) {
        if routines == BOTH && checked(operation) != Some(operation) {
            return;
        }
        let base = vec![
            setting("operation", operation.name()),
            setting("routines", routines),
        ];
        let before = points.len();
        for engine in [Engine::Cpu, Engine::Dma] {
            if !self
                .sizes
                .keys()
                .any(|k| (k.0, k.1, k.2) == (operation, routines, engine))
            {
                continue;
            }
            // A size without copies is none, not a gap; and figures of one run
            // have the same sizes.
            for log2 in self.range() {
                let class = (operation, routines, engine, log2);
                let mut settings = base.clone();
                settings.push(setting("engine", engine.name()));
                settings.push(Setting {
                    axis: "size".to_owned(),
                    value: AxisValue::Int(1_i64.checked_shl(log2).unwrap_or(i64::MAX).max(1)),
                });
                let samples = self
                    .sizes
                    .get(&class)
                    .map_or_else(|| vec![sample(metric::COPIES, 0, 0.0)], samples_of);
                points.push((point(TRACE, settings, PointState::Done), samples));
            }
        }
        if points.len() == before {
            let reason = unseen(operation)
                .unwrap_or_else(|| "no such copy was made during the recording".to_owned());
            let remedy = String::new();
            let state = PointState::Skipped { reason, remedy };
            points.push((point(TRACE, base, state), Vec::new()));
        }
    }

    /// Powers of two from the least to the largest that any copy had.
    fn range(&self) -> std::ops::RangeInclusive<u32> {
        let log2 = || self.sizes.keys().map(|k| k.3);
        log2().min().unwrap_or(0)..=log2().max().unwrap_or(0)
    }

    fn top_callers(&self, points: &mut Vec<(PointHead, Vec<Sample>)>) {
        let mut all: Vec<_> = self.callers.iter().collect();
        all.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.copies));
        let mut others: BTreeMap<CopyOperation, Sum> = BTreeMap::new();
        for (place, ((operation, caller), sum)) in all.into_iter().enumerate() {
            if place < CALLERS_SHOWN {
                points.push(caller_point(*operation, caller, sum));
            } else {
                others.entry(*operation).or_default().merge(sum);
            }
        }
        for (operation, sum) in &others {
            points.push(caller_point(*operation, OTHERS, sum));
        }
    }
}

/// The routine that checks the address, of one that may leave it to the caller.
fn checked(operation: CopyOperation) -> Option<CopyOperation> {
    match operation {
        CopyOperation::FromUser | CopyOperation::UncheckedFromUser => Some(CopyOperation::FromUser),
        CopyOperation::ToUser | CopyOperation::UncheckedToUser => Some(CopyOperation::ToUser),
        CopyOperation::IterFromUser | CopyOperation::IterToUser => None,
    }
}

fn caller_point(operation: CopyOperation, caller: &str, sum: &Sum) -> (PointHead, Vec<Sample>) {
    let settings = vec![
        setting("operation", operation.name()),
        setting("caller", caller),
    ];
    (point(CALLERS, settings, PointState::Done), samples_of(sum))
}

fn samples_of(sum: &Sum) -> Vec<Sample> {
    let at = |share| quantile(&sum.times, sum.copies, share);
    let mean = sum.sum_ns as f64 / sum.copies.max(1) as f64;
    let of = |metric, value| sample(metric, sum.copies, value);
    vec![
        Sample {
            elapsed_ns: sum.sum_ns as f64,
            ..of(metric::TIME, at(0.5))
        },
        of(metric::COPIES, sum.copies as f64),
        of(metric::BYTES, sum.bytes as f64),
        of(metric::LONGEST, at(1.0)),
        of(metric::MEAN, mean),
        of(metric::P99, at(0.99)),
    ]
}

/// The least time that this share of the copies does not exceed, ns.
fn quantile(times: &BTreeMap<u64, u64>, copies: u64, share: f64) -> f64 {
    let wanted = whole((share * copies as f64).ceil().max(1.0));
    let mut seen = 0;
    let found = times.iter().find(|(_, count)| {
        seen += **count;
        seen >= wanted
    });
    found.map_or(f64::NAN, |(time, _)| *time as f64)
}

fn sample(metric: u16, copies: u64, value: f64) -> Sample {
    Sample {
        metric,
        process: 0,
        index: 0,
        ops: copies,
        elapsed_ns: 0.0,
        floor_ns: 0.0,
        value,
        cpu: 0,
        disturbance: Disturbance::default(),
        yardstick: None,
    }
}

fn point(experiment: &str, settings: Vec<Setting>, state: PointState) -> PointHead {
    PointHead {
        index: 0,
        experiment: experiment.to_owned(),
        settings,
        bytes_per_op: None,
        state,
        notes: Vec::new(),
        traces: Vec::new(),
        interrupts: None,
    }
}

fn setting(axis: &str, word: &str) -> Setting {
    Setting {
        axis: axis.to_owned(),
        value: word.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(operation: CopyOperation, size_bytes: u64, time_ns: u64) -> RecordedCopy {
        RecordedCopy {
            operation,
            ring: 0,
            sequence: 0,
            size_bytes,
            cpu_start: 0,
            cpu_end: None,
            t0_ns: 100,
            t1_ns: 100 + time_ns,
            caller: 0xff,
            symbol: (size_bytes > 64).then(|| "vfs_read+0x1".to_owned()),
            engine: Engine::Cpu,
            not_copied_bytes: Some(1),
            process: None,
        }
    }

    fn values(points: &[(PointHead, Vec<Sample>)], label: &str, metric: u16) -> Vec<f64> {
        let of = points.iter().filter(|(p, _)| p.label() == label);
        let samples = of.flat_map(|(_, samples)| samples);
        samples
            .filter(|s| s.metric == metric)
            .map(|s| s.value)
            .collect()
    }

    #[test]
    fn copies_are_counted_by_routine_and_size_and_by_caller() {
        use CopyOperation::{FromUser, IterToUser, UncheckedFromUser};
        let mut tally = Tally::default();
        for time in [10, 20, 60] {
            tally.add(&copy(FromUser, 40, time));
        }
        tally.add(&copy(FromUser, 300, 7));
        tally.add(&copy(UncheckedFromUser, 32, 50));
        tally.add(&copy(IterToUser, 0, 5));
        let points = tally.points(3, &|o| {
            (o == CopyOperation::UncheckedToUser).then(|| "copied inline".to_owned())
        });
        assert_eq!(points[0].0.index, 3);
        let at = "operation=copy_from_user routines=one engine=cpu size=32";
        assert_eq!(values(&points, at, metric::COPIES), [3.0]);
        assert_eq!(values(&points, at, metric::MEAN), [30.0]);
        assert_eq!(values(&points, at, metric::TIME), [20.0]);
        assert_eq!(values(&points, at, metric::P99), [60.0]);
        assert_eq!(values(&points, at, metric::BYTES), [117.0]);
        let both = at.replace("one", "both");
        assert_eq!(values(&points, &both, metric::COPIES), [4.0]);
        // Between 32 and 256 lie two sizes without copies.
        let none = at.replace("=32", "=128");
        assert_eq!(values(&points, &none, metric::COPIES), [0.0]);
        let zero = "operation=copy_to_iter routines=one engine=cpu size=1";
        assert_eq!(values(&points, zero, metric::BYTES), [0.0]);
        let caller = "operation=copy_from_user caller=vfs_read+0x1";
        assert_eq!(values(&points, caller, metric::COPIES), [1.0]);
        let skipped = |operation: &str| {
            let of = |p: &&(PointHead, Vec<Sample>)| p.0.label().starts_with(operation);
            points.iter().find(of).map(|(p, _)| p.state.clone())
        };
        let Some(PointState::Skipped { reason, .. }) = skipped("operation=__copy_to_user") else {
            panic!("an absence is a result");
        };
        assert_eq!(reason, "copied inline");
        assert!(matches!(
            skipped("operation=copy_to_user"),
            Some(PointState::Skipped { .. })
        ));
    }

    #[test]
    fn sizes_that_no_memory_has_are_no_panic() {
        let mut tally = Tally::default();
        for _ in 0..2 {
            tally.add(&copy(CopyOperation::FromUser, u64::MAX, 1));
            tally.add(&copy(CopyOperation::UncheckedFromUser, u64::MAX, 1));
        }
        let points = tally.points(0, &|_| None);
        let caller = "operation=copy_from_user caller=vfs_read+0x1";
        assert_eq!(values(&points, caller, metric::BYTES), [u64::MAX as f64]);
    }

    #[test]
    fn callers_beyond_those_shown_are_one_point() {
        let mut tally = Tally::default();
        for caller in 0..40 {
            let known = copy(CopyOperation::ToUser, 8, 1);
            tally.add(&RecordedCopy { caller, ..known });
        }
        let points = tally.points(0, &|_| None);
        let others = "operation=copy_to_user caller=all others";
        assert_eq!(values(&points, others, metric::COPIES), [16.0]);
    }
}
