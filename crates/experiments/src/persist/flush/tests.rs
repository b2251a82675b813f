use super::EXPERIMENT;
use catalogue::Preset;
use engines::persistence::method::{METHODS, PLACES};
use harness::SetupError;
use record::AxisValue;
use testbed::turn::{card, run};

fn trial(method: &str, place: &str, fence: &str, size: i64) -> Result<(), SetupError> {
    let settings: [(&str, AxisValue); 4] = [
        ("method", method.into()),
        ("place", place.into()),
        ("fence", fence.into()),
        ("size", size.into()),
    ];
    run(&EXPERIMENT, &settings)
}

#[test]
fn every_way_writes_its_blocks_or_says_why_not() {
    let mut ran = 0;
    for method in METHODS {
        for place in PLACES {
            for (fence, size) in [("per_block", 4096), ("per_line", 256), ("per_block", 64)] {
                match trial(method, place, fence, size) {
                    Ok(()) => ran += 1,
                    Err(SetupError::Skip { reason, remedy }) => {
                        assert!(!reason.is_empty() && !remedy.is_empty(), "{method} {place}");
                    }
                    Err(other) => panic!("{method} {place} {fence} {size}: {other}"),
                }
            }
        }
    }
    // Plain stores to memory and to a memory file, msync and fdatasync of it.
    assert!(ran >= 2 * 4, "{ran}");
}

#[test]
fn large_blocks_and_odd_ones() {
    trial("store", "anonymous", "per_block", 1 << 20).expect("64 MiB can be had");
    for size in [0, 1, 65, 96, 5000, 1 << 40] {
        let refused = trial("store", "anonymous", "per_block", size);
        assert!(
            matches!(refused, Err(SetupError::Skip { .. })),
            "{size}: {refused:?}"
        );
    }
}

#[test]
fn nothing_is_left_in_the_scratch_folder() {
    let (context, _keep) = testbed::context();
    let settings: [(&str, AxisValue); 4] = [
        ("method", "fdatasync".into()),
        ("place", "file".into()),
        ("fence", "per_block".into()),
        ("size", 4096i64.into()),
    ];
    let point = testbed::turn::point(&settings);
    if let Ok(subject) = (EXPERIMENT.setup)(&point, &context) {
        assert_eq!(std::fs::read_dir(&context.scratch).unwrap().count(), 1);
        drop(subject);
    }
    assert_eq!(std::fs::read_dir(&context.scratch).unwrap().count(), 0);
}

#[test]
fn the_presets_plan_only_what_makes_sense() {
    for preset in [Preset::Quick, Preset::Full] {
        for arch in ["x86_64", "aarch64", "riscv64"] {
            for grid in (EXPERIMENT.grids)(preset, &card(arch, 2)) {
                let words = |axis: &str| -> Vec<String> {
                    let values = grid.values.iter().find(|(a, _)| *a == axis);
                    let values = values.map(|(_, v)| v.clone()).unwrap_or_default();
                    values
                        .iter()
                        .filter_map(|v| v.as_word().map(str::to_owned))
                        .collect()
                };
                for method in words("method") {
                    let known = engines::persistence::method::Method::from_word(&method).unwrap();
                    let place = engines::persistence::method::Place::from_word(&words("place")[0]);
                    let fence = match words("fence")[0].as_str() {
                        "per_line" => engines::loops::writeback::Fence::Line,
                        _ => engines::loops::writeback::Fence::Block,
                    };
                    let size = grid.values[3].1[0].as_int().unwrap() as usize;
                    known
                        .suits(place, fence, size)
                        .unwrap_or_else(|e| panic!("{method}: {e}"));
                }
            }
        }
    }
    let points: usize = (EXPERIMENT.grids)(Preset::Quick, &card("x86_64", 2))
        .iter()
        .filter(|g| g.values[1].1[0] == AxisValue::from("anonymous"))
        .map(|g| g.values.iter().map(|(_, v)| v.len()).product::<usize>())
        .sum();
    assert_eq!(points, 6);
}
