//! Captures made up for tests: formats of the events that analyses know, in
//! either byte order, and events written by name.

use trace::format::PageLayout;
use trace::page::PageWriter;
use trace::{Capture, CpuPages, Head, Order, System};

/// A field's value.
#[derive(Debug, Clone, Copy)]
pub enum V<'a> {
    N(i64),
    T(&'a str),
}

/// What a field is: bytes and sign, `char[16]`, `__data_loc char[]`; `Long` has
/// the size of the traced kernel's longs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum F {
    Int,
    Long,
    U64,
    Comm,
    Text,
}

type EventRow = (&'static str, &'static str, &'static [(F, &'static str)]);

const WAKE: &[(F, &str)] = &[
    (F::Comm, "comm"),
    (F::Int, "pid"),
    (F::Int, "prio"),
    (F::Int, "target_cpu"),
];
const VEC: &[(F, &str)] = &[(F::Int, "vec")];
const VECTOR: &[(F, &str)] = &[(F::Int, "vector")];
const TIMER: &[(F, &str)] = &[(F::Long, "timer")];
const HRTIMER: &[(F, &str)] = &[(F::Long, "hrtimer")];
const IRQ_EXIT: &[(F, &str)] = &[(F::Int, "irq"), (F::Int, "ret")];

/// In the order of their ids, from 100 on.
const EVENTS: &[EventRow] = &[
    (
        "sched",
        "sched_switch",
        &[
            (F::Comm, "prev_comm"),
            (F::Int, "prev_pid"),
            (F::Int, "prev_prio"),
            (F::Long, "prev_state"),
            (F::Comm, "next_comm"),
            (F::Int, "next_pid"),
            (F::Int, "next_prio"),
        ],
    ),
    ("sched", "sched_waking", WAKE),
    ("sched", "sched_wakeup", WAKE),
    ("sched", "sched_wakeup_new", WAKE),
    (
        "sched",
        "sched_migrate_task",
        &[
            (F::Text, "comm"),
            (F::Int, "pid"),
            (F::Int, "prio"),
            (F::Int, "orig_cpu"),
            (F::Int, "dest_cpu"),
        ],
    ),
    (
        "irq",
        "irq_handler_entry",
        &[(F::Int, "irq"), (F::Text, "name")],
    ),
    ("irq", "irq_handler_exit", IRQ_EXIT),
    ("irq", "softirq_raise", VEC),
    ("irq", "softirq_entry", VEC),
    ("irq", "softirq_exit", VEC),
    ("irq_vectors", "local_timer_entry", VECTOR),
    ("irq_vectors", "local_timer_exit", VECTOR),
    ("timer", "timer_init", TIMER),
    (
        "timer",
        "timer_start",
        &[
            (F::Long, "timer"),
            (F::Long, "function"),
            (F::Long, "expires"),
            (F::Long, "bucket_expiry"),
            (F::Long, "now"),
            (F::Int, "flags"),
        ],
    ),
    ("timer", "timer_cancel", TIMER),
    (
        "timer",
        "timer_expire_entry",
        &[
            (F::Long, "timer"),
            (F::Long, "now"),
            (F::Long, "function"),
            (F::Long, "baseclk"),
        ],
    ),
    ("timer", "timer_expire_exit", TIMER),
    (
        "timer",
        "hrtimer_start",
        &[
            (F::Long, "hrtimer"),
            (F::Long, "function"),
            (F::U64, "expires"),
            (F::U64, "softexpires"),
        ],
    ),
    ("timer", "hrtimer_cancel", HRTIMER),
    (
        "timer",
        "hrtimer_expire_entry",
        &[(F::Long, "hrtimer"), (F::U64, "now"), (F::Long, "function")],
    ),
    ("timer", "hrtimer_expire_exit", HRTIMER),
    (
        "timer",
        "tick_stop",
        &[(F::Int, "success"), (F::Int, "dependency")],
    ),
    (
        "ftrace",
        "funcgraph_entry",
        &[(F::Long, "func"), (F::Int, "depth")],
    ),
    (
        "ftrace",
        "funcgraph_exit",
        &[
            (F::Long, "func"),
            (F::Int, "depth"),
            (F::Int, "overrun"),
            (F::U64, "calltime"),
            (F::U64, "rettime"),
        ],
    ),
    ("raw_syscalls", "sys_enter", &[(F::Long, "id")]),
    ("raw_syscalls", "sys_exit", &[(F::Long, "id")]),
    (
        "syscalls",
        "sys_enter_read",
        &[(F::Int, "__syscall_nr"), (F::Long, "fd")],
    ),
    (
        "syscalls",
        "sys_exit_read",
        &[(F::Int, "__syscall_nr"), (F::Long, "ret")],
    ),
    ("power", "cpu_idle", &[(F::Int, "state")]),
];

/// A capture in the making.
pub struct Making {
    pub head: Head,
    layout: PageLayout,
    cpus: Vec<(u32, PageWriter)>,
}

impl Making {
    pub fn new() -> Making {
        Making::of(Order::Little, 8, |_| true)
    }

    /// With the events that `wanted` says, by name.
    pub fn of(order: Order, long_bytes: u8, wanted: impl Fn(&str) -> bool) -> Making {
        let mut head = Head::empty(order, long_bytes, 4096);
        for (id, (system, name, fields)) in (100..).zip(EVENTS).filter(|(_, e)| wanted(e.1)) {
            let text = format(id, name, fields, long_bytes);
            match head.systems.iter_mut().find(|s| s.name == *system) {
                Some(known) => known.formats.push(text),
                None => head.systems.push(System {
                    name: (*system).to_owned(),
                    formats: vec![text],
                }),
            }
        }
        Making {
            head,
            layout: PageLayout::usual(long_bytes),
            cpus: Vec::new(),
        }
    }

    fn writer(&mut self, cpu: u32) -> &mut PageWriter {
        let at = match self.cpus.iter().position(|(known, _)| *known == cpu) {
            Some(at) => at,
            None => {
                let page_bytes = self.head.page_bytes as usize;
                self.cpus.push((
                    cpu,
                    PageWriter::new(page_bytes, self.layout, self.head.order),
                ));
                self.cpus.len() - 1
            }
        };
        &mut self.cpus[at].1
    }

    /// An event while `pid` ran; the values in the order of the fields, what is
    /// left out is 0.
    pub fn push(
        &mut self,
        cpu: u32,
        at_ns: u64,
        pid: i32,
        name: &str,
        values: &[V<'_>],
    ) -> &mut Self {
        let at = EVENTS
            .iter()
            .position(|e| e.1 == name)
            .expect("an event of the list");
        let payload = payload(100 + at as u16, pid, EVENTS[at].2, values, &self.head);
        assert!(self.writer(cpu).push(at_ns, &payload));
        self
    }

    /// `prev` (with `state`) gives the CPU to `next`; names are `t` and the PID.
    pub fn switch(&mut self, cpu: u32, at_ns: u64, prev: i32, state: i64, next: i32) -> &mut Self {
        let (a, b) = (format!("t{prev}"), format!("t{next}"));
        let values = [
            V::T(&a),
            V::N(prev.into()),
            V::N(120),
            V::N(state),
            V::T(&b),
            V::N(next.into()),
            V::N(120),
        ];
        self.push(cpu, at_ns, prev, "sched_switch", &values)
    }

    /// `name` is one of the three events of waking.
    pub fn wake(
        &mut self,
        name: &str,
        cpu: u32,
        at_ns: u64,
        waker: i32,
        pid: i32,
        target: u32,
    ) -> &mut Self {
        let comm = format!("t{pid}");
        let values = [
            V::T(&comm),
            V::N(pid.into()),
            V::N(120),
            V::N(target.into()),
        ];
        self.push(cpu, at_ns, waker, name, &values)
    }

    pub fn lose(&mut self, cpu: u32, count: Option<u64>) -> &mut Self {
        self.writer(cpu).lose(count);
        self
    }

    /// Each CPU's pages, by its number.
    pub fn pages(self) -> (Head, Vec<(u32, Vec<u8>)>) {
        let mut cpus: Vec<_> = self
            .cpus
            .into_iter()
            .map(|(cpu, w)| (cpu, w.finish()))
            .collect();
        cpus.sort_by_key(|(cpu, _)| *cpu);
        (self.head, cpus)
    }

    pub fn capture(self) -> Capture {
        let (head, cpus) = self.pages();
        let cpus = cpus
            .into_iter()
            .map(|(cpu, pages)| CpuPages::owned(cpu, pages));
        Capture::new(head, cpus.collect()).expect("a capture")
    }
}

fn size(field: F, long_bytes: u8) -> usize {
    match field {
        F::Int | F::Text => 4,
        F::Long => usize::from(long_bytes),
        F::U64 => 8,
        F::Comm => 16,
    }
}

/// Offsets as a C compiler would choose them.
fn places(fields: &[(F, &'static str)], long_bytes: u8) -> Vec<usize> {
    let mut at = 8usize;
    fields
        .iter()
        .map(|(field, _)| {
            let size = size(*field, long_bytes);
            let align = if *field == F::Comm { 1 } else { size };
            let begin = at.next_multiple_of(align);
            at = begin + size;
            begin
        })
        .collect()
}

fn format(id: u16, name: &str, fields: &[(F, &'static str)], long_bytes: u8) -> String {
    let mut text = format!(
        "name: {name}\nID: {id}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    );
    for ((field, name), at) in fields.iter().zip(places(fields, long_bytes)) {
        let declared = match field {
            F::Int => format!("int {name}"),
            F::Long => format!("long {name}"),
            F::U64 => format!("u64 {name}"),
            F::Comm => format!("char {name}[16]"),
            F::Text => format!("__data_loc char[] {name}"),
        };
        let size = size(*field, long_bytes);
        text.push_str(&format!(
            "\tfield:{declared};\toffset:{at};\tsize:{size};\tsigned:1;\n"
        ));
    }
    text + "\nprint fmt: \"\"\n"
}

fn payload(
    id: u16,
    pid: i32,
    fields: &[(F, &'static str)],
    values: &[V<'_>],
    head: &Head,
) -> Vec<u8> {
    let order = head.order;
    let mut bytes = vec![0; 4];
    bytes[..2].copy_from_slice(&order.of_u16(id));
    bytes.extend(order.of_u32(pid.cast_unsigned()));
    let places = places(fields, head.long_bytes);
    let last = fields.last().zip(places.last());
    bytes.resize(
        last.map_or(8, |((field, _), at)| at + size(*field, head.long_bytes)),
        0,
    );
    for (((field, _), at), value) in fields.iter().zip(&places).zip(values) {
        let size = size(*field, head.long_bytes);
        match (field, value) {
            (F::Text, V::T(text)) => {
                let location = ((text.len() as u32 + 1) << 16) | bytes.len() as u32;
                bytes[*at..at + 4].copy_from_slice(&order.of_u32(location));
                bytes.extend(text.as_bytes());
                bytes.push(0);
            }
            (_, V::T(text)) => bytes[*at..at + text.len()].copy_from_slice(text.as_bytes()),
            (_, V::N(n)) if size == 8 => {
                bytes[*at..at + 8].copy_from_slice(&order.of_u64(n.cast_unsigned()))
            }
            (_, V::N(n)) => bytes[*at..at + 4].copy_from_slice(&order.of_u32(*n as u32)),
        }
    }
    bytes
}
