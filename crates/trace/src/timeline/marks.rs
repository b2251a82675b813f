//! What is drawn in addition to slices: interrupts, idle states, lives of tasks, and all
//! other events.

use super::names::Names;
use super::{Idle, LifeKind, Moment, Span};
use crate::analyse::idle::Stays;
use crate::analyse::interrupts::InterruptKind;
use crate::analyse::{Comm, Gap, Happening, Interrupt, Known, Pass, Visitor, What};
use crate::format::Formats;

/// Deeper interrupts do not nest.
const NESTING: usize = 8;

/// A task begins, takes another program, ends; its index is not known yet.
#[derive(Clone, Copy)]
pub struct Life {
    pub at_ns: u64,
    pub kind: LifeKind,
    pub pid: i32,
    pub name: Option<u32>,
    /// Of a child; empty otherwise.
    pub comm: Comm,
}

/// One CPU's.
#[derive(Default)]
pub struct Lane {
    pub hard: Nest,
    pub soft: Nest,
    pub moments: Vec<Moment>,
    pub idle: Vec<Idle>,
    pub lives: Vec<Life>,
}

/// Moments that are marked.
pub struct Marks<'a> {
    pub lanes: Vec<Lane>,
    pub names: Names,
    formats: &'a Formats,
    /// Names of events by their numbers, plus one; 0: not yet.
    events: Vec<u32>,
    stays: Stays,
}

impl<'a> Marks<'a> {
    /// No marks yet.
    pub fn new(formats: &'a Formats, known: &Known) -> Marks<'a> {
        Marks {
            lanes: known.cpus.iter().map(|_| Lane::default()).collect(),
            names: Names::default(),
            formats,
            events: Vec::new(),
            stays: Stays::new(known),
        }
    }

    #[inline]
    fn event_name(&mut self, id: u16) -> u32 {
        match self.events.get(usize::from(id)) {
            Some(name) if *name > 0 => *name - 1,
            _ => self.new_event(id),
        }
    }

    #[cold]
    fn new_event(&mut self, id: u16) -> u32 {
        let format = self.formats.by_id(id);
        let name = format.map_or_else(|| format!("event {id}"), |format| format.name.clone());
        let name = self.names.number(&name);
        let at = usize::from(id);
        if self.events.len() <= at {
            self.events.resize(at + 1, 0);
        }
        self.events[at] = name + 1;
        name
    }

    fn moment(&mut self, happening: &Happening<'_>, name: u32) {
        let at_ns = happening.at_ns;
        let lane = &mut self.lanes[happening.cpu];
        lane.moments.push(Moment { at_ns, name });
    }

    fn life(&mut self, happening: &Happening<'_>, kind: LifeKind, pid: i32) -> &mut Life {
        let lives = &mut self.lanes[happening.cpu].lives;
        lives.push(Life {
            at_ns: happening.at_ns,
            kind,
            pid,
            name: None,
            comm: Comm::default(),
        });
        let last = lives.len() - 1;
        &mut lives[last]
    }

    /// What is neither a switch, a wake-up nor an interrupt.
    fn other(&mut self, happening: &Happening<'_>) {
        match happening.what {
            // The ends of what is drawn as a moment.
            What::TimerExpireExit { .. } | What::HrtimerExpireExit { .. } => {}
            What::TimerExpireEntry {
                function: Some(function),
                ..
            } => {
                let name = self.names.function("timer", function);
                self.moment(happening, name);
            }
            What::HrtimerExpireEntry { function, .. } => {
                let name = self.names.function("hrtimer", function);
                self.moment(happening, name);
            }
            What::CpuIdle { state } => {
                let (cpu, at_ns) = (happening.cpu, happening.at_ns);
                let stay = self.stays.enters(cpu, at_ns, state);
                self.lanes[cpu].idle.extend(stay);
            }
            What::Fork {
                child_pid,
                child_comm,
                ..
            } => self.life(happening, LifeKind::Fork, child_pid).comm = child_comm,
            What::Exit { pid } => {
                self.life(happening, LifeKind::Exit, pid);
            }
            What::Exec { pid, file } => {
                let name = self.names.file(file);
                self.life(happening, LifeKind::Exec, pid).name = name;
            }
            _ => {
                let name = self.event_name(happening.id);
                self.moment(happening, name);
            }
        }
    }
}

/// Interrupts of one kind.
#[derive(Default)]
pub struct Nest {
    /// By their begins; one that encloses others ends after them.
    pub ended: Vec<Span>,
    /// Those that have begun: when, and their names.
    open: Vec<(u64, u32)>,
}

impl Nest {
    /// Not where there are too many begins without ends: the ends were not recorded, so
    /// that these are moments.
    fn begins(&mut self, at_ns: u64, name: u32) -> bool {
        let nests = self.open.len() < NESTING;
        if nests {
            self.open.push((at_ns, name));
        }
        nests
    }

    fn ends(&mut self, end_ns: u64) {
        let Some((start_ns, name)) = self.open.pop() else {
            return;
        };
        let behind = self.ended.iter().rev();
        let behind = behind.take_while(|span| span.start_ns > start_ns).count();
        let span = Span {
            start_ns,
            end_ns,
            name,
        };
        self.ended.insert(self.ended.len() - behind, span);
    }
}

impl Lane {
    fn nest(&mut self, of: Interrupt) -> &mut Nest {
        match of.kind {
            InterruptKind::Irq | InterruptKind::Vector => &mut self.hard,
            InterruptKind::Softirq => &mut self.soft,
        }
    }
}

impl Visitor for Marks<'_> {
    #[inline]
    fn event(&mut self, happening: &Happening<'_>, known: &Known) {
        let (at_ns, cpu) = (happening.at_ns, happening.cpu);
        match happening.what {
            What::Switch(_) | What::Wake(_) => {}
            What::InterruptEntry(of, handler) => {
                let name = self.names.interrupt(of, handler, known);
                if !self.lanes[cpu].nest(of).begins(at_ns, name) {
                    self.moment(happening, name);
                }
            }
            What::InterruptExit(of) => self.lanes[cpu].nest(of).ends(at_ns),
            _ => self.other(happening),
        }
    }

    fn lost(&mut self, gap: &Gap, _: &Known) {
        let lane = &mut self.lanes[gap.cpu];
        lane.hard.open.clear();
        lane.soft.open.clear();
        self.stays.lost(gap.cpu);
    }

    fn end(&mut self, pass: &Pass, _: &Known) {
        for (cpu, span) in pass.cpus.iter().enumerate() {
            let stay = self.stays.ends(cpu, span.until_ns);
            self.lanes[cpu].idle.extend(stay);
        }
    }
}
