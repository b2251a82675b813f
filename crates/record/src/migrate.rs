//! Heads of older schemas, brought up to this one.
//!
//! | schema | what changed |
//! |---|---|
//! | 2 | switch/context says where its ring runs in two axes, `placement` and `partner`, as every other experiment does; version 1 had one, with the words `cross_cpu_awake`, `_busy` and `_idle` |
//! | 2 | sched/slice calls the slice that the kernel says tasks have `nominal`; version 1 had `told` |

use crate::axis::{Setting, Unit};
use crate::describe::{AxisHead, ExperimentHead};
use crate::machine_card::MachineCard;
use crate::placement::Placement;
use crate::run::{Conditions, PointHead, RunHead};

const SLICE: &str = "sched/slice";
const SWITCH: &str = "switch/context";
const PLACEMENT: &str = "placement";
const PARTNER: &str = "partner";

/// Bring a head up. Points that are, such as those that a resumed run added to
/// an older one, stay as they are.
pub(crate) fn head(head: &mut RunHead) {
    rename(&mut head.experiments);
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
    use super::{SLICE, rename};
    use crate::axis::Unit;
    use crate::describe::{ExperimentHead, MetricHead};

    fn of(id: &str, metric: &str) -> ExperimentHead {
        ExperimentHead {
            id: id.to_owned(),
            metrics: vec![MetricHead {
                name: metric.to_owned(),
                unit: Unit::Nanoseconds,
                doc: String::new(),
                lower_is_better: true,
            }],
            ..ExperimentHead::default()
        }
    }

    #[test]
    fn the_nominal_slice_has_its_name_and_other_experiments_keep_theirs() {
        let mut experiments = [of(SLICE, "told"), of("any/other", "told")];
        rename(&mut experiments);
        assert_eq!(experiments[0].metrics[0].name, "nominal");
        assert_eq!(experiments[1].metrics[0].name, "told");
    }
}
