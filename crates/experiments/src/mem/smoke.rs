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
            assert!(
                !reason.is_empty() && !remedy.is_empty(),
                "{id} {settings:?}"
            );
        }
        Err(SetupError::Fail(cause)) => panic!("{id} {settings:?}: {cause}"),
    }
}

fn word(w: &str) -> AxisValue {
    AxisValue::from(w)
}

#[test]
fn latency_at_every_pattern_and_page_size() {
    for axis in listed("mem/latency")
        .axes
        .iter()
        .filter(|a| a.name == "pattern")
    {
        for pattern in axis.words {
            for pages in ["base", "thp"] {
                let settings = [
                    ("size", AxisValue::Int(128 << 10)),
                    ("pattern", word(pattern)),
                    ("pages", word(pages)),
                ];
                runs_or_skips("mem/latency", &settings);
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
        ("pair_far", 64),
    ] {
        let settings = [("step", AxisValue::Int(step)), ("method", word(method))];
        runs_or_skips("mem/line", &settings);
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
        let settings = [("step", AxisValue::Int(step)), ("method", word(method))];
        let refused = testbed::turn::run(listed("mem/line"), &settings);
        assert!(
            matches!(refused, Err(SetupError::Skip { .. })),
            "{method} {step}"
        );
    }
}

#[test]
fn associativity_with_few_lines() {
    for (lines, stride, pages) in [(1, 4096, "base"), (9, 4096, "base"), (3, 512 << 10, "thp")] {
        let settings = [
            ("lines", AxisValue::Int(lines)),
            ("stride", AxisValue::Int(stride)),
            ("pages", word(pages)),
        ];
        runs_or_skips("mem/associativity", &settings);
    }
}

#[test]
fn associativity_refuses_distances_that_do_not_compete() {
    for (lines, stride) in [(0, 4096), (4, 4095), (4, 64)] {
        let settings = [
            ("lines", AxisValue::Int(lines)),
            ("stride", AxisValue::Int(stride)),
            ("pages", word("base")),
        ];
        let refused = testbed::turn::run(listed("mem/associativity"), &settings);
        assert!(
            matches!(refused, Err(SetupError::Skip { .. })),
            "{lines} {stride}"
        );
    }
}

#[test]
fn clock_with_every_chain() {
    for axis in listed("cpu/clock").axes {
        for chain in axis.words {
            runs_or_skips("cpu/clock", &[("chain", word(chain))]);
        }
    }
}

#[test]
fn set_ups_do_without_a_card() {
    let context = caches::context();
    for (id, settings) in [
        (
            "mem/latency",
            vec![
                ("size", AxisValue::Int(64 << 10)),
                ("pattern", word("random_line")),
                ("pages", word("base")),
            ],
        ),
        (
            "mem/line",
            vec![("step", AxisValue::Int(64)), ("method", word("pair"))],
        ),
        (
            "mem/associativity",
            vec![
                ("lines", AxisValue::Int(4)),
                ("stride", AxisValue::Int(4096)),
                ("pages", word("base")),
            ],
        ),
    ] {
        let point = testbed::turn::point(&settings);
        let set_up = (listed(id).setup)(&point, &context);
        assert!(set_up.is_ok(), "{id}");
    }
}

#[test]
fn heads_are_complete() {
    for id in ["mem/latency", "mem/line", "mem/associativity", "cpu/clock"] {
        let prose = all()
            .find(id)
            .expect("the experiment is listed")
            .prose
            .clone();
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
