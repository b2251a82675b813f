//! The time from an interrupt's entry to its exit. One whose entry or exit is not in the
//! trace is none.

use crate::analyse::interrupts::InterruptKind;
use crate::analyse::{Interrupt, Known, What};
use crate::page::Event;
use std::collections::HashMap;

/// Interrupts that have begun.
pub struct Interrupts {
    /// Kinds of which the trace describes both ends.
    paired: Vec<InterruptKind>,
    /// Of each CPU and kind: which, name, begin.
    open: HashMap<(u32, InterruptKind), (Interrupt, String, u64)>,
}

impl Interrupts {
    /// No interrupt is open.
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

    /// Whether the event begins or ends an interrupt that is drawn.
    pub fn is_edge(&self, what: &What<'_>, known: &Known) -> bool {
        let (What::InterruptEntry(of, _) | What::InterruptExit(of)) = what else {
            return false;
        };
        let drawn = of.kind != InterruptKind::Vector || known.is_local_timer(*of);
        drawn && self.paired.contains(&of.kind)
    }

    /// Name and begin of the interrupt that ends; None where one begins, or its begin is
    /// not known.
    pub fn pass(
        &mut self,
        event: &Event<'_>,
        what: &What<'_>,
        known: &Known,
    ) -> Option<(String, u64)> {
        let at = |of: &Interrupt| (event.cpu, of.kind);
        match what {
            What::InterruptEntry(of, handler) => {
                let name = match of.kind {
                    InterruptKind::Vector => "local timer".to_owned(),
                    _ => known.interrupt_name(*of, Some(handler)),
                };
                self.open.insert(at(of), (*of, name, event.at_ns));
                None
            }
            What::InterruptExit(of) => {
                let (begun, name, begin_ns) = self.open.remove(&at(of))?;
                (begun == *of).then_some((name, begin_ns))
            }
            _ => None,
        }
    }

    /// Forgets what was open on a CPU: events were lost there.
    pub fn forget(&mut self, cpu: u32) {
        self.open.retain(|(other, _), _| *other != cpu);
    }
}
