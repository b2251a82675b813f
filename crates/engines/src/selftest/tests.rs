//! The whole self-test on a simulated machine: what is planted there is found.

use super::fake::{CALM, Fake, Noise};
use super::*;
use record::SelfTestVerdict::{Failed, NotRun, Passed, TooNoisy};
use record::{SelfTest, SelfTestVerdict};

fn of(seed: u64, noise: Noise) -> SelfTest {
    let stop = AtomicBool::new(false);
    let rows = run(&Fake::new(seed, noise), TRIALS, &stop, &mut |_| {});
    SelfTest {
        made_utc: String::new(),
        rows: rows.expect("nothing stops it"),
    }
}

fn ended(test: &SelfTest, verdict: SelfTestVerdict) -> Vec<&str> {
    test.ended(verdict).map(|row| row.id.as_str()).collect()
}

#[test]
fn on_a_calm_machine_everything_is_found_and_nothing_else() {
    for seed in [1, 2] {
        let test = of(seed, CALM);
        assert_eq!(test.rows.len(), ROWS);
        let unwanted: Vec<&SelfTestRow> = test.ended(Failed).collect();
        assert!(unwanted.is_empty(), "{seed}: {unwanted:?}");
        assert_eq!(ended(&test, NotRun), [""; 0]);
        assert_eq!(ended(&test, TooNoisy), [""; 0]);
        let (false_alarms, trials) = test.false_alarms();
        assert_eq!(trials, 20 + 40 + 20 + 60 + 20 + 20);
        assert!(false_alarms <= 1, "{seed}: {false_alarms}");
        for id in [
            "plus_1_percent",
            "plus_5_percent",
            "clock_fast",
            "clock_gains",
            "modes_90_10",
            "kinds_in_batch",
            "ticks_50_us",
            "counter_dead",
            "counter_low",
            "counters_swapped",
            "counters_starved",
            "counters_held",
            "counter_page",
            "counters_not_apart",
        ] {
            let row = test.row(id).expect("a row of that id");
            assert_eq!((row.found, row.trials), (20, 20), "{seed}: {row:?}");
        }
        // The machine that is made up has six counters, of which the sixth is dead.
        let here = test.row(record::self_test::COUNTERS_HERE);
        let here = here.map(|row| (row.found, row.trials));
        assert_eq!(here, Some((5, 6)));
        let read = test.row("plus_5_percent").and_then(|row| row.read);
        let read = read.expect("a reading");
        assert!((read.center - 0.05).abs() < 0.002, "{read:?}");
    }
}

#[test]
fn a_noisy_machine_is_called_that_and_the_instrument_not_broken() {
    let noisy = Noise { each: 0.1, ..CALM };
    let test = of(4, noisy);
    assert_eq!(ended(&test, Failed), [""; 0]);
    let small = test.row("plus_1_percent").expect("a row of that id");
    assert_eq!(small.verdict, TooNoisy, "{small:?}");
    assert!(
        small.note.starts_with("noise of the interval in "),
        "{small:?}"
    );
    let large = test.row("plus_10_percent").expect("a row of that id");
    assert_eq!(large.verdict, Passed, "{large:?}");
    assert_eq!(
        test.row("step_4_percent").map(|row| row.verdict),
        Some(TooNoisy)
    );
}

#[test]
fn a_restless_machine_hides_small_changes_and_the_instrument_is_not_broken() {
    // With noise of 3 % a drift of 10 % is as often taken for a step.
    let restless = Noise { each: 0.03, ..CALM };
    let test = of(6, restless);
    assert_eq!(ended(&test, Failed), [""; 0]);
    for id in ["drift_10_percent", "step_4_percent"] {
        let row = test.row(id).expect("a row of that id");
        assert_eq!(row.verdict, TooNoisy, "{row:?}");
    }
}

#[test]
fn a_machine_that_wanders_is_no_false_alarm_either() {
    let wanders = Noise {
        wander: 0.02,
        stays: 0.99,
        ..CALM
    };
    let test = of(7, wanders);
    assert_eq!(ended(&test, Failed), [""; 0]);
    let level = test.row("nothing_changes").expect("a row of that id");
    assert_eq!(level.verdict, TooNoisy, "{level:?}");
    assert!(level.note.contains("set aside"), "{level:?}");
}

#[test]
fn a_machine_that_changes_its_speed_is_no_false_alarm() {
    let slows = Noise {
        slow_for_ns: 11e6,
        ..CALM
    };
    let test = of(5, slows);
    let level = test.row("nothing_changes").expect("a row of that id");
    assert!(level.trials < 30, "{level:?}");
    assert!(level.note.contains("set aside"), "{level:?}");
    assert_eq!(level.verdict, TooNoisy);
    // What is compared in alternation does not mind.
    let cost = test.row("plus_5_percent").expect("a row of that id");
    assert_eq!(cost.verdict, Passed, "{cost:?}");
}

#[test]
fn it_ends_when_it_is_to_end() {
    let stop = AtomicBool::new(true);
    let ended = run(&Fake::new(1, CALM), TRIALS, &stop, &mut |_| {});
    assert_eq!(ended, Err(Stopped));
}
