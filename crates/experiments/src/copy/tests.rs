//! The smallest points of both directions by every path, with contents; the
//! refusals; the grids.

use crate::all;
use catalogue::{Experiment, Preset};
use harness::{SetupError, Shape};
use record::AxisValue;
use testbed::turn::{card, point, run};

fn both() -> [&'static Experiment; 2] {
    ["copy/to_user", "copy/from_user"]
        .map(|id| all().find(id).expect("it is in the table").experiment)
}

fn settings(path: &str, cache: &str, size: i64) -> Vec<(&'static str, AxisValue)> {
    vec![
        ("path", path.into()),
        ("cache", cache.into()),
        ("size", size.into()),
    ]
}

#[test]
fn the_bytes_arrive_by_every_path_or_the_path_says_why_not() {
    for experiment in both() {
        for path in experiment.axes[0].words {
            for cache in ["hot", "cold"] {
                for size in [1, 64, 4097, 50_000] {
                    match run(experiment, &settings(path, cache, size)) {
                        Ok(()) => {}
                        Err(SetupError::Skip { reason, remedy }) => {
                            assert!(!remedy.is_empty(), "{path}: {reason}");
                            let plain = ["pread", "pwrite"].contains(path);
                            assert!(!plain, "{path} can be had anywhere: {reason}");
                        }
                        Err(SetupError::Fail(why)) => {
                            panic!("{path} {cache} {size}: {why}")
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_block_beyond_memory_is_skipped() {
    for experiment in both() {
        let refused = run(experiment, &settings("process_vm", "hot", 1 << 40));
        assert!(
            matches!(refused, Err(SetupError::Skip { .. })),
            "{refused:?}"
        );
    }
}

#[test]
fn what_needs_preparing_is_timed_one_by_one() {
    for experiment in both() {
        let shape =
            |path: &str, cache: &str| (experiment.shape)(&point(&settings(path, cache, 64)));
        assert_eq!(shape("process_vm", "hot"), Shape::Batched);
        let single = Shape::Single { repetitions: 300 };
        assert_eq!(shape("pipe", "hot"), single);
        assert_eq!(shape("process_vm", "cold"), single);
    }
}

#[test]
fn the_quick_grids_fill_the_toll_rows_and_no_more_than_they_must() {
    for experiment in both() {
        let grids = (experiment.grids)(Preset::Quick, &card("x86_64", 2));
        let points: usize = grids
            .iter()
            .map(|g| g.values.iter().map(|(_, v)| v.len()).product::<usize>())
            .sum();
        assert!(points <= 30, "{points}");
        for row in (experiment.toll)(&record::MachineCard::default()) {
            for size in [64, 4096, 65536, 1 << 20, 16 << 20] {
                let has = grids.iter().any(|g| {
                    let holds = |axis: &str, value: &AxisValue| {
                        let axis = g.values.iter().find(|(name, _)| *name == axis);
                        axis.is_some_and(|(_, values)| values.contains(value))
                    };
                    row.only.iter().all(|s| holds(&s.axis, &s.value))
                        && holds("size", &AxisValue::Int(size))
                });
                assert!(has, "{} at {size}", row.label);
            }
        }
    }
}
