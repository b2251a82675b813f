//! The smallest points, with contents and counts; the grids; the refusals.

use super::{EXPERIMENT, OPERATIONS, methods_for};
use catalogue::Preset;
use harness::SetupError;
use record::AxisValue;
use testbed::cpus;
use testbed::turn::{card, point, run};

fn settings(
    operation: &str,
    method: &str,
    size: i64,
    cores: i64,
) -> Vec<(&'static str, AxisValue)> {
    vec![
        ("operation", operation.into()),
        ("method", method.into()),
        ("size", size.into()),
        ("cores", cores.into()),
        ("content", "data".into()),
    ]
}

#[test]
fn every_method_of_every_operation_moves_what_it_says_or_says_why_not() {
    for operation in OPERATIONS {
        for method in methods_for(operation, std::env::consts::ARCH) {
            for size in [64, 5000] {
                match run(&EXPERIMENT, &settings(operation, method, size, 1)) {
                    Ok(()) => {}
                    Err(SetupError::Skip { reason, remedy }) => {
                        assert!(reason.contains(method), "{reason}");
                        assert!(remedy.contains("--axis"), "{remedy}");
                    }
                    Err(SetupError::Fail(why)) => panic!("{operation} by {method}: {why}"),
                }
            }
        }
    }
}

#[test]
fn zeros_are_copied_as_completely_as_data() {
    let mut wanted = settings("copy", "libc", 5000, 1);
    wanted[4].1 = "zeros".into();
    run(&EXPERIMENT, &wanted).expect("a few pages");
}

#[test]
fn all_cpus_together_move_all_their_bytes() {
    let here = cpus().len() as i64;
    let wanted = settings("copy", "libc", 4096, here);
    run(&EXPERIMENT, &wanted).expect("as many CPUs as are allowed");
    let bytes = (EXPERIMENT.bytes_per_op)(&point(&wanted));
    assert_eq!(bytes, Some(4096 * here as u64));
}

#[test]
fn what_cannot_be_had_is_skipped_with_a_remedy() {
    let here = cpus().len() as i64;
    let refused = [
        settings("copy", "libc", 4096, here + 1),
        settings("copy", "libc", 1 << 50, 1),
        settings("read", "libc", 4096, 1),
        settings("write", "movsb", 4096, 1),
        settings(
            "copy",
            if cfg!(target_arch = "aarch64") {
                "avx2"
            } else {
                "neon"
            },
            4096,
            1,
        ),
    ];
    for wanted in refused {
        match run(&EXPERIMENT, &wanted) {
            Err(SetupError::Skip { reason, remedy }) => {
                assert!(!reason.is_empty());
                assert!(remedy.contains("--axis"), "{reason}: {remedy}");
            }
            other => panic!("{wanted:?} gave {other:?}"),
        }
    }
}

fn points(preset: Preset, arch: &str, cpus: u32) -> usize {
    (EXPERIMENT.grids)(preset, &card(arch, cpus))
        .iter()
        .map(|g| g.values.iter().map(|(_, v)| v.len()).product::<usize>())
        .sum()
}

#[test]
fn the_quick_grid_stays_small_everywhere() {
    for arch in ["x86_64", "aarch64", "riscv64"] {
        for cpus in [1, 2, 64] {
            let n = points(Preset::Quick, arch, cpus);
            assert!((10..=100).contains(&n), "{arch} with {cpus}: {n} points");
            let ms: u64 = (EXPERIMENT.grids)(Preset::Quick, &card(arch, cpus))
                .iter()
                .map(|g| {
                    let n: usize = g.values.iter().map(|(_, v)| v.len()).product();
                    n as u64 * g.budget_ns / 1_000_000
                })
                .sum();
            assert!(ms <= 6_000, "{arch} with {cpus}: {ms} ms of samples");
        }
    }
}

#[test]
fn grids_hold_only_words_that_the_axes_know() {
    for preset in [Preset::Quick, Preset::Full] {
        for grid in (EXPERIMENT.grids)(preset, &card("x86_64", 6)) {
            for (name, values) in &grid.values {
                let axis = EXPERIMENT.axes.iter().find(|a| a.name == *name);
                let axis = axis.unwrap_or_else(|| panic!("no axis {name}"));
                for word in values.iter().filter_map(AxisValue::as_word) {
                    assert!(axis.words.contains(&word), "{name}={word}");
                }
            }
        }
    }
}

/// Sizes that quick reads on a machine with these caches.
fn sizes_read(caches: &[u64], memory_bytes: u64) -> Vec<i64> {
    let cache = |(level, size_bytes): (u32, &u64)| record::Cache {
        level,
        kind: record::CacheKind::Unified,
        size_bytes: *size_bytes,
        line_bytes: None,
        ways: None,
        shared_by: Vec::new(),
        instances: 1,
    };
    let card = record::MachineCard {
        caches: (1..).zip(caches).map(cache).collect(),
        memory_bytes,
        ..card("x86_64", 2)
    };
    let grids = (EXPERIMENT.grids)(Preset::Quick, &card);
    let values = |grid: &catalogue::Grid, axis: &str| {
        let found = grid.values.iter().find(|(name, _)| *name == axis);
        found.map(|(_, values)| values.clone()).unwrap_or_default()
    };
    let reads = grids.iter().filter(|grid| {
        let words = values(grid, "operation");
        words.iter().any(|v| v.as_word() == Some("read"))
    });
    let sizes = reads.flat_map(|grid| values(grid, "size"));
    sizes.filter_map(|v| v.as_int()).collect()
}

#[test]
fn quick_reads_a_set_of_each_cache_and_one_of_memory() {
    let (kib, mib) = (1u64 << 10, 1u64 << 20);
    let zen5 = [48 * kib, mib, 32 * mib];
    assert_eq!(
        sizes_read(&zen5, 24 << 30),
        [24 << 10, 512 << 10, 16 << 20, 128 << 20]
    );
    // No set is of the second cache alone where it is hardly larger than the first.
    assert_eq!(
        sizes_read(&[64 * kib, 128 * kib], 1 << 30),
        [32 << 10, 32 << 20]
    );
    assert_eq!(sizes_read(&[], 0), [16 << 10, 1 << 20, 32 << 20]);
    let epyc = [32 * kib, 512 * kib, 512 * mib];
    assert_eq!(
        sizes_read(&epyc, 512 << 30).last(),
        Some(&(512 << 20)),
        "it has to be touched"
    );
}
