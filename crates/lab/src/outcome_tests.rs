use super::{Outcome, Traces, Verdict, judge};
use crate::data::Scenario;
use crate::expected::ExpectedSkip;
use crate::guest::life::End;

const CONSOLE: &str = "\u{1b}[2JSeaBIOS[    1.550000] pontage-lab: ready on 6.1.0\r\n\
    [    2.000000] pontage-lab: test a\r\n[    3.000000] pontage-lab: END\r\n";

fn scenario(more: &str) -> Scenario {
    let text = format!("about = 'x'\nkernel = 'k'\nmachine = 'm'\ndeadline_s = 9\n{more}");
    toml::from_str(&text).unwrap()
}

fn judged(more: &str, end: End, console: &str, tests: &str) -> Outcome {
    let expected = [ExpectedSkip {
        scenario: "here".to_owned(),
        test: "a/known".to_owned(),
        reason: "no such".to_owned(),
    }];
    let traces = Traces {
        end,
        console,
        tests,
        qemu: "",
    };
    judge(
        "here",
        &scenario(more),
        &["a".to_owned()],
        &expected,
        &traces,
    )
}

fn test(body: &str, status: i32) -> String {
    format!("pontage-lab: begin a\r\n{body}\r\npontage-lab: end a {status}\r\n")
}

fn causes(outcome: &Outcome) -> String {
    assert_eq!(outcome.verdict, Verdict::Failed, "{outcome:?}");
    outcome.causes.join("; ")
}

const GOOD: &str = "KTAP version 1\r\n1..2\r\nok 1 x\r\nok 2 known # SKIP no such thing";

#[test]
fn a_good_run_passes_with_its_boot_time() {
    let outcome = judged("", End::Done, CONSOLE, &test(GOOD, 0));
    assert_eq!(outcome.verdict, Verdict::Passed, "{outcome:?}");
    assert_eq!((outcome.tests.passed, outcome.tests.skipped), (1, 1));
    assert_eq!(outcome.boot_s, Some(1.55));
    assert!(outcome.emulated);
}

#[test]
fn each_way_to_go_wrong_fails() {
    let run = |console: &str, tests: &str| causes(&judged("", End::Done, console, tests));
    assert!(run(CONSOLE, "").contains("test a did not run"));
    assert!(run(CONSOLE, &test("KTAP version 1\n1..1\nnot ok 1 x", 1)).contains("not ok: a: x"));
    assert!(run(CONSOLE, &test("KTAP version 1\n1..1\nok 1 x", 3)).contains("exit status 3"));
    assert!(run(CONSOLE, &test("hello", 0)).contains("no KTAP result"));
    assert!(run(CONSOLE, &test("KTAP version 1\n1..2\nok 1 x", 0)).contains("missing"));
    let cut = "pontage-lab: begin a\nKTAP version 1\n1..1\nok 1 x\n";
    assert!(run(CONSOLE, cut).contains("a: did not end"));
    let new = "KTAP version 1\n1..1\nok 1 new # SKIP no such thing";
    assert!(run(CONSOLE, &test(new, 0)).contains("unexpected skip: a/new"));
    let other = "KTAP version 1\n1..1\nok 1 known # SKIP other";
    assert!(run(CONSOLE, &test(other, 0)).contains("unexpected skip: a/known: other"));
    let oops = format!("{CONSOLE}[ 2.5] BUG: unable to handle\r\n");
    assert!(run(&oops, &test(GOOD, 0)).contains("kernel log: [ 2.5] BUG"));
    let insert = format!("{CONSOLE}[ 2.5] pontage-lab: cannot insert x.ko\r\n");
    assert!(run(&insert, &test(GOOD, 0)).contains("cannot insert x.ko"));
}

#[test]
fn an_end_without_marker_or_at_the_deadline_fails() {
    let gone = judged("", End::Gone, CONSOLE, &test(GOOD, 0));
    assert!(causes(&gone).contains("without its END marker"));
    let lost = causes(&judged("", End::Silent, "[ 0.8] pci: probing\r\n", ""));
    assert!(
        lost.contains("silent for 120 s before init; last line: [ 0.8] pci: probing"),
        "{lost}"
    );
    let late = causes(&judged("", End::Deadline, "a\n[ 1.0] stuck here\r\n", ""));
    assert!(
        late.contains("deadline of 9 s; last line: [ 1.0] stuck here"),
        "{late}"
    );
}

#[test]
fn a_trial_passes_only_by_failing_for_its_cause() {
    let must = "must_fail = 'exit status 3'\n";
    let right = judged(must, End::Done, CONSOLE, &test(GOOD, 3));
    assert_eq!(right.verdict, Verdict::Passed);
    let none = judged(must, End::Done, CONSOLE, &test(GOOD, 0));
    assert!(causes(&none).contains("should have failed with \"exit status 3\""));
    let other = judged(must, End::Gone, CONSOLE, &test(GOOD, 0));
    assert!(causes(&other).contains("should have failed"));
}

#[test]
fn the_emulation_is_blamed_for_its_own_faults_and_not_behind_init() {
    let faults = ["extract32: Assertion".to_owned()];
    let falls = ["Oops: int3".to_owned()];
    let blamed = |boot_s, qemu, console| {
        let outcome = Outcome {
            boot_s,
            ..Outcome::new("x", Verdict::Failed)
        };
        outcome.blames_emulation((&faults, qemu), (&falls, console))
    };
    let oops = "[    1.610661] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI";
    assert!(blamed(None, "", oops));
    assert!(!blamed(Some(3.5), "", oops), "ours may be at fault");
    assert!(!blamed(None, "", "[    1.6] Oops: general protection"));
    assert!(blamed(Some(3.5), "qemu: extract32: Assertion `x'", ""));
}
