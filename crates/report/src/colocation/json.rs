//! Pairs and matrices of neighbours as JSON, for programs. A number that there is
//! not is null.

use super::{CoRun, EVIDENCE, Member, Pair, blocks, word};
use analysis::{ExperimentTable, PointView, RunView, Summary};
use serde_json::{Map, Value, json};

const SCHEMA_VERSION: u32 = 1;
/// Metrics of a matrix that tell a cell.
const CELL: [&str; 2] = ["slowdown", "alone"];

/// What a run shows of kinds of work that run at the same time.
pub fn json(view: &RunView) -> Value {
    let pairs = view.tables.iter().flat_map(pairs);
    let cells = view.tables.iter().flat_map(cells);
    json!({
        "schema": "pontage-colocation",
        "schema_version": SCHEMA_VERSION,
        "run": view.head.id,
        "pairs": pairs.collect::<Vec<_>>(),
        "cells": cells.collect::<Vec<_>>(),
        "findings": view.head.findings,
    })
}

fn pairs(table: &ExperimentTable) -> Vec<Value> {
    let of_block = |block: &super::Block<'_>| {
        let pairs = block.pairs.iter();
        pairs.map(|p| pair(table, p)).collect::<Vec<_>>()
    };
    blocks(table).iter().flat_map(of_block).collect()
}

fn pair(table: &ExperimentTable, pair: &Pair<'_>) -> Value {
    let [a, b] = &pair.members;
    let points = pair.coruns.iter().filter_map(|c| c.point);
    let settings = points.flat_map(|p| &p.head.settings);
    let of_pair = settings.filter(|s| !["member", "pairing"].contains(&s.axis.as_str()));
    let settings: Map<String, Value> = of_pair.map(|s| (s.axis.clone(), json!(s.value))).collect();
    let evidence = pair.coruns.iter().map(|c| evidence(table, c));
    json!({
        "settings": settings,
        "a": member(a),
        "b": member(b),
        "evidence_per_s": evidence.collect::<Vec<_>>(),
    })
}

fn member(member: &Member<'_>) -> Value {
    let speed = member.speed.said();
    match &member.gain {
        Ok(gain) => json!({
            "kind": member.kind,
            "speed": speed,
            "before_ns": gain.before_ns,
            "after_ns": gain.after_ns,
            "before_and_after": member.speed.texts([gain.before_ns, gain.after_ns]),
            "gain": gain.share.center,
            "gain_low": gain.share.low,
            "gain_high": gain.share.high,
        }),
        Err(why) => json!({ "kind": member.kind, "speed": speed, "absent": why }),
    }
}

fn evidence(table: &ExperimentTable, corun: &CoRun<'_>) -> Value {
    let row = |row: &(&str, &str, Option<&str>)| {
        let (here, there) = corun.evidence(table, row);
        let both = match row.2 {
            Some(_) => json!({ "here": here, "there": there }),
            None => json!({ "here": here }),
        };
        (row.0.to_owned(), both)
    };
    let mut all: Map<String, Value> = EVIDENCE.iter().map(row).collect();
    all.insert("measured".to_owned(), json!(corun.names[0]));
    all.insert("neighbour".to_owned(), json!(corun.names[1]));
    Value::Object(all)
}

fn cells(table: &ExperimentTable) -> Vec<Value> {
    let axes = ["victim", "neighbour"];
    let has = |axis: &&str| table.head.axes.iter().any(|a| a.name == **axis);
    if !axes.iter().all(has) {
        return Vec::new();
    }
    let points = table.points.iter();
    points.map(|point| cell(table, point)).collect()
}

fn cell(table: &ExperimentTable, point: &PointView) -> Value {
    let mut cell = json!({
        "victim": word(point, "victim"),
        "neighbour": word(point, "neighbour"),
        "placement": word(point, "placement"),
        "mm": word(point, "mm"),
        "outcome": point.head.state,
    });
    for name in CELL {
        let interval = |s: &Summary| json!({ "median": s.median.center, "low": s.median.low, "high": s.median.high });
        let summary = super::metric(table, name).and_then(|m| point.summary(m));
        cell[name] = summary.map_or(Value::Null, interval);
    }
    cell
}
