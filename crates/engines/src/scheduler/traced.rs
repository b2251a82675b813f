//! A scene as the kernel saw it: slices from its own switches.

use super::play::{Played, Script, play};
use harness::slices::Slice;
use harness::tracing::Tracing;
use harness::{Context, SetupError};
use trace::Capture;
use trace::analyse::slices::{End, Slice as Traced, Slices};
use trace::analyse::{Known, Pass};

const EVENTS: [&str; 1] = ["sched:sched_switch"];

/// Plays it while the kernel's switches are recorded.
///
/// # Errors
/// As [`play`], and `Skip` without tracing.
pub fn play_traced(script: &Script, context: &Context) -> Result<Vec<Played>, SetupError> {
    let tracing = Tracing::start(&EVENTS, &context.scratch)?;
    let mut played = play(script, context)?;
    let capture = tracing.stop()?;
    context.keep_trace("switches", &capture);
    let lost: u64 = capture
        .head
        .cpu_stats
        .iter()
        .map(trace::CpuStat::lost)
        .sum();
    if lost > 0 {
        return Err(SetupError::Fail(format!(
            "the kernel lost {lost} events: the slices would have holes"
        )));
    }
    for task in &mut played {
        task.slices = slices_of(&capture, task);
        task.dropped = 0;
        task.interruptions = (0, 0);
    }
    Ok(played)
}

/// The task's slices while it was on, in order.
fn slices_of(capture: &Capture, task: &Played) -> Vec<Slice> {
    let known = Known::of(capture);
    let mut taken = Vec::new();
    let mut sink = |traced: &Traced| taken.extend(as_ours(traced, task));
    Pass::over(capture, &known, &mut [&mut Slices::new(&known, &mut sink)]);
    taken
}

/// None where it is another task's, or of before and after its work.
fn as_ours(traced: &Traced, task: &Played) -> Option<Slice> {
    let while_on = traced.begin_ns >= task.began_ns && traced.begin_ns < task.until_ns;
    (traced.pid == task.pid && while_on).then(|| {
        let cut = traced.end_ns >= task.until_ns || traced.end == End::Cut;
        Slice {
            began_ns: traced.begin_ns,
            ended_ns: traced.end_ns.min(task.until_ns),
            blocked: u64::from(matches!(traced.end, End::Blocked(_))),
            cut: u64::from(cut),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::as_ours;
    use crate::scheduler::play::Played;
    use trace::analyse::Comm;
    use trace::analyse::slices::{End, Slice};

    fn traced(begin_ns: u64, end_ns: u64, end: End) -> Slice {
        Slice {
            pid: 7,
            comm: Comm::default(),
            cpu: 0,
            place: 0,
            begin_ns,
            end_ns,
            prio: None,
            end,
            partial: false,
            begun_before: false,
            wait: None,
        }
    }

    #[test]
    fn slices_are_those_of_the_task_while_it_works() {
        let task = Played {
            pid: 7,
            began_ns: 100,
            until_ns: 500,
            slices: Vec::new(),
            dropped: 0,
            interruptions: (0, 0),
        };
        let of = |slice: Slice| as_ours(&slice, &task);
        assert_eq!(of(traced(90, 110, End::Preempted)), None);
        assert_eq!(of(traced(510, 520, End::Exited)), None);
        let other = Slice {
            pid: 8,
            ..traced(110, 120, End::Preempted)
        };
        assert_eq!(of(other), None);
        let slept = of(traced(110, 120, End::Blocked('D'))).unwrap();
        assert_eq!((slept.blocked, slept.cut), (1, 0));
        let last = of(traced(450, 530, End::Preempted)).unwrap();
        assert_eq!((last.ended_ns, last.blocked, last.cut), (500, 0, 1));
    }
}
