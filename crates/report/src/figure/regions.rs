//! Named stretches of the x axis, from the findings.

use super::{Axis, Scale, Shade};
use record::{FigureHead, Region, RunHead, Setting};

/// Regions of this experiment's findings over the figure's x axis. Those of
/// different curves would lie on top of each other, so the figure shows the
/// first curve's, and a note says whose they are.
pub fn collect(
    run: &RunHead,
    experiment: &str,
    head: &FigureHead,
    x: &Axis,
) -> (Vec<Shade>, Option<String>) {
    if matches!(x.scale, Scale::Categories(_)) {
        return (Vec::new(), None);
    }
    let all: Vec<&Region> = run
        .findings
        .iter()
        .filter(|f| f.experiment == experiment)
        .flat_map(|f| &f.regions)
        .filter(|r| r.axis == head.x && in_figure(r, head))
        .filter(|r| !r.from_x.is_nan() && !r.to_x.is_nan())
        .collect();
    let Some(first) = all.first() else {
        return (Vec::new(), None);
    };
    let (of_first, others): (Vec<&Region>, Vec<&Region>) =
        all.iter().partition(|r| r.only == first.only);
    let mut shades: Vec<Shade> = of_first
        .into_iter()
        .map(|r| Shade {
            from: r.from_x.max(x.range.0),
            to: r.to_x.min(x.range.1),
            name: r.name.clone(),
        })
        .filter(|s| s.from < s.to)
        .collect();
    shades.sort_by(|a, b| a.from.total_cmp(&b.from));
    let note = (!others.is_empty()).then(|| {
        format!(
            "shaded: the regions of {}; the findings name those of the other curves",
            label(&first.only)
        )
    });
    (shades, note)
}

/// Whether the curve that the region was seen on is among the figure's.
fn in_figure(region: &Region, head: &FigureHead) -> bool {
    region.only.iter().all(|s| {
        let mut fixed = head.only.iter().filter(|o| o.axis == s.axis).peekable();
        fixed.peek().is_none() || fixed.any(|o| o.value == s.value)
    })
}

fn label(only: &[Setting]) -> String {
    let words: Vec<String> = only
        .iter()
        .map(|s| format!("{}={}", s.axis, s.value))
        .collect();
    match words.is_empty() {
        true => "all curves together".to_owned(),
        false => words.join(" "),
    }
}
