//! Comparisons in turn in words.

use analysis::Abba;
use analysis::paired::{Family, Pair, Side, Stop, Study, drawn};
use record::Unit;
use report::document::terminal;

/// Twelve blocks of three points: one 20 % slower, one equal, one too noisy to tell.
fn study(stop: Stop) -> Study {
    let pair = |name: &str| Pair::new(name.into(), "latency".into(), Unit::Nanoseconds, true);
    let names = [
        "ipc/pipe size=64",
        "syscall/getppid",
        "mem/latency size=4096",
    ];
    let mut family = Family::new(names.map(pair).to_vec(), 0.02, 7);
    for block in 0..12u32 {
        let wave = f64::from(block % 3) - 1.0;
        let noisy = if block % 2 == 0 { 1.3 } else { 1.0 / 1.28 };
        for (pair, factor) in family.pairs.iter_mut().zip([1.2, 1.0, noisy]) {
            let a = 100.0 + 0.1 * wave;
            pair.blocks.push(Abba {
                a: [a, 100.0],
                b: [factor * 100.0, factor * (a + 0.01 * f64::from(block))],
            });
        }
    }
    match stop {
        Stop::Interrupted => family.glance(),
        _ => family.last_look(),
    }
    Study {
        orders: (0..12).map(|block| drawn(7, block)).collect(),
        seconds: 31.0,
        steal_share: Some(0.1),
        stop,
        ..Study::new("A in words".into(), "B in words".into(), family)
    }
}

fn shown(study: &Study) -> String {
    terminal::write(&report::terminal::paired(study), 90, false)
}

#[test]
fn the_verdict_comes_first_and_the_worst_point_at_the_head_of_the_table() {
    let mut study = study(Stop::Time);
    study.without(|_| None);
    let text = shown(&study);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["A  A in words", "B  B in words"]);
    assert_eq!(lines[3], "Worse");
    for said in [
        "1 worse, 0 better, 1 equal within 2.0 %, 1 undecided",
        "12 blocks of A B B A or B A A B in 31 s, seed 7; ended because the time was up",
        "10 % of the CPU time was stolen by the hypervisor",
    ] {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(said), "{said}: {text}");
    }
    let place = |word: &str| text.find(word).expect(word);
    assert!(place("ipc/pipe size=64") < place("mem/latency size=4096"));
    assert!(place("mem/latency size=4096") < place("syscall/getppid"));
    assert!(study.orders.contains(&Side::A) && study.orders.contains(&Side::B));
}

#[test]
fn an_interrupted_one_has_no_verdict_and_absent_points_have_their_reasons() {
    let mut study = study(Stop::Interrupted);
    study.without(|at| (at == 1).then(|| "skipped (no huge pages)".to_owned()));
    let text = shown(&study);
    assert!(text.contains("No verdict"), "{text}");
    assert!(text.contains("; interrupted"), "{text}");
    assert!(text.contains("Not judged"), "{text}");
    assert!(
        text.contains("syscall/getppid: skipped (no huge pages)"),
        "{text}"
    );
    assert!(text.contains("0 worse, 0 better, 0 equal"), "{text}");
}
