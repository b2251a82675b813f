use super::line::{self, Line};
use super::{Counts, Report, Result, parse};

fn counts(passed: u64, failed: u64, skipped: u64) -> Counts {
    Counts {
        passed,
        failed,
        skipped,
    }
}

#[test]
fn results_directives_and_diagnostics() {
    let report = parse(
        "KTAP version 1\n1..6\nok 1 first\n# went wrong: 3 != 4\nnot ok 2 - second\n\
         ok 3 third # SKIP no such device\nnot ok 4 fourth # xfail later\n\
         not ok 5 fifth # TIMEOUT 45 seconds\nok 6 a # in a name\n",
    );
    assert_eq!(report.problems, Vec::<String>::new());
    assert_eq!(report.counts(), counts(2, 2, 2));
    assert_eq!(
        report.failures()[0],
        ("second".to_owned(), vec!["went wrong: 3 != 4".to_owned()])
    );
    assert_eq!(
        report.skips()[0],
        ("third".to_owned(), "no such device".to_owned())
    );
    assert_eq!(report.tests[5].name, "a # in a name");
}

#[test]
fn nested_lists_belong_to_the_result_behind_them() {
    let report = parse(
        "KTAP version 1\n1..2\n  KTAP version 1\n  1..2\n    KTAP version 1\n    1..1\n\
         \x20   ok 1 deep\n  ok 1 inner\n  not ok 2 other\nnot ok 1 suite\nok 2 last\n",
    );
    assert_eq!(report.problems, Vec::<String>::new());
    assert_eq!(report.counts(), counts(2, 1, 0));
    assert_eq!(report.failures()[0].0, "suite/other");
    assert_eq!(report.tests[0].inner[0].inner[0].name, "deep");
}

#[test]
fn a_suite_that_fails_by_itself_counts() {
    let report = parse("KTAP version 1\n1..1\n  KTAP version 1\n  1..1\n  ok 1 a\nnot ok 1 s\n");
    assert_eq!(report.counts(), counts(1, 1, 0));
}

#[test]
fn what_is_missing_is_a_problem() {
    let problem = |text: &str| parse(text).problems.join("; ");
    assert_eq!(
        problem("KTAP version 1\n1..3\nok 1 a\n"),
        "2 of 3 tests are missing"
    );
    assert_eq!(
        problem("KTAP version 1\n1..1\nok 1 a\nok 2 b\n"),
        "2 tests where 1 were planned"
    );
    assert_eq!(problem("KTAP version 1\nok 1 a\n"), "no plan for 1 tests");
    assert_eq!(problem("KTAP version 1\n"), "a list without tests");
    assert!(problem("KTAP version 1\n1..2\nok 1 a\nok 3 b\n").contains("where number 2 was due"));
    assert!(problem("KTAP version 1\n1..1\n1..1\nok 1 a\n").contains("second plan"));
    let cut = parse("KTAP version 1\n1..1\n  KTAP version 1\n  1..2\n  not ok 1 a\n");
    assert_eq!(
        cut.counts().failed,
        1,
        "a failure in a list cut short counts"
    );
    assert!(
        cut.problems
            .iter()
            .any(|p| p.contains("without the result")),
        "{cut:?}"
    );
    let bailed = parse("KTAP version 1\n1..2\nok 1 a\nBail out! no memory\nok 2 b\n");
    assert!(bailed.problems.contains(&"bail out: no memory".to_owned()));
}

#[test]
fn without_a_version_line_nothing_is_a_test() {
    assert_eq!(parse("1..1\nok 1 a\n"), Report::default());
}

#[test]
fn everything_may_be_skipped_at_once() {
    let report = parse("KTAP version 1\n1..0 # SKIP no channel\n");
    assert_eq!(report.problems, Vec::<String>::new());
    assert_eq!(
        report.tests[0].result,
        Result::Skipped("no channel".to_owned())
    );
}

#[test]
fn what_a_serial_port_adds_is_taken_off() {
    let report = parse(
        "\u{1b}c\u{1b}[?7l\u{1b}[2JSeaBIOS (version 1.16)\r\n\u{1b}[2JBooting from ROM..KTAP version 1\r\n\
         [    1.234567] KTAP version 1\r\n<6>[    1.3] 1..2\r\n[    1.4][  T34] ok 1 a\r\n\
         [    1.500000] usb: something between\r\n[    1.6]   # not a plan\r\n[    1.7] ok 2 b\r\n",
    );
    assert_eq!(report.counts(), counts(2, 0, 0));
    // The list that firmware's line began stayed empty.
    assert_eq!(report.problems, ["a list without tests"]);
}

#[test]
fn words_that_only_look_like_results_are_none() {
    for other in [
        "okay",
        "ok2 x",
        "not okay",
        "1..x",
        "1..2 tests",
        "KTAP version",
        "[x] ok 1 a",
    ] {
        assert_eq!(line::parse(other).1, Line::Other, "{other}");
    }
    assert_eq!(
        line::parse("ok"),
        (
            0,
            Line::Result {
                ok: true,
                number: None,
                name: String::new(),
                directive: None
            }
        )
    );
}
