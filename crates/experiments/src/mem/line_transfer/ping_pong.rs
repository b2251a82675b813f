//! One word handed back and forth. Each turn starts from 0; the caller writes
//! the odd numbers, the partner the even ones, and nothing else is written,
//! so whatever else is seen was lost, repeated or torn.

use super::word::{STOP, Wait, Word};
use harness::Fault;

/// What the other side wrote out of turn.
fn out_of_turn(expected: u64, seen: u64) -> Fault {
    Fault::wrong(format!(
        "waited for {expected} on the line and found {seen}"
    ))
}

/// The caller's side by load and store: `rounds` there and back.
///
/// # Errors
/// The partner is gone, or answered wrongly.
pub fn call<W: Word>(line: &W, rounds: u64, wait: &mut impl Wait) -> Result<u64, Fault> {
    let mut last = 0;
    let mut result = Ok(rounds);
    'rounds: for _ in 0..rounds {
        line.give(last + 1);
        loop {
            let seen = line.take();
            if seen == last + 2 {
                break;
            }
            if seen != last + 1 {
                result = Err(out_of_turn(last + 2, seen));
                break 'rounds;
            }
            if !wait.again() {
                result = Err(Fault::wrong("the partner did not answer"));
                break 'rounds;
            }
        }
        wait.rest();
        last += 2;
    }
    line.give(STOP);
    result
}

/// The partner's side, until the caller stops. Returns the answers given.
///
/// # Errors
/// The caller wrote something else than the next number.
pub fn answer<W: Word>(line: &W, wait: &mut impl Wait) -> Result<u64, Fault> {
    let mut last = 0;
    loop {
        let seen = line.take();
        if seen == last + 1 {
            last += 2;
            line.give(last);
            wait.rest();
        } else if seen == STOP {
            return Ok(last / 2);
        } else if seen != last {
            return Err(out_of_turn(last + 1, seen));
        } else if !wait.again() {
            return Err(Fault::wrong("the caller is gone"));
        }
    }
}

/// The caller's side by compare-exchange: each side tries to replace the
/// other's number by the next one until it succeeds.
///
/// # Errors
/// As `call`.
pub fn call_exchange<W: Word>(line: &W, rounds: u64, wait: &mut impl Wait) -> Result<u64, Fault> {
    let mut last = 0;
    for _ in 0..rounds {
        if let Err(why) = replace(line, last, last + 1, wait) {
            line.give(STOP);
            return Err(why);
        }
        last += 2;
    }
    // Waits for the last answer too.
    let end = replace(line, last, STOP, wait);
    line.give(STOP);
    end.map(|()| rounds)
}

fn replace<W: Word>(line: &W, from: u64, to: u64, wait: &mut impl Wait) -> Result<(), Fault> {
    while let Err(seen) = line.swap_if(from, to) {
        if from == 0 || seen != from - 1 {
            return Err(out_of_turn(from, seen));
        }
        if !wait.again() {
            return Err(Fault::wrong("the partner did not answer"));
        }
    }
    wait.rest();
    Ok(())
}

/// The partner's side by compare-exchange.
///
/// # Errors
/// As `answer`.
pub fn answer_exchange<W: Word>(line: &W, wait: &mut impl Wait) -> Result<u64, Fault> {
    let mut last = 0;
    loop {
        match line.swap_if(last + 1, last + 2) {
            Ok(()) => {
                last += 2;
                wait.rest();
            }
            Err(STOP) => return Ok(last / 2),
            Err(seen) if seen != last => return Err(out_of_turn(last + 1, seen)),
            Err(_) if !wait.again() => return Err(Fault::wrong("the caller is gone")),
            Err(_) => {}
        }
    }
}

/// The same stores and loads by one thread: the line stays where it is.
///
/// # Errors
/// The word did not keep what was written.
pub fn alone<W: Word>(line: &W, rounds: u64) -> Result<(), Fault> {
    line.give(0);
    for number in 1..=2 * rounds {
        line.give(number);
        if line.take() != number {
            return Err(Fault::wrong(format!(
                "wrote {number} and found something else"
            )));
        }
    }
    Ok(())
}

/// The same exchanges by one thread.
///
/// # Errors
/// As `alone`.
pub fn alone_exchange<W: Word>(line: &W, rounds: u64) -> Result<(), Fault> {
    line.give(0);
    for number in 0..2 * rounds {
        line.swap_if(number, number + 1)
            .map_err(|seen| out_of_turn(number, seen))?;
    }
    Ok(())
}
