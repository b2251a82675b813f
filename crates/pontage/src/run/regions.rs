//! Regions of the cache model's table: each point of the plan is one, by its index.

use crate::failure::Failure;
use harness::counters::MARK_REGIONS;
use record::{PointHead, Shared};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Lines `# region NUMBER NAME`, as `pontage lab` looks for them in what a guest's
/// tests print.
///
/// # Errors
/// More points than there are regions.
pub fn lines(points: &[Shared<PointHead>]) -> Result<String, Failure> {
    if points.len() > MARK_REGIONS as usize {
        return Err(Failure::new(format!(
            "cannot mark {} points for simulated caches: their table has {MARK_REGIONS} regions",
            points.len()
        ))
        .hint("ask for fewer points with --axis AXIS=VALUES; see how many with --dry-run"));
    }
    let mut text = String::new();
    for point in points {
        let _ = writeln!(text, "# region {} {}", point.index, name(point, points));
    }
    Ok(text)
}

/// One word: the experiment, and the axes in which its points differ.
fn name(point: &PointHead, points: &[Shared<PointHead>]) -> String {
    let differs = |axis: &str| {
        let like = points.iter().filter(|p| p.experiment == point.experiment);
        let values = like.flat_map(|p| p.settings.iter().filter(|s| s.axis == axis));
        let values: BTreeSet<String> = values.map(|s| s.value.to_string()).collect();
        values.len() > 1
    };
    let mut name = point.experiment.clone();
    let mut between = ':';
    for setting in point.settings.iter().filter(|s| differs(&s.axis)) {
        let value = setting.value.to_string();
        let word: Vec<&str> = value.split_whitespace().collect();
        let _ = write!(name, "{between}{}={}", setting.axis, word.join("_"));
        between = ',';
    }
    name
}

#[cfg(test)]
mod tests {
    use super::lines;
    use record::{AxisValue, PointHead, PointState, Setting};

    fn point(index: u32, experiment: &str, settings: &[(&str, &str)]) -> PointHead {
        let setting = |(axis, value): &(&str, &str)| Setting {
            axis: (*axis).to_owned(),
            value: AxisValue::Word((*value).to_owned()),
        };
        PointHead {
            index,
            experiment: experiment.to_owned(),
            settings: settings.iter().map(setting).collect(),
            bytes_per_op: None,
            state: PointState::Pending,
            notes: Vec::new(),
            traces: Vec::new(),
            interrupts: None,
        }
    }

    #[test]
    fn a_region_is_named_by_what_differs_in_one_word() {
        let points = [
            point(
                0,
                "a/b",
                &[("size", "1"), ("victim", "cmd:make -j2"), ("by", "cpu")],
            ),
            point(
                1,
                "a/b",
                &[("size", "1"), ("victim", "chase"), ("by", "dma")],
            ),
            point(2, "a/c", &[("size", "2")]),
        ]
        .map(record::Shared::from);
        assert_eq!(
            lines(&points).unwrap(),
            "# region 0 a/b:victim=cmd:make_-j2,by=cpu\n\
             # region 1 a/b:victim=chase,by=dma\n\
             # region 2 a/c\n"
        );
    }

    #[test]
    fn more_points_than_regions_are_refused() {
        let of = |count: u32| {
            let points: Vec<_> = (0..count).map(|i| point(i, "a/b", &[]).into()).collect();
            lines(&points)
        };
        assert!(of(2047).unwrap().ends_with("# region 2046 a/b\n"));
        let refused = of(2048).unwrap_err();
        assert!(refused.message.starts_with("cannot mark 2048 points"));
        assert!(refused.hint.unwrap().contains("--axis"));
    }
}
