//! One iteration: a fresh pair of ends, the whole of the data once through it.

use super::Request;
use super::arguments::Ipc;
use crate::failure::Failure;
use analysis::whole;
use harness::clock::ClockSpec;
use harness::counters::{Count, Counters, Whom};
use harness::{Context, Point, SetupError};
use record::{AxisValue, PROBE_EFFECT, Setting};
use std::path::Path;
use std::time::Duration;

/// Pause before an iteration that is not bare, after the disks were synced.
const PAUSE: Duration = Duration::from_secs(1);
const SYNCS: usize = 3;

/// Of the four passes of a group the first that is counted.
const COUNTED_PASS: usize = 1;
const PASSES_OF_GROUP: usize = 4;

/// What one iteration measured. Times in ns, of both sides together but for
/// `elapsed_ns`, which runs from before the first write to after the last read.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    pub total_bytes: u64,
    pub elapsed_ns: f64,
    pub messages_sent: u64,
    pub messages_received: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    pub user_ns: u64,
    pub system_ns: u64,
    /// What the counters gave for the whole iteration, by name; rates as they
    /// are.
    pub counts: Vec<(String, f64)>,
    /// Why others are not given.
    pub notes: Vec<String>,
}

impl Sample {
    /// KiB/s, as the original prints it.
    pub fn bandwidth_kib_per_s(&self) -> f64 {
        self.total_bytes as f64 / (self.elapsed_ns / 1e9) / 1024.0
    }
}

pub enum Ran {
    Sample(Sample),
    /// `Skip`, or what went wrong on the way.
    Skipped(SetupError),
}

/// One iteration: where counters are asked for an exchange without them, which is timed, and
/// one with them, in turns (A B B A).
///
/// # Errors
/// The exchange broke, or did not carry the bytes that were sent.
pub fn run(
    request: &Request<'_>,
    context: &Context,
    number: u32,
    verified: bool,
) -> Result<Ran, Failure> {
    let Some(planned) = &request.counters else {
        return exchange(request, context, None, verified);
    };
    let groups = u32::try_from(planned.plan.passes.len()).unwrap_or(1).max(1);
    // As many iterations of each group come first as last.
    let group = Some(number % groups);
    let counted_first = (number / groups) % 2 == 1;
    let order = match counted_first {
        true => [group, None],
        false => [None, group],
    };
    let (mut timed, mut counted) = (None, None);
    for which in order {
        match exchange(request, context, which, verified)? {
            Ran::Sample(sample) if which.is_some() => counted = Some(sample),
            Ran::Sample(sample) => timed = Some(sample),
            skipped @ Ran::Skipped(_) => return Ok(skipped),
        }
    }
    let both = timed.zip(counted).map(|(timed, counted)| {
        let mut counts = counted.counts;
        let effect = counted.elapsed_ns / timed.elapsed_ns;
        counts.push((PROBE_EFFECT.to_owned(), effect));
        Ran::Sample(Sample {
            counts,
            notes: counted.notes,
            ..timed
        })
    });
    both.ok_or_else(|| Failure::new("cannot count: an exchange is missing"))
}

/// A fresh pair of ends, the whole of the data once through it; counted by this group of those
/// that take turns.
fn exchange(
    request: &Request<'_>,
    context: &Context,
    group: Option<u32>,
    verified: bool,
) -> Result<Ran, Failure> {
    let point = point(request);
    let listed = experiments::all()
        .find(&request.experiment)
        .ok_or_else(|| Failure::new(format!("cannot find experiment {}", request.experiment)))?;
    if !request.arguments.bare {
        settle_down();
    }
    let mut subject = match (listed.experiment.setup)(&point, context) {
        Ok(subject) => subject,
        Err(refused) => return Ok(Ran::Skipped(refused)),
    };
    let clock = ClockSpec::choose(Path::new("/")).build();
    let mut counters = request
        .counters
        .as_ref()
        .zip(group)
        .map(|(planned, group)| {
            let (mut counters, _) = Counters::open(&planned.plan);
            counters.attach_block(&[Whom {
                threads: subject.counted_threads(),
                others_alone: subject.counted_alone(),
                ..Whom::default()
            }]);
            counters.pass_begins(COUNTED_PASS + PASSES_OF_GROUP * group as usize);
            counters
        });
    subject.prepare(0);
    if let Some(counters) = &mut counters {
        counters.before(0, 0);
    }
    let start = clock.start();
    subject.batch(0, request.messages);
    let stop = clock.stop();
    // One operation: the counts of the whole iteration.
    let counted = counters.as_mut().map(|counters| {
        counters.stop(0, 0);
        let counted = counters.counted(1);
        let judged = counters.judge(&[(1, &counted)]);
        (counted, judged)
    });
    let (counted, judged) = counted.unwrap_or_default();
    let tallies = subject.tally(0);
    if verified {
        subject.verify().map_err(|cause| {
            Failure::new(format!("cannot trust {}: {cause}", request.experiment))
        })?;
    }
    let count = |index: usize| whole(tallies.get(index).copied().unwrap_or(0.0));
    Ok(Ran::Sample(Sample {
        total_bytes: request.arguments.total_size,
        elapsed_ns: clock.elapsed_ns(start, stop),
        messages_sent: count(0),
        messages_received: count(1),
        voluntary_switches: count(2),
        involuntary_switches: count(3),
        user_ns: count(4),
        system_ns: count(5),
        counts: named(request, &counted.values, &judged.withheld),
        notes: judged.notes,
    }))
}

/// The counts that there are, under the names of the original, which spells
/// rates in capitals.
fn named(request: &Request<'_>, values: &[Option<f64>], withheld: &[usize]) -> Vec<(String, f64)> {
    let metrics = request.counters.iter().flat_map(|p| &p.plan.metrics);
    let given = metrics.zip(values).enumerate();
    let given = given.filter(|(place, _)| !withheld.contains(place));
    let named = given.filter_map(|(_, (metric, value))| {
        let name = &metric.head.name;
        let rate = name.ends_with("_rate") || name.contains("_per_");
        let name = match rate {
            true => name.to_ascii_uppercase(),
            false => name.clone(),
        };
        Some((name, (*value)?))
    });
    named.collect()
}

/// What the original does so that earlier writes do not fall into the
/// measurement.
fn settle_down() {
    for _ in 0..SYNCS {
        // Where there is no sync(1), nothing of ours waits to be written.
        let _ = std::process::Command::new("sync").status();
    }
    std::thread::sleep(PAUSE);
}

fn point(request: &Request<'_>) -> Point {
    let a = request.arguments;
    let buffer = if a.socket_buffers { a.buffer_size } else { 0 };
    let int = |bytes: u64| AxisValue::Int(i64::try_from(bytes).unwrap_or(i64::MAX));
    let mut settings = vec![
        ("size", int(a.buffer_size)),
        ("pattern", "stream".into()),
        ("mode", a.mode.axis_word().into()),
        ("placement", a.placement.as_str().into()),
        ("partner", "idle".into()),
        ("buffer", int(buffer)),
        ("total", int(a.total_size)),
    ];
    settings.extend(request.port.map(|port| ("port", int(port.into()))));
    let settings = settings.into_iter().map(|(axis, value)| Setting {
        axis: axis.to_owned(),
        value,
    });
    Point {
        index: 0,
        experiment: request.experiment.clone(),
        settings: settings.collect(),
    }
}

/// What all iterations see of the machine. Pins this task: asked once, for afterwards
/// it may use that one CPU only.
///
/// # Errors
/// A CPU that may not be used.
pub fn context(arguments: &Ipc) -> Result<Context, Failure> {
    let cpus = harness::affinity::allowed_cpus()
        .map_err(|e| Failure::new(format!("cannot read the allowed CPUs: {e}")))?;
    let first = cpus.first().copied();
    let first = first.ok_or_else(|| Failure::new("cannot find a CPU that this process may use"))?;
    let cpu = arguments.cpu.unwrap_or(first);
    // Before this task is pinned: the card places the CPUs that it may use.
    let read = machine::read(Path::new("/"));
    harness::affinity::pin(&[cpu]).map_err(|e| {
        Failure::new(format!("cannot pin to CPU {cpu}: {e}")).hint("choose another with --cpu")
    })?;
    Ok(Context {
        memory_available_bytes: harness::card::memory_available_bytes(&read),
        card: harness::card::card(&read),
        test_cpu: cpu,
        partner_cpu: cpus.iter().copied().find(|c| *c != cpu),
        cpus,
        scratch: std::env::temp_dir(),
        traces: None,
        measured: harness::Measured::default(),
    })
}
