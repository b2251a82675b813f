//! The text of a self-test, word for word; after a wanted change:
//! `UPDATE_GOLDEN=1 cargo test -p pontage selftest`.

use super::document;
use ::report::document::terminal;
use record::{MachineCard, SelfTest, SelfTestReading, SelfTestRow, SelfTestUnit, SelfTestVerdict};
use std::path::Path;

fn row(
    [id, planted, note]: [&str; 3],
    unit: SelfTestUnit,
    read: Option<[f64; 3]>,
    [found, trials]: [u32; 2],
    held: Option<u32>,
    verdict: SelfTestVerdict,
) -> SelfTestRow {
    SelfTestRow {
        id: id.to_owned(),
        planted: planted.to_owned(),
        planted_value: None,
        unit,
        read: read.map(|[low, center, high]| SelfTestReading { center, low, high }),
        trials,
        found,
        held,
        verdict,
        note: note.to_owned(),
    }
}

fn test() -> SelfTest {
    use SelfTestUnit::{Change, Nanoseconds, Ppm, Share};
    use SelfTestVerdict::{Failed, Passed, TooNoisy};
    let noise = "noise of the interval in 11 of them: 1.4 %";
    let missed = "12 of 20 intervals hold it";
    let said = "it said: place 4 of 4 dead: counted 0 of 1,020,000";
    let here = "5 events count together, of 6 places 6 dead: counted 0 of 1,020,000; enable: none: \
                the counters of this processor or its hypervisor are at fault";
    SelfTest {
        made_utc: "2026-11-26T02:00:00Z".to_owned(),
        rows: vec![
            row(
                ["nothing_added", "nothing", ""],
                Change,
                Some([-0.002, 0.0001, 0.0021]),
                [0, 20],
                Some(19),
                Passed,
            ),
            row(
                ["plus_1_percent", "+1 %", noise],
                Change,
                Some([-0.005, 0.009, 0.023]),
                [9, 20],
                Some(20),
                TooNoisy,
            ),
            row(
                ["plus_5_percent", "+5 %", ""],
                Change,
                Some([0.048, 0.0501, 0.0522]),
                [20, 20],
                Some(20),
                Passed,
            ),
            row(
                ["plus_20_ns", "+19.9 ns on 498 ns", missed],
                Nanoseconds,
                Some([21.0, 22.04, 23.1]),
                [20, 20],
                Some(12),
                Failed,
            ),
            row(
                ["modes_90_10", "10 % at 3 times the cost", ""],
                Share,
                Some([0.1, 0.1, 0.1]),
                [19, 20],
                None,
                Passed,
            ),
            row(
                ["clock_fast", "a clock 2 % fast", ""],
                Ppm,
                Some([20001.4, 20001.4, 20001.4]),
                [20, 20],
                None,
                Passed,
            ),
            row(
                ["counter_dead", "a counter that reads 0", said],
                Share,
                None,
                [20, 20],
                None,
                Passed,
            ),
            row(
                ["counters_here", "nothing in the counters here", here],
                Share,
                Some([5.0 / 6.0; 3]),
                [5, 6],
                None,
                Passed,
            ),
        ],
    }
}

#[test]
fn counters_that_cannot_be_tested_are_a_skip_in_the_table_and_in_the_line() {
    let mut test = test();
    let here = test.rows.last_mut().unwrap();
    here.verdict = SelfTestVerdict::NotRun;
    here.note = "SKIP nothing to test: no PMU; enable: none: another machine".to_owned();
    let text = terminal::write(&document(&MachineCard::default(), 3, &test), 200, false);
    let line = text.lines().find(|line| line.contains("counters here"));
    let line = line.unwrap();
    assert!(
        line.contains("not run") && line.contains("SKIP nothing to test: no PMU"),
        "{text}"
    );
    assert!(text.contains(", counters not tested, "), "{text}");
}

#[test]
fn the_text_is_as_it_was() {
    let card = MachineCard {
        cpu_model: "A Processor".to_owned(),
        kernel: "Linux 6.18".to_owned(),
        ..MachineCard::default()
    };
    let text = terminal::write(&document(&card, 3, &test()), 120, false);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/selftest.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}
