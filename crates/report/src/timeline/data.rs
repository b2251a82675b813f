//! The data that `ui/src/timeline/decode.ts` reads.

use super::About;
use crate::packed::packed;
use maud::PreEscaped;
use serde_json::json;
use trace::timeline::{CpuLane, Task, Timeline};

/// Names and counts.
pub fn head(timeline: &Timeline, about: &About) -> PreEscaped<String> {
    let counts = |cpu: &CpuLane| {
        json!({
            "cpu": cpu.cpu,
            "slices": cpu.slices.len(),
            "hardirqs": cpu.hardirqs.len(),
            "softirqs": cpu.softirqs.len(),
            "moments": cpu.moments.len(),
            "gaps": cpu.gaps.len(),
            "crowd": cpu.crowd.len(),
            "idle": cpu.idle.len(),
            "lives": cpu.lives.len(),
        })
    };
    let task = |task: &Task| {
        let names = std::iter::once(&task.name).chain(&task.before);
        let mut row = vec![json!(task.pid)];
        row.extend(names.map(|name| json!(name)));
        row
    };
    let tasks: Vec<_> = timeline.tasks.iter().map(task).collect();
    let head = json!({
        "title": about.file,
        "begin_ns": timeline.begin_ns,
        "length_ns": timeline.length_ns(),
        "clock": about.clock.as_deref().unwrap_or_default(),
        "tasks": tasks,
        "names": timeline.names,
        "cpus": timeline.cpus.iter().map(counts).collect::<Vec<_>>(),
        "unserved": timeline.unserved.len(),
        "events": timeline.account.events,
        "lost_events": timeline.account.lost_events,
    });
    // Nothing in a script element may look like its end.
    PreEscaped(head.to_string().replace('<', "\\u003c"))
}

/// All columns, deflated, as base64.
pub fn columns(timeline: &Timeline) -> String {
    packed(&timeline.encode())
}
