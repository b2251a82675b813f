//! Grids, and findings from made-up copies.

use super::findings::{CLAIMS, findings};
use super::{EXPERIMENT, PARTS, TALLIES};
use crate::built_in::BUILT_IN;
use crate::testing::table;
use analysis::{ExperimentTable, PointView};
use catalogue::plan::plan;
use catalogue::recipe::parse;
use catalogue::{Preset, doubling};
use harness::SetupError;
use record::{AxisValue, Finding, Verdict};
use testbed::turn::{card, run};
use testbed::{int, measured, word};

/// Settings of a point, in the experiment's own axes.
fn copied(context: &str, pages: &str, size: i64, latency_ns: f64, cpu_ns: f64) -> PointView {
    let settings = [
        word("direction", "from_user"),
        word("cache", "warm"),
        word("context", context),
        word("pages", pages),
        word("wait", "irq"),
        word("memory", "small"),
        word("kernel_buffer", "contiguous"),
        int("size", size),
    ];
    let pinning = if pages == "pinned" { 0.0 } else { 0.3 };
    let waiting = 0.6 - pinning;
    let phases = [0.0, pinning, 0.1, 0.1, waiting, 0.1, 0.0, 0.0].map(|s| s * latency_ns);
    let mut medians = vec![latency_ns, latency_ns, cpu_ns, 0.0, 0.0];
    medians.extend(phases);
    assert_eq!(medians.len(), PARTS.len() + TALLIES.len());
    measured("offload/latency", &settings, &medians)
}

/// The CPU copies 10 bytes a ns; an engine costs `offset_ns` and then as given.
fn machine(offset_ns: f64, bytes_per_ns: f64) -> ExperimentTable {
    let mut points = Vec::new();
    for size in doubling(1, 32 << 20) {
        let cpu_ns = 20.0 + size as f64 / 10.0;
        let dma_ns = offset_ns + size as f64 / bytes_per_ns;
        points.push(copied("cpu", "pinned", size, cpu_ns, cpu_ns));
        points.push(copied("exclusive", "pinned", size, dma_ns, 900.0));
        points.push(copied(
            "exclusive",
            "pin_per_copy",
            size,
            2.0 * dma_ns,
            1500.0,
        ));
    }
    table("offload/latency", points)
}

fn find<'a>(all: &'a [Finding], key: &str) -> &'a Finding {
    let found = all.iter().find(|f| f.key == key);
    found.unwrap_or_else(|| panic!("no {key} among {all:#?}"))
}

#[test]
fn an_engine_that_is_faster_per_byte_breaks_even() {
    // 20 + s/10 against 3000 + s/20: equal at 59 600 B.
    let all = findings(&machine(3_000.0, 20.0));
    let even = find(&all, "break_even_from_user_warm_exclusive_pinned");
    let at = even.value.expect("there is a crossing");
    assert!((at / 59_600.0 - 1.0).abs() < 0.15, "{at}");
    assert!(even.low.unwrap() <= at && at <= even.high.unwrap());
    let said = &even.sentence;
    assert!(
        said.contains("is faster by DMA than by the CPU from 5"),
        "{said}"
    );
    assert!(
        said.ends_with("exclusive, pages pinned beforehand"),
        "{said}"
    );
}

#[test]
fn an_engine_that_is_slower_per_byte_never_does_and_that_is_said() {
    let all = findings(&machine(3_000.0, 5.0));
    let never = find(&all, "break_even_from_user_warm_never");
    assert_eq!(never.value, None);
    assert_eq!(never.verdict, Verdict::Stated);
    assert_eq!(
        never.sentence,
        "copy_from_user with warm caches is never faster by DMA than by the CPU, from 1 B up to 32 \
         MiB: exclusive, pages pinned beforehand; exclusive, pages pinned for each copy"
    );
}

#[test]
fn cpu_time_breaks_even_elsewhere_than_time() {
    let all = findings(&machine(3_000.0, 5.0));
    let even = find(&all, "break_even_cpu_time_from_user_exclusive_pinned");
    let at = even.value.expect("900 ns are 8800 bytes of copying");
    assert!((at / 8_800.0 - 1.0).abs() < 0.15, "{at}");
}

#[test]
fn phases_are_found_at_64_kib() {
    let all = findings(&machine(3_000.0, 20.0));
    let sentence = &find(&all, "phases_from_user_exclusive_pin_per_copy").sentence;
    assert!(
        sentence.contains("of 64 KiB: 30 % is pinning"),
        "{sentence}"
    );
    assert!(
        sentence.contains("20 % mapping") && sentence.contains("30 % waiting"),
        "{sentence}"
    );
}

#[test]
fn a_run_without_dma_says_nothing_of_it() {
    let cpu = |size| copied("cpu", "pinned", size, size as f64, size as f64);
    let points = doubling(1, 1 << 20).map(cpu).collect();
    assert_eq!(findings(&table("offload/latency", points)), []);
}

#[test]
fn claims_can_fail() {
    let check = |t: &ExperimentTable| (CLAIMS[0].check)(t).map(|o| o.held().expect(&o.evidence));
    assert_eq!(check(&machine(3_000.0, 20.0)), Some(true));
    let odd = vec![
        copied("exclusive", "pinned", 64, 100.0, 1.0),
        copied("exclusive", "pin_per_copy", 64, 50.0, 1.0),
    ];
    assert_eq!(check(&table("offload/latency", odd)), Some(false));
    assert_eq!(check(&table("offload/latency", Vec::new())), None);
}

#[test]
fn quick_runs_can_become_files() {
    for grid in (EXPERIMENT.grids)(Preset::Quick, &card("x86_64", 2)) {
        for (axis, values) in grid.values {
            if ["wait", "memory", "kernel_buffer"].contains(&axis) {
                assert_eq!(values.len(), 1, "{axis}");
            }
        }
    }
}

/// With the module it copies; without, it says why.
#[test]
fn a_point_copies_or_is_skipped_with_a_remedy() {
    let w = |word: &str| AxisValue::from(word);
    for context in ["cpu", "shared"] {
        let ended = run(
            &EXPERIMENT,
            &[
                ("direction", w("from_user")),
                ("cache", w("warm")),
                ("context", w(context)),
                ("pages", w("pin_per_copy")),
                ("wait", w("irq")),
                ("memory", w("small")),
                ("kernel_buffer", w("contiguous")),
                ("size", AxisValue::Int(4096)),
            ],
        );
        match ended {
            Ok(()) => {}
            Err(SetupError::Skip { reason, remedy }) => {
                assert!(
                    !reason.is_empty() && !remedy.is_empty(),
                    "{reason}: {remedy}"
                );
            }
            Err(SetupError::Fail(why)) => panic!("{why}"),
        }
    }
}

/// The study's points, each once, and nothing that its files could not tell apart.
#[test]
fn the_recipes_plan_the_points_of_the_study() {
    for (name, points) in [
        ("offload-latency", 2 * 2 * 3 * 26),
        ("offload-bandwidth", 3 * 4 * 16 * 3),
        ("offload-priority", 3 * 16 * 3),
    ] {
        let built_in = BUILT_IN.iter().find(|(n, _)| *n == name);
        let recipe = parse(name, built_in.expect("it is built in").1).expect("well formed");
        let plan = plan(crate::all(), &recipe, &card("x86_64", 2)).expect("its axes exist");
        let heads = plan.point_heads();
        assert_eq!(heads.len(), points, "{name}");
        for axis in [
            "wait",
            "memory",
            "kernel_buffer",
            "pages",
            "quantum",
            "window",
        ] {
            let mut values: Vec<_> = heads.iter().filter_map(|h| h.value(axis)).collect();
            values.dedup();
            assert!(values.len() <= 1, "{name}: {axis} {values:?}");
        }
    }
}
