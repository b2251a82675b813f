//! One pass over a capture, shared by all analyses.

use super::event::{Happening, What};
use super::known::Known;
use crate::capture::Capture;
use crate::page::{Event, Item, Lost};
use serde::Serialize;

/// Longer than a kernel takes from the event of a switch to the switch: events of
/// the task that leaves are expected for so long.
const SWITCH_NS: u64 = 20_000;

/// An analysis: it is shown every event by time, and every gap. On one CPU time
/// never goes back.
pub trait Visitor {
    /// The next event.
    fn event(&mut self, happening: &Happening<'_>, known: &Known);

    /// Events are missing on a CPU: nothing may span the gap there.
    fn lost(&mut self, gap: &Gap, known: &Known);

    /// The capture is over.
    fn end(&mut self, _pass: &Pass, _known: &Known) {}
}

/// A stretch of one CPU's time that nothing is known of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// Place in `Known::cpus`.
    pub cpu: usize,
    /// The CPU's last event before it; `until_ns` where there was none.
    pub from_ns: u64,
    /// Stamp of the page behind it.
    pub until_ns: u64,
    /// None: the kernel does not say how many.
    pub count: Option<u64>,
}

/// One CPU's part of a capture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CpuSpan {
    /// Number of the CPU.
    pub cpu: u32,
    /// Events, unreadable ones excluded.
    pub events: u64,
    /// Of its first event and of its last.
    pub first_ns: u64,
    /// Of its last event.
    pub last_ns: u64,
    /// What is known of it ends here: with the capture; with its last event
    /// where its ring was full then.
    pub until_ns: u64,
    /// The switch under way: who leaves, and since when.
    #[serde(skip)]
    leaving: Option<(i32, u64)>,
}

/// What a pass has seen, whatever was analysed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Pass {
    /// Events, unreadable ones excluded.
    pub events: u64,
    /// Of the first event of all, and of the last.
    pub begin_ns: u64,
    /// Of the last event of all.
    pub end_ns: u64,
    /// In the order of `Known::cpus`.
    pub cpus: Vec<CpuSpan>,
    /// Gaps that pages mark.
    pub gaps: u64,
    /// Lost in gaps that say how many; the others are in `gaps_uncounted`.
    pub lost_events: u64,
    /// Gaps without a number.
    pub gaps_uncounted: u64,
    /// Pages that could not be read, and why the first one.
    pub damaged_pages: u64,
    /// Why the first of these could not be read.
    pub damage: Option<String>,
    /// Events that do not fit their own descriptions: too short, or a number too large.
    pub misfit_events: u64,
}

impl CpuSpan {
    /// From its first event to where knowledge of it ends.
    pub fn length_ns(&self) -> u64 {
        self.until_ns.saturating_sub(self.first_ns)
    }

    /// Whether the event stands between a switch's own event and the switch.
    #[inline]
    fn leaves(&mut self, at_ns: u64, pid: i32, what: &What<'_>) -> bool {
        if let What::Switch(switch) = what {
            let other = switch.prev_pid != switch.next_pid;
            self.leaving = other.then_some((switch.prev_pid, at_ns));
            return false;
        }
        let Some((before, since_ns)) = self.leaving else {
            return false;
        };
        let leaves = pid == before && at_ns < since_ns.saturating_add(SWITCH_NS);
        if !leaves {
            self.leaving = None;
        }
        leaves
    }
}

impl Pass {
    /// From the first event of all to the last.
    pub fn span_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.begin_ns)
    }

    fn begin(known: &Known) -> Pass {
        let span = |cpu: &u32| CpuSpan {
            cpu: *cpu,
            ..CpuSpan::default()
        };
        Pass {
            cpus: known.cpus.iter().map(span).collect(),
            begin_ns: u64::MAX,
            ..Pass::default()
        }
    }

    /// Reads the capture once and shows it to all visitors.
    pub fn over(capture: &Capture, known: &Known, visitors: &mut [&mut dyn Visitor]) -> Pass {
        let mut pass = Pass::begin(known);
        let mut items = capture.merged();
        while let Some(item) = items.next() {
            match item {
                Ok(Item::Event(event)) => {
                    if let Some(happening) = pass.happening(&event, known) {
                        for visitor in visitors.iter_mut() {
                            visitor.event(&happening, known);
                        }
                    }
                }
                Ok(Item::Lost(lost)) => pass.lose(&lost, known, visitors),
                Err(error) => pass.damaged(&error.to_string(), known, visitors),
            }
        }
        // Without any event the begin is still the maximum.
        pass.begin_ns = pass.begin_ns.min(pass.end_ns);
        pass.end(capture);
        for visitor in visitors.iter_mut() {
            visitor.end(&pass, known);
        }
        pass
    }

    /// Counts an event and reads its fields; None where it is too short for them,
    /// or holds a number that its field cannot have.
    #[inline]
    fn happening<'a>(&mut self, event: &Event<'a>, known: &Known) -> Option<Happening<'a>> {
        let cpu = known.place_of(event.cpu)?;
        let at_ns = self.count(cpu, event.at_ns);
        let Some(what) = known.read(event.payload) else {
            self.misfit_events += 1;
            return None;
        };
        let pid = event.pid(known.order);
        Some(Happening {
            at_ns,
            cpu,
            pid,
            id: event.id(known.order),
            flags: event.flags(),
            leaving: self.cpus[cpu].leaves(at_ns, pid, &what),
            what,
        })
    }

    /// The time of the event. Where a damaged page goes back in time, its events
    /// stand at the one before.
    #[inline]
    fn count(&mut self, cpu: usize, at_ns: u64) -> u64 {
        let span = &mut self.cpus[cpu];
        let at_ns = at_ns.max(span.last_ns);
        if span.events == 0 {
            span.first_ns = at_ns;
        }
        span.events += 1;
        span.last_ns = at_ns;
        self.events += 1;
        self.begin_ns = self.begin_ns.min(at_ns);
        self.end_ns = self.end_ns.max(at_ns);
        at_ns
    }

    fn end(&mut self, capture: &Capture) {
        for span in &mut self.cpus {
            let stats = &capture.head.cpu_stats;
            let stat = stats.iter().find(|stat| stat.cpu == span.cpu);
            // A ring that does not overwrite drops what comes when it is full: its CPU is
            // known up to its last event only.
            let full = stat.is_some_and(|s| s.value("dropped events").unwrap_or(0) > 0);
            span.until_ns = match full || span.events == 0 {
                true => span.last_ns,
                false => self.end_ns,
            };
        }
    }

    fn lose(&mut self, lost: &Lost, known: &Known, visitors: &mut [&mut dyn Visitor]) {
        let Some(cpu) = known.place_of(lost.cpu) else {
            return;
        };
        self.gaps += 1;
        match lost.count {
            Some(count) => self.lost_events = self.lost_events.saturating_add(count),
            None => self.gaps_uncounted += 1,
        }
        // A switch under way may be among the lost events.
        self.cpus[cpu].leaving = None;
        let gap = self.gap(cpu, lost.until_ns, lost.count);
        for visitor in visitors.iter_mut() {
            visitor.lost(&gap, known);
        }
    }

    /// From the CPU's last event to `until_ns`.
    fn gap(&self, cpu: usize, until_ns: u64, count: Option<u64>) -> Gap {
        let span = &self.cpus[cpu];
        Gap {
            cpu,
            from_ns: match span.events {
                0 => until_ns,
                // Stamps of a damaged page may go back.
                _ => span.last_ns.min(until_ns),
            },
            until_ns,
            count,
        }
    }

    /// What a damaged page held is lost; an error does not say on which CPU, so
    /// that nothing may span it on any.
    #[cold]
    fn damaged(&mut self, cause: &str, known: &Known, visitors: &mut [&mut dyn Visitor]) {
        self.damaged_pages += 1;
        self.damage.get_or_insert_with(|| cause.to_owned());
        for cpu in 0..known.cpus.len() {
            // No CPU's last event is later than the last of all.
            let gap = self.gap(cpu, self.end_ns, None);
            for visitor in visitors.iter_mut() {
                visitor.lost(&gap, known);
            }
        }
    }
}
