//! What an event means for the timeline, found once by its number.

use super::names::Names;
use crate::capture::Capture;
use crate::format::{EventFormat, Field};

/// By event number.
pub struct Known {
    by_id: Vec<Meaning>,
}

pub enum Meaning {
    Nothing,
    Switch(Box<Switch>),
    /// `sched_waking`.
    Waking(Field),
    /// `sched_wakeup`, `sched_wakeup_new`: only where no waking was seen.
    Wakeup(Field),
    /// `irq_handler_entry`: number and name of the interrupt.
    HandlerEntry(Box<(Field, Field)>),
    /// A vector of x86, named by its event.
    VectorEntry(u32),
    HardExit,
    SoftEntry(Field),
    SoftExit,
    /// A timer's function is called: `hrtimer` or `timer`, and its address.
    Expiry(&'static str, Field),
    Moment(u32),
}

pub struct Switch {
    pub prev_comm: Field,
    pub prev_pid: Field,
    pub prev_state: Field,
    pub next_comm: Field,
    pub next_pid: Field,
}

impl Known {
    pub fn of(capture: &Capture, names: &mut Names) -> Known {
        let last = capture.formats.iter().map(|f| f.id).max();
        let mut by_id = Vec::new();
        by_id.resize_with(last.map_or(0, |id| usize::from(id) + 1), || {
            Meaning::Nothing
        });
        for format in capture.formats.iter() {
            by_id[usize::from(format.id)] = meaning(format, names);
        }
        Known { by_id }
    }

    #[inline]
    pub fn meaning(&self, id: u16) -> &Meaning {
        self.by_id.get(usize::from(id)).unwrap_or(&Meaning::Nothing)
    }
}

/// An event that lacks a field of its meaning is a moment like any other.
fn meaning(format: &EventFormat, names: &mut Names) -> Meaning {
    let field = |name: &str| format.field(name).cloned();
    let found = match (format.system.as_str(), format.name.as_str()) {
        ("sched", "sched_switch") => switch(format).map(|s| Meaning::Switch(Box::new(s))),
        ("sched", "sched_waking") => field("pid").map(Meaning::Waking),
        ("sched", "sched_wakeup" | "sched_wakeup_new") => field("pid").map(Meaning::Wakeup),
        ("irq", "irq_handler_entry") => {
            let both = field("irq").zip(field("name"));
            both.map(|both| Meaning::HandlerEntry(Box::new(both)))
        }
        ("irq", "irq_handler_exit") => Some(Meaning::HardExit),
        ("irq", "softirq_entry") => field("vec").map(Meaning::SoftEntry),
        ("irq", "softirq_exit") => Some(Meaning::SoftExit),
        ("timer", "hrtimer_expire_entry") => {
            field("function").map(|f| Meaning::Expiry("hrtimer", f))
        }
        ("timer", "timer_expire_entry") => field("function").map(|f| Meaning::Expiry("timer", f)),
        // The ends of what is drawn as a moment.
        ("timer", "hrtimer_expire_exit" | "timer_expire_exit") => Some(Meaning::Nothing),
        ("irq_vectors", name) => match (name.strip_suffix("_entry"), name.ends_with("_exit")) {
            (Some(vector), _) => Some(Meaning::VectorEntry(names.of(vector))),
            (None, true) => Some(Meaning::HardExit),
            (None, false) => None,
        },
        _ => None,
    };
    found.unwrap_or_else(|| Meaning::Moment(names.of(&format.name)))
}

fn switch(format: &EventFormat) -> Option<Switch> {
    let field = |name: &str| format.field(name).cloned();
    Some(Switch {
        prev_comm: field("prev_comm")?,
        prev_pid: field("prev_pid")?,
        prev_state: field("prev_state")?,
        next_comm: field("next_comm")?,
        next_pid: field("next_pid")?,
    })
}
