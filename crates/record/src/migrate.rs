//! Heads of older schemas, brought up to this one.
//!
//! | schema | what changed |
//! |---|---|
//! | 2 | switch/context says where its ring runs in two axes, `placement` and `partner`, as every other experiment does; version 1 had one, with the words `cross_cpu_awake`, `_busy` and `_idle` |
//! | 2 | sched/slice calls the slice that the kernel says tasks have `nominal`; version 1 had `told` |
//! | 2 | colocate/matrix and sched/wakeup call what else runs `neighbour`; version 1 had `beside` |
//! | 2 | colocate/pair calls whether neighbours are alike `pairing`; version 1 had `company` |

use crate::axis::{Setting, Unit};
use crate::describe::{AxisHead, ExperimentHead};
use crate::machine_card::MachineCard;
use crate::placement::Placement;
use crate::run::{Conditions, PointHead, RunHead};
use crate::shared::Shared;

const SLICE: &str = "sched/slice";
const SWITCH: &str = "switch/context";
const PLACEMENT: &str = "placement";
const PARTNER: &str = "partner";

/// Bring a head up. Points that are, such as those that a resumed run added to
/// an older one, stay as they are.
pub(crate) fn head(head: &mut RunHead) {
    rename(&mut head.experiments);
    rename_points(&mut head.points);
    let Some(switch) = head.experiments.iter_mut().find(|e| e.id == SWITCH) else {
        return;
    };
    experiment(switch);
    let apart = apart(&head.machine, &head.conditions);
    for point in head.points.iter_mut().filter(|p| p.experiment == SWITCH) {
        self::point(point, apart);
    }
}

/// Metrics are compared by name: under its old name this one would be another.
fn rename(experiments: &mut [ExperimentHead]) {
    let slices = experiments.iter_mut().filter(|e| e.id == SLICE);
    for metric in slices.flat_map(|e| &mut e.metrics) {
        if metric.name == "told" {
            "nominal".clone_into(&mut metric.name);
        }
    }
    for experiment in experiments {
        let names = axis_names(&experiment.id);
        let axes = experiment.axes.iter_mut().map(|axis| &mut axis.name);
        let figures = experiment.figures.iter_mut();
        let drawn = figures.flat_map(|figure| {
            let only = figure.only.iter_mut().map(|setting| &mut setting.axis);
            std::iter::once(&mut figure.x)
                .chain(&mut figure.series)
                .chain(only)
        });
        axes.chain(drawn).for_each(|axis| rename_axis(axis, names));
    }
}

fn rename_points(points: &mut [Shared<PointHead>]) {
    for point in points {
        let names = axis_names(&point.experiment);
        if names.is_none() {
            continue;
        }
        let settings = point.settings.iter_mut();
        settings.for_each(|setting| rename_axis(&mut setting.axis, names));
    }
}

/// Names of an axis of this experiment: in version 1, and now.
fn axis_names(experiment: &str) -> Option<(&'static str, &'static str)> {
    match experiment {
        "colocate/matrix" | "sched/wakeup" => Some(("beside", "neighbour")),
        "colocate/pair" => Some(("company", "pairing")),
        _ => None,
    }
}

fn rename_axis(axis: &mut String, names: Option<(&str, &str)>) {
    if let Some((_, new)) = names.filter(|(old, _)| axis == old) {
        new.clone_into(axis);
    }
}

/// Where the second CPU of version 1 was.
fn apart(machine: &MachineCard, conditions: &Conditions) -> Placement {
    let placement = conditions
        .partner_cpu
        .and_then(|partner| Placement::between(&machine.places, conditions.test_cpu, partner));
    Placement::or_near(placement)
}

fn experiment(switch: &mut ExperimentHead) {
    if switch.axes.iter().any(|axis| axis.name == PARTNER) {
        return;
    }
    switch.axes.push(AxisHead {
        name: PARTNER.to_owned(),
        unit: Unit::Word,
        doc: "across CPUs the next process polls (awake), sleeps on a busy CPU, or on an idle one"
            .to_owned(),
    });
    for figure in &mut switch.figures {
        if figure.series == [PLACEMENT] {
            figure.series.push(PARTNER.to_owned());
        }
    }
}

fn point(point: &mut PointHead, apart: Placement) {
    if point.settings.iter().any(|s| s.axis == PARTNER) {
        return;
    }
    let mut settings = point.settings.iter_mut();
    let Some(placement) = settings.find(|s| s.axis == PLACEMENT) else {
        return;
    };
    let crossing = placement
        .value
        .as_word()
        .and_then(|w| w.strip_prefix("cross_cpu_"));
    let partner = crossing.unwrap_or("idle").to_owned();
    if crossing.is_some() {
        placement.value = apart.word().into();
    }
    point.settings.push(Setting {
        axis: PARTNER.to_owned(),
        value: partner.as_str().into(),
    });
}

#[cfg(test)]
mod tests {
    use super::{SLICE, rename, rename_points};
    use crate::axis::{Setting, Unit};
    use crate::describe::{AxisHead, ExperimentHead, FigureHead, MetricHead};
    use crate::run::{PointHead, PointState};
    use crate::shared::Shared;

    fn of(id: &str, metric: &str) -> ExperimentHead {
        ExperimentHead {
            id: id.to_owned(),
            metrics: vec![MetricHead {
                name: metric.to_owned(),
                unit: Unit::Nanoseconds,
                doc: String::new(),
                lower_is_better: true,
                explains: false,
            }],
            ..ExperimentHead::default()
        }
    }

    #[test]
    fn the_axis_neighbour_has_its_name_in_heads_figures_and_points() {
        let beside = || "beside".to_owned();
        let setting = || Setting {
            axis: beside(),
            value: "alu".into(),
        };
        let of = |id: &str| ExperimentHead {
            id: id.to_owned(),
            axes: vec![AxisHead {
                name: beside(),
                unit: Unit::Word,
                doc: String::new(),
            }],
            figures: vec![FigureHead {
                x: beside(),
                series: vec![beside()],
                only: vec![setting()],
                ..FigureHead::default()
            }],
            ..ExperimentHead::default()
        };
        let mut experiments = [of("colocate/matrix"), of("any/other")];
        rename(&mut experiments);
        let names = |e: &ExperimentHead| {
            let figure = &e.figures[0];
            [
                &e.axes[0].name,
                &figure.x,
                &figure.series[0],
                &figure.only[0].axis,
            ]
            .map(Clone::clone)
        };
        assert_eq!(names(&experiments[0]), ["neighbour"; 4]);
        assert_eq!(names(&experiments[1]), ["beside"; 4]);
        let mut points = ["sched/wakeup", "any/other"]
            .map(|id| PointHead {
                experiment: id.to_owned(),
                settings: vec![setting()],
                index: 0,
                bytes_per_op: None,
                state: PointState::Pending,
                notes: Vec::new(),
                traces: Vec::new(),
                interrupts: None,
            })
            .map(Shared::from);
        rename_points(&mut points);
        assert_eq!(points[0].settings[0].axis, "neighbour");
        assert_eq!(points[1].settings[0].axis, "beside");
    }

    #[test]
    fn each_experiment_has_its_own_old_names() {
        let renamed = |experiment: &str, old: &str| {
            let mut axis = old.to_owned();
            super::rename_axis(&mut axis, super::axis_names(experiment));
            axis
        };
        assert_eq!(renamed("colocate/pair", "company"), "pairing");
        assert_eq!(renamed("colocate/pair", "beside"), "beside");
        assert_eq!(renamed("sched/wakeup", "company"), "company");
    }

    #[test]
    fn the_nominal_slice_has_its_name_and_other_experiments_keep_theirs() {
        let mut experiments = [of(SLICE, "told"), of("any/other", "told")];
        rename(&mut experiments);
        assert_eq!(experiments[0].metrics[0].name, "nominal");
        assert_eq!(experiments[1].metrics[0].name, "told");
    }
}
