//! How much slower each program is with a copier running.

use super::word;
use analysis::compared::{PRACTICAL_SHARE, ratio};
use analysis::conclusion::Conclusion;
use analysis::{ExperimentTable, PointView};
use record::axis::human_bytes;
use record::{Finding, Unit};

pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let alone = table.points.iter().filter(|p| word(p, "copier") == "none");
    let mut all = Vec::new();
    let (mut compared, mut unmoved) = (0, 0);
    for point in alone {
        for copier in ["cpu", "dma"] {
            let Some(beside) = like(table, point, copier) else {
                continue;
            };
            let Some(slower) = ratio(point, beside) else {
                continue;
            };
            compared += 1;
            if slower.low <= 1.0 + PRACTICAL_SHARE {
                unmoved += 1;
                continue;
            }
            let text = format!(
                "{} runs {:.3} times as long ({:.3} to {:.3}) during {} by {}",
                word(point, "victim"),
                slower.center,
                slower.low,
                slower.high,
                copies(point),
                if copier == "cpu" { "the CPU" } else { "DMA" },
            );
            let key = format!("{}_{}", copier, key(point));
            all.push(
                Conclusion::on(&key)
                    .unit(Unit::Ratio)
                    .redrawn(slower.level)
                    .value(slower)
                    .say(text),
            );
        }
    }
    if compared > 0 {
        let text = format!(
            "Programs not slower beside copies, beyond the noise and {:.0} %: {unmoved} of \
             {compared}",
            PRACTICAL_SHARE * 100.0
        );
        all.insert(0, Conclusion::on("unmoved").sure(0.95).say(text));
    }
    all
}

fn copies(point: &PointView) -> String {
    format!(
        "copies of {} ({}, {}, {})",
        human_bytes(point.int("size").unwrap_or(0).unsigned_abs()),
        word(point, "direction"),
        word(point, "buffer").replace('_', " "),
        word(point, "placement").replace('_', " ")
    )
}

/// The same point with another copier.
fn like<'a>(table: &'a ExperimentTable, point: &PointView, copier: &str) -> Option<&'a PointView> {
    let mut points = table.points.iter();
    points.find(|p| word(p, "copier") == copier && key(p) == key(point))
}

fn key(point: &PointView) -> String {
    let settings = point.head.settings.iter().filter(|s| s.axis != "copier");
    let words: Vec<String> = settings.map(|s| s.value.to_string()).collect();
    words.join("_")
}
