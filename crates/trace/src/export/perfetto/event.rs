//! The kernel's event -> Perfetto's message.

use super::messages::{
    CpuState, Ftrace, Generic, GenericField, GenericValue, HrtimerExpireEntry, HrtimerStart,
    IrqEntry, IrqExit, LocalTimer, SchedSwitch, Softirq, Timer, TimerExpireEntry, TimerStart,
    Wakeup, What,
};
use crate::bytes::Order;
use crate::format::{EventFormat, Field, Value};
use crate::page::Event;

/// One event's format, with its fields in the order that its message wants.
pub struct MessageFormat<'c> {
    format: &'c EventFormat,
    fields: Vec<Option<&'c Field>>,
    make: fn(Fields<'_>) -> What,
}

/// Events that Perfetto has a message for, the fields of that, and how they
/// become one.
type MessageRow = (
    &'static str,
    &'static str,
    &'static [&'static str],
    fn(Fields<'_>) -> What,
);

const WAKEUP: &[&str] = &["comm", "pid", "prio", "success", "target_cpu"];

const MESSAGES: &[MessageRow] = &[
    (
        "sched",
        "sched_switch",
        &[
            "prev_comm",
            "prev_pid",
            "prev_prio",
            "prev_state",
            "next_comm",
            "next_pid",
            "next_prio",
        ],
        sched_switch,
    ),
    ("sched", "sched_waking", WAKEUP, |f| {
        What::SchedWaking(wakeup(f))
    }),
    ("sched", "sched_wakeup", WAKEUP, |f| {
        What::SchedWakeup(wakeup(f))
    }),
    ("sched", "sched_wakeup_new", WAKEUP, |f| {
        What::SchedWakeupNew(wakeup(f))
    }),
    ("power", "cpu_idle", &["state", "cpu_id"], |f| {
        What::CpuIdle(cpu_state(f))
    }),
    ("power", "cpu_frequency", &["state", "cpu_id"], |f| {
        What::CpuFrequency(cpu_state(f))
    }),
    ("irq", "softirq_entry", &["vec"], |f| {
        What::SoftirqEntry(softirq(f))
    }),
    ("irq", "softirq_exit", &["vec"], |f| {
        What::SoftirqExit(softirq(f))
    }),
    ("irq", "softirq_raise", &["vec"], |f| {
        What::SoftirqRaise(softirq(f))
    }),
    ("irq", "irq_handler_entry", &["irq", "name"], |f| {
        What::IrqHandlerEntry(IrqEntry {
            irq: f.i32(0),
            name: f.text(1),
        })
    }),
    ("irq", "irq_handler_exit", &["irq", "ret"], |f| {
        What::IrqHandlerExit(IrqExit {
            irq: f.i32(0),
            ret: f.i32(1),
        })
    }),
    (
        "timer",
        "hrtimer_start",
        &["hrtimer", "function", "expires", "softexpires", "mode"],
        hrtimer_start,
    ),
    ("timer", "hrtimer_cancel", &["hrtimer"], |f| {
        What::HrtimerCancel(timer(f))
    }),
    (
        "timer",
        "hrtimer_expire_entry",
        &["hrtimer", "now", "function"],
        |f| {
            What::HrtimerExpireEntry(HrtimerExpireEntry {
                hrtimer: f.u64(0),
                now: f.i64(1),
                function: f.u64(2),
            })
        },
    ),
    ("timer", "hrtimer_expire_exit", &["hrtimer"], |f| {
        What::HrtimerExpireExit(timer(f))
    }),
    (
        "timer",
        "timer_start",
        &[
            "timer",
            "function",
            "expires",
            "now",
            "flags",
            "bucket_expiry",
        ],
        timer_start,
    ),
    ("timer", "timer_cancel", &["timer"], |f| {
        What::TimerCancel(timer(f))
    }),
    (
        "timer",
        "timer_expire_entry",
        &["timer", "now", "function", "baseclk"],
        |f| {
            What::TimerExpireEntry(TimerExpireEntry {
                timer: f.u64(0),
                now: f.u64(1),
                function: f.u64(2),
                baseclk: f.u64(3),
            })
        },
    ),
    ("timer", "timer_expire_exit", &["timer"], |f| {
        What::TimerExpireExit(timer(f))
    }),
    ("irq_vectors", "local_timer_entry", &["vector"], |f| {
        What::LocalTimerEntry(LocalTimer { vector: f.i32(0) })
    }),
    ("irq_vectors", "local_timer_exit", &["vector"], |f| {
        What::LocalTimerExit(LocalTimer { vector: f.i32(0) })
    }),
];

impl<'c> MessageFormat<'c> {
    pub fn new(format: &'c EventFormat) -> MessageFormat<'c> {
        let row = MESSAGES
            .iter()
            .find(|(system, name, ..)| format.system == *system && format.name == *name);
        match row {
            Some((_, _, names, make)) => MessageFormat {
                format,
                fields: names.iter().map(|name| format.field(name)).collect(),
                make: *make,
            },
            None => MessageFormat {
                format,
                fields: format.fields.iter().map(Some).collect(),
                make: generic,
            },
        }
    }

    pub fn message(&self, event: &Event<'_>, order: Order) -> Ftrace {
        let fields = Fields {
            message: self,
            event: event.payload,
            order,
        };
        Ftrace {
            timestamp: Some(event.at_ns),
            pid: Some(event.pid(order).cast_unsigned()),
            common_flags: Some(u32::from(event.flags())).filter(|flags| *flags != 0),
            what: Some((self.make)(fields)),
        }
    }
}

/// An event that the trace has no format for: its number is all that is known.
pub fn unknown(event: &Event<'_>, order: Order) -> Ftrace {
    let name = format!("event {}", event.id(order));
    Ftrace {
        timestamp: Some(event.at_ns),
        pid: Some(event.pid(order).cast_unsigned()),
        common_flags: None,
        what: Some(What::Generic(Generic {
            event_name: Some(name),
            field: Vec::new(),
        })),
    }
}

/// The fields of one event.
#[derive(Clone, Copy)]
struct Fields<'a> {
    message: &'a MessageFormat<'a>,
    event: &'a [u8],
    order: Order,
}

impl Fields<'_> {
    fn u64(self, index: usize) -> Option<u64> {
        let field = self.message.fields[index]?;
        match field.signed {
            true => Some(field.signed(self.event, self.order)?.cast_unsigned()),
            false => field.unsigned(self.event, self.order),
        }
    }

    fn i64(self, index: usize) -> Option<i64> {
        self.u64(index).map(u64::cast_signed)
    }

    fn u32(self, index: usize) -> Option<u32> {
        self.u64(index).map(|n| n as u32)
    }

    fn i32(self, index: usize) -> Option<i32> {
        self.u32(index).map(u32::cast_signed)
    }

    fn text(self, index: usize) -> Option<String> {
        let text = self.message.fields[index]?.text(self.event, self.order)?;
        Some(text.into_owned())
    }
}

fn sched_switch(f: Fields<'_>) -> What {
    What::SchedSwitch(SchedSwitch {
        prev_comm: f.text(0),
        prev_pid: f.i32(1),
        prev_prio: f.i32(2),
        prev_state: f.i64(3),
        next_comm: f.text(4),
        next_pid: f.i32(5),
        next_prio: f.i32(6),
    })
}

fn wakeup(f: Fields<'_>) -> Wakeup {
    Wakeup {
        comm: f.text(0),
        pid: f.i32(1),
        prio: f.i32(2),
        success: f.i32(3),
        target_cpu: f.i32(4),
    }
}

fn cpu_state(f: Fields<'_>) -> CpuState {
    CpuState {
        state: f.u32(0),
        cpu_id: f.u32(1),
    }
}

fn softirq(f: Fields<'_>) -> Softirq {
    Softirq { vec: f.u32(0) }
}

fn timer(f: Fields<'_>) -> Timer {
    Timer { timer: f.u64(0) }
}

fn hrtimer_start(f: Fields<'_>) -> What {
    What::HrtimerStart(HrtimerStart {
        hrtimer: f.u64(0),
        function: f.u64(1),
        expires: f.i64(2),
        softexpires: f.i64(3),
        mode: f.u32(4),
    })
}

fn timer_start(f: Fields<'_>) -> What {
    What::TimerStart(TimerStart {
        timer: f.u64(0),
        function: f.u64(1),
        expires: f.u64(2),
        now: f.u64(3),
        flags: f.u32(4),
        bucket_expiry: f.u64(5),
    })
}

/// Any event, field by field; arrays become a text.
fn generic(f: Fields<'_>) -> What {
    let mut all = Vec::new();
    for field in f.message.fields.iter().copied().flatten() {
        let value = field.value(f.event, f.order).map(|value| match value {
            Value::Unsigned(n) => GenericValue::Unsigned(n),
            Value::Signed(n) => GenericValue::Signed(n),
            Value::Text(text) => GenericValue::Text(text.into_owned()),
            Value::Numbers(numbers) => {
                let words: Vec<String> = numbers.iter().map(|n| format!("{n:x}")).collect();
                GenericValue::Text(words.join(","))
            }
            Value::Bytes(bytes) => GenericValue::Text(crate::print::hex(bytes, " ")),
        });
        all.push(GenericField {
            name: Some(field.name.clone()),
            value,
        });
    }
    What::Generic(Generic {
        event_name: Some(f.message.format.name.clone()),
        field: all,
    })
}
