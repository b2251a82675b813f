//! What the files are measurements of, in the record's words.

use super::collection::Collection;
use super::ids::{BANDWIDTH, COUNTED, LATENCY, VICTIM};
use crate::head;
use catalogue::recipe::figure::{RecipeFigure, replace};
use catalogue::recipe::parse;
use experiments::all;
use experiments::built_in::BUILT_IN;
use record::{
    ExperimentHead, FigureHead, MachineCard, MetricHead, PointHead, PointState, RunHead, moment,
};
use std::time::SystemTime;

const NOT_STATED: &str = "not stated by the files";
const ORIGIN: &str = "imported from the .dat files of I/OAT-CFTU (A. Papa, Universita di Roma Tor \
    Vergata, 2013)";

pub(super) fn run_head(collection: &Collection) -> RunHead {
    let pending = |p: &PointHead| PointHead {
        state: PointState::Pending,
        ..p.clone()
    };
    let mut notes = vec!["imported: what disturbed the samples is not known".to_owned()];
    notes.extend(collection.notes.iter().cloned());
    let machine = MachineCard {
        host: "imported".to_owned(),
        page_bytes: 4096,
        ..MachineCard::default()
    };
    RunHead {
        id: record::run_id(SystemTime::now(), "imported-cftu"),
        tool_version: "I/OAT-CFTU".to_owned(),
        experiments: experiments(collection),
        points: collection
            .points
            .iter()
            .map(|(p, _)| pending(p).into())
            .collect(),
        ..head::without_plan(machine, "cftu", "clock of the I/OAT-CFTU driver, ns", notes)
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
    if has(VICTIM) {
        heads.extend(victim(collection));
    }
    if collection.trace.is_some() {
        heads.extend(copies());
    }
    heads
}

/// The head that our own runs have, with what only the files' origin decides.
fn own(id: &str, counts: &str, clock: &str, figures: Vec<FigureHead>) -> Option<ExperimentHead> {
    let mut head = all().find(id)?.head(&MachineCard::default());
    for (metric, tally) in [moment::START_SECONDS, moment::START_NANOSECONDS]
        .iter()
        .zip(moment::metrics(clock))
    {
        if let Some(own) = head.metrics.iter_mut().find(|m| m.name == *metric) {
            own.doc = tally.doc;
        }
    }
    Some(ExperimentHead {
        counts: counts.to_owned(),
        does_not_count: NOT_STATED.to_owned(),
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

/// With the figures of the recipe that repeats the study, as far as there are
/// points for them.
fn victim(collection: &Collection) -> Option<ExperimentHead> {
    let mut head = own(
        VICTIM,
        "one run of a program",
        "the study's clock",
        vec![figure("Programs during copies", "time", &["copier"])],
    )?;
    head.figures[0].x = "victim".to_owned();
    head.figures[0].x_log2 = false;
    head.metrics
        .extend(COUNTED.map(|(name, unit, doc)| MetricHead {
            name: name.to_owned(),
            unit,
            doc: doc.to_owned(),
            lower_is_better: true,
            explains: false,
        }));
    let mut heads = [head];
    let study = BUILT_IN.iter().find(|(name, _)| *name == "pollution");
    if let Some(recipe) = study.and_then(|(name, text)| parse(name, text).ok()) {
        let points = || {
            collection
                .points
                .iter()
                .map(|(p, _)| p)
                .filter(|p| p.experiment == VICTIM)
        };
        let of_study = |f: &&RecipeFigure| points().any(|p| f.shows(p));
        let figures: Vec<RecipeFigure> = recipe.figures.iter().filter(of_study).cloned().collect();
        replace(&figures, "light", &mut heads);
    }
    heads.into_iter().next()
}

/// Recorded copies have one form whoever recorded them.
fn copies() -> impl Iterator<Item = ExperimentHead> {
    analysis::copies::heads(None)
        .into_iter()
        .map(|head| ExperimentHead {
            counts: "one copy as the study's tracer saw it; a point has one sample per metric, \
                     computed from all its copies"
                .to_owned(),
            does_not_count: NOT_STATED.to_owned(),
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
