//! Every event that the analyses read, by name: its fields and the typed event
//! that they make.

use super::field::{FieldReader, I32, I64, IfDescribed, IfPresent, TaskName, Text, U32, U64};
use crate::analyse::event::{
    Comm, Interrupt, InterruptKind, Switch, TimerStart, Wake, WakeKind, What,
};
use crate::bytes::Order;
use crate::format::EventFormat;

/// Makes [`EventReader`] of a table. A row names the reader, the event (system and
/// name), the fields as the kernel calls them, and the typed event, an expression
/// in which the names of the fields are their values.
///
/// An enum, not closures or a list of fields read by position: the compiler sees
/// each row whole, and reading one of millions of events is a jump and the loads.
macro_rules! events {
    ($($reader:ident: $system:literal $name:literal { $($field:ident: $kind:ty),+ $(,)? }
        => $typed:expr;)+) => {
        /// Reads one of the events that a capture describes: holds the offsets of
        /// its fields, so that no name is looked up and nothing is allocated.
        #[derive(Debug)]
        pub enum EventReader {
            $($reader { $($field: $kind),+ },)+
            VectorEntry(Interrupt),
            VectorExit(Interrupt),
            /// An event of its own for each system call: `sys_enter_read`.
            CallEntry { number: I64 },
            CallExit { number: I64 },
            /// No analysis reads it.
            Unread,
        }

        impl EventReader {
            /// None: no analysis reads the event, or its format lacks a field.
            pub fn of_event(format: &EventFormat) -> Option<EventReader> {
                match (format.system.as_str(), format.name.as_str()) {
                    $(($system, $name) => Some(EventReader::$reader {
                        $($field: <$kind>::find(format, stringify!($field))?),+
                    }),)+
                    _ => None,
                }
            }

            /// None: the event is shorter than its own description.
            #[inline]
            pub fn read<'a>(&self, event: &'a [u8], order: Order) -> Option<What<'a>> {
                Some(match self {
                    $(EventReader::$reader { $($field),+ } => {
                        $(let $field = $field.read(event, order)?;)+
                        $typed
                    })+
                    EventReader::VectorEntry(of) => What::InterruptEntry(*of, b""),
                    EventReader::VectorExit(of) => What::InterruptExit(*of),
                    EventReader::CallEntry { number } => What::SysEnter {
                        number: number.read(event, order)?,
                    },
                    EventReader::CallExit { number } => What::SysExit {
                        number: number.read(event, order)?,
                    },
                    EventReader::Unread => What::Other,
                })
            }
        }
    };
}

events! {
    SchedSwitch: "sched" "sched_switch" {
        prev_pid: I32,
        prev_prio: I32,
        prev_state: U64,
        prev_comm: TaskName,
        next_pid: I32,
        next_prio: I32,
        next_comm: TaskName,
    } => What::Switch(Switch {
        prev_pid, prev_prio, prev_state, prev_comm, next_pid, next_prio, next_comm,
    });
    SchedWaking: "sched" "sched_waking" {
        pid: I32,
        comm: TaskName,
        target_cpu: IfDescribed<I32>,
    } => wake(WakeKind::Waking, pid, comm, target_cpu);
    SchedWakeup: "sched" "sched_wakeup" {
        pid: I32,
        comm: TaskName,
        target_cpu: IfDescribed<I32>,
    } => wake(WakeKind::Wakeup, pid, comm, target_cpu);
    SchedWakeupNew: "sched" "sched_wakeup_new" {
        pid: I32,
        comm: TaskName,
        target_cpu: IfDescribed<I32>,
    } => wake(WakeKind::New, pid, comm, target_cpu);
    SchedMigrateTask: "sched" "sched_migrate_task" {
        pid: I32,
        orig_cpu: I32,
        dest_cpu: I32,
    } => What::Migrate { pid, from_cpu: orig_cpu, to_cpu: dest_cpu };
    SchedProcessFork: "sched" "sched_process_fork" {
        parent_pid: I32,
        child_pid: I32,
        child_comm: TaskName,
    } => What::Fork { parent_pid, child_pid, child_comm };
    SchedProcessExec: "sched" "sched_process_exec" { pid: I32, filename: Text }
        => What::Exec { pid, file: filename };
    SchedProcessExit: "sched" "sched_process_exit" { pid: I32 } => What::Exit { pid };

    IrqHandlerEntry: "irq" "irq_handler_entry" { irq: I32, name: Text }
        => What::InterruptEntry(device(irq), name);
    IrqHandlerExit: "irq" "irq_handler_exit" { irq: I32 } => What::InterruptExit(device(irq));
    SoftirqRaise: "irq" "softirq_raise" { vec: U32 } => What::SoftirqRaise { vec };
    SoftirqEntry: "irq" "softirq_entry" { vec: U32 } => What::InterruptEntry(softirq(vec), b"");
    SoftirqExit: "irq" "softirq_exit" { vec: U32 } => What::InterruptExit(softirq(vec));

    TimerInit: "timer" "timer_init" { timer: U64 } => What::TimerInit { timer };
    TimerStart: "timer" "timer_start" {
        timer: U64,
        function: U64,
        expires: U64,
        bucket_expiry: IfPresent<U64>,
        now: IfPresent<U64>,
    } => What::TimerStart(TimerStart { timer, function, expires, bucket_expiry, now });
    TimerCancel: "timer" "timer_cancel" { timer: U64 } => What::TimerCancel { timer };
    TimerExpireEntry: "timer" "timer_expire_entry" {
        timer: U64,
        now: U64,
        function: IfPresent<U64>,
    } => What::TimerExpireEntry { timer, now, function };
    TimerExpireExit: "timer" "timer_expire_exit" { timer: U64 } => What::TimerExpireExit { timer };

    HrtimerStart: "timer" "hrtimer_start" {
        hrtimer: U64,
        function: U64,
        expires: I64,
        softexpires: IfPresent<I64>,
    } => What::HrtimerStart {
        timer: hrtimer, function, expires_ns: expires, soft_ns: softexpires,
    };
    HrtimerCancel: "timer" "hrtimer_cancel" { hrtimer: U64 }
        => What::HrtimerCancel { timer: hrtimer };
    HrtimerExpireEntry: "timer" "hrtimer_expire_entry" {
        hrtimer: U64,
        now: I64,
        function: U64,
    } => What::HrtimerExpireEntry { timer: hrtimer, now_ns: now, function };
    HrtimerExpireExit: "timer" "hrtimer_expire_exit" { hrtimer: U64 }
        => What::HrtimerExpireExit { timer: hrtimer };
    TickStop: "timer" "tick_stop" { success: U64 } => What::TickStop { success: success != 0 };

    CpuIdle: "power" "cpu_idle" { state: U32 } => What::CpuIdle { state };

    SysEnter: "raw_syscalls" "sys_enter" { id: I64 } => What::SysEnter { number: id };
    SysExit: "raw_syscalls" "sys_exit" { id: I64 } => What::SysExit { number: id };

    GraphEntry: "ftrace" "funcgraph_entry" { func: U64, depth: U32 }
        => What::GraphEntry { function: func, depth };
    GraphRetaddrEntry: "ftrace" "funcgraph_retaddr_entry" { func: U64, depth: U32 }
        => What::GraphEntry { function: func, depth };
    GraphExit: "ftrace" "funcgraph_exit" {
        func: U64,
        depth: U32,
        calltime: IfDescribed<U64>,
        rettime: IfDescribed<U64>,
    } => What::GraphExit {
        function: func,
        depth,
        took_ns: calltime.zip(rettime).map(|(call, ret)| ret.saturating_sub(call)),
    };
    Function: "ftrace" "function" { ip: U64 } => What::Function { function: ip };
}

/// Events without a target CPU say -1, which is no CPU's number.
#[inline]
fn wake<'a>(kind: WakeKind, pid: i32, comm: Comm, target_cpu: Option<i32>) -> What<'a> {
    What::Wake(Wake {
        kind,
        pid,
        comm,
        target_cpu: target_cpu.unwrap_or(-1),
    })
}

#[inline]
fn device(irq: i32) -> Interrupt {
    Interrupt {
        kind: InterruptKind::Irq,
        number: irq.cast_unsigned(),
    }
}

#[inline]
fn softirq(number: u32) -> Interrupt {
    Interrupt {
        kind: InterruptKind::Softirq,
        number,
    }
}

impl EventReader {
    /// An event of one system call; None: it lacks the call's number.
    pub fn of_call(format: &EventFormat) -> Option<EventReader> {
        // Older kernels call the field `nr`.
        let number = I64::find(format, "__syscall_nr").or_else(|| I64::find(format, "nr"))?;
        Some(match format.name.starts_with("sys_enter_") {
            true => EventReader::CallEntry { number },
            false => EventReader::CallExit { number },
        })
    }
}
