//! The kernel's event -> Perfetto's message: the messages of events, with the field
//! numbers of ftrace/*.proto, and how the kernel's fields are read into them.

use crate::bytes::Order;
use crate::format::{EventFormat, Field, Value};
use crate::page::Event;
use crate::width::low_word;
use prost::{Message, Oneof};

/// One event of a bundle.
#[derive(Clone, PartialEq, Message)]
pub struct Ftrace {
    #[prost(uint64, optional, tag = "1")]
    pub timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "2")]
    pub pid: Option<u32>,
    #[prost(uint32, optional, tag = "5")]
    pub common_flags: Option<u32>,
    #[prost(
        oneof = "What",
        tags = "4, 11, 13, 17, 20, 24, 25, 26, 36, 37, 114, 327, 551, 552, 553, 554, 555, 556, 557, 558, 559, 560"
    )]
    pub what: Option<What>,
}

/// The type that a field of this kind has.
macro_rules! rust {
    (string) => {
        String
    };
    (int32) => {
        i32
    };
    (uint32) => {
        u32
    };
    (int64) => {
        i64
    };
    (uint64) => {
        u64
    };
}

/// Makes messages of a table: a row names the message, and each of its fields as the
/// kernel calls it, with its kind and its number in Perfetto's message. The struct and
/// the order in which fields are looked up and read are the row's, so that they agree.
macro_rules! messages {
    ($($(#[$doc:meta])* $message:ident { $($field:ident: $kind:tt = $tag:tt),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Message)]
        pub struct $message {
            $(#[prost($kind, optional, tag = $tag)]
            pub $field: Option<rust!($kind)>,)+
        }

        impl $message {
            const FIELDS: &[&str] = &[$(stringify!($field)),+];

            fn of(mut fields: Fields<'_>) -> $message {
                $message { $($field: fields.next()),+ }
            }
        }
    )+};
}

messages! {
    SchedSwitch {
        prev_comm: string = "1",
        prev_pid: int32 = "2",
        prev_prio: int32 = "3",
        prev_state: int64 = "4",
        next_comm: string = "5",
        next_pid: int32 = "6",
        next_prio: int32 = "7",
    }
    Wakeup {
        comm: string = "1",
        pid: int32 = "2",
        prio: int32 = "3",
        success: int32 = "4",
        target_cpu: int32 = "5",
    }
    /// Of `cpu_idle` and `cpu_frequency`.
    CpuState { state: uint32 = "1", cpu_id: uint32 = "2" }
    Softirq { vec: uint32 = "1" }
    IrqEntry { irq: int32 = "1", name: string = "2" }
    IrqExit { irq: int32 = "1", ret: int32 = "2" }
    /// Of events that say only which timer.
    Timer { timer: uint64 = "1" }
    /// Likewise.
    Hrtimer { hrtimer: uint64 = "1" }
    HrtimerStart {
        hrtimer: uint64 = "1",
        function: uint64 = "2",
        expires: int64 = "3",
        softexpires: int64 = "4",
        mode: uint32 = "5",
    }
    HrtimerExpireEntry { hrtimer: uint64 = "1", now: int64 = "2", function: uint64 = "3" }
    TimerStart {
        timer: uint64 = "1",
        function: uint64 = "2",
        expires: uint64 = "3",
        now: uint64 = "4",
        flags: uint32 = "6",
        bucket_expiry: uint64 = "7",
    }
    TimerExpireEntry {
        timer: uint64 = "1",
        now: uint64 = "2",
        function: uint64 = "3",
        baseclk: uint64 = "4",
    }
    LocalTimer { vector: int32 = "1" }
}

/// Events that Perfetto has a message for, the fields of that, and how they
/// become one.
type MessageRow = (
    &'static str,
    &'static str,
    &'static [&'static str],
    fn(Fields<'_>) -> What,
);

/// Makes [`What`] and the table of events: a row has the number in Perfetto's event,
/// its name there, the message, and the kernel's system and event.
macro_rules! events {
    ($($tag:tt $name:ident($message:ident): $system:literal $event:literal;)+) => {
        /// Which message of `ftrace_event.proto` an event becomes.
        #[derive(Clone, PartialEq, Oneof)]
        pub enum What {
            $(#[prost(message, tag = $tag)]
            $name($message),)+
            #[prost(message, tag = "327")]
            Generic(Generic),
        }

        const MESSAGES: &[MessageRow] = &[$(
            ($system, $event, $message::FIELDS, |fields| What::$name($message::of(fields))),
        )+];
    };
}

events! {
    "4" SchedSwitch(SchedSwitch): "sched" "sched_switch";
    "11" CpuFrequency(CpuState): "power" "cpu_frequency";
    "13" CpuIdle(CpuState): "power" "cpu_idle";
    "17" SchedWakeup(Wakeup): "sched" "sched_wakeup";
    "20" SchedWaking(Wakeup): "sched" "sched_waking";
    "24" SoftirqEntry(Softirq): "irq" "softirq_entry";
    "25" SoftirqExit(Softirq): "irq" "softirq_exit";
    "26" SoftirqRaise(Softirq): "irq" "softirq_raise";
    "36" IrqHandlerEntry(IrqEntry): "irq" "irq_handler_entry";
    "37" IrqHandlerExit(IrqExit): "irq" "irq_handler_exit";
    "114" SchedWakeupNew(Wakeup): "sched" "sched_wakeup_new";
    "551" HrtimerStart(HrtimerStart): "timer" "hrtimer_start";
    "552" HrtimerCancel(Hrtimer): "timer" "hrtimer_cancel";
    "553" HrtimerExpireEntry(HrtimerExpireEntry): "timer" "hrtimer_expire_entry";
    "554" HrtimerExpireExit(Hrtimer): "timer" "hrtimer_expire_exit";
    "555" TimerStart(TimerStart): "timer" "timer_start";
    "556" TimerCancel(Timer): "timer" "timer_cancel";
    "557" TimerExpireEntry(TimerExpireEntry): "timer" "timer_expire_entry";
    "558" TimerExpireExit(Timer): "timer" "timer_expire_exit";
    "559" LocalTimerEntry(LocalTimer): "irq_vectors" "local_timer_entry";
    "560" LocalTimerExit(LocalTimer): "irq_vectors" "local_timer_exit";
}

/// Any other event.
#[derive(Clone, PartialEq, Message)]
pub struct Generic {
    #[prost(string, optional, tag = "1")]
    pub event_name: Option<String>,
    #[prost(message, repeated, tag = "2")]
    pub field: Vec<GenericField>,
}

/// A field of an event that has no message of its own.
#[derive(Clone, PartialEq, Message)]
pub struct GenericField {
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    #[prost(oneof = "GenericValue", tags = "3, 4, 5")]
    pub value: Option<GenericValue>,
}

/// The value of such a field.
#[derive(Clone, PartialEq, Oneof)]
pub enum GenericValue {
    #[prost(string, tag = "3")]
    Text(String),
    #[prost(int64, tag = "4")]
    Signed(i64),
    #[prost(uint64, tag = "5")]
    Unsigned(u64),
}

/// How an event becomes a message.
enum Making<'c> {
    /// Of the fields in the order that its message wants.
    Known(Vec<Option<&'c Field>>, fn(Fields<'_>) -> What),
    /// Field by field.
    Generic(&'c EventFormat),
}

/// What one event's format becomes.
pub struct MessageFormat<'c>(Making<'c>);

impl<'c> MessageFormat<'c> {
    /// How events of this format become messages.
    pub fn new(format: &'c EventFormat) -> MessageFormat<'c> {
        let row = MESSAGES
            .iter()
            .find(|(system, name, ..)| format.system == *system && format.name == *name);
        MessageFormat(match row {
            Some((_, _, names, make)) => {
                let fields = names.iter().map(|name| format.field(name));
                Making::Known(fields.collect(), *make)
            }
            None => Making::Generic(format),
        })
    }

    /// The message of one event.
    pub fn message(&self, event: &Event<'_>, order: Order) -> Ftrace {
        let what = match &self.0 {
            Making::Known(fields, make) => make(Fields {
                fields: fields.iter(),
                event: event.payload,
                order,
            }),
            Making::Generic(format) => generic(format, event.payload, order),
        };
        Ftrace {
            common_flags: Some(u32::from(event.flags())).filter(|flags| *flags != 0),
            ..stamped(event, order, what)
        }
    }
}

fn stamped(event: &Event<'_>, order: Order, what: What) -> Ftrace {
    Ftrace {
        timestamp: Some(event.at_ns),
        pid: Some(event.pid(order).cast_unsigned()),
        common_flags: None,
        what: Some(what),
    }
}

/// An event that the trace has no format for: its number is all that is known.
pub fn unknown(event: &Event<'_>, order: Order) -> Ftrace {
    let what = What::Generic(Generic {
        event_name: Some(format!("event {}", event.id(order))),
        field: Vec::new(),
    });
    stamped(event, order, what)
}

/// The fields of one event, one behind the other.
struct Fields<'a> {
    fields: std::slice::Iter<'a, Option<&'a Field>>,
    event: &'a [u8],
    order: Order,
}

impl Fields<'_> {
    /// None where the event has no such field, or ends before it.
    fn next<T: FieldValue>(&mut self) -> Option<T> {
        let field = (*self.fields.next()?)?;
        T::read(field, self.event, self.order)
    }
}

/// What a field of a message holds.
trait FieldValue: Sized {
    fn read(field: &Field, event: &[u8], order: Order) -> Option<Self>;
}

impl FieldValue for u64 {
    fn read(field: &Field, event: &[u8], order: Order) -> Option<u64> {
        match field.signed {
            true => Some(field.signed(event, order)?.cast_unsigned()),
            false => field.unsigned(event, order),
        }
    }
}

impl FieldValue for i64 {
    fn read(field: &Field, event: &[u8], order: Order) -> Option<i64> {
        u64::read(field, event, order).map(u64::cast_signed)
    }
}

impl FieldValue for u32 {
    fn read(field: &Field, event: &[u8], order: Order) -> Option<u32> {
        u64::read(field, event, order).map(low_word)
    }
}

impl FieldValue for i32 {
    fn read(field: &Field, event: &[u8], order: Order) -> Option<i32> {
        u32::read(field, event, order).map(u32::cast_signed)
    }
}

impl FieldValue for String {
    fn read(field: &Field, event: &[u8], order: Order) -> Option<String> {
        field.text(event, order).map(Into::into)
    }
}

/// Any event, field by field; arrays become a text.
fn generic(format: &EventFormat, event: &[u8], order: Order) -> What {
    let fields = format.fields.iter().map(|field| GenericField {
        name: Some(field.name.clone()),
        value: field.value(event, order).map(|value| match value {
            Value::Unsigned(n) => GenericValue::Unsigned(n),
            Value::Signed(n) => GenericValue::Signed(n),
            Value::Text(text) => GenericValue::Text(text.into_owned()),
            Value::Numbers(numbers) => {
                let words: Vec<String> = numbers.iter().map(|n| format!("{n:x}")).collect();
                GenericValue::Text(words.join(","))
            }
            Value::Bytes(bytes) => GenericValue::Text(crate::print::hex(bytes, " ")),
        }),
    });
    What::Generic(Generic {
        event_name: Some(format.name.clone()),
        field: fields.collect(),
    })
}
