//! `pontage trace timers`: from the interrupt to the function, and one timer's
//! life.

use super::arguments::Timers;
use super::{lacks, open, shown};
use crate::failure::{Failure, Outcome};
use ::trace::Capture;
use ::trace::analyse::summary::Summary;
use ::trace::analyse::timers::Life;
use ::trace::analyse::{Known, Pass, Symbols};
use report::analyses::timers as drawn;

/// # Errors
/// A file that is no trace, or holds no timers.
pub fn timers(arguments: &Timers) -> Outcome {
    let capture = open(&arguments.trace)?;
    if arguments.timer.is_some() || arguments.function.is_some() {
        return life(arguments, &capture);
    }
    let s = Summary::of(&capture);
    let wheel = s.wheel.starts + s.wheel.expiries;
    let chains = s.chains.interrupts + s.chains.softirqs + s.chains.hrtimer_expiries;
    if wheel + chains == 0 {
        return Err(lacks(
            "show timers",
            &arguments.trace.file,
            "timer, irq or local_timer events",
            "pontage trace record -e 'timer:*' -e 'irq:*' -e 'irq_vectors:local_timer_*'",
        ));
    }
    let document = || drawn::document(&s);
    shown(arguments.format, document, || drawn::json(&s), &s.pass)
}

fn life(arguments: &Timers, capture: &Capture) -> Outcome {
    let symbols = Symbols::parse(&capture.head.kallsyms);
    let mut life = Life::new(arguments.timer, arguments.function.as_deref(), &symbols);
    let known = Known::of(capture);
    let pass = Pass::over(capture, &known, &mut [&mut life]);
    if life.events.is_empty() {
        let file = arguments.trace.file.display();
        return Err(Failure::new(format!(
            "cannot show the timer's life in {file}: no event of the trace is about it"
        ))
        .hint(format!(
            "functions that have timers: pontage trace timers {file}"
        )));
    }
    let document = || drawn::life(&life, capture, &pass);
    shown(
        arguments.format,
        document,
        || drawn::life_json(&life, &pass),
        &pass,
    )
}
