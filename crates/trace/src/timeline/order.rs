//! Whether everything stands by its time, which columns of differences need.

use super::{CpuLane, Timeline};
use crate::error::{Result, TraceError};

/// # Errors
/// Names the CPU, what goes back in time on it, and where.
pub fn check(timeline: &Timeline) -> Result<()> {
    for cpu in &timeline.cpus {
        lane(cpu, timeline.begin_ns).map_err(|(what, at_ns)| {
            let cause = format!("{what} go back in time at {at_ns} ns: the trace is damaged");
            TraceError::malformed(format!("the timeline of CPU {}", cpu.cpu), cause)
        })?;
    }
    let first = timeline.unserved.iter().map(|u| u.since_ns);
    let mut early = first.filter(|since_ns| *since_ns < timeline.begin_ns);
    match early.next() {
        None => Ok(()),
        Some(since_ns) => Err(TraceError::malformed(
            "the timeline",
            format!("a task waits since {since_ns} ns, before the trace starts"),
        )),
    }
}

type Back = (&'static str, u64);

fn lane(cpu: &CpuLane, begin_ns: u64) -> std::result::Result<(), Back> {
    let slices = cpu.slices.iter().flat_map(|s| [s.start_ns, s.end_ns]);
    rising("slices", slices, begin_ns)?;
    for (what, spans) in [("interrupts", &cpu.hardirqs), ("softirqs", &cpu.softirqs)] {
        starts(what, spans.iter().map(|s| (s.start_ns, s.end_ns)), begin_ns)?;
    }
    let gaps = cpu.gaps.iter().map(|g| (g.start_ns, g.end_ns));
    starts("gaps", gaps, begin_ns)?;
    let idle = cpu.idle.iter().map(|i| (i.start_ns, i.end_ns));
    starts("idle states", idle, begin_ns)?;
    rising("events", cpu.moments.iter().map(|m| m.at_ns), begin_ns)?;
    let crowd = cpu.crowd.iter().map(|c| c.at_ns);
    rising("numbers of waiting tasks", crowd, begin_ns)?;
    let lives = cpu.lives.iter().map(|l| l.at_ns);
    rising("lives of tasks", lives, begin_ns)
}

/// What may lie inside another one: begins rise, and no end is before its begin.
fn starts(
    what: &'static str,
    spans: impl Iterator<Item = (u64, u64)> + Clone,
    begin_ns: u64,
) -> std::result::Result<(), Back> {
    rising(what, spans.clone().map(|(start_ns, _)| start_ns), begin_ns)?;
    let mut spans = spans;
    match spans.find(|(start_ns, end_ns)| end_ns < start_ns) {
        Some((start_ns, _)) => Err((what, start_ns)),
        None => Ok(()),
    }
}

fn rising(
    what: &'static str,
    times_ns: impl Iterator<Item = u64>,
    begin_ns: u64,
) -> std::result::Result<(), Back> {
    let mut before_ns = begin_ns;
    for time_ns in times_ns {
        if time_ns < before_ns {
            return Err((what, time_ns));
        }
        before_ns = time_ns;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::timeline::{CpuLane, Gap, Moment, Span, Timeline};

    fn refusal(change: impl FnOnce(&mut CpuLane)) -> String {
        let mut cpu = CpuLane::default();
        change(&mut cpu);
        let timeline = Timeline {
            begin_ns: 10,
            end_ns: 90,
            cpus: vec![cpu],
            ..Timeline::default()
        };
        check(&timeline).map_or_else(|e| e.to_string(), |()| String::new())
    }

    #[test]
    fn what_goes_back_in_time_is_named() {
        let moment = |at_ns| Moment { at_ns, name: 0 };
        let span = |start_ns, end_ns| Span {
            start_ns,
            end_ns,
            name: 0,
        };
        assert_eq!(
            refusal(|cpu| cpu.moments = vec![moment(10), moment(10)]),
            ""
        );
        // One inside the other.
        assert_eq!(
            refusal(|cpu| cpu.hardirqs = vec![span(20, 60), span(30, 40)]),
            ""
        );
        let before = refusal(|cpu| cpu.moments = vec![moment(9)]);
        let wanted = "cannot read the timeline of CPU 0: events go back in time at 9 ns";
        assert!(before.starts_with(wanted), "{before}");
        assert!(refusal(|cpu| cpu.hardirqs = vec![span(20, 19)]).contains("interrupts go back"));
        let gap = |start_ns| Gap {
            start_ns,
            end_ns: 80,
            count: None,
        };
        assert!(refusal(|cpu| cpu.gaps = vec![gap(50), gap(40)]).contains("gaps go back"));
    }
}
