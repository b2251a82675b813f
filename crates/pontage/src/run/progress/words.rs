//! Points in words, while they are measured: what distinguishes each from the others of its
//! experiment.

use ::report::label;
use catalogue::AxisSpec;
use catalogue::plan::{Plan, Planned};
use harness::Point;
use record::{AxisValue, Unit};
use std::collections::HashMap;

/// The words of every point of a plan, by its index.
pub fn of(plan: &Plan) -> HashMap<u32, String> {
    plan.experiments.iter().flat_map(of_experiment).collect()
}

fn of_experiment(planned: &Planned) -> Vec<(u32, String)> {
    let points: Vec<&Point> = planned.blocks.iter().flat_map(|b| &b.points).collect();
    let axes = planned.listed.experiment.axes.iter();
    let varying: Vec<&AxisSpec> = axes.filter(|axis| varies(axis, &points)).collect();
    let words = |point: &Point| {
        let parts = varying.iter().filter_map(|axis| part(point, axis));
        parts.collect::<Vec<_>>().join(", ")
    };
    points
        .iter()
        .map(|point| (point.index, words(point)))
        .collect()
}

fn varies(axis: &AxisSpec, points: &[&Point]) -> bool {
    let mut values = points.iter().map(|point| value(point, axis));
    let first = values.next();
    first.is_some_and(|first| values.any(|other| other != first))
}

fn value<'a>(point: &'a Point, axis: &AxisSpec) -> Option<&'a AxisValue> {
    let setting = point.settings.iter().find(|s| s.axis == axis.name)?;
    Some(&setting.value)
}

fn part(point: &Point, axis: &AxisSpec) -> Option<String> {
    let value = value(point, axis)?;
    let text = label::value(axis.name, axis.unit, value);
    Some(match (axis.unit, axis.name) {
        (Unit::Word, "pages") => format!("{text} pages"),
        _ => text,
    })
}

#[cfg(test)]
mod tests {
    use super::of;
    use catalogue::plan::plan;
    use catalogue::recipe;

    fn words(entries: &str) -> Vec<String> {
        let recipe = recipe::parse("x", &format!("title='t'\n{entries}")).expect("a recipe");
        let plan = plan(experiments::all(), &recipe, &record::MachineCard::default());
        let mut words: Vec<_> = of(&plan.expect("a plan")).into_iter().collect();
        words.sort();
        words.into_iter().map(|(_, words)| words).collect()
    }

    #[test]
    fn a_point_is_called_by_what_varies_with_units_and_blanks() {
        let of = |axes: &str| {
            words(&format!(
                "[[experiment]]\nid='mem/latency'\naxes={{{axes}}}"
            ))
        };
        let all = of("size='4k,1M', pattern='random_line', pages='base,thp'");
        assert!(all.contains(&"4 KiB, base pages".to_owned()), "{all:?}");
        assert!(all.contains(&"1 MiB, thp pages".to_owned()), "{all:?}");
        let all = of("size='4k', pattern='random_line,stride_64', pages='base'");
        assert!(all.contains(&"random line".to_owned()), "{all:?}");
        assert!(all.iter().all(|words| !words.contains('_')), "{all:?}");
    }

    #[test]
    fn a_single_point_needs_no_words() {
        let all = words("[[experiment]]\nid='syscall/getppid'");
        assert_eq!(all, [""]);
    }
}
