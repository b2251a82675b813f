//! JSON files of ipc-benchmark become a run.

#[cfg(test)]
mod fuzz;

use crate::arguments;
use crate::failure::{Failure, Outcome};
use crate::head;
use crate::run::close;
use analysis::RunView;
use record::foreign::ipc_benchmark::{self, ForeignSample, IpcBenchmark};
use record::{
    AxisValue, Disturbance, ExperimentHead, MachineCard, MetricHead, PointHead, PointState,
    RunHead, RunWriter, Sample, Setting, Unit,
};
use std::path::{Path, PathBuf};

const PROGRAM: &str = "ipc-benchmark";

/// A file and what it says.
struct Foreign {
    path: PathBuf,
    content: IpcBenchmark,
    /// Our own description of that transport.
    ours: ExperimentHead,
}

/// # Errors
/// A file that cannot be read, or is none of that program; a record that cannot
/// be written.
pub fn run(arguments: &arguments::Import) -> Outcome {
    let files = arguments.files.iter().map(|p| read(p));
    let files: Vec<Foreign> = files.collect::<Result<_, _>>()?;
    same_machine(&files)?;
    let (writer, view) = recorded(&files, &arguments.out)?;
    close::show(&view, writer.folder())
}

fn recorded(files: &[Foreign], out: &Path) -> Result<(RunWriter, RunView), Failure> {
    let head = run_head(files);
    let mut writer = RunWriter::create(out, head.clone())?;
    for (index, file) in (0u32..).zip(files) {
        let experiment = head.experiments.iter().find(|e| e.id == file.ours.id);
        let samples = experiment.map(|e| samples(file, e)).unwrap_or_default();
        writer.append_point(&point(index, file, PointState::Done), &samples)?;
    }
    close::completed(writer)
}

fn read(path: &Path) -> Result<Foreign, Failure> {
    let cannot = |cause: &dyn std::fmt::Display| {
        Failure::new(format!("cannot import {}: {cause}", path.display()))
            .hint("it is made by: ipc-benchmark -j -v MODE > FILE")
    };
    let most = ipc_benchmark::LARGEST_FILE_BYTES as u64;
    let text = files::input::text(path, most).map_err(|e| cannot(&e))?;
    let content = IpcBenchmark::parse(&text).map_err(|e| cannot(&e))?;
    understood(path, content).map_err(|cause| cannot(&cause))
}

fn understood(path: &Path, content: IpcBenchmark) -> Result<Foreign, String> {
    let name = match content.ipc_type.as_str() {
        "local" => "unix_stream",
        other => other,
    };
    let listed = experiments::all()
        .find(&format!("ipc/{name}"))
        .ok_or_else(|| format!("its ipctype {} is not known", content.ipc_type))?;
    Ok(Foreign {
        path: path.to_owned(),
        content,
        ours: listed.head(&MachineCard::default()),
    })
}

/// One record is one machine.
fn same_machine(files: &[Foreign]) -> Result<(), Failure> {
    let Some((first, others)) = files.split_first() else {
        return Ok(());
    };
    for file in others {
        for fact in ["kern.hostname", "hw.model", "kern.osrelease"] {
            if file.content.fact(fact) != first.content.fact(fact) {
                return Err(Failure::new(format!(
                    "cannot import {} into one run with {}: their {fact} differ",
                    file.path.display(),
                    first.path.display()
                ))
                .hint("import the files of each machine on their own"));
            }
        }
    }
    Ok(())
}

fn run_head(files: &[Foreign]) -> RunHead {
    let machine = files.first().map(|f| card(&f.content)).unwrap_or_default();
    let facts = files.first().into_iter().flat_map(|f| &f.content.facts);
    let facts: serde_json::Map<_, _> = facts.map(|(k, v)| (k.clone(), v.clone().into())).collect();
    let notes = [
        "imported: what disturbed the samples is not known",
        "both sides ran on CPU 0, as ipc-benchmark pins them",
    ];
    let clock = "clock_gettime of ipc-benchmark";
    RunHead {
        tool_version: PROGRAM.to_owned(),
        machine_full: facts.into(),
        experiments: experiment_heads(files),
        points: (0u32..)
            .zip(files)
            .map(|(index, file)| point(index, file, PointState::Pending).into())
            .collect(),
        ..head::without_plan(machine, PROGRAM, clock, notes.map(str::to_owned).to_vec())
    }
}

fn card(content: &IpcBenchmark) -> MachineCard {
    let text = |name: &str| content.fact(name).unwrap_or_default().to_owned();
    let number = |name: &str| content.fact(name).and_then(|v| v.parse().ok());
    let cpus = number("hw.ncpu").and_then(|n: u64| u32::try_from(n).ok());
    let cpus = cpus.unwrap_or(0);
    MachineCard {
        host: match text("kern.hostname") {
            none if none.is_empty() => "imported".to_owned(),
            host => host,
        },
        cpu_model: text("hw.model"),
        arch: text("hw.machine"),
        cpus,
        cores: cpus,
        memory_bytes: number("hw.physmem").unwrap_or(0),
        page_bytes: 4096,
        kernel: format!("{} {}", text("kern.ostype"), text("kern.osrelease"))
            .trim()
            .to_owned(),
        lines: content.facts.clone(),
        ..MachineCard::default()
    }
}

/// Our own description of each transport, with whatever else was counted as
/// further metrics.
fn experiment_heads(files: &[Foreign]) -> Vec<ExperimentHead> {
    let mut heads: Vec<ExperimentHead> = Vec::new();
    for file in files {
        if !heads.iter().any(|h| h.id == file.ours.id) {
            heads.push(file.ours.clone());
        }
        let Some(head) = heads.iter_mut().find(|h| h.id == file.ours.id) else {
            continue;
        };
        for (theirs, _) in file.content.samples.iter().flat_map(|s| &s.counts) {
            let (name, _) = metric_of(theirs, &file.ours);
            if !head.metrics.iter().any(|m| m.name == name) {
                head.metrics.push(MetricHead {
                    name,
                    unit: Unit::Count,
                    doc: "counted by ipc-benchmark; of a count, the share of one message"
                        .to_owned(),
                    lower_is_better: true,
                    explains: false,
                });
            }
        }
    }
    heads
}

/// The metric that one of their counts becomes, and the factor from its unit to
/// ours. A name that is ours already means something else there.
fn metric_of(theirs: &str, ours: &ExperimentHead) -> (String, f64) {
    if let Some((name, factor)) = ours_for(theirs) {
        return (name.to_owned(), factor);
    }
    if ours.metrics.iter().any(|m| m.name == theirs) {
        return (format!("{theirs} (ipc-benchmark)"), 1.0);
    }
    (theirs.to_owned(), 1.0)
}

fn ours_for(theirs: &str) -> Option<(&'static str, f64)> {
    Some(match theirs {
        "msgsnd" => ("sender_calls", 1.0),
        "msgrcv" => ("receiver_calls", 1.0),
        "nvcsw" => ("voluntary_switches", 1.0),
        "nivcsw" => ("involuntary_switches", 1.0),
        "utime" => ("user_time", 1e9),
        "stime" => ("system_time", 1e9),
        _ => return None,
    })
}

fn point(index: u32, file: &Foreign, state: PointState) -> PointHead {
    let mode = match file.content.mode.as_str() {
        "2thread" => "2threads",
        "2proc" => "2processes",
        other => other,
    };
    let int = |bytes: u64| AxisValue::Int(i64::try_from(bytes).unwrap_or(i64::MAX));
    let known: [(&str, AxisValue); 6] = [
        ("size", int(file.content.buffer_bytes)),
        ("pattern", "stream".into()),
        ("mode", mode.into()),
        ("placement", "same_cpu".into()),
        ("partner", "idle".into()),
        ("total", int(file.content.total_bytes)),
    ];
    // What the file does not tell (the buffer, the port) is as by default.
    let value = |axis: &str| {
        let value = known.iter().find(|(name, _)| *name == axis);
        value.map_or(AxisValue::Int(0), |(_, value)| value.clone())
    };
    let axes = file.ours.axes.iter();
    let settings: Vec<Setting> = axes
        .map(|axis| Setting {
            axis: axis.name.clone(),
            value: value(&axis.name),
        })
        .collect();
    let here = same_here(&file.ours.id, &settings);
    PointHead {
        index,
        experiment: file.ours.id.clone(),
        settings,
        bytes_per_op: Some(file.content.buffer_bytes),
        state,
        notes: vec![format!("from {}", file.path.display()), here],
        traces: Vec::new(),
        interrupts: None,
    }
}

/// What measures the same on this machine, to compare.
fn same_here(experiment: &str, settings: &[Setting]) -> String {
    let axes = settings
        .iter()
        .map(|set| format!(" --axis {}={}", set.axis, set.value));
    format!(
        "the same here: pontage run {experiment}{}",
        axes.collect::<String>()
    )
}

/// One sample of each metric for each iteration; an operation is a message.
fn samples(file: &Foreign, head: &ExperimentHead) -> Vec<Sample> {
    let content = &file.content;
    let ops = content.total_bytes.div_ceil(content.buffer_bytes).max(1);
    let metric = |name: &str| {
        let found = head.metrics.iter().position(|m| m.name == name)?;
        u16::try_from(found).ok()
    };
    let mut all = Vec::new();
    for (index, sample) in (0u32..).zip(&file.content.samples) {
        all.push(timed(index, ops, sample));
        for (theirs, value) in &sample.counts {
            let (name, factor) = metric_of(theirs, &file.ours);
            // A rate or a ratio is of the whole iteration already.
            let rate = name.contains("RATE") || name.contains("PER_");
            let share = if rate { 1.0 } else { ops as f64 };
            if let Some(metric) = metric(&name) {
                all.push(Sample {
                    metric,
                    elapsed_ns: 0.0,
                    value: value * factor / share,
                    ..timed(index, ops, sample)
                });
            }
        }
    }
    all
}

fn timed(index: u32, ops: u64, sample: &ForeignSample) -> Sample {
    Sample {
        metric: 0,
        process: 0,
        index,
        ops,
        elapsed_ns: sample.elapsed_ns,
        floor_ns: 0.0,
        value: sample.elapsed_ns / ops as f64,
        cpu: 0,
        disturbance: Disturbance::default(),
        yardstick: None,
    }
}
