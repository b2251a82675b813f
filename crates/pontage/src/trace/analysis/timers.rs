//! `pontage trace timers`: from the interrupt to the function, and one timer's
//! life.

use super::arguments::Timers;
use super::{ended, lacks, open};
use crate::failure::{Failure, Outcome};
use crate::output;
use ::trace::Capture;
use ::trace::analyse::summary::Summary;
use ::trace::analyse::timers::Life;
use ::trace::analyse::{Known, Pass, Symbols};
use report::analyses::timers as shown;

/// # Errors
/// A file that is no trace, or holds no timers.
pub fn timers(arguments: &Timers) -> Outcome {
    let capture = open(&arguments.trace)?;
    if arguments.timer.is_some() || arguments.function.is_some() {
        return life(arguments, &capture);
    }
    let s = Summary::of(&capture);
    if s.wheel.starts
        + s.wheel.expiries
        + s.chains.interrupts
        + s.chains.softirqs
        + s.chains.hrtimer_expiries
        == 0
    {
        return Err(lacks(
            "show timers",
            &arguments.trace.file,
            "timer, irq or local_timer events",
            "pontage trace record -e 'timer:*' -e 'irq:*' -e 'irq_vectors:local_timer_*'",
        ));
    }
    let written = output::study(arguments.format, || shown::document(&s), || shown::json(&s));
    ended(written, &s.pass)
}

fn life(arguments: &Timers, capture: &Capture) -> Outcome {
    let symbols = Symbols::parse(&capture.head.kallsyms);
    let mut life = Life::new(arguments.timer, arguments.function.as_deref(), &symbols);
    let known = Known::of(capture);
    let pass = Pass::over(capture, &known, &mut [&mut life]);
    if life.events.is_empty() {
        return Err(Failure::new(format!(
            "cannot show the timer's life in {}: no event of the trace is about it",
            arguments.trace.file.display()
        ))
        .hint(format!(
            "functions that have timers: pontage trace timers {}",
            arguments.trace.file.display()
        )));
    }
    let written = output::study(
        arguments.format,
        || shown::life(&life, capture, &pass),
        || shown::life_json(&life, &pass),
    );
    ended(written, &pass)
}
