//! What a simulated kernel shows of its ticks.

use analysis::inference::{Answer, Says};
use catalogue::recipe;
use harness::Measured;
use harness::looks::{Clocks, Look, Watched, coarse_step_ns, watch};
use std::sync::Arc;
use zoo::cores::named;
use zoo::stage::{Stage, run};
use zoo::{Kernel, Memory, Surroundings};

fn kernel(tick_hz: f64, kernel: Kernel) -> Surroundings {
    Surroundings {
        tick_hz,
        kernel,
        ..Surroundings::quiet()
    }
}

fn machine(around: Surroundings) -> Measured {
    let core = named("zen3").expect("a described core");
    Measured::simulated(Arc::new(Stage::new(Memory::new(core, around, 5))))
}

fn late(watched: &Watched) -> Vec<f64> {
    let late = |[before, now]: &[Look; 2]| now.at_ns - before.at_ns;
    watched.pairs.iter().map(late).collect()
}

#[test]
fn a_loop_sees_each_tick_as_a_gap_and_as_a_move_of_the_coarse_clock() {
    for hz in [100.0, 250.0, 1000.0] {
        let machine = machine(kernel(hz, Kernel::default()));
        let ticks = hz * 0.2;
        let seen = watch(&machine, 200_000_000, Clocks::Fine);
        let gaps = late(&seen);
        assert!((gaps.len() as f64 - ticks).abs() <= 1.0, "{hz}: {seen:?}");
        assert!(gaps.iter().all(|ns| (2_000.0..2_100.0).contains(ns)));
        let seen = watch(&machine, 200_000_000, Clocks::Both);
        let moves = seen
            .pairs
            .iter()
            .filter(|p| p[0].coarse_ns != p[1].coarse_ns);
        assert!((moves.count() as f64 - ticks).abs() <= 1.0, "{hz}");
        assert_eq!(coarse_step_ns(&machine), 1e9 / hz);
    }
}

#[test]
fn interrupts_that_are_no_ticks_are_gaps_as_well() {
    let others = Kernel {
        timer_hz: 1000.0,
        interrupts_hz: 300.0,
        stated_ns: Some(1e6),
        keeps_every: 2,
        ..Kernel::default()
    };
    let machine = machine(kernel(250.0, others));
    let gaps = late(&watch(&machine, 1_000_000_000, Clocks::Fine));
    assert!((1450..1650).contains(&gaps.len()), "{}", gaps.len());
    let seen = watch(&machine, 1_000_000_000, Clocks::Both);
    let moves = seen
        .pairs
        .iter()
        .filter(|p| p[0].coarse_ns != p[1].coarse_ns);
    assert!((124..=126).contains(&moves.count()));
    assert_eq!(coarse_step_ns(&machine), 1e6);
}

/// What the methods of an experiment say, in units of `unit_ns`.
fn answers(id: &str, around: &Surroundings, unit_ns: f64) -> Vec<(&'static str, Option<f64>)> {
    let text =
        format!("title='t'\nprocesses=3\nsamples=10\npreset='quick'\n[[experiment]]\nid='{id}'\n");
    let recipe = recipe::parse("t", &text).expect("a recipe");
    let catalogue = experiments::all();
    let listed = catalogue.find(id).expect("it is listed");
    let core = named("cortex-a72").expect("a described core");
    let ran = run(catalogue, &recipe, &core, around, 3).expect("a plan");
    let all = (listed.experiment.answers)(&ran.tables[0], &ran.card);
    let value = |a: &Answer| match a.says {
        Says::Value { value, .. } => Some((value / unit_ns).round()),
        Says::Nothing(_) => None,
    };
    all.iter().map(|a| (a.method, value(a))).collect()
}

/// Of the tick, in ms.
fn said(around: &Surroundings) -> Vec<(&'static str, Option<f64>)> {
    let hundredths = answers("irq/tick", around, 1e4).into_iter();
    hundredths.map(|(m, v)| (m, v.map(|v| v / 100.0))).collect()
}

#[test]
fn a_thread_wakes_later_by_its_slack_and_the_kernel_may_state_another() {
    for (slack_ns, stated_ns) in [(50_000.0, None), (100_000.0, Some(20_000.0))] {
        let drawn = Kernel {
            slack_ns,
            stated_slack_ns: stated_ns,
            ..Kernel::default()
        };
        let all = answers("sched/wakeup", &kernel(250.0, drawn), 1e4);
        let stated = stated_ns.unwrap_or(slack_ns);
        let expected = [
            ("said", Some(stated / 1e4)),
            ("overshoot", Some(slack_ns / 1e4)),
        ];
        assert_eq!(all, expected);
    }
}

#[test]
fn each_way_says_the_period_and_each_can_be_misled() {
    for hz in [100.0, 250.0, 300.0, 1000.0] {
        let period = Some((1e5f64 / hz).round() / 100.0);
        let all = said(&kernel(hz, Kernel::default()));
        let expected = [
            ("trace", None),
            ("coarse", period),
            ("gaps", period),
            ("statement", period),
        ];
        assert_eq!(all, expected, "{hz}");
    }
    let misled = said(&kernel(
        250.0,
        Kernel {
            timer_hz: 1000.0,
            stated_ns: Some(1e7),
            keeps_every: 2,
            ..Kernel::default()
        },
    ));
    let expected = [
        ("trace", None),
        ("coarse", Some(8.0)),
        ("gaps", Some(1.0)),
        ("statement", Some(10.0)),
    ];
    assert_eq!(misled, expected);
}
