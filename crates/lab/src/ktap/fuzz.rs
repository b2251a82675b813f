//! No failure is lost, and a stream that was written by the rules is read back as
//! it was meant. Any bytes: `crates/fuzzing`.

use super::{Report, parse};
use bolero::check;
use std::fmt::Write;
use std::time::Duration;

const MOMENT: Duration = Duration::from_secs(1);

const PIECES: [&str; 14] = [
    "KTAP version 1",
    "  KTAP version 1",
    "    KTAP version 1",
    "1..2",
    "  1..1",
    "ok 1 a",
    "ok 2 b # SKIP why",
    "  ok 1 c",
    "    ok 1 d",
    "# text",
    "[    1.5] noise",
    "Bail out! x",
    "  1..0 # SKIP all",
    "not ok 1 bad",
];

/// Lines by the rules in any order: a "not ok" that is read never gets lost.
#[test]
fn any_order() {
    check!()
        .with_test_time(MOMENT)
        .with_type::<Vec<u8>>()
        .for_each(|choice| {
            let mut text = String::from("KTAP version 1\n");
            let mut failures = 0;
            let mut bailed = false;
            for piece in choice
                .iter()
                .map(|c| PIECES[usize::from(*c) % PIECES.len()])
            {
                bailed |= piece.starts_with("Bail");
                failures += u64::from(piece.starts_with("not ok") && !bailed);
                let _ = writeln!(text, "{piece}");
            }
            let report = parse(&text);
            // A failed suite with failed tests inside counts by these.
            let seen = report.counts().failed;
            assert!(seen <= failures);
            assert_eq!(seen > 0, failures > 0, "{text}\n{report:?}");
        });
}

/// Suites of results, each 0 passed, 1 failed, 2 skipped.
fn written(suites: &[Vec<u8>]) -> String {
    let mut text = format!("KTAP version 1\n1..{}\n", suites.len());
    for (at, suite) in suites.iter().enumerate() {
        let _ = writeln!(text, "  KTAP version 1\r\n  1..{}", suite.len());
        for (number, result) in suite.iter().enumerate() {
            let number = number + 1;
            let _ = match result % 3 {
                0 => writeln!(text, "  ok {number} t"),
                1 => writeln!(text, "  not ok {number} t"),
                _ => writeln!(text, "  ok {number} t # SKIP none"),
            };
        }
        let failed = suite.iter().any(|r| r % 3 == 1);
        let _ = writeln!(text, "{}ok {} s", if failed { "not " } else { "" }, at + 1);
    }
    text
}

#[test]
fn read_back() {
    check!()
        .with_test_time(MOMENT)
        .with_type::<Vec<Vec<u8>>>()
        .for_each(|suites| {
            let suites: Vec<Vec<u8>> = suites.iter().filter(|s| !s.is_empty()).cloned().collect();
            if suites.is_empty() {
                return;
            }
            let Report { problems, .. } = parse(&written(&suites));
            assert_eq!(problems, Vec::<String>::new());
            let counts = parse(&written(&suites)).counts();
            let number = |wanted: u8| {
                let all = suites.iter().flatten();
                all.filter(|r| *r % 3 == wanted).count() as u64
            };
            assert_eq!(
                (counts.passed, counts.failed, counts.skipped),
                (number(0), number(1), number(2))
            );
        });
}
