//! One plan measured twice, lightly and heavily loaded, side by side: which
//! paths stay predictable. A path is one point of one experiment.

mod fit;
mod side;
mod taken;
mod verdict;

pub use fit::Misfit;
pub use side::{Side, TailAt};
pub use taken::Taken;
pub use verdict::{
    FEWEST_SAMPLES, LOAD_THERE, MEDIAN_MOVED, MIDDLE_STEADY, TAIL_GROWN, TAIL_STEADY, Verdict,
};

use crate::compare::{self, Pair};
use crate::view::RunView;
use record::{FigureKind, MachineCard, Setting};
use serde::Serialize;
use stats::Interval;

/// A run and the samples of its points.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    pub view: &'a RunView,
    pub taken: &'a Taken,
}

/// Two runs side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnderLoad {
    /// Ids of the runs.
    pub light: String,
    pub heavy: String,
    pub machine: MachineCard,
    /// `heavy`, `heavy-all`, and the generator's version and command line.
    pub load: String,
    pub load_detail: Vec<String>,
    /// What a reader must know of the two runs before believing a verdict.
    pub cautions: Vec<String>,
    /// Points that both runs have, those of a series together.
    pub series: Vec<Series>,
    /// What has no place here because one run lacks it.
    pub absent: Vec<Absent>,
}

/// The points of an experiment that differ along one axis only.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    pub experiment: String,
    /// What all of them have in common, of what tells the series apart.
    pub settings: Vec<Setting>,
    /// The axis along which they differ; None for a path that stands alone.
    pub axis: Option<String>,
    pub paths: Vec<Path>,
}

/// One point in both runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Path {
    pub settings: Vec<Setting>,
    pub light: Side,
    pub heavy: Side,
    /// Median under load over that without, with everything known of its
    /// uncertainty.
    pub ratio: Option<Interval>,
    pub verdict: Verdict,
    /// Whether the intervals leave the verdict no other choice.
    pub certain: bool,
    /// What decided; empty for `predictable` without a doubt.
    pub reason: String,
}

/// Points that cannot be compared, for one reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Absent {
    pub experiment: String,
    pub points: u32,
    /// `only in the light run`, `skipped under load (...)`.
    pub reason: String,
}

impl UnderLoad {
    /// Every compared path, series by series.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.series.iter().flat_map(|s| &s.paths)
    }

    /// How many paths have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.paths().filter(|p| p.verdict == verdict).count()
    }
}

impl Series {
    /// `copy/memcpy cache=hot`.
    pub fn label(&self) -> String {
        let words = self.settings.iter().map(labelled);
        let all: Vec<String> = std::iter::once(self.experiment.clone())
            .chain(words)
            .collect();
        all.join(" ")
    }

    /// What tells a path from the others of its series: `size=64`.
    pub fn place(&self, path: &Path) -> String {
        let along = path
            .settings
            .iter()
            .find(|s| Some(&s.axis) == self.axis.as_ref());
        along.map_or_else(String::new, labelled)
    }
}

fn labelled(setting: &Setting) -> String {
    format!("{}={}", setting.axis, setting.value)
}

/// Compares a run under load with one without. The first metric of each
/// experiment is judged, the time of an operation.
///
/// # Errors
/// Two runs of which neither says anything about the other.
pub fn compare(light: Measured<'_>, heavy: Measured<'_>) -> Result<UnderLoad, Misfit> {
    let cautions = fit::cautions(&light.view.head, &heavy.view.head)?;
    let noise = verdict::Noise::of(light.view, heavy.view);
    let stolen = compare::scatter::stolen(light.view, heavy.view);
    let (mut series, mut absent) = (Vec::new(), Vec::new());
    for id in compare::experiment_ids(light.view, heavy.view) {
        let pairs = compare::pairs_of(light.view.table(id), heavy.view.table(id));
        let scatter = compare::scatter::of_experiment(&pairs, stolen);
        let mut paths = Vec::new();
        for pair in &pairs {
            match side::both(pair, light.taken, heavy.taken) {
                Ok(both) => paths.push(verdict::judged(pair, both, scatter, &noise)),
                Err(reason) => leave_out(&mut absent, id, reason),
            }
        }
        series.extend(grouped(id, &pairs, paths));
    }
    Ok(UnderLoad {
        light: light.view.head.id.clone(),
        heavy: heavy.view.head.id.clone(),
        machine: light.view.head.machine.clone(),
        load: heavy.view.head.conditions.load.clone(),
        load_detail: heavy.view.head.conditions.load_detail.clone(),
        cautions,
        series,
        absent,
    })
}

fn leave_out(absent: &mut Vec<Absent>, experiment: &str, reason: String) {
    let same = |a: &&mut Absent| a.experiment == experiment && a.reason == reason;
    match absent.iter_mut().find(same) {
        Some(found) => found.points += 1,
        None => absent.push(Absent {
            experiment: experiment.to_owned(),
            points: 1,
            reason,
        }),
    }
}

/// Paths by series: those that differ only along the axis of the experiment's
/// first figure. Axes that tell no series from another are not named.
fn grouped(experiment: &str, pairs: &[Pair<'_>], paths: Vec<Path>) -> Vec<Series> {
    let varies = |axis: &str| {
        let mut values = paths.iter().map(|p| value(&p.settings, axis));
        let first = values.next();
        values.any(|v| Some(v) != first)
    };
    let axis = along(pairs).filter(|axis| varies(axis)).map(str::to_owned);
    let distinguishing = telling(&paths, axis.as_deref());
    let mut series: Vec<Series> = Vec::new();
    for path in paths {
        let settings = kept(&path, &distinguishing);
        match series.iter_mut().find(|s| s.settings == settings) {
            Some(found) => found.paths.push(path),
            None => series.push(Series {
                experiment: experiment.to_owned(),
                settings,
                axis: axis.clone(),
                paths: vec![path],
            }),
        }
    }
    series
}

/// The fewest axes, first ones first, that tell as many series apart as all of
/// them but `along` do.
fn telling(paths: &[Path], along: Option<&str>) -> Vec<String> {
    let Some(first) = paths.first() else {
        return Vec::new();
    };
    let axes = first.settings.iter().map(|s| s.axis.clone());
    let mut distinguishing: Vec<String> =
        axes.filter(|axis| Some(axis.as_str()) != along).collect();
    let apart = |distinguishing: &[String]| {
        let mut known: Vec<Vec<Setting>> = Vec::new();
        for path in paths {
            let settings = kept(path, distinguishing);
            if !known.contains(&settings) {
                known.push(settings);
            }
        }
        known.len()
    };
    let all = apart(&distinguishing);
    for at in (0..distinguishing.len()).rev() {
        let axis = distinguishing.remove(at);
        if apart(&distinguishing) < all {
            distinguishing.insert(at, axis);
        }
    }
    distinguishing
}

fn kept(path: &Path, distinguishing: &[String]) -> Vec<Setting> {
    let settings = path.settings.iter();
    settings
        .filter(|s| distinguishing.contains(&s.axis))
        .cloned()
        .collect()
}

fn value<'a>(settings: &'a [Setting], axis: &str) -> Option<&'a record::AxisValue> {
    settings.iter().find(|s| s.axis == axis).map(|s| &s.value)
}

/// The x axis of the first figure that draws points along an axis of numbers.
fn along<'a>(pairs: &[Pair<'a>]) -> Option<&'a str> {
    let (table, _) = pairs.first().and_then(|p| p.a.or(p.b))?;
    let lines = table
        .head
        .figures
        .iter()
        .filter(|f| f.kind == FigureKind::Lines);
    let mut axes = lines.map(|f| f.x.as_str());
    axes.find(|x| {
        let values = table.points.iter().map(|p| p.head.value(x));
        let mut values = values.flatten().peekable();
        values.peek().is_some() && values.all(|v| v.as_int().is_some())
    })
}
