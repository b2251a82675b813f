//! The terminal report against committed transcripts. After a change that is
//! meant: `UPDATE_GOLDEN=1 cargo test -p pontage-report --test terminal`, then read the
//! difference.

mod golden;
mod synthetic;

use golden::golden;
use report::terminal::render;

#[test]
fn eighty_columns() {
    golden("run-80.txt", &render(&synthetic::run(), 80, false));
}

#[test]
fn wide() {
    golden("run-140.txt", &render(&synthetic::run(), 140, false));
}

#[test]
fn incomplete() {
    golden(
        "incomplete-80.txt",
        &render(&synthetic::incomplete(), 80, false),
    );
}

#[test]
fn lines_fit_except_commands_to_copy() {
    for width in [60, 80, 100, 140, 200] {
        for line in render(&synthetic::run(), width, false).lines() {
            let fits = line.chars().count() <= width || line.contains("enable: ");
            assert!(fits, "{width}: {line}");
        }
    }
}

/// Every point of a run, interrupted alike.
fn interrupted() -> analysis::RunView {
    let mut view = synthetic::run();
    let row = |name: &str, here: Option<u64>, total: u64| record::InterruptRow {
        name: name.to_owned(),
        description: "what it is".to_owned(),
        here,
        total,
    };
    let met = record::InterruptsHead {
        over_ns: 500_000_000,
        cpu: 1,
        points: 2,
        with_setup: false,
        rows: vec![
            row("36", Some(2), 3),
            row("LOC", Some(125), 250),
            row("RES", Some(0), 7),
            row("context switches", None, 45),
        ],
    };
    for point in view.tables.iter_mut().flat_map(|t| &mut t.points) {
        point.head.interrupts = Some(Box::new(met.clone()));
    }
    view
}

#[test]
fn what_interrupted_stands_below_the_time_and_in_a_table() {
    let view = interrupted();
    let text = render(&view, 200, false);
    let rates = "interrupts per second on CPU 1: LOC 250, irq 36 4.0; machine: context switches 90";
    assert_eq!(text.matches(rates).count(), {
        let with_text = text.matches("interrupts per second").count();
        assert!(with_text > 0);
        with_text
    });
    let page = report::html::render(&view);
    assert_eq!(
        page.matches("Interrupts while the points were sampled")
            .count(),
        view.tables.iter().filter(|t| !t.points.is_empty()).count()
    );
    assert!(page.contains("<td>250 / 500</td>"), "by second");
    assert!(page.contains("<td>0 / 14</td>") && page.contains("<td>90</td>"));
    assert!(page.contains("share their counts"));
    let plain = report::html::render(&synthetic::run());
    assert!(!plain.contains("Interrupts while"));
}

#[test]
fn what_was_counted_stands_below_the_time() {
    let mut view = synthetic::run();
    let names = ["INST_RETIRED", "page_faults", "cycles_per_instruction"];
    view.head.conditions.counters = Some(record::CountersHead {
        metrics: names.map(str::to_owned).to_vec(),
        ..record::CountersHead::default()
    });
    let table = &mut view.tables[0];
    let first = u16::try_from(table.head.metrics.len()).unwrap();
    for (place, name) in names.into_iter().enumerate() {
        table.head.metrics.push(record::MetricHead {
            name: name.to_owned(),
            unit: record::Unit::Count,
            doc: String::new(),
            lower_is_better: true,
            explains: false,
        });
        // The rate was counted in no batch: it has no summary.
        if let Some(value) = [312.5, 0.0].get(place) {
            let metric = first + u16::try_from(place).unwrap();
            let width = if *value == 0.0 { 0.0 } else { 0.01 };
            let s = synthetic::summary(metric, *value, width, 120);
            table.points[0].summaries.push(s);
        }
    }
    let text = render(&view, 140, false);
    let line = text.lines().find(|l| l.contains("counted:")).unwrap();
    assert!(line.contains("INST_RETIRED 312.5 ±1.1 %"), "{line}");
    assert!(line.trim_end().ends_with("page_faults 0"), "{line}");
    assert_eq!(
        text.matches("counted:").count(),
        1,
        "only where something was counted"
    );
}

#[test]
fn alarms_of_counts_stand_below_them_and_are_in_the_page() {
    let mut view = synthetic::run();
    let zero = "alarm: BR_PRED counted 0 over 2.00e6 instructions, which cannot be";
    let other = "counters: l1d_cache_hit_rate is not given: more refills than accesses";
    view.tables[0].points[0].head.notes = vec![zero.into(), other.into(), "pages: 4 KiB".into()];
    let table = &mut view.tables[0];
    let metric = u16::try_from(table.head.metrics.len()).unwrap();
    table.head.metrics.push(record::MetricHead {
        name: record::PROBE_EFFECT.to_owned(),
        unit: record::Unit::Ratio,
        doc: String::new(),
        lower_is_better: true,
        explains: false,
    });
    let slow = synthetic::summary(metric, 14.2, 0.01, 30);
    table.points[0].summaries.push(slow);
    let text = render(&view, 140, false);
    assert!(
        text.contains("alarm at 1 point: with counters this takes 14.20"),
        "{text}"
    );
    assert!(!text.contains("pages: 4 KiB"));
    let page = report::html::render(&view);
    assert!(
        text.contains("alarm at 1 point: BR_PRED counted 0"),
        "{text}"
    );
    assert!(page.contains("alarm: with counters this takes 14.20 times"));
    assert!(page.contains("alarm: BR_PRED counted 0 over"));
    assert!(page.contains("counters: l1d_cache_hit_rate is not given"));
}

#[test]
fn operations_of_two_kinds_stand_below_their_time_and_in_the_page() {
    let with = |shares: [f64; 2]| {
        let mut view = synthetic::run();
        let table = &mut view.tables[0];
        let metric = u16::try_from(table.head.metrics.len()).unwrap();
        table.head.metrics.push(record::MetricHead {
            name: record::SINGLE.to_owned(),
            unit: record::Unit::Nanoseconds,
            doc: String::new(),
            lower_is_better: true,
            explains: false,
        });
        let point = &mut table.points[0];
        let ns = point.median_ns().unwrap();
        let mut singles = synthetic::summary(metric, ns, 0.01, 120);
        let modes = shares.into_iter().zip([1.0, 3.0]);
        let modes = modes.map(|(share, times)| analysis::Mode {
            center: times * ns / 1.2,
            share,
        });
        singles.modes = modes.collect();
        point.summaries.push(singles);
        view
    };
    let view = with([0.9, 0.1]);
    let text = render(&view, 200, false);
    let line = text.lines().find(|l| l.contains("single operations:"));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    assert!(line.contains("two modes: 90 % at "), "{line}");
    assert!(line.ends_with("; a batch averages them"), "{line}");
    let page = report::html::render(&view);
    assert!(page.contains("a batch averages them"));
    assert!(!page.contains(">single<"), "evidence is no column");
    let apart = render(&with([0.2, 0.8]), 200, false);
    assert!(
        apart.contains("2.2 times a batch's time: timing them apart"),
        "{apart}"
    );
}

#[test]
fn colour_changes_nothing_but_colour() {
    let plain = render(&synthetic::incomplete(), 100, false);
    let coloured = render(&synthetic::incomplete(), 100, true);
    assert!(!plain.contains('\x1b'));
    assert!(coloured.contains('\x1b'));
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some(at) = rest.find('\x1b') {
        stripped.push_str(&rest[..at]);
        let end = rest[at..].find('m').expect("an SGR sequence ends with m");
        rest = &rest[at + end + 1..];
    }
    stripped.push_str(rest);
    assert_eq!(stripped, plain);
}

#[test]
fn escape_sequences_in_a_record_do_not_reach_the_terminal() {
    let mut view = synthetic::run();
    let evil = "\x1b]0;owned\x07\x1b[2J".to_owned();
    view.head.machine.host = evil.clone();
    view.head.machine.lines = vec![(evil.clone(), evil.clone())];
    view.head.findings[0].sentence = evil.clone();
    view.head.findings[0].experiment = evil.clone();
    view.head.claims[0].evidence = evil.clone();
    view.tables[0].head.id = evil.clone();
    for table in &mut view.tables {
        for toll in &mut table.head.toll {
            toll.label = evil.clone();
        }
        for point in &mut table.points {
            if let record::PointState::Skipped { reason, remedy } = &mut point.head.state {
                *reason = evil.clone();
                *remedy = evil.clone();
            }
        }
    }
    let text = render(&view, 80, false);
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
}
