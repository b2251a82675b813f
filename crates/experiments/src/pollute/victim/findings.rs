//! How much slower each program is with a copier running.

use analysis::compared::{PRACTICAL_SHARE, ratio};
use analysis::conclusion::Conclusion;
use analysis::sentence::{list, times_as_long};
use analysis::{ExperimentTable, PointView};
use record::{Finding, Unit};

/// Slowdown of each victim by copies of the CPU and of DMA, and the number of pairs
/// that show none.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let mut all = Vec::new();
    let (mut compared, mut unmoved) = (0, 0);
    for point in table.select(&[("copier", "none")]) {
        for (copier, name) in [("cpu", "the CPU"), ("dma", "DMA")] {
            let with = like(table, point, copier);
            let Some(slower) = with.and_then(|with| ratio(point, with)) else {
                continue;
            };
            compared += 1;
            if slower.low <= 1.0 + PRACTICAL_SHARE {
                unmoved += 1;
                continue;
            }
            let text = format!(
                "{} runs {} during {} by {name}",
                point.word("victim"),
                times_as_long(&slower, 3),
                copies(point)
            );
            let settings = point.all_but(&["copier"]).into_iter();
            let words = list(settings.map(|s| &s.value), "_");
            let conclusion = Conclusion::on(format!("{copier}_{words}"));
            let conclusion = conclusion.redrawn_value(Unit::Ratio, slower.level, slower);
            all.push(conclusion.say(text));
        }
    }
    if compared > 0 {
        let text = format!(
            "Programs not slower under copies by more than the noise and {:.0} %: {unmoved} of \
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
        point.bytes("size"),
        point.word("direction"),
        point.word("buffer").replace('_', " "),
        point.word("placement").replace('_', " ")
    )
}

/// The same point with another copier.
fn like<'a>(table: &'a ExperimentTable, point: &PointView, copier: &str) -> Option<&'a PointView> {
    let mut points = table.points.iter();
    let apart = ["copier"];
    points.find(|p| p.word("copier") == copier && p.all_but(&apart) == point.all_but(&apart))
}
