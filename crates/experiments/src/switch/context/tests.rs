//! The ring as the harness drives it: counts, order, death and limits; never
//! time.

use super::{EXPERIMENT, PLACEMENTS};
use catalogue::Preset;
use harness::{Point, SetupError, Subject};
use record::MachineCard;
use testbed::{context, int, pin_here, point, word};

fn at(processes: i64, footprint: i64, placement: &str) -> Point {
    point(
        "switch/context",
        &[
            int("processes", processes),
            int("footprint", footprint),
            word("placement", placement),
        ],
    )
}

fn start(processes: i64, footprint: i64, placement: &str) -> Result<Box<dyn Subject>, SetupError> {
    let (context, _keep) = context();
    pin_here(context.test_cpu);
    (EXPERIMENT.setup)(&at(processes, footprint, placement), &context)
}

#[test]
fn every_placement_passes_the_token_round() {
    for placement in PLACEMENTS {
        let mut subject = match start(2, 4096, placement) {
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
        assert_eq!(subject.verify(), Ok(()), "{placement}");
        assert!(!subject.notes().is_empty());
    }
}

#[test]
fn a_ring_of_one_is_refused() {
    let Err(error) = start(1, 0, "same_cpu") else {
        panic!("a ring of one was built");
    };
    let text = error.to_string();
    assert_eq!(
        text,
        "cannot build a ring: it has 1 processes, at least 2 are needed"
    );
}

#[test]
fn an_odd_ring_across_cpus_is_skipped() {
    let (mut context, _keep) = context();
    context.partner_cpu = Some(context.test_cpu);
    let result = (EXPERIMENT.setup)(&at(3, 0, "cross_cpu_idle"), &context);
    assert!(matches!(result, Err(SetupError::Skip { .. })));
}

#[test]
fn more_polling_processes_than_cpus_are_skipped() {
    let (mut context, _keep) = context();
    context.partner_cpu = Some(context.test_cpu);
    let result = (EXPERIMENT.setup)(&at(4, 0, "cross_cpu_awake"), &context);
    assert!(matches!(result, Err(SetupError::Skip { .. })));
}

#[test]
fn one_cpu_skips_the_crossings() {
    let (mut context, _keep) = context();
    context.partner_cpu = None;
    for placement in ["cross_cpu_awake", "cross_cpu_busy", "cross_cpu_idle"] {
        let result = (EXPERIMENT.setup)(&at(2, 0, placement), &context);
        assert!(
            matches!(result, Err(SetupError::Skip { .. })),
            "{placement}"
        );
    }
}

#[test]
fn an_unpinned_caller_is_skipped() {
    let (context, _keep) = context();
    if context.cpus.len() < 2 {
        // On one CPU every process is pinned.
        return;
    }
    let result = (EXPERIMENT.setup)(&at(2, 0, "same_cpu"), &context);
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
