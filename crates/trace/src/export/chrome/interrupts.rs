//! The time from an interrupt's entry to its exit. One whose entry or exit is not in the
//! trace is none.

use crate::analyse::interrupts::{InterruptKind, softirq_name};
use crate::analyse::{Known, What};
use crate::bytes::text_until_nul;
use crate::page::Event;
use std::collections::HashMap;

/// Kind and number of an interrupt, and its name where it begins.
type Edge = (InterruptKind, u32, Option<String>);

/// Interrupts that have begun.
pub struct Interrupts {
    /// Kinds of which the trace describes both ends.
    paired: Vec<InterruptKind>,
    /// Of each CPU and kind: number, name, begin.
    open: HashMap<(u32, InterruptKind), (u32, String, u64)>,
}

impl Interrupts {
    pub fn new(known: &Known) -> Interrupts {
        let kinds = [
            (InterruptKind::Irq, "irq:irq_handler"),
            (InterruptKind::Softirq, "irq:softirq"),
            (InterruptKind::Vector, "irq_vectors:local_timer"),
        ];
        let both = |name| ["entry", "exit"].map(|end| known.has(&format!("{name}_{end}")));
        let paired = kinds.iter().filter(|(_, name)| both(name) == [true; 2]);
        Interrupts {
            paired: paired.map(|(kind, _)| *kind).collect(),
            open: HashMap::new(),
        }
    }

    /// None where the event is no begin and no end of an interrupt that is drawn.
    pub fn edge(&self, what: &What<'_>, known: &Known) -> Option<Edge> {
        let (kind, number, name) = match *what {
            What::IrqEntry { irq, name } => {
                let name = format!("irq {irq} {}", text_until_nul(name));
                (InterruptKind::Irq, irq.cast_unsigned(), Some(name))
            }
            What::IrqExit { irq } => (InterruptKind::Irq, irq.cast_unsigned(), None),
            What::SoftirqEntry { vec } => {
                let name = format!("softirq {}", softirq_name(vec));
                (InterruptKind::Softirq, vec, Some(name))
            }
            What::SoftirqExit { vec } => (InterruptKind::Softirq, vec, None),
            What::VectorEntry { which } if known.is_local_timer(which) => {
                let name = "local timer".to_owned();
                (InterruptKind::Vector, which as u32, Some(name))
            }
            What::VectorExit { which } if known.is_local_timer(which) => {
                (InterruptKind::Vector, which as u32, None)
            }
            _ => return None,
        };
        self.paired.contains(&kind).then_some((kind, number, name))
    }

    /// Name and begin of the interrupt that ends; None where one begins, or its begin is
    /// not known.
    pub fn pass(&mut self, event: &Event<'_>, edge: Edge) -> Option<(String, u64)> {
        let (kind, number, name) = edge;
        if let Some(name) = name {
            let begun = (number, name, event.at_ns);
            self.open.insert((event.cpu, kind), begun);
            return None;
        }
        let (begun, name, begin_ns) = self.open.remove(&(event.cpu, kind))?;
        (begun == number).then_some((name, begin_ns))
    }

    pub fn forget(&mut self, cpu: u32) {
        self.open.retain(|(other, _), _| *other != cpu);
    }
}
