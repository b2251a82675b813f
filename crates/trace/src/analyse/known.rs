//! The events that analyses know: their ids and the places of their fields,
//! looked up once.

use super::event::{Switch, TimerStart, Wake, What};
use super::place::{Name, Place};
use super::states::States;
use crate::bytes::{Order, Words};
use crate::capture::Capture;
use crate::format::EventFormat;

/// How one event is read.
#[derive(Debug, Clone)]
enum Plan {
    Switch([Place; 5], Name, Name),
    Wake(Woken, Place, Option<Place>, Name),
    Migrate([Place; 3]),
    Fork(Place, Place, Name),
    Exec(Place, Name),
    Exit(Place),
    IrqEntry(Place, Name),
    IrqExit(Place),
    Softirq(Soft, Place),
    Vector(bool, usize),
    TimerStart([Place; 3], Option<Place>, Option<Place>),
    TimerExpire([Place; 2], Option<Place>),
    Timer(Timer, Place),
    HrtimerStart([Place; 3], Option<Place>),
    HrtimerExpire([Place; 3]),
    TickStop(Place),
    CpuIdle(Place),
    Syscall(bool, Place),
    GraphEntry([Place; 2]),
    GraphExit([Place; 2], Option<(Place, Place)>),
    Function(Place),
}

#[derive(Debug, Clone, Copy)]
enum Woken {
    Waking,
    Wakeup,
    New,
}

#[derive(Debug, Clone, Copy)]
enum Soft {
    Raise,
    Entry,
    Exit,
}

#[derive(Debug, Clone, Copy)]
enum Timer {
    Init,
    Cancel,
    ExpireExit,
    HrCancel,
    HrExpireExit,
}

/// What is known of a capture's events.
#[derive(Debug, Clone)]
pub struct Known {
    pub order: Order,
    pub long_bytes: u8,
    /// Events are stamped by CLOCK_MONOTONIC, the clock of most timers.
    pub monotonic: bool,
    /// Numbers of the CPUs; events name them by their place here.
    pub cpus: Vec<u32>,
    pub states: States,
    /// Names of interrupt vectors: `local_timer`, `reschedule`.
    pub vectors: Vec<String>,
    /// sched_yield: its number on the traced machine, and its own event.
    yield_number: Option<i64>,
    yield_event: Option<u16>,
    /// Ids of events to places in `plans`, plus one.
    slots: Vec<u8>,
    plans: Vec<Plan>,
    /// `system:name`, one for each plan.
    names: Vec<String>,
}

impl Known {
    #[must_use]
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
            slots: Vec::new(),
            plans: Vec::new(),
            names: Vec::new(),
        };
        for format in capture.formats.iter() {
            if format.system == "syscalls" {
                known.add_call(format);
                continue;
            }
            // Fewer than 60 events are known, and as many vectors.
            if known.plans.len() < 250
                && let Some(plan) = known.plan(format)
            {
                known.add(format, plan);
            }
        }
        known
    }

    /// Whether the entry of a system call, the event `id`, is one of sched_yield.
    #[inline]
    #[must_use]
    pub fn is_yield(&self, id: u16, number: i64) -> bool {
        self.yield_event == Some(id) || self.yield_number == Some(number)
    }

    fn add(&mut self, format: &EventFormat, plan: Plan) {
        self.plans.push(plan);
        self.names
            .push(format!("{}:{}", format.system, format.name));
        self.slot(format, self.plans.len());
    }

    /// There are hundreds of them, all alike: two plans do.
    fn add_call(&mut self, format: &EventFormat) {
        let enters = format.name.starts_with("sys_enter_");
        let number = Place::of(format, "__syscall_nr").or_else(|| Place::of(format, "nr"));
        let Some(number) = number else { return };
        let same =
            |plan: &Plan| matches!(plan, Plan::Syscall(e, at) if *e == enters && *at == number);
        match self.plans.iter().position(same) {
            Some(at) => self.slot(format, at + 1),
            None if self.plans.len() < 250 => self.add(format, Plan::Syscall(enters, number)),
            None => {}
        }
    }

    fn slot(&mut self, format: &EventFormat, plan: usize) {
        let id = usize::from(format.id);
        if self.slots.len() <= id {
            self.slots.resize(id + 1, 0);
        }
        self.slots[id] = plan as u8;
    }

    /// Whether the capture describes the event, with all fields that are needed.
    #[must_use]
    pub fn has(&self, event: &str) -> bool {
        self.names.iter().any(|name| name == event)
    }

    /// Place of a CPU's number in `cpus`.
    #[inline]
    #[must_use]
    pub fn place_of(&self, cpu: u32) -> Option<usize> {
        let guess = cpu as usize;
        if self.cpus.get(guess) == Some(&cpu) {
            return Some(guess);
        }
        self.cpus.iter().position(|number| *number == cpu)
    }

    fn vector(&mut self, name: &str) -> Plan {
        let (name, enters) = match name.strip_suffix("_entry") {
            Some(name) => (name, true),
            None => (name.strip_suffix("_exit").unwrap_or(name), false),
        };
        let found = self.vectors.iter().position(|known| known == name);
        let place = found.unwrap_or_else(|| {
            self.vectors.push(name.to_owned());
            self.vectors.len() - 1
        });
        Plan::Vector(enters, place)
    }

    fn plan(&mut self, format: &EventFormat) -> Option<Plan> {
        let at = |name: &str| Place::of(format, name);
        let name = |field: &str| Name::of(format, field);
        let wake = |woken| {
            Some(Plan::Wake(
                woken,
                at("pid")?,
                at("target_cpu"),
                name("comm"),
            ))
        };
        let timer = |which, field| Some(Plan::Timer(which, at(field)?));
        match (format.system.as_str(), format.name.as_str()) {
            ("sched", "sched_switch") => Some(Plan::Switch(
                [
                    at("prev_pid")?,
                    at("prev_prio")?,
                    at("prev_state")?,
                    at("next_pid")?,
                    at("next_prio")?,
                ],
                name("prev_comm"),
                name("next_comm"),
            )),
            ("sched", "sched_waking") => wake(Woken::Waking),
            ("sched", "sched_wakeup") => wake(Woken::Wakeup),
            ("sched", "sched_wakeup_new") => wake(Woken::New),
            ("sched", "sched_migrate_task") => Some(Plan::Migrate([
                at("pid")?,
                at("orig_cpu")?,
                at("dest_cpu")?,
            ])),
            ("sched", "sched_process_fork") => Some(Plan::Fork(
                at("parent_pid")?,
                at("child_pid")?,
                name("child_comm"),
            )),
            ("sched", "sched_process_exec") => Some(Plan::Exec(at("pid")?, name("filename"))),
            ("sched", "sched_process_exit") => Some(Plan::Exit(at("pid")?)),
            ("irq", "irq_handler_entry") => Some(Plan::IrqEntry(at("irq")?, name("name"))),
            ("irq", "irq_handler_exit") => Some(Plan::IrqExit(at("irq")?)),
            ("irq", "softirq_raise") => Some(Plan::Softirq(Soft::Raise, at("vec")?)),
            ("irq", "softirq_entry") => Some(Plan::Softirq(Soft::Entry, at("vec")?)),
            ("irq", "softirq_exit") => Some(Plan::Softirq(Soft::Exit, at("vec")?)),
            ("irq_vectors", event) if event.ends_with("_entry") || event.ends_with("_exit") => {
                Some(self.vector(event))
            }
            ("timer", "timer_init") => timer(Timer::Init, "timer"),
            ("timer", "timer_start") => Some(Plan::TimerStart(
                [at("timer")?, at("function")?, at("expires")?],
                at("bucket_expiry"),
                at("now"),
            )),
            ("timer", "timer_cancel") => timer(Timer::Cancel, "timer"),
            ("timer", "timer_expire_entry") => Some(Plan::TimerExpire(
                [at("timer")?, at("now")?],
                at("function"),
            )),
            ("timer", "timer_expire_exit") => timer(Timer::ExpireExit, "timer"),
            ("timer", "hrtimer_start") => Some(Plan::HrtimerStart(
                [at("hrtimer")?, at("function")?, at("expires")?],
                at("softexpires"),
            )),
            ("timer", "hrtimer_expire_entry") => Some(Plan::HrtimerExpire([
                at("hrtimer")?,
                at("now")?,
                at("function")?,
            ])),
            ("timer", "hrtimer_cancel") => timer(Timer::HrCancel, "hrtimer"),
            ("timer", "hrtimer_expire_exit") => timer(Timer::HrExpireExit, "hrtimer"),
            ("timer", "tick_stop") => Some(Plan::TickStop(at("success")?)),
            ("power", "cpu_idle") => Some(Plan::CpuIdle(at("state")?)),
            ("raw_syscalls", "sys_enter") => Some(Plan::Syscall(true, at("id")?)),
            ("raw_syscalls", "sys_exit") => Some(Plan::Syscall(false, at("id")?)),
            ("ftrace", "funcgraph_entry" | "funcgraph_retaddr_entry") => {
                Some(Plan::GraphEntry([at("func")?, at("depth")?]))
            }
            ("ftrace", "funcgraph_exit") => Some(Plan::GraphExit(
                [at("func")?, at("depth")?],
                at("calltime").zip(at("rettime")),
            )),
            ("ftrace", "function") => Some(Plan::Function(at("ip")?)),
            _ => None,
        }
    }

    /// The fields of an event; None: it is shorter than its own description.
    #[inline]
    #[must_use]
    pub fn read<'a>(&self, event: &'a [u8]) -> Option<What<'a>> {
        let o = self.order;
        let id = usize::from(event.u16_at(0, o)?);
        let slot = self.slots.get(id).copied().unwrap_or(0);
        let Some(plan) = self.plans.get(usize::from(slot).wrapping_sub(1)) else {
            return Some(What::Other);
        };
        match plan {
            Plan::Switch([pid, prio, state, next_pid, next_prio], prev_comm, next_comm) => {
                Some(What::Switch(Switch {
                    prev_pid: pid.pid(event, o)?,
                    prev_prio: prio.pid(event, o)?,
                    prev_state: state.unsigned(event, o)?,
                    prev_comm: prev_comm.comm(event, o),
                    next_pid: next_pid.pid(event, o)?,
                    next_prio: next_prio.pid(event, o)?,
                    next_comm: next_comm.comm(event, o),
                }))
            }
            Plan::Wake(woken, pid, target, comm) => {
                let wake = Wake {
                    pid: pid.pid(event, o)?,
                    comm: comm.comm(event, o),
                    target_cpu: target.map_or(Some(-1), |t| t.pid(event, o))?,
                };
                Some(match woken {
                    Woken::Waking => What::Waking(wake),
                    Woken::Wakeup => What::Wakeup(wake),
                    Woken::New => What::WakeupNew(wake),
                })
            }
            other => self.read_rarer(other, event),
        }
    }

    fn read_rarer<'a>(&self, plan: &Plan, event: &'a [u8]) -> Option<What<'a>> {
        let o = self.order;
        let number = |place: &Place| place.unsigned(event, o);
        let pid = |place: &Place| place.pid(event, o);
        Some(match plan {
            Plan::Switch(..) | Plan::Wake(..) => What::Other,
            Plan::Migrate([task, from, to]) => What::Migrate {
                pid: pid(task)?,
                from_cpu: pid(from)?,
                to_cpu: pid(to)?,
            },
            Plan::Fork(parent, child, comm) => What::Fork {
                parent_pid: pid(parent)?,
                child_pid: pid(child)?,
                child_comm: comm.comm(event, o),
            },
            Plan::Exec(task, file) => What::Exec {
                pid: pid(task)?,
                file: file.bytes(event, o),
            },
            Plan::Exit(task) => What::Exit { pid: pid(task)? },
            Plan::IrqEntry(irq, name) => What::IrqEntry {
                irq: pid(irq)?,
                name: name.bytes(event, o),
            },
            Plan::IrqExit(irq) => What::IrqExit { irq: pid(irq)? },
            Plan::Softirq(soft, vec) => {
                let vec = number(vec)? as u32;
                match soft {
                    Soft::Raise => What::SoftirqRaise { vec },
                    Soft::Entry => What::SoftirqEntry { vec },
                    Soft::Exit => What::SoftirqExit { vec },
                }
            }
            Plan::Vector(true, which) => What::VectorEntry { which: *which },
            Plan::Vector(false, which) => What::VectorExit { which: *which },
            Plan::TimerStart([timer, function, expires], bucket, now) => {
                What::TimerStart(TimerStart {
                    timer: number(timer)?,
                    function: number(function)?,
                    expires: number(expires)?,
                    bucket_expiry: bucket.as_ref().and_then(number),
                    now: now.as_ref().and_then(number),
                })
            }
            Plan::TimerExpire([timer, now], function) => What::TimerExpireEntry {
                timer: number(timer)?,
                now: number(now)?,
                function: function.as_ref().and_then(number),
            },
            Plan::Timer(which, timer) => {
                let timer = number(timer)?;
                match which {
                    Timer::Init => What::TimerInit { timer },
                    Timer::Cancel => What::TimerCancel { timer },
                    Timer::ExpireExit => What::TimerExpireExit { timer },
                    Timer::HrCancel => What::HrtimerCancel { timer },
                    Timer::HrExpireExit => What::HrtimerExpireExit { timer },
                }
            }
            Plan::HrtimerStart([timer, function, expires], soft) => What::HrtimerStart {
                timer: number(timer)?,
                function: number(function)?,
                expires_ns: expires.signed(event, o)?,
                soft_ns: soft.as_ref().and_then(|s| s.signed(event, o)),
            },
            Plan::HrtimerExpire([timer, now, function]) => What::HrtimerExpireEntry {
                timer: number(timer)?,
                now_ns: now.signed(event, o)?,
                function: number(function)?,
            },
            Plan::TickStop(success) => What::TickStop {
                success: number(success)? != 0,
            },
            Plan::CpuIdle(state) => What::CpuIdle {
                state: number(state)? as u32,
            },
            Plan::Syscall(true, id) => What::SysEnter {
                number: id.signed(event, o)?,
            },
            Plan::Syscall(false, id) => What::SysExit {
                number: id.signed(event, o)?,
            },
            Plan::GraphEntry([function, depth]) => What::GraphEntry {
                function: number(function)?,
                depth: number(depth)? as u32,
            },
            Plan::GraphExit([function, depth], times) => What::GraphExit {
                function: number(function)?,
                depth: number(depth)? as u32,
                took_ns: match times {
                    None => None,
                    Some((call, ret)) => Some(number(ret)?.saturating_sub(number(call)?)),
                },
            },
            Plan::Function(ip) => What::Function {
                function: number(ip)?,
            },
        })
    }
}
/// Of sched_yield, by the machine's name in `uname -a`: the kernel's tables of
/// system calls.
fn yield_number(uname: &str) -> Option<i64> {
    uname.split_whitespace().find_map(|word| match word {
        "x86_64" => Some(24),
        "aarch64" | "riscv64" | "loongarch64" => Some(124),
        "i686" | "armv7l" | "ppc64le" | "s390x" => Some(158),
        _ => None,
    })
}
