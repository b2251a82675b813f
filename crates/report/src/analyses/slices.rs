//! How long tasks ran at a time, by task.

use super::{losses, time, time_of};
use crate::document::{Column, Document, Table};
use crate::format::percent;
use analysis::{whole, whole_index};
use serde_json::{Value, json};
use trace::analyse::tasks::TaskSum;
use trace::analyse::{Distribution, Pass};

/// Longest bar of a histogram.
const BAR: f64 = 40.0;

/// The tasks that were asked for.
#[derive(Debug)]
pub struct Slices<'a> {
    pub tasks: Vec<&'a TaskSum>,
    /// Jain's index of their time.
    pub fairness: Option<f64>,
    pub pass: &'a Pass,
}

impl Slices<'_> {
    /// Its numbers, for programs.
    pub fn json(&self) -> Value {
        let one = |t: &&TaskSum| {
            json!({"task": t, "slice_powers": t.slices.powers(),
                "burst_powers": t.bursts.powers(), "wakeup_powers": t.wakeup_latency.powers(),
                "preempt_powers": t.preempt_wait.powers()})
        };
        let tasks: Vec<Value> = self.tasks.iter().map(one).collect();
        json!({"capture": self.pass, "fairness": self.fairness, "tasks": tasks})
    }

    /// What is shown of the slices.
    pub fn document(&self) -> Document {
        let prio = |prio: Option<i32>| prio.map_or("-".to_owned(), |prio| prio.to_string());
        let mut document = Document::from(Table::listing(
            1,
            self.tasks.iter().copied(),
            [
                ("task", &|t| format!("{} [{}]", t.comm, t.pid)),
                ("prio", &|t| prio(t.prio)),
                ("slices", &|t| t.slices.count.to_string()),
                ("ran", &|t| time(t.run_ns)),
                ("median", &|t| time_of(&t.slices, |d| d.quantile(0.5))),
                ("mean", &|t| time_of(&t.slices, |d| whole(d.mean()))),
                ("p99", &|t| time_of(&t.slices, |d| d.quantile(0.99))),
                ("max", &|t| time_of(&t.slices, |d| d.max)),
                ("R+", &|t| t.preempted.to_string()),
                ("R", &|t| t.still_runnable.to_string()),
                ("blocked", &|t| blocked(t)),
                ("waited", &|t| time(t.wait_ns)),
                ("p99", &|t| time_of(&waits(t), |d| d.quantile(0.99))),
            ],
        ));
        if let Some(index) = self.fairness {
            document.line(format!(
                "fairness of their time: {index:.3} (Jain's index over {} tasks: 1 is equal)",
                self.tasks.len()
            ));
        }
        let partial: u64 = self.tasks.iter().map(|t| t.partial_slices).sum();
        if partial > 0 {
            document.line(format!(
                "{partial} partial slices (start or end not recorded) count only towards the time"
            ));
        }
        document.append(losses(self.pass, None));
        document
    }

    /// Of all tasks together: how many slices and bursts are of which length.
    pub fn histograms(&self) -> Document {
        let sum = |of: fn(&TaskSum) -> &Distribution| {
            let mut sum = Distribution::default();
            self.tasks.iter().for_each(|task| sum.merge(of(task)));
            sum
        };
        let mut document = Document::new();
        let lengths = [
            ("slices", sum(|t| &t.slices)),
            ("CPU bursts, from waking to sleeping", sum(|t| &t.bursts)),
        ];
        for (what, d) in lengths {
            document.line(format!("{what}: {}", d.count));
            document.table(bars(&d));
            document.gap();
        }
        document.append(losses(self.pass, None));
        document
    }
}

fn waits(task: &TaskSum) -> Distribution {
    let mut waits = task.wakeup_latency.clone();
    waits.merge(&task.preempt_wait);
    waits
}

fn blocked(task: &TaskSum) -> String {
    let blocked = task.blocked.iter();
    let blocked: Vec<String> = blocked.map(|(letter, n)| format!("{letter}:{n}")).collect();
    match blocked.is_empty() {
        true => "-".to_owned(),
        false => blocked.join(" "),
    }
}

fn bars(d: &Distribution) -> Table {
    let classes = d.powers();
    let most = classes.iter().map(|(_, n)| *n).max().unwrap_or(1).max(1);
    let share = |n: u64, of: u64| n as f64 / of as f64;
    let length = |n: u64| whole_index((share(n, most) * BAR).ceil());
    let mut table = Table::listing(
        0,
        classes,
        [
            ("from", &|(low, _)| time(*low)),
            ("count", &|(_, n)| n.to_string()),
            ("share", &|(_, n)| percent(share(*n, d.count.max(1)))),
            ("", &|(_, n)| "#".repeat(length(*n))),
        ],
    );
    table.columns[3] = Column::words("");
    table
}
