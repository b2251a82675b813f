//! What the files are measurements of, in the record's words.

use super::collection::Collection;
use experiments::table;
use record::{
    Conditions, ExperimentHead, FigureHead, Instrument, MachineCard, PointHead, PointState,
    RecipeHead, RunHead, RunState, moment,
};
use std::sync::LazyLock;
use std::time::SystemTime;

pub(super) const LATENCY: &str = "offload/latency";
pub(super) const BANDWIDTH: &str = "offload/bandwidth";

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
    if collection.trace.is_some() {
        heads.extend(copies());
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

/// Recorded copies have one form whoever recorded them.
fn copies() -> impl Iterator<Item = ExperimentHead> {
    analysis::copies::heads(None)
        .into_iter()
        .map(|head| ExperimentHead {
            counts: "one copy as the study's tracer saw it; a point has one sample a metric, made \
                     from all its copies"
                .to_owned(),
            does_not_count: NOT_TOLD.to_owned(),
            origin: ORIGIN.to_owned(),
            ..head
        })
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
