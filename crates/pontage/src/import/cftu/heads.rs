//! What the files are measurements of, in the record's words.

use super::collection::Collection;
use record::{
    AxisHead, Conditions, ExperimentHead, FigureHead, Instrument, MachineCard, MetricHead,
    PointHead, PointState, RecipeHead, RunHead, RunState, Unit, moment,
};
use std::time::SystemTime;

pub(super) const LATENCY: &str = "offload/latency";
pub(super) const BANDWIDTH: &str = "offload/bandwidth";
pub(super) const TRACE: &str = "copies/trace";

/// Where the two parts of a sample's start stand among the metrics.
pub(super) const START: [u16; 2] = [1, 2];

pub(super) fn run_head(collection: &Collection) -> RunHead {
    let now = SystemTime::now();
    let pending = |p: &PointHead| PointHead {
        state: PointState::Pending,
        ..p.clone()
    };
    let mut notes = vec!["imported: what disturbed the samples is not known".to_owned()];
    notes.extend(collection.notes.iter().cloned());
    RunHead {
        schema_version: record::SCHEMA_VERSION,
        id: record::run_id(now, "imported-cftu"),
        started_utc: record::rfc3339_utc(now),
        ended_utc: None,
        tool_version: "I/OAT-CFTU".to_owned(),
        command_line: std::env::args().collect(),
        recipe: RecipeHead {
            name: "cftu".to_owned(),
            preset: "custom".to_owned(),
            processes: 1,
            ..RecipeHead::default()
        },
        state: RunState::Running,
        machine: MachineCard {
            host: "imported".to_owned(),
            page_bytes: 4096,
            ..MachineCard::default()
        },
        machine_full: serde_json::Value::Null,
        conditions: Conditions {
            notes,
            ..Conditions::default()
        },
        instrument: Instrument {
            clock: "clock of the I/OAT-CFTU driver, ns".to_owned(),
            invariant: true,
            ..Instrument::default()
        },
        experiments: experiments(collection),
        points: collection.points.iter().map(|(p, _)| pending(p)).collect(),
        findings: Vec::new(),
        claims: Vec::new(),
    }
}

/// Those that the files have something of.
fn experiments(collection: &Collection) -> Vec<ExperimentHead> {
    let has = |id: &str| collection.points.iter().any(|(p, _)| p.experiment == id);
    let mut heads = Vec::new();
    if has(LATENCY) {
        heads.push(latency());
    }
    if has(BANDWIDTH) {
        heads.push(bandwidth());
    }
    if collection.has_trace {
        heads.push(trace());
    }
    heads
}

fn latency() -> ExperimentHead {
    ExperimentHead {
        id: LATENCY.to_owned(),
        title: "One copy between user and kernel, by CPU or DMA".to_owned(),
        question: "What does one copy cost, with caches warm and flushed?".to_owned(),
        counts: "one copy, pages pinned before".to_owned(),
        axes: vec![
            axis("direction", Unit::Word, "from or to user memory"),
            axis("cache", Unit::Word, "warm, or flushed before each copy"),
            axis(
                "context",
                Unit::Word,
                "what copied: the CPU or DMA under a policy",
            ),
            axis("pages", Unit::Word, "when pages are pinned"),
            axis("size", Unit::Bytes, "bytes of a copy"),
        ],
        metrics: metrics("latency", "the driver's clock"),
        figures: vec![figure(
            "Latency of a copy",
            "latency",
            &["context", "direction", "cache"],
        )],
        ..foreign()
    }
}

fn bandwidth() -> ExperimentHead {
    ExperimentHead {
        id: BANDWIDTH.to_owned(),
        title: "Copies on all channels at once".to_owned(),
        question: "What does each channel move while all of them do?".to_owned(),
        counts: "one copy of a channel; for the total, one copy of any".to_owned(),
        axes: vec![
            axis("direction", Unit::Word, "from user memory, to it, or both"),
            axis(
                "context",
                Unit::Word,
                "what copied: the CPU or DMA under a policy",
            ),
            axis(
                "channel",
                Unit::Word,
                "DMA channel or core; total: all together",
            ),
            axis("size", Unit::Bytes, "bytes of a copy"),
        ],
        metrics: metrics("time", "the wall clock (since 1970)"),
        figures: vec![figure(
            "Bandwidth of each channel",
            "bandwidth",
            &["context", "direction", "channel"],
        )],
        ..foreign()
    }
}

fn trace() -> ExperimentHead {
    ExperimentHead {
        id: TRACE.to_owned(),
        title: "Copies between user and kernel as they happen".to_owned(),
        question: "Which copies does this machine make, and what does each take?".to_owned(),
        counts: "one recorded copy".to_owned(),
        axes: vec![
            axis("operation", Unit::Word, "the copy routine"),
            axis(
                "size",
                Unit::Bytes,
                "bytes of a copy, down to a power of two; exact in the table of copies",
            ),
        ],
        // Starts are in the table of copies.
        metrics: metrics("time", "").into_iter().take(1).collect(),
        figures: vec![figure("Time of recorded copies", "time", &["operation"])],
        ..foreign()
    }
}

fn foreign() -> ExperimentHead {
    ExperimentHead {
        id: String::new(),
        title: String::new(),
        question: String::new(),
        counts: String::new(),
        does_not_count: "not told by the files".to_owned(),
        origin: "imported from the .dat files of I/OAT-CFTU (A. Papa, Universita di Roma Tor \
                 Vergata, 2013)"
            .to_owned(),
        theory: String::new(),
        axes: Vec::new(),
        metrics: Vec::new(),
        figures: Vec::new(),
        toll: Vec::new(),
    }
}

fn axis(name: &str, unit: Unit, doc: &str) -> AxisHead {
    AxisHead {
        name: name.to_owned(),
        unit,
        doc: doc.to_owned(),
    }
}

fn metrics(first: &str, clock: &str) -> Vec<MetricHead> {
    let mut metrics = vec![MetricHead {
        name: first.to_owned(),
        unit: Unit::Nanoseconds,
        doc: "time of one copy".to_owned(),
        lower_is_better: true,
    }];
    metrics.extend(moment::metrics(clock));
    metrics
}

fn figure(title: &str, y: &str, series: &[&str]) -> FigureHead {
    FigureHead {
        title: title.to_owned(),
        x: "size".to_owned(),
        x_log2: true,
        y: y.to_owned(),
        y_log: true,
        series: series.iter().map(ToString::to_string).collect(),
        ..FigureHead::default()
    }
}
