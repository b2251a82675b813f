//! Panels under a figure: what else the same points counted, over the same x.

use super::axes::y_axis;
use super::collect::{Collect, collect_series};
use super::quantity::Quantity;
use super::{Axis, Panel, Scale, Series};
use record::FigureHead;

/// The panels that the figure asks for, and a note on metrics that the table
/// does not have.
pub fn collect(main: &Collect<'_>, x: &Axis, series: &[Series]) -> (Vec<Panel>, Option<String>) {
    // Rows of words have no x to share.
    if matches!(x.scale, Scale::Categories(_)) {
        return (Vec::new(), None);
    }
    let known = |name: &&String| {
        name.as_str() == "bandwidth" || main.table.head.metrics.iter().any(|m| m.name == **name)
    };
    let (found, missing): (Vec<&String>, Vec<&String>) = main.head.below.iter().partition(known);
    let panels = found
        .into_iter()
        .filter_map(|name| panel(main, name, x, series))
        .collect();
    let names: Vec<&str> = missing.into_iter().map(String::as_str).collect();
    let note = (!names.is_empty()).then(|| format!("not counted here: {}", names.join(", ")));
    (panels, note)
}

fn panel(main: &Collect<'_>, name: &str, x: &Axis, series: &[Series]) -> Option<Panel> {
    let quantity = Quantity::find(main.table, name);
    let (mut drawn, _) = collect_series(&Collect {
        quantity: &quantity,
        ..*main
    });
    for s in &mut drawn {
        s.points
            .retain(|p| p.y.center.is_finite() && p.x >= x.range.0 && p.x <= x.range.1);
    }
    let aligned = aligned(series, drawn);
    if aligned.iter().all(|s| s.points.is_empty()) {
        return None;
    }
    // Counts begin at none: there a logarithm has no place, and a count that is
    // the same everywhere needs no magnifying glass.
    let linear = FigureHead {
        y_log: false,
        ..main.head.clone()
    };
    let mut y = y_axis(&quantity, &linear, &aligned);
    y.range.0 = y.range.0.min(0.0);
    Some(Panel { y, series: aligned })
}

/// The panel's lines in the order and the colours of the figure's, so that a
/// line is known by its colour in every panel.
fn aligned(main: &[Series], mut drawn: Vec<Series>) -> Vec<Series> {
    let alone = main.len() == 1 && drawn.len() == 1;
    main.iter()
        .map(|m| {
            let same = drawn.iter().position(|d| alone || d.name == m.name);
            Series {
                name: m.name.clone(),
                colour: m.colour,
                points: same.map_or_else(Vec::new, |i| drawn.swap_remove(i).points),
            }
        })
        .collect()
}
