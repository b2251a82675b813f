//! What the tests of all transports share about a partner that dies or is let go.

use super::trial::settings;
use engines::crew::futex::LOOK_NS;
use engines::transport::end::{End, Transport};
use engines::transport::fds::pause;
use engines::transport::link::{Link, Other};
use engines::transport::setup::link;
use harness::Subject;
use std::time::{Duration, Instant};
use testbed::turn::{card, point};
use testbed::{context, pin_here};

/// More messages than anybody sends before the partner is killed.
const ENDLESS: u64 = 1 << 40;

/// Kills the partner's process in the middle of a batch: the batch ends, and the
/// fault names the process.
pub fn of_the_partner<T: Transport>(size: i64) {
    for pattern in ["stream", "round_trip"] {
        for words in [("same_cpu", "idle"), ("same_cache", "awake")] {
            let Some(mut link) = linked::<T>(size, [pattern, "2processes", words.0, words.1])
            else {
                continue;
            };
            dies(&mut link, &format!("{pattern} {words:?}"));
        }
    }
}

/// A partner that sleeps is let go at once, not at its next look whether the other side
/// is there: of ten, the quickest shows it, as the machine may delay some.
pub fn is_let_go<T: Transport>(size: i64) {
    for pattern in ["stream", "round_trip"] {
        let quickest = (0..10).filter_map(|_| {
            let mut link = linked::<T>(size, [pattern, "2threads", "same_cpu", "idle"])?;
            link.batch(0, 1);
            pause(5);
            let began = Instant::now();
            drop(link);
            Some(began.elapsed())
        });
        let Some(quickest) = quickest.min() else {
            return;
        };
        let look = Duration::from_nanos(LOOK_NS.unsigned_abs());
        assert!(quickest < look / 2, "{pattern}: {quickest:?}");
    }
}

/// None where this machine has no second CPU.
pub fn linked<T: Transport>(size: i64, words: [&str; 4]) -> Option<Link<T::End>> {
    let (mut context, _scratch) = context();
    context.card = card(std::env::consts::ARCH, 2);
    pin_here(context.test_cpu);
    match link::<T>(&point(&settings(size, words, 0, 0)), &context) {
        Ok(link) => Some(link),
        Err(cause) => {
            assert!(words[2] != "same_cpu", "{cause}");
            None
        }
    }
}

fn dies<E: End>(link: &mut Link<E>, what: &str) {
    let Other::Partner(partner) = &link.other else {
        panic!("{what}: no partner");
    };
    let process = partner.process().expect("the partner is a process");
    link.prepare(0);
    std::thread::scope(|threads| {
        threads.spawn(move || {
            pause(30);
            // SAFETY: a child that is not reaped before the link is asked.
            unsafe { libc::kill(process, libc::SIGKILL) };
        });
        link.batch(0, ENDLESS);
    });
    let fault = link.verify().expect_err(what).to_string();
    assert!(
        fault.contains(&format!("process {process} was killed by signal 9")),
        "{what}: {fault}"
    );
    // A later batch fails at once instead of trying again.
    link.prepare(0);
    link.batch(0, ENDLESS);
    assert_eq!(link.verify(), Err(harness::Fault::wrong(fault)), "{what}");
}
