//! Smallest points of the memory and clock experiments: counts and contents,
//! never time. A machine that lacks something must say so in a skip.

use crate::all;
use catalogue::Experiment;
use harness::SetupError;
use record::AxisValue;
use testbed::caches;

fn listed(id: &str) -> &'static Experiment {
    all().find(id).expect("the experiment is listed").experiment
}

/// Runs, or skips with a reason and a remedy.
fn runs_or_skips(id: &str, settings: &[(&str, AxisValue)]) {
    match testbed::turn::run(listed(id), settings) {
        Ok(()) => {}
        Err(SetupError::Skip { reason, remedy }) => {
            let says = !reason.is_empty() && !remedy.is_empty();
            assert!(says, "{id} {settings:?}");
        }
        Err(SetupError::Fail(cause)) => panic!("{id} {settings:?}: {cause}"),
    }
}

/// Has no set-up for the settings, and says what it takes instead.
fn refuses(id: &str, settings: &[(&str, AxisValue)]) {
    let refused = testbed::turn::run(listed(id), settings);
    let skipped = matches!(refused, Err(SetupError::Skip { .. }));
    assert!(skipped, "{id} {settings:?}");
}

fn latency(size: i64, pattern: &str, pages: &str) -> [(&'static str, AxisValue); 3] {
    [
        ("size", size.into()),
        ("pattern", pattern.into()),
        ("pages", pages.into()),
    ]
}

fn line(method: &str, step: i64) -> [(&'static str, AxisValue); 2] {
    [("step", step.into()), ("method", method.into())]
}

fn associativity(lines: i64, stride: i64, pages: &str) -> [(&'static str, AxisValue); 3] {
    [
        ("lines", lines.into()),
        ("stride", stride.into()),
        ("pages", pages.into()),
    ]
}

#[test]
fn latency_at_every_pattern_and_page_size() {
    let axes = listed("mem/latency").axes.iter();
    for axis in axes.filter(|a| a.name == "pattern") {
        for pattern in axis.words {
            for pages in ["base", "thp"] {
                runs_or_skips("mem/latency", &latency(128 << 10, pattern, pages));
            }
        }
    }
}

#[test]
fn line_by_every_method() {
    for (method, step) in [
        ("walk", 4),
        ("walk", 48),
        ("pair", 8),
        ("pair", 512),
        ("flush", 64),
        ("bring", 64),
        ("coherence", 8),
    ] {
        runs_or_skips("mem/line", &line(method, step));
    }
}

#[test]
fn line_refuses_steps_it_cannot_take() {
    for (method, step) in [
        ("walk", 3),
        ("walk", 0),
        ("pair", 12),
        ("pair", 1024),
        ("walk", 1 << 30),
    ] {
        refuses("mem/line", &line(method, step));
    }
}

#[test]
fn associativity_with_few_lines() {
    for (lines, stride, pages) in [(1, 4096, "base"), (9, 4096, "base"), (3, 512 << 10, "thp")] {
        runs_or_skips("mem/associativity", &associativity(lines, stride, pages));
    }
}

#[test]
fn associativity_refuses_distances_that_do_not_compete() {
    for (lines, stride) in [(0, 4096), (4, 4095), (4, 64)] {
        refuses("mem/associativity", &associativity(lines, stride, "base"));
    }
}

fn prefetch(stride: i64, run: i64, order: &str) -> [(&'static str, AxisValue); 3] {
    [
        ("stride", stride.into()),
        ("run", run.into()),
        ("order", order.into()),
    ]
}

#[test]
fn prefetch_in_every_order() {
    for axis in listed("mem/prefetch").axes {
        for order in axis.words {
            runs_or_skips("mem/prefetch", &prefetch(64, 15, order));
            runs_or_skips("mem/prefetch", &prefetch(1024, 3, order));
        }
    }
}

#[test]
fn prefetch_refuses_runs_that_leave_their_page() {
    for (stride, run) in [(64, 64), (0, 3), (60, 3), (64, 0)] {
        refuses("mem/prefetch", &prefetch(stride, run, "up"));
    }
}

#[test]
fn clock_with_every_chain() {
    for axis in listed("cpu/clock").axes {
        for chain in axis.words {
            runs_or_skips("cpu/clock", &[("chain", (*chain).into())]);
        }
    }
}

#[test]
fn set_ups_do_without_a_card() {
    let sets_up = |id: &str, settings: &[(&str, AxisValue)]| {
        let point = testbed::turn::point(settings);
        let set_up = (listed(id).setup)(&point, &caches::context());
        assert!(set_up.is_ok(), "{id}");
    };
    sets_up("mem/latency", &latency(64 << 10, "random_line", "base"));
    sets_up("mem/line", &line("pair", 64));
    sets_up("mem/associativity", &associativity(4, 4096, "base"));
}

#[test]
fn heads_are_complete() {
    for id in [
        "mem/latency",
        "mem/line",
        "mem/associativity",
        "mem/prefetch",
        "cpu/clock",
    ] {
        let prose = &all().find(id).expect("the experiment is listed").prose;
        for (section, text) in [
            ("title", &prose.title),
            ("question", &prose.question),
            ("counts", &prose.counts),
            ("does not count", &prose.does_not_count),
            ("origin", &prose.origin),
            ("theory", &prose.theory),
        ] {
            assert!(!text.is_empty(), "{id} lacks its {section}");
        }
    }
}
