//! Recipes, and the plan that one asks for.

use catalogue::plan::plan;
use catalogue::recipe::{parse, render};
use record::MachineCard;

/// Runs the target on one input; a panic is a finding.
pub fn body(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let Ok(recipe) = parse("fuzzed", &text) else {
        return;
    };
    let again = parse("rendered", &render(&recipe)).expect("as rendered");
    assert_eq!(again, recipe);
    // A range is many points, and planning them is no reading.
    let many = |entry: &catalogue::recipe::Entry| {
        let texts = entry.axes.values().map(|v| v.text());
        entry.id.contains('*') || texts.into_iter().any(|t| t.contains("..") || t.len() > 40)
    };
    if recipe.experiments.len() > 4 || recipe.experiments.iter().any(many) {
        return;
    }
    if let Ok(plan) = plan(experiments::all(), &recipe, &MachineCard::default()) {
        let points = plan.point_heads();
        let numbered =
            |(at, p): (usize, &record::Shared<record::PointHead>)| p.index as usize == at;
        assert!(points.iter().enumerate().all(numbered));
    }
}
