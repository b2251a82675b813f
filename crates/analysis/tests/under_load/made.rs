//! Runs made of samples that are drawn from a known distribution.

use analysis::under_load::{Measured, Misfit, Path, Taken, UnderLoad, compare};
use analysis::{RunView, summarise};
use record::{
    AxisValue, Conditions, Disturbance, ExperimentHead, FigureHead, Instrument, MachineCard,
    MetricHead, PointHead, PointState, RecipeHead, RunHead, RunState, SCHEMA_VERSION, Sample,
    Setting, Shared, Unit,
};
use stats::Rng;
use std::collections::BTreeMap;

pub struct Made {
    pub view: RunView,
    pub taken: Taken,
}

pub fn experiment(id: &str) -> ExperimentHead {
    ExperimentHead {
        in_cycles: false,
        id: id.into(),
        title: String::new(),
        question: String::new(),
        counts: String::new(),
        does_not_count: String::new(),
        origin: String::new(),
        theory: String::new(),
        axes: Vec::new(),
        metrics: vec![MetricHead {
            name: "latency".into(),
            unit: Unit::Nanoseconds,
            doc: String::new(),
            lower_is_better: true,
            explains: false,
        }],
        figures: vec![FigureHead {
            x: "size".into(),
            y: "latency".into(),
            ..FigureHead::default()
        }],
        toll: Vec::new(),
        kinds: Vec::new(),
    }
}

pub fn sample(index: usize, value: f64) -> Sample {
    Sample {
        metric: 0,
        process: 0,
        index: u32::try_from(index).unwrap(),
        ops: 1,
        elapsed_ns: value,
        floor_ns: 0.0,
        value,
        cpu: 0,
        disturbance: Disturbance::default(),
        yardstick: None,
    }
}

/// Samples of one process.
pub fn drawn(seed: u64, n: usize, draw: impl Fn(&mut Rng) -> f64) -> Vec<Sample> {
    let mut rng = Rng::new(seed);
    (0..n).map(|i| sample(i, draw(&mut rng))).collect()
}

/// Normal around 100 ns, 1 % wide, `times` as long.
pub fn calm(seed: u64, n: usize, times: f64) -> Vec<Sample> {
    drawn(seed, n, |rng| times * (100.0 + rng.normal()))
}

pub fn conditions(load: &str) -> Conditions {
    let heavy = load != "light";
    Conditions {
        load: load.into(),
        load_detail: Vec::from_iter(heavy.then(|| "stress-ng --cpu 1".to_owned())),
        load_busy: heavy.then_some(0.99),
        busy_before: Some(0.01),
        steal_share: Some(0.0),
        scheduling: "SCHED_OTHER".into(),
        ..Conditions::default()
    }
}

pub fn settings(text: &str) -> Vec<Setting> {
    let one = |word: &str| {
        let (axis, value) = word.split_once('=').unwrap();
        let value = value.parse().map_or(AxisValue::from(value), AxisValue::Int);
        Setting {
            axis: axis.into(),
            value,
        }
    };
    text.split_whitespace().map(one).collect()
}

/// A run under `load` with these points: experiment, settings, samples.
pub fn run(load: &str, points: &[(&str, &str, Vec<Sample>)]) -> Made {
    let mut taken = Taken::default();
    let heads: Vec<Shared<PointHead>> = (0u32..)
        .zip(points)
        .map(|(index, (id, at, samples))| {
            taken.add(id, index, samples);
            PointHead {
                index,
                experiment: (*id).into(),
                settings: settings(at),
                bytes_per_op: None,
                state: PointState::Done,
                notes: Vec::new(),
                traces: Vec::new(),
                interrupts: None,
            }
            .into()
        })
        .collect();
    let mut ids: Vec<&str> = points.iter().map(|p| p.0).collect();
    ids.dedup();
    let by_point: BTreeMap<u32, Vec<Sample>> =
        (0u32..).zip(points.iter().map(|p| p.2.clone())).collect();
    let experiments: Vec<ExperimentHead> = ids.into_iter().map(experiment).collect();
    let tables = experiments
        .iter()
        .map(|e| {
            let own = heads.iter().filter(|h| h.experiment == e.id);
            let own = own.map(|h| (h.index, by_point[&h.index].clone())).collect();
            summarise(e, &heads, &own)
        })
        .collect();
    let head = RunHead {
        schema_version: SCHEMA_VERSION,
        id: load.into(),
        started_utc: String::new(),
        ended_utc: None,
        tool_version: "0.1.0".into(),
        command_line: Vec::new(),
        recipe: RecipeHead::default(),
        state: RunState::Complete,
        labels: record::Labels::default(),
        machine: MachineCard {
            cpu_model: "X".into(),
            kernel: "6.1".into(),
            ..MachineCard::default()
        },
        machine_full: serde_json::Value::Null,
        conditions: conditions(load),
        instrument: Instrument::default(),
        experiments,
        points: heads,
        findings: Vec::new(),
        claims: Vec::new(),
    };
    Made {
        view: RunView {
            head,
            tables,
            speeds: Vec::new(),
        },
        taken,
    }
}

pub fn laid(light: &Made, heavy: &Made) -> Result<UnderLoad, Misfit> {
    let of = |made: &'_ Made| -> (RunView, Taken) { (made.view.clone(), made.taken.clone()) };
    let (light, heavy) = (of(light), of(heavy));
    compare(
        Measured {
            view: &light.0,
            taken: &light.1,
        },
        Measured {
            view: &heavy.0,
            taken: &heavy.1,
        },
    )
}

/// One point without load, and the same under it.
pub fn pair(light: Vec<Sample>, heavy: Vec<Sample>) -> (Made, Made) {
    (
        run("light", &[("syscall/getppid", "", light)]),
        run("heavy", &[("syscall/getppid", "", heavy)]),
    )
}

pub fn only_path(light: &Made, heavy: &Made) -> Path {
    let found = laid(light, heavy).expect("they belong together");
    assert_eq!(found.paths().count(), 1);
    found.series[0].paths[0].clone()
}

pub fn judged(light: Vec<Sample>, heavy: Vec<Sample>) -> Path {
    let (light, heavy) = pair(light, heavy);
    only_path(&light, &heavy)
}
