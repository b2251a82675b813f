use super::{EXPERIMENT, TALLIES, findings::findings, stage::seating};
use crate::testing::table;
use analysis::PointView;
use harness::SetupError;
use record::{Setting, Verdict};

const ID: &str = "colocate/pair";
use testbed::{context, int, measured, point, word};

fn settings(member: &str, pairing: &str, tasks: (i64, i64)) -> Vec<Setting> {
    vec![
        word("a", "alu"),
        word("b", "syscall"),
        int("a_tasks", tasks.0),
        int("b_tasks", tasks.1),
        word("placement", "same_cpu"),
        word("mm", "separate"),
        int("window", 1_000_000),
        int("deadline", 20_000_000_000),
        word("member", member),
        word("pairing", pairing),
    ]
}

#[test]
fn the_same_tasks_sit_elsewhere() {
    let both = |own, other| [false, true].map(|mixed| seating(("A", own), ("B", other), mixed));
    assert_eq!(both(1, 1), [vec!["A", "A"], vec!["A", "B"]]);
    assert_eq!(both(2, 2), [["A", "A", "B", "B"], ["A", "B", "A", "B"]]);
    for (own, other) in [(2, 2), (6, 6), (3, 2), (2, 5)] {
        for seated in both(own, other) {
            let count = |kind| seated.iter().filter(|w| **w == kind).count();
            assert_eq!((count("A"), count("B")), (own, other));
        }
    }
}

#[test]
fn members_and_companies_take_turns() {
    let (context, _keep) = context();
    let mut all: Vec<_> = [
        ("a", "homogeneous"),
        ("a", "mixed"),
        ("b", "homogeneous"),
        ("b", "mixed"),
    ]
    .map(|(member, pairing)| {
        let at = point(ID, &settings(member, pairing, (1, 1)));
        (EXPERIMENT.setup)(&at, &context).unwrap()
    })
    .into();
    let mut speedups = 0;
    for order in [[0, 1, 2, 3], [3, 2, 1, 0]] {
        for at in order {
            let subject = &mut all[at];
            subject.prepare(0);
            subject.batch(0, 1);
            assert!(subject.reading(0).unwrap().elapsed_ns > 0.0);
            let tallies = subject.tally(0);
            assert_eq!(tallies.len(), TALLIES.len());
            speedups += usize::from(tallies[0].is_finite());
        }
    }
    assert_eq!(speedups, 4, "of mixed points only");
    for subject in &mut all {
        subject.verify().unwrap();
    }
}

#[test]
fn too_many_tasks_are_skipped() {
    let (mut context, _keep) = context();
    context.cpus.truncate(1);
    context.test_cpu = context.cpus[0];
    let at = point(ID, &settings("a", "mixed", (6, 6)));
    let refused = (EXPERIMENT.setup)(&at, &context).err();
    assert!(
        matches!(refused, Some(SetupError::Skip { .. })),
        "{refused:?}"
    );
}

fn mixed(member: &str, speedup: f64) -> PointView {
    measured(ID, &settings(member, "mixed", (2, 2)), &[10.0, speedup])
}

#[test]
fn a_gain_of_one_and_a_loss_of_the_other_are_weighed() {
    let of = |a, b| findings(&table(ID, vec![mixed("a", a), mixed("b", b)])).remove(0);
    let good = of(1.08, 0.98);
    assert!(
        good.sentence.contains("mixing is worth it"),
        "{}",
        good.sentence
    );
    assert!(
        good.sentence.contains("alu works at +8.0 %"),
        "{}",
        good.sentence
    );
    assert!(of(1.08, 0.90).sentence.contains("pair like with like"));
    assert_eq!(of(1.001, 1.0).verdict, Verdict::Undecided);
}
