//! One CPU, as it is seen from event to event.

use super::{CpuLane, End, Gap, Moment, Slice, Span, Wait};

/// Deeper interrupts do not nest.
const NESTING: usize = 8;

pub struct Cpu {
    pub lane: CpuLane,
    /// What is known of who runs.
    pub runs: Runs,
    pub last_ns: u64,
    /// The pid before the last switch, and when that was, until the next one is
    /// seen to run.
    pub switching: Option<(i32, u64)>,
    /// Interrupts that have begun: when, and their names.
    hard: Vec<(u64, u32)>,
    soft: Vec<(u64, u32)>,
}

#[derive(Clone, Copy)]
pub enum Runs {
    /// Nothing was seen of this CPU.
    Unseen,
    /// Since then somebody, the next event says who.
    Somebody(u64),
    Idle,
    Task {
        task: u32,
        since_ns: u64,
        wait: Wait,
        /// It ran already when it was first seen.
        before: bool,
    },
}

impl Cpu {
    pub fn new(cpu: u32) -> Cpu {
        Cpu {
            lane: CpuLane {
                cpu,
                ..CpuLane::default()
            },
            runs: Runs::Unseen,
            last_ns: 0,
            switching: None,
            hard: Vec::new(),
            soft: Vec::new(),
        }
    }

    /// A switch away from `prev`; None is idle.
    pub fn leaves(&mut self, prev: Option<u32>, at_ns: u64, end: End) {
        match self.runs {
            Runs::Task { task, .. } if Some(task) != prev => {
                // A switch that contradicts its own event's pid.
                self.gap(at_ns, None);
            }
            _ => self.slice(at_ns, end),
        }
    }

    /// The slice of who runs ends.
    fn slice(&mut self, end_ns: u64, end: End) {
        if let Runs::Task {
            task,
            since_ns,
            wait,
            before,
        } = self.runs
        {
            self.lane.slices.push(Slice {
                start_ns: since_ns,
                end_ns,
                task,
                end,
                begun_before: before,
                wait,
            });
        }
    }

    pub fn hard_begins(&mut self, at_ns: u64, name: u32) {
        let full = self.hard.len() == NESTING;
        self.begins(full, at_ns, name);
        if !full {
            self.hard.push((at_ns, name));
        }
    }

    pub fn soft_begins(&mut self, at_ns: u64, name: u32) {
        let full = self.soft.len() == NESTING;
        self.begins(full, at_ns, name);
        if !full {
            self.soft.push((at_ns, name));
        }
    }

    /// Begins without ends: the ends were not recorded, so these are moments.
    fn begins(&mut self, endless: bool, at_ns: u64, name: u32) {
        if endless {
            self.lane.moments.push(Moment { at_ns, name });
        }
    }

    pub fn hard_ends(&mut self, end_ns: u64) {
        if let Some((start_ns, name)) = self.hard.pop() {
            let spans = &mut self.lane.hardirqs;
            insert(spans, start_ns, end_ns, name);
        }
    }

    pub fn soft_ends(&mut self, end_ns: u64) {
        if let Some((start_ns, name)) = self.soft.pop() {
            insert(&mut self.lane.softirqs, start_ns, end_ns, name);
        }
    }

    /// Nothing is known from the last event to `until_ns`.
    pub fn gap(&mut self, until_ns: u64, count: Option<u64>) {
        let until_ns = until_ns.max(self.last_ns);
        let start_ns = match self.runs {
            // Events before the first page: there is no telling since when.
            Runs::Unseen => until_ns,
            _ => self.last_ns.min(until_ns),
        };
        self.ends(start_ns);
        self.lane.gaps.push(Gap {
            start_ns,
            end_ns: until_ns,
            count,
        });
        self.runs = Runs::Somebody(until_ns);
        self.last_ns = until_ns;
        self.hard.clear();
        self.soft.clear();
    }

    /// What is open ends here, as far as can be seen.
    pub fn ends(&mut self, at_ns: u64) {
        self.slice(at_ns, End::Unknown);
        self.runs = Runs::Idle;
    }
}

/// Spans stand by their begins; one that encloses others ends after them.
fn insert(spans: &mut Vec<Span>, start_ns: u64, end_ns: u64, name: u32) {
    let mut at = spans.len();
    while at > 0 && spans[at - 1].start_ns > start_ns {
        at -= 1;
    }
    spans.insert(
        at,
        Span {
            start_ns,
            end_ns,
            name,
        },
    );
}
