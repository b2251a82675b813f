//! The ring as the harness drives it: counts, order, death and limits; never
//! time.

use super::{EXPERIMENT, PARTNERS};
use catalogue::Preset;
use engines::placement::near;
use harness::{Point, SetupError, Subject};
use record::MachineCard;
use testbed::{context, int, pin_here, point, word};

fn at(processes: i64, footprint: i64, placement: &str, partner: &str) -> Point {
    point(
        "switch/context",
        &[
            int("processes", processes),
            int("footprint", footprint),
            word("placement", placement),
            word("partner", partner),
        ],
    )
}

fn start(processes: i64, placement: &str, partner: &str) -> Result<Box<dyn Subject>, SetupError> {
    let (context, _keep) = context();
    pin_here(context.test_cpu);
    (EXPERIMENT.setup)(&at(processes, 4096, placement, partner), &context)
}

#[test]
fn every_placement_passes_the_token_round() {
    let (context, _keep) = context();
    let apart = PARTNERS
        .iter()
        .map(|partner| (near(&context.card), *partner));
    for (placement, partner) in apart.chain([("same_cpu", "idle")]) {
        let mut subject = match start(2, placement, partner) {
            Ok(subject) => subject,
            // One CPU, or a container that forbids pinning.
            Err(SetupError::Skip { .. }) => continue,
            Err(SetupError::Fail(cause)) => panic!("{placement}: {cause}"),
        };
        assert_eq!(subject.quantum(), 2);
        for part in [0, 1, 1, 0] {
            subject.prepare(part);
            subject.batch(part, 20);
        }
        assert_eq!(subject.verify(), Ok(()), "{placement} {partner}");
        assert!(!subject.notes().is_empty());
    }
}

#[test]
fn a_ring_of_one_is_refused() {
    let Err(error) = start(1, "same_cpu", "idle") else {
        panic!("a ring of one was built");
    };
    let text = error.to_string();
    assert_eq!(
        text,
        "cannot build a ring: it has 1 processes; at least 2 are needed"
    );
}

/// As on a machine of two CPUs, of which this one is the first.
fn skipped_on_two(processes: i64, placement: &str, partner: &str) -> bool {
    let (mut context, _keep) = context();
    context.cpus = vec![context.test_cpu, context.test_cpu + 1];
    context.card.places.clear();
    let result = (EXPERIMENT.setup)(&at(processes, 0, placement, partner), &context);
    matches!(result, Err(SetupError::Skip { .. }))
}

#[test]
fn rings_that_do_not_fit_are_skipped() {
    // An odd ring has a hop that stays on its CPU.
    assert!(skipped_on_two(3, "same_cache", "idle"));
    // Those who poll need a CPU each.
    assert!(skipped_on_two(4, "same_cache", "awake"));
    // On the caller's own CPU no other task is awake or busy.
    for partner in ["awake", "busy"] {
        assert!(skipped_on_two(2, "same_cpu", partner), "{partner}");
    }
}

#[test]
fn one_cpu_skips_the_crossings() {
    let (mut context, _keep) = context();
    context.cpus = vec![context.test_cpu];
    for partner in PARTNERS {
        let result = (EXPERIMENT.setup)(&at(2, 0, "same_cache", partner), &context);
        assert!(matches!(result, Err(SetupError::Skip { .. })), "{partner}");
    }
}

#[test]
fn an_unpinned_caller_is_skipped() {
    let (context, _keep) = context();
    if context.cpus.len() < 2 {
        // On one CPU every process is pinned.
        return;
    }
    let result = (EXPERIMENT.setup)(&at(2, 0, "same_cpu", "idle"), &context);
    assert!(matches!(result, Err(SetupError::Skip { .. })));
}

#[test]
fn quick_grid_is_small_and_holds_every_placement() {
    let grids = (EXPERIMENT.grids)(Preset::Quick, &MachineCard::default());
    let points: usize = grids
        .iter()
        .map(|grid| {
            grid.values
                .iter()
                .map(|(_, values)| values.len())
                .product::<usize>()
        })
        .sum();
    assert_eq!(points, 23);
}
