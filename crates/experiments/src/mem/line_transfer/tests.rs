use super::pair::{METHODS, Method, Pair, Table};
use super::word::{Patience, STOP};
use super::{EXPERIMENT, setup};
use harness::{Fault, Point, SetupError, affinity};
use std::sync::atomic::Ordering;
use testbed::{self, cpus, int, word};

/// Two CPUs that this process may use; the same twice where it has one.
fn two() -> [u32; 2] {
    let cpus = cpus();
    [cpus[0], *cpus.get(1).unwrap_or(&cpus[0])]
}

fn point(from: u32, to: u32, method: &str) -> Point {
    let settings = [
        int("from", from.into()),
        int("to", to.into()),
        word("method", method),
    ];
    testbed::point("mem/line_transfer", &settings)
}

fn pair(method: &str) -> Pair {
    Pair::start(Method::of(method), two()[1]).expect("a thread and a few pages")
}

#[test]
fn every_method_makes_the_rounds_it_says() {
    for method in METHODS {
        let mut pair = pair(method);
        for rounds in [1, 63, 64, 65, 0, 1000] {
            pair.gather();
            // Called twice by a harness that changed its mind: nothing happens.
            pair.gather();
            pair.run(rounds);
            pair.run_alone(rounds);
        }
        assert_eq!(pair.check(), Ok(()), "{method}");
        assert_eq!(pair.rounds(), 1193, "{method}");
    }
}

#[test]
fn a_partner_that_waits_is_let_go() {
    for method in METHODS {
        let mut pair = pair(method);
        pair.gather();
        assert_eq!(pair.check(), Ok(()), "{method}");
        pair.gather();
        drop(pair);
    }
}

#[test]
fn a_lost_a_repeated_and_a_wrong_number_are_found() {
    fn skips(table: &Table, _: &mut Patience<'_>) -> Result<u64, Fault> {
        reply(table, |asked| asked + 3)
    }
    fn repeats(table: &Table, _: &mut Patience<'_>) -> Result<u64, Fault> {
        reply(table, |asked| if asked > 3 { asked - 1 } else { asked + 1 })
    }
    /// Answers rightly and counts one less.
    fn miscounts(table: &Table, _: &mut Patience<'_>) -> Result<u64, Fault> {
        reply(table, |asked| asked + 1).map(|n| n.saturating_sub(1))
    }
    fn reply(table: &Table, answer: fn(u64) -> u64) -> Result<u64, Fault> {
        let (mut last, mut rounds) = (0, 0);
        loop {
            let asked = table.line().load(Ordering::Acquire);
            if asked == STOP {
                return Ok(rounds);
            }
            if asked > last && asked % 2 == 1 {
                last = answer(asked);
                rounds += 1;
                let _ =
                    table
                        .line()
                        .compare_exchange(asked, last, Ordering::AcqRel, Ordering::Acquire);
            }
            std::thread::yield_now();
        }
    }
    for answer in [skips, repeats, miscounts] {
        let mut pair =
            Pair::with_answer(Method::LoadStore, two()[1], answer).expect("nothing asked yet");
        pair.gather();
        pair.run(5);
        assert!(pair.check().is_err());
    }
}

#[test]
fn a_torn_line_is_found() {
    fn tears(table: &Table, wait: &mut Patience<'_>) -> Result<u64, Fault> {
        // Between number and reading, another hand writes into the line.
        let ring = table.ring();
        let number = &ring.lines[0].0[0];
        while number.load(Ordering::Acquire) == 0 {
            std::thread::yield_now();
        }
        ring.lines[0].0[5].fetch_add(1, Ordering::Relaxed);
        ring.receive(wait)
    }
    let mut pair = Pair::with_answer(Method::Stream, two()[1], tears).expect("nothing sent yet");
    pair.gather();
    pair.run(5);
    let found = pair.check().expect_err("the line is torn").to_string();
    assert!(found.contains("torn"), "{found}");
}

#[test]
fn a_partner_that_dies_does_not_hang_the_caller() {
    fn dies(table: &Table, _: &mut Patience<'_>) -> Result<u64, Fault> {
        match table.turn() {
            1 => Ok(0),
            _ => panic!("as asked"),
        }
    }
    for method in METHODS {
        let mut pair = Pair::with_answer(Method::of(method), two()[1], dies).expect("lives so far");
        for _ in 0..3 {
            pair.gather();
            pair.run(100);
        }
        assert!(pair.check().is_err(), "{method}");
    }
}

#[test]
fn all_methods_of_a_point_run_and_verify() {
    let [from, to] = two();
    for method in METHODS {
        let settings = [
            ("from", i64::from(from).into()),
            ("to", i64::from(to).into()),
            ("method", (*method).into()),
        ];
        match testbed::turn::run(&EXPERIMENT, &settings) {
            Ok(()) => {}
            Err(SetupError::Skip { reason, .. }) => {
                assert!(reason.contains("one only"), "{reason}")
            }
            Err(SetupError::Fail(why)) => panic!("{method}: {why}"),
        }
    }
}

#[test]
fn the_thread_goes_where_the_point_is_and_back() {
    let (mut context, _scratch) = testbed::context();
    let [here, there] = two();
    if here == there {
        return;
    }
    // In a thread of its own: affinity is the thread's.
    std::thread::spawn(move || {
        context.test_cpu = here;
        let subject = setup(&point(there, here, "load_store"), &context);
        let mut subject = subject.expect("two CPUs are there");
        assert_eq!(affinity::allowed_cpus().expect("readable"), [there]);
        let notes = subject.notes().join("; ");
        assert!(notes.contains("interrupts and steal"), "{notes}");
        testbed::pin_here(here);
        assert_eq!(subject.verify(), Ok(()));
        assert_eq!(affinity::allowed_cpus().expect("readable"), [there]);
        drop(subject);
        assert_eq!(affinity::allowed_cpus().expect("readable"), [here]);
    })
    .join()
    .expect("no assertion failed");
}

#[test]
fn what_cannot_be_had_is_skipped_with_a_remedy() {
    let (mut context, _scratch) = testbed::context();
    let skip = |context: &harness::Context, from: u32, to: u32| match setup(
        &point(from, to, "stream"),
        context,
    )
    .err()
    {
        Some(SetupError::Skip { reason, remedy }) => {
            assert!(!remedy.is_empty());
            reason
        }
        other => panic!("not a skip: {other:?}"),
    };
    context.cpus = vec![0];
    assert!(skip(&context, 0, 0).contains("one only"));
    context.cpus = vec![0, 1];
    assert!(skip(&context, 0, 9).contains("may not run on CPU 9"));
    assert!(skip(&context, 1, 1).contains("itself"));
}
