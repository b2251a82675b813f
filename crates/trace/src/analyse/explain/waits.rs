//! How long tasks waited for a CPU, and who ran meanwhile.

use super::{Sentence, name, say, shares};
use crate::analyse::distribution::Distribution;
use crate::analyse::held::HeldWait;
use crate::analyse::slices::Ready;
use crate::analyse::summary::Summary;
use crate::analyse::words::{Share, Time};

/// Of the longest waits, so many have a sentence of their own.
const LONGEST: usize = 5;

/// Who waited for a CPU, and who held it meanwhile.
pub fn waits(s: &Summary) -> Vec<Sentence> {
    let wakeups = lengths(
        "Wake-up latency",
        &s.tasks.wakeup_latency,
        "from sched_waking (first wake-up of a new task; sched_wakeup if waking was not recorded) \
         to being switched in",
    );
    let preemptions = lengths(
        "Waiting after preemption",
        &s.tasks.preempt_wait,
        "from being switched out runnable (R or R+) to being switched in again",
    );
    let longest = s.tasks.held.waits.iter().take(LONGEST);
    let longest = longest.map(|wait| one_wait(s, wait));
    wakeups
        .into_iter()
        .chain(preemptions)
        .chain(longest)
        .collect()
}

fn lengths(what: &str, waits: &Distribution, definition: &'static str) -> Option<Sentence> {
    if waits.count == 0 {
        return None;
    }
    let text = format!(
        "{what}: median {}, 99 % within {}, at most {} ({} waits).",
        Time::ns(waits.quantile(0.5)),
        Time::ns(waits.quantile(0.99)),
        Time::ns(waits.max),
        waits.count
    );
    Some(say("waits", text, definition))
}

fn one_wait(s: &Summary, wait: &HeldWait) -> Sentence {
    let text = format!(
        "{} [{}] waited {} for CPU {}, {}; {}.",
        wait.comm,
        wait.pid,
        Time::ns(wait.wait.length_ns()),
        wait.cpu,
        reason(s, wait.wait.why),
        holders(wait)
    );
    say(
        "longest waits",
        text,
        "tasks that ran on the CPU where the wait ended, by share of the wait",
    )
}

/// Why the task became runnable.
fn reason(s: &Summary, why: Ready) -> String {
    match why {
        Ready::Woken {
            interrupt: true, ..
        }
        | Ready::Woken { waker: 0, .. } => "after an interrupt woke it".to_owned(),
        Ready::Woken { waker, .. } => format!("after {} woke it", name(s, waker)),
        Ready::New { parent, .. } => format!("after {} started it", name(s, parent)),
        Ready::Preempted => "preempted".to_owned(),
        Ready::StillRunnable => "switched out runnable".to_owned(),
    }
}

fn holders(wait: &HeldWait) -> String {
    let length = wait.wait.length_ns().max(1) as f64;
    let mut all = shares(&wait.holders, length);
    for (what, ns) in [("others", wait.others_ns), ("unknown", wait.unknown_ns)] {
        let share = ns as f64 / length;
        // Less than a per cent is the way from one slice to the next.
        if share >= 0.01 && !all.is_empty() {
            all.push(format!("{what} {}", Share(share)));
        }
    }
    match all.is_empty() {
        true => "which task had it is unknown".to_owned(),
        false => format!("in that time it ran {}", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::holders;
    use crate::analyse::held::tests::wait_among_four;

    #[test]
    fn shares_that_are_not_all_say_so() {
        assert!(!holders(&wait_among_four(1000)).contains("unknown"));
        let part = holders(&wait_among_four(40));
        assert!(part.ends_with(", unknown 60 %"), "{part}");
    }
}
