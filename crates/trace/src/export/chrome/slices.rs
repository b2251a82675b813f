//! Pairs of events that make a time: from switch to switch, from an interrupt's
//! entry to its exit. The first and last one of a CPU, whose begin or end is not
//! in the trace, are none.

use super::Slice;
use crate::bytes::Order;
use crate::format::{Field, Formats};
use crate::page::Event;
use std::collections::HashMap;

/// `sched_switch`, where the trace has it.
pub struct Switches {
    id: Option<u16>,
    prev_pid: Option<Field>,
    prev_comm: Option<Field>,
    prev_state: Option<Field>,
    /// When each CPU was switched last.
    since_ns: HashMap<u32, u64>,
}

/// A task that left its CPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub pid: i32,
    pub comm: String,
    /// The kernel's bits: 0 it could go on, 0x100 (0x400 on old kernels) it was
    /// preempted.
    pub state: i64,
    pub slice: Slice,
}

impl Switches {
    pub fn of(formats: &Formats) -> Switches {
        let format = formats.find("sched", "sched_switch");
        let field = |name| format.and_then(|f| f.field(name)).cloned();
        Switches {
            id: format.map(|f| f.id),
            prev_pid: field("prev_pid"),
            prev_comm: field("prev_comm"),
            prev_state: field("prev_state"),
            since_ns: HashMap::new(),
        }
    }

    pub fn is(&self, id: u16) -> bool {
        self.id == Some(id)
    }

    pub fn forget(&mut self, cpu: u32) {
        self.since_ns.remove(&cpu);
    }

    pub fn switch(&mut self, event: &Event<'_>, order: Order) -> Option<Ended> {
        let begin_ns = self.since_ns.insert(event.cpu, event.at_ns)?;
        let number = |field: &Option<Field>| field.as_ref()?.signed(event.payload, order);
        let comm = self.prev_comm.as_ref()?.text(event.payload, order)?;
        Some(Ended {
            pid: i32::try_from(number(&self.prev_pid)?).ok()?,
            comm: comm.into_owned(),
            state: number(&self.prev_state)?,
            slice: Slice {
                begin_ns,
                end_ns: event.at_ns,
            },
        })
    }
}

/// Kinds of interrupts: the field that identifies one, and its name if it has one.
const KINDS: [(&str, &str, &str, &str, Option<&str>); 3] = [
    (
        "irq",
        "irq_handler_entry",
        "irq_handler_exit",
        "irq",
        Some("name"),
    ),
    ("irq", "softirq_entry", "softirq_exit", "vec", None),
    (
        "irq_vectors",
        "local_timer_entry",
        "local_timer_exit",
        "vector",
        None,
    ),
];

/// Names of softirqs: include/linux/interrupt.h.
const SOFTIRQS: [&str; 10] = [
    "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU",
];

pub struct Interrupts {
    kinds: Vec<InterruptKind>,
    /// Of each CPU and kind: number, name, begin.
    open: HashMap<(u32, usize), (u64, String, u64)>,
}

struct InterruptKind {
    entry: u16,
    exit: u16,
    softirq: bool,
    timer: bool,
    number: Field,
    exit_number: Field,
    name: Option<Field>,
}

impl Interrupts {
    pub fn of(formats: &Formats) -> Interrupts {
        let kind = |(system, entry, exit, number, name): (&str, &str, &str, &str, Option<&str>)| {
            let (entry, exit) = (formats.find(system, entry)?, formats.find(system, exit)?);
            Some(InterruptKind {
                entry: entry.id,
                exit: exit.id,
                softirq: number == "vec",
                timer: number == "vector",
                number: entry.field(number)?.clone(),
                exit_number: exit.field(number)?.clone(),
                name: name.and_then(|name| entry.field(name)).cloned(),
            })
        };
        Interrupts {
            kinds: KINDS.into_iter().filter_map(kind).collect(),
            open: HashMap::new(),
        }
    }

    pub fn is_entry(&self, id: u16) -> bool {
        self.kinds.iter().any(|kind| kind.entry == id)
    }

    pub fn is_exit(&self, id: u16) -> bool {
        self.kinds.iter().any(|kind| kind.exit == id)
    }

    pub fn forget(&mut self, cpu: u32) {
        self.open.retain(|(other, _), _| *other != cpu);
    }

    pub fn enter(&mut self, event: &Event<'_>, order: Order) {
        let id = event.id(order);
        let Some(index) = self.kinds.iter().position(|kind| kind.entry == id) else {
            return;
        };
        let kind = &self.kinds[index];
        let Some(number) = kind.number.unsigned(event.payload, order) else {
            return;
        };
        let named = kind
            .name
            .as_ref()
            .and_then(|f| f.text(event.payload, order));
        let softirq = usize::try_from(number).ok().and_then(|n| SOFTIRQS.get(n));
        let name = match (named, softirq) {
            (Some(name), _) => format!("irq {number} {name}"),
            (None, Some(name)) if kind.softirq => format!("softirq {name}"),
            _ if kind.timer => "local timer".to_owned(),
            _ => format!("softirq {number}"),
        };
        self.open
            .insert((event.cpu, index), (number, name, event.at_ns));
    }

    /// None without its entry.
    pub fn leave(&mut self, event: &Event<'_>, order: Order) -> Option<(String, Slice)> {
        let id = event.id(order);
        let index = self.kinds.iter().position(|kind| kind.exit == id)?;
        let (number, name, begin_ns) = self.open.remove(&(event.cpu, index))?;
        let ended = self.kinds[index].exit_number.unsigned(event.payload, order);
        let slice = Slice {
            begin_ns,
            end_ns: event.at_ns,
        };
        (ended == Some(number)).then_some((name, slice))
    }
}
