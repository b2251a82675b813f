//! One pass over a capture, shared by all analyses.

use super::event::Happening;
use super::known::Known;
use crate::bytes::Words;
use crate::capture::Capture;
use crate::page::Item;
use serde::Serialize;

/// An analysis: it is shown every event by time, and every gap.
pub trait Visitor {
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
    pub until_ns: u64,
    /// None: the kernel does not say how many.
    pub count: Option<u64>,
}

/// One CPU's part of a capture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CpuSpan {
    pub cpu: u32,
    pub events: u64,
    /// Of its first event and of its last.
    pub first_ns: u64,
    pub last_ns: u64,
}

/// What a pass has seen, whatever was analysed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Pass {
    pub events: u64,
    /// Of the first event of all, and of the last.
    pub begin_ns: u64,
    pub end_ns: u64,
    pub cpus: Vec<CpuSpan>,
    pub gaps: u64,
    /// Lost in gaps that say how many; the others are in `gaps_uncounted`.
    pub lost_events: u64,
    pub gaps_uncounted: u64,
    /// Pages that could not be read, and why the first one.
    pub damaged_pages: u64,
    pub damage: Option<String>,
    /// Events shorter than their own descriptions.
    pub short_events: u64,
}

impl Pass {
    #[must_use]
    pub fn span_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.begin_ns)
    }

    /// Reads the capture once and shows it to all visitors.
    pub fn over(capture: &Capture, known: &Known, visitors: &mut [&mut dyn Visitor]) -> Pass {
        let mut pass = Pass {
            cpus: known
                .cpus
                .iter()
                .map(|cpu| CpuSpan {
                    cpu: *cpu,
                    ..CpuSpan::default()
                })
                .collect(),
            begin_ns: u64::MAX,
            ..Pass::default()
        };
        for item in capture.merged() {
            match item {
                Ok(Item::Event(event)) => {
                    let Some(cpu) = known.place_of(event.cpu) else {
                        continue;
                    };
                    pass.count(cpu, event.at_ns);
                    let Some(what) = known.read(event.payload) else {
                        pass.short_events += 1;
                        continue;
                    };
                    let pid = event
                        .payload
                        .u32_at(4, known.order)
                        .unwrap_or(0)
                        .cast_signed();
                    let happening = Happening {
                        at_ns: event.at_ns,
                        cpu,
                        pid,
                        what,
                    };
                    for visitor in visitors.iter_mut() {
                        visitor.event(&happening, known);
                    }
                }
                Ok(Item::Lost(lost)) => {
                    let Some(cpu) = known.place_of(lost.cpu) else {
                        continue;
                    };
                    pass.lose(cpu, lost.until_ns, lost.count, known, visitors);
                }
                Err(error) => pass.damaged(&error.to_string(), known, visitors),
            }
        }
        pass.begin_ns = pass.begin_ns.min(pass.end_ns);
        for visitor in visitors.iter_mut() {
            visitor.end(&pass, known);
        }
        pass
    }

    #[inline]
    fn count(&mut self, cpu: usize, at_ns: u64) {
        self.events += 1;
        self.begin_ns = self.begin_ns.min(at_ns);
        self.end_ns = self.end_ns.max(at_ns);
        let span = &mut self.cpus[cpu];
        if span.events == 0 {
            span.first_ns = at_ns;
        }
        span.events += 1;
        span.last_ns = span.last_ns.max(at_ns);
    }

    fn lose(
        &mut self,
        cpu: usize,
        until_ns: u64,
        count: Option<u64>,
        known: &Known,
        visitors: &mut [&mut dyn Visitor],
    ) {
        self.gaps += 1;
        match count {
            Some(count) => self.lost_events += count,
            None => self.gaps_uncounted += 1,
        }
        let span = &self.cpus[cpu];
        let from_ns = match span.events {
            0 => until_ns,
            _ => span.last_ns.min(until_ns),
        };
        let gap = Gap {
            cpu,
            from_ns,
            until_ns,
            count,
        };
        for visitor in visitors.iter_mut() {
            visitor.lost(&gap, known);
        }
    }

    /// What a damaged page held is lost; an error does not say on which CPU, so
    /// that nothing may span it on any.
    #[cold]
    fn damaged(&mut self, cause: &str, known: &Known, visitors: &mut [&mut dyn Visitor]) {
        self.damaged_pages += 1;
        self.damage.get_or_insert_with(|| cause.to_owned());
        for cpu in 0..known.cpus.len() {
            let until_ns = self.end_ns;
            let span = &self.cpus[cpu];
            let from_ns = if span.events == 0 {
                until_ns
            } else {
                span.last_ns
            };
            let gap = Gap {
                cpu,
                from_ns,
                until_ns,
                count: None,
            };
            for visitor in visitors.iter_mut() {
                visitor.lost(&gap, known);
            }
        }
    }
}
