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

/// System and name of an event, then its fields; in the order of their ids, from 100 on.
const EVENTS: [&str; 29] = [
    "sched sched_switch: comm prev_comm, int prev_pid, int prev_prio, long prev_state, \
     comm next_comm, int next_pid, int next_prio",
    "sched sched_waking: comm comm, int pid, int prio, int target_cpu",
    "sched sched_wakeup: comm comm, int pid, int prio, int target_cpu",
    "sched sched_wakeup_new: comm comm, int pid, int prio, int target_cpu",
    "sched sched_migrate_task: text comm, int pid, int prio, int orig_cpu, int dest_cpu",
    "irq irq_handler_entry: int irq, text name",
    "irq irq_handler_exit: int irq, int ret",
    "irq softirq_raise: int vec",
    "irq softirq_entry: int vec",
    "irq softirq_exit: int vec",
    "irq_vectors local_timer_entry: int vector",
    "irq_vectors local_timer_exit: int vector",
    "timer timer_init: long timer",
    "timer timer_start: long timer, long function, long expires, long bucket_expiry, long now, \
     int flags",
    "timer timer_cancel: long timer",
    "timer timer_expire_entry: long timer, long now, long function, long baseclk",
    "timer timer_expire_exit: long timer",
    "timer hrtimer_start: long hrtimer, long function, u64 expires, u64 softexpires",
    "timer hrtimer_cancel: long hrtimer",
    "timer hrtimer_expire_entry: long hrtimer, u64 now, long function",
    "timer hrtimer_expire_exit: long hrtimer",
    "timer tick_stop: int success, int dependency",
    "ftrace funcgraph_entry: long func, int depth",
    "ftrace funcgraph_exit: long func, int depth, int overrun, u64 calltime, u64 rettime",
    "raw_syscalls sys_enter: long id",
    "raw_syscalls sys_exit: long id",
    "syscalls sys_enter_read: int __syscall_nr, long fd",
    "syscalls sys_exit_read: int __syscall_nr, long ret",
    "power cpu_idle: int state",
];

/// An event of the list, taken apart.
struct Known {
    id: u16,
    system: &'static str,
    name: &'static str,
    fields: Vec<Field>,
}

struct Field {
    at: usize,
    bytes: usize,
    /// In C.
    declared: String,
}

fn known(id: u16, row: &'static str, long_bytes: u8) -> Known {
    let (event, fields) = row.split_once(": ").expect("an event and its fields");
    let (system, name) = event.split_once(' ').expect("a system and a name");
    let long = usize::from(long_bytes);
    let mut end = 8usize;
    let field = |text: &str| {
        let (kind, name) = text.split_once(' ').expect("a kind and a name");
        let (c_type, length, bytes, align) = match kind {
            "int" => ("int", "", 4, 4),
            "long" => ("long", "", long, long),
            "u64" => ("u64", "", 8, 8),
            "comm" => ("char", "[16]", 16, 1),
            _ => ("__data_loc char[]", "", 4, 4),
        };
        // As a C compiler would choose it.
        let at = end.next_multiple_of(align);
        end = at + bytes;
        let declared = format!("{c_type} {name}{length}");
        Field {
            at,
            bytes,
            declared,
        }
    };
    Known {
        id,
        system,
        name,
        fields: fields.split(", ").map(field).collect(),
    }
}

/// A capture in the making.
pub struct Making {
    pub head: Head,
    layout: PageLayout,
    events: Vec<Known>,
    cpus: Vec<(u32, PageWriter)>,
}

impl Making {
    pub fn new() -> Making {
        Making::of(Order::Little, 8, |_| true)
    }

    /// With the events that `wanted` says, by name.
    pub fn of(order: Order, long_bytes: u8, wanted: impl Fn(&str) -> bool) -> Making {
        let mut head = Head::empty(order, long_bytes, 4096);
        let events: Vec<Known> = (100..)
            .zip(EVENTS)
            .map(|(id, row)| known(id, row, long_bytes))
            .collect();
        for event in events.iter().filter(|event| wanted(event.name)) {
            let text = format(event);
            match head.systems.iter_mut().find(|s| s.name == event.system) {
                Some(known) => known.formats.push(text),
                None => head.systems.push(System {
                    name: event.system.to_owned(),
                    formats: vec![text],
                }),
            }
        }
        Making {
            head,
            events,
            layout: PageLayout::usual(long_bytes),
            cpus: Vec::new(),
        }
    }

    fn writer(&mut self, cpu: u32) -> &mut PageWriter {
        let known = self.cpus.iter().position(|(known, _)| *known == cpu);
        let at = known.unwrap_or_else(|| {
            let page_bytes = self.head.page_bytes as usize;
            let writer = PageWriter::new(page_bytes, self.layout, self.head.order);
            self.cpus.push((cpu, writer));
            self.cpus.len() - 1
        });
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
        let event = self.events.iter().find(|event| event.name == name);
        let payload = payload(
            event.expect("an event of the list"),
            pid,
            values,
            &self.head,
        );
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

fn format(event: &Known) -> String {
    let Known {
        id, name, fields, ..
    } = event;
    let mut text = format!(
        "name: {name}\nID: {id}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    );
    for field in fields {
        let Field {
            at,
            bytes,
            declared,
        } = field;
        text.push_str(&format!(
            "\tfield:{declared};\toffset:{at};\tsize:{bytes};\tsigned:1;\n"
        ));
    }
    text + "\nprint fmt: \"\"\n"
}

fn payload(event: &Known, pid: i32, values: &[V<'_>], head: &Head) -> Vec<u8> {
    let order = head.order;
    let mut bytes = vec![0; 4];
    bytes[..2].copy_from_slice(&order.of_u16(event.id));
    bytes.extend(order.of_u32(pid.cast_unsigned()));
    let end = event
        .fields
        .last()
        .map_or(8, |field| field.at + field.bytes);
    bytes.resize(end, 0);
    for (field, value) in event.fields.iter().zip(values) {
        let at = field.at;
        match (field.bytes, value) {
            // Behind the fields, where the field says.
            (4, V::T(text)) => {
                let location = ((text.len() as u32 + 1) << 16) | bytes.len() as u32;
                bytes[at..at + 4].copy_from_slice(&order.of_u32(location));
                bytes.extend(text.as_bytes());
                bytes.push(0);
            }
            (_, V::T(text)) => bytes[at..at + text.len()].copy_from_slice(text.as_bytes()),
            (8, V::N(n)) => bytes[at..at + 8].copy_from_slice(&order.of_u64(n.cast_unsigned())),
            (_, V::N(n)) => bytes[at..at + 4].copy_from_slice(&order.of_u32(*n as u32)),
        }
    }
    bytes
}
