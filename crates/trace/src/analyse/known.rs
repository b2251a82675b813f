//! What the analyses know of a capture's events: which of them they read, and
//! what its CPUs, vectors and task states are called.

mod field;
mod table;

use super::event::{Interrupt, InterruptKind, What};
use super::states::States;
use crate::bytes::{Order, Words, text_until_nul};
use crate::capture::Capture;
use crate::format::EventFormat;
use crate::width::narrow;
use table::EventReader;

/// Vectors of an x86 CPU, the machine that has most. A damaged file may describe
/// any number of them, and each is compared with all before it.
const MOST_VECTORS: usize = 256;

/// Names of softirqs: include/linux/interrupt.h.
const SOFTIRQS: [&str; 10] = [
    "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU",
];

/// What is known of a capture's events, looked up once before they are read.
#[derive(Debug)]
pub struct Known {
    /// Byte order of the traced machine.
    pub order: Order,
    /// Bytes of its kernel's longs, 4 or 8: jiffies wrap by them.
    pub long_bytes: u8,
    /// Events are stamped by CLOCK_MONOTONIC, the clock of most timers.
    pub monotonic: bool,
    /// Numbers of the CPUs; events name them by their place here.
    pub cpus: Vec<u32>,
    /// Letters of the states in which tasks are switched out.
    pub states: States,
    /// Names of interrupt vectors: `local_timer`, `reschedule`.
    pub vectors: Vec<String>,
    /// sched_yield: its number on the traced machine, and its own event.
    yield_number: Option<i64>,
    yield_event: Option<u16>,
    /// By id of the event, which is small: kernels number them without holes.
    readers: Vec<EventReader>,
    /// `system:name` of the events that have a reader.
    names: Vec<String>,
}

impl Known {
    /// Finds the fields of all events that the analyses read.
    pub fn of(capture: &Capture) -> Known {
        let switch = capture.formats.find("sched", "sched_switch");
        let mut known = Known {
            order: capture.head.order,
            long_bytes: capture.head.long_bytes,
            monotonic: capture.head.clock.as_deref() == Some("mono") && capture.head.offset_ns == 0,
            cpus: capture.cpus.iter().map(|pages| pages.cpu).collect(),
            states: States::parse(switch.map_or("", |f| f.print.as_str())),
            vectors: Vec::new(),
            yield_number: capture.head.uname.as_deref().and_then(yield_number),
            yield_event: (capture.formats.find("syscalls", "sys_enter_sched_yield"))
                .map(|format| format.id),
            readers: Vec::new(),
            names: Vec::new(),
        };
        for format in capture.formats.iter() {
            if let Some(reader) = known.reader(format) {
                known.add(format, reader);
            }
        }
        known
    }

    /// Whether the entry of a system call, the event `id`, is one of sched_yield.
    #[inline]
    pub fn is_yield(&self, id: u16, number: i64) -> bool {
        self.yield_event == Some(id) || self.yield_number == Some(number)
    }

    /// Whether the capture describes the event, `system:name`, with all fields
    /// that are needed.
    pub fn has(&self, event: &str) -> bool {
        self.names.iter().any(|name| name == event)
    }

    /// Whether the vector of a CPU's own timer interrupts.
    #[inline]
    pub fn is_local_timer(&self, of: Interrupt) -> bool {
        of.kind == InterruptKind::Vector && self.vectors[of.number as usize] == "local_timer"
    }

    /// `irq 24 nvme` (without a handler `irq 24`), `local_timer`, `softirq TIMER`.
    pub fn interrupt_name(&self, of: Interrupt, handler: Option<&[u8]>) -> String {
        let Interrupt { kind, number } = of;
        let irq = number.cast_signed();
        match (kind, handler) {
            (InterruptKind::Irq, Some(name)) => format!("irq {irq} {}", text_until_nul(name)),
            (InterruptKind::Irq, None) => format!("irq {number}"),
            (InterruptKind::Vector, _) => self.vectors[number as usize].clone(),
            (InterruptKind::Softirq, _) => match SOFTIRQS.get(number as usize) {
                Some(name) => format!("softirq {name}"),
                None => format!("softirq {number}"),
            },
        }
    }

    /// Place of the CPU that an event's field names; None where it names none.
    #[inline]
    pub fn place_of_field(&self, cpu: i32) -> Option<usize> {
        self.place_of(u32::try_from(cpu).ok()?)
    }

    /// Place of a CPU's number in `cpus`.
    #[inline]
    pub fn place_of(&self, cpu: u32) -> Option<usize> {
        // Most captures have all CPUs from 0 on.
        let guess = cpu as usize;
        if self.cpus.get(guess) == Some(&cpu) {
            return Some(guess);
        }
        self.cpus.iter().position(|number| *number == cpu)
    }

    /// The fields of an event; None: it is shorter than its own description.
    #[inline]
    pub fn read<'a>(&self, event: &'a [u8]) -> Option<What<'a>> {
        let id = event.u16_at(0, self.order)?;
        match self.readers.get(usize::from(id)) {
            Some(reader) => reader.read(event, self.order),
            None => Some(What::Other),
        }
    }

    fn add(&mut self, format: &EventFormat, reader: EventReader) {
        let id = usize::from(format.id);
        if self.readers.len() <= id {
            self.readers.resize_with(id + 1, || EventReader::Unread);
        }
        self.readers[id] = reader;
        self.names
            .push(format!("{}:{}", format.system, format.name));
    }

    fn reader(&mut self, format: &EventFormat) -> Option<EventReader> {
        match format.system.as_str() {
            // One pair of events for each system call.
            "syscalls" => EventReader::of_call(format),
            // One pair of events for each vector, by machine.
            "irq_vectors" => self.vector_reader(&format.name),
            _ => EventReader::of_event(format),
        }
    }

    fn vector_reader(&mut self, event: &str) -> Option<EventReader> {
        let (vector, enters) = match event.strip_suffix("_entry") {
            Some(vector) => (vector, true),
            None => (event.strip_suffix("_exit")?, false),
        };
        let found = self.vectors.iter().position(|known| known == vector);
        if found.is_none() && self.vectors.len() == MOST_VECTORS {
            return None;
        }
        let which = found.unwrap_or_else(|| {
            self.vectors.push(vector.to_owned());
            self.vectors.len() - 1
        });
        let interrupt = Interrupt {
            kind: InterruptKind::Vector,
            number: narrow(which),
        };
        Some(match enters {
            true => EventReader::VectorEntry(interrupt),
            false => EventReader::VectorExit(interrupt),
        })
    }
}

/// Number of sched_yield, by the machine's name in `uname -a`: the kernel's tables
/// of system calls.
fn yield_number(uname: &str) -> Option<i64> {
    uname.split_whitespace().find_map(|word| match word {
        "x86_64" => Some(24),
        "aarch64" | "riscv64" | "loongarch64" => Some(124),
        "i686" | "armv7l" | "ppc64le" | "s390x" => Some(158),
        _ => None,
    })
}
