//! What the files are measurements of, in the record's words.

use super::collection::Collection;
use experiments::table;
use record::{
    AxisHead, Conditions, CopyOperation, ExperimentHead, FigureHead, Instrument, MachineCard,
    MetricHead, PointHead, PointState, RecipeHead, RunHead, RunState, Setting, Unit, moment,
};
use std::sync::LazyLock;
use std::time::SystemTime;

pub(super) const LATENCY: &str = "offload/latency";
pub(super) const BANDWIDTH: &str = "offload/bandwidth";
pub(super) const TRACE: &str = "copies/trace";

const NOT_TOLD: &str = "not told by the files";
const ORIGIN: &str = "imported from the .dat files of I/OAT-CFTU (A. Papa, Universita di Roma Tor \
    Vergata, 2013)";

/// Where the two parts of a sample's start stand among the metrics.
pub(super) static LATENCY_START: LazyLock<[u16; 2]> = LazyLock::new(|| start_of(LATENCY));
pub(super) static BANDWIDTH_START: LazyLock<[u16; 2]> = LazyLock::new(|| start_of(BANDWIDTH));

fn start_of(id: &str) -> [u16; 2] {
    let metrics = match table::find(id) {
        Some(listed) => listed.head(&MachineCard::default()).metrics,
        None => Vec::new(),
    };
    [moment::START_SECONDS, moment::START_NANOSECONDS].map(|name| {
        let place = metrics.iter().position(|m| m.name == name);
        place
            .and_then(|p| u16::try_from(p).ok())
            .unwrap_or(u16::MAX)
    })
}

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
        heads.extend(latency());
    }
    if has(BANDWIDTH) {
        heads.extend(bandwidth());
    }
    if collection.has_trace {
        heads.push(trace());
    }
    heads
}

/// The head that our own runs have, with what only the files' origin decides.
fn own(id: &str, counts: &str, clock: &str, figures: Vec<FigureHead>) -> Option<ExperimentHead> {
    let mut head = table::find(id)?.head(&MachineCard::default());
    for (metric, told) in [moment::START_SECONDS, moment::START_NANOSECONDS]
        .iter()
        .zip(moment::metrics(clock))
    {
        if let Some(own) = head.metrics.iter_mut().find(|m| m.name == *metric) {
            own.doc = told.doc;
        }
    }
    Some(ExperimentHead {
        counts: counts.to_owned(),
        does_not_count: NOT_TOLD.to_owned(),
        origin: ORIGIN.to_owned(),
        figures,
        ..head
    })
}

fn latency() -> Option<ExperimentHead> {
    own(
        LATENCY,
        "one copy, pages pinned before",
        "the driver's clock",
        vec![figure(
            "Latency of a copy",
            "latency",
            &["context", "direction", "cache"],
        )],
    )
}

fn bandwidth() -> Option<ExperimentHead> {
    own(
        BANDWIDTH,
        "one copy of a channel; for the total, one copy of any",
        "the wall clock (since 1970)",
        vec![figure(
            "Bandwidth of each channel",
            "bandwidth",
            &["context", "direction", "channel"],
        )],
    )
}

fn trace() -> ExperimentHead {
    ExperimentHead {
        id: TRACE.to_owned(),
        title: "Copies between user and kernel as they happen".to_owned(),
        question: "Which copies does this machine make, and what does each take?".to_owned(),
        counts: "one recorded copy".to_owned(),
        axes: vec![
            axis("direction", Unit::Word, "which way the routine copies"),
            axis("operation", Unit::Word, "the copy routine"),
            axis(
                "size",
                Unit::Bytes,
                "bytes of a copy, down to a power of two; exact in the table of copies",
            ),
        ],
        // Starts are in the table of copies.
        metrics: vec![MetricHead {
            name: "time".to_owned(),
            unit: Unit::Nanoseconds,
            doc: "time of one copy".to_owned(),
            lower_is_better: true,
        }],
        figures: trace_figures(),
        ..foreign()
    }
}

/// How often each routine copied how much, as the study's figures 2.21 to 2.26,
/// and what it took.
fn trace_figures() -> Vec<FigureHead> {
    let invocations = |number: u32, what: &str, axis: &str, value: &str| FigureHead {
        only: vec![Setting {
            axis: axis.to_owned(),
            value: value.into(),
        }],
        reading: "Recorded copies of each size, down to a power of two.".to_owned(),
        ..figure(
            &format!("I/OAT-CFTU figure 2.{number}: invocations of {what}"),
            "invocations",
            &["operation"],
        )
    };
    let is_of_study =
        |o: &CopyOperation| !matches!(o, CopyOperation::IterFromUser | CopyOperation::IterToUser);
    let mut figures: Vec<FigureHead> = (21..)
        .zip(CopyOperation::ALL.into_iter().filter(is_of_study))
        .map(|(number, o)| invocations(number, &format!("{}()", o.name()), "operation", o.name()))
        .collect();
    for (number, direction) in [(25, "from_user"), (26, "to_user")] {
        let what = format!("copy_{direction}() and __copy_{direction}()");
        figures.push(invocations(number, &what, "direction", direction));
    }
    figures.push(figure("Time of recorded copies", "time", &["operation"]));
    figures
}

fn foreign() -> ExperimentHead {
    ExperimentHead {
        id: String::new(),
        title: String::new(),
        question: String::new(),
        counts: String::new(),
        does_not_count: NOT_TOLD.to_owned(),
        origin: ORIGIN.to_owned(),
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
