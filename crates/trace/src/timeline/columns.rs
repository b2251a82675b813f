//! A timeline's columns as bytes. `ui/src/timeline/decode.ts` reads them.
//!
//! Numbers are LEB128. For each CPU come, column behind column (so that what is
//! alike stands together and deflates well):
//!
//! - slices: time since the end of the one before; length; task; a byte with
//!   how it ended (bits 0..2), whether it began before (3), and the kind of its
//!   wait (4..5: unknown, put off, woken); length of the wait of those that have
//!   one; of the woken the waker (twice the task plus one, 0 for idle; plus one
//!   where an interrupt woke it) and its CPU;
//! - hard interrupts, then softirqs: time since the begin of the one before;
//!   length; name;
//! - moments: time since the one before; name;
//! - gaps: time since the begin of the one before; length; events plus one, 0
//!   where they were not counted;
//! - changes of the number of tasks that wait: time since the one before; number;
//! - idle states: time since the begin of the one before; length; state;
//! - lives: time since the one before; kind; task; name plus one, 0 for none.
//!
//! Then the unserved: task; time since when, from the capture's begin. How many
//! there are of each stands in the page's head. All times are ns.
//!
//! `Timeline::of` has seen that nothing goes back in time (`order`); nothing wraps
//! here whatever a timeline holds.

use super::{CpuLane, End, Slice, Span, Timeline, Wait, Waker};
use crate::width::low_byte;

/// The columns of a page, delta-coded.
pub fn encode(timeline: &Timeline) -> Vec<u8> {
    let mut out = Vec::with_capacity(timeline.slice_count() * 8);
    for cpu in &timeline.cpus {
        lane(&mut out, cpu, timeline.begin_ns);
    }
    for one in &timeline.unserved {
        number(&mut out, u64::from(one.task));
    }
    for one in &timeline.unserved {
        number(&mut out, one.since_ns.saturating_sub(timeline.begin_ns));
    }
    out
}

fn lane(out: &mut Vec<u8>, cpu: &CpuLane, begin_ns: u64) {
    slices(out, &cpu.slices, begin_ns);
    spans(out, &cpu.hardirqs, begin_ns);
    spans(out, &cpu.softirqs, begin_ns);
    deltas(out, cpu.moments.iter().map(|m| m.at_ns), begin_ns);
    column(out, cpu.moments.iter().map(|m| u64::from(m.name)));
    deltas(out, cpu.gaps.iter().map(|g| g.start_ns), begin_ns);
    column(out, cpu.gaps.iter().map(|g| g.length_ns()));
    let counts = cpu.gaps.iter().map(|g| g.count);
    column(out, counts.map(|c| c.map_or(0, |n| n.saturating_add(1))));
    deltas(out, cpu.crowd.iter().map(|c| c.at_ns), begin_ns);
    column(out, cpu.crowd.iter().map(|c| u64::from(c.waiting)));
    deltas(out, cpu.idle.iter().map(|i| i.start_ns), begin_ns);
    column(out, cpu.idle.iter().map(|i| i.length_ns()));
    column(out, cpu.idle.iter().map(|i| u64::from(i.state)));
    deltas(out, cpu.lives.iter().map(|l| l.at_ns), begin_ns);
    out.extend(cpu.lives.iter().map(|l| l.kind as u8));
    column(out, cpu.lives.iter().map(|l| u64::from(l.task)));
    let names = cpu.lives.iter().map(|l| l.name);
    column(out, names.map(|name| name.map_or(0, |n| u64::from(n) + 1)));
}

fn slices(out: &mut Vec<u8>, slices: &[Slice], begin_ns: u64) {
    let mut before = begin_ns;
    for slice in slices {
        number(out, slice.start_ns.saturating_sub(before));
        before = slice.end_ns;
    }
    column(out, slices.iter().map(Slice::length_ns));
    column(out, slices.iter().map(|s| u64::from(s.task)));
    out.extend(slices.iter().map(how));
    column(out, slices.iter().filter_map(Slice::wait_ns));
    let wakers = slices.iter().filter_map(|s| match s.wait {
        Wait::Woken { waker, .. } => Some(waker),
        _ => None,
    });
    column(out, wakers.clone().map(waker));
    column(out, wakers.map(|w| u64::from(w.cpu)));
}

fn how(slice: &Slice) -> u8 {
    let wait = match slice.wait {
        Wait::Unknown => 0,
        Wait::PutOff { .. } => 1,
        Wait::Woken { .. } => 2,
    };
    ended(slice.end) | u8::from(slice.begun_before) << 3 | wait << 4
}

fn ended(end: End) -> u8 {
    match end {
        End::Cut => 0,
        End::Preempted => 1,
        End::StillRunnable => 2,
        End::Blocked('S') => 3,
        End::Blocked('D') => 4,
        // Stopped, traced, parked, idle.
        End::Blocked(_) => 5,
        End::Exited => 6,
        End::Yielded => 7,
    }
}

fn waker(waker: Waker) -> u64 {
    let task = waker.task.map_or(0, |task| u64::from(task) + 1);
    task * 2 + u64::from(waker.interrupt)
}

fn spans(out: &mut Vec<u8>, spans: &[Span], begin_ns: u64) {
    deltas(out, spans.iter().map(|s| s.start_ns), begin_ns);
    column(out, spans.iter().map(|s| s.length_ns()));
    column(out, spans.iter().map(|s| u64::from(s.name)));
}

fn deltas(out: &mut Vec<u8>, times_ns: impl Iterator<Item = u64>, begin_ns: u64) {
    let mut before = begin_ns;
    for time_ns in times_ns {
        number(out, time_ns.saturating_sub(before));
        before = time_ns;
    }
}

fn column(out: &mut Vec<u8>, values: impl Iterator<Item = u64>) {
    for value in values {
        number(out, value);
    }
}

fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(low_byte(value) | 0x80);
        value >>= 7;
    }
    out.push(low_byte(value));
}
