//! Timelines of captures that the tests make up.

mod columns;
mod gaps;
mod lanes;
mod order;
mod parts;
mod slices;

use super::{End, Slice, Timeline};
use crate::bytes::Order;
use crate::capture::Capture;
use crate::format::PageLayout;
use crate::head::{Head, System};
use crate::page::PageWriter;
use crate::pages::CpuPages;

const COMMON: &str = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
    \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n";

fn format(id: u16, name: &str, fields: &[(&str, usize, usize)]) -> String {
    let field = |(name, offset, size): &(&str, usize, usize)| {
        format!("\tfield:{name};\toffset:{offset};\tsize:{size};\tsigned:0;\n")
    };
    let fields: String = fields.iter().map(field).collect();
    format!("name: {name}\nID: {id}\nformat:\n{COMMON}\n{fields}\nprint fmt: \"\"\n")
}

fn head() -> Head {
    let mut head = Head::empty(Order::Little, 8, 4096);
    let switch = [
        ("char prev_comm[16]", 8, 16),
        ("pid_t prev_pid", 24, 4),
        ("long prev_state", 28, 4),
        ("char next_comm[16]", 32, 16),
        ("pid_t next_pid", 48, 4),
        ("int prev_prio", 52, 4),
        ("int next_prio", 56, 4),
    ];
    let system = |name: &str, formats: Vec<String>| System {
        name: name.to_owned(),
        formats,
    };
    let pid = [("pid_t pid", 8, 4), ("int target_cpu", 12, 4)];
    head.systems = vec![
        system(
            "sched",
            vec![
                format(1, "sched_switch", &switch),
                format(2, "sched_waking", &pid),
                format(3, "sched_wakeup", &pid),
            ],
        ),
        system(
            "irq",
            vec![
                format(4, "softirq_entry", &[("unsigned int vec", 8, 4)]),
                format(5, "softirq_exit", &[("unsigned int vec", 8, 4)]),
            ],
        ),
        system(
            "irq_vectors",
            vec![
                format(6, "local_timer_entry", &[]),
                format(7, "local_timer_exit", &[]),
            ],
        ),
        system(
            "timer",
            vec![
                format(
                    8,
                    "hrtimer_expire_entry",
                    &[
                        ("void * function", 8, 8),
                        ("void * hrtimer", 16, 8),
                        ("s64 now", 24, 8),
                    ],
                ),
                format(9, "hrtimer_start", &[]),
            ],
        ),
    ];
    head.kallsyms = "ffff0000 T before\nffff1000 t tick\nffff2000 T after\n".to_owned();
    head
}

struct Cpu(PageWriter);

impl Cpu {
    fn new() -> Cpu {
        Cpu(PageWriter::new(4096, PageLayout::usual(8), Order::Little))
    }

    fn push(&mut self, at_ns: u64, id: u16, flags: u8, pid: i32, rest: &[u8]) -> &mut Cpu {
        let mut payload = id.to_le_bytes().to_vec();
        payload.extend([flags, 0]);
        payload.extend(pid.to_le_bytes());
        payload.extend(rest);
        assert!(self.0.push(at_ns, &payload));
        self
    }

    fn switch(&mut self, at_ns: u64, prev: i32, state: u32, next: i32) -> &mut Cpu {
        let comm = |pid: i32| {
            let mut comm = [0; 16];
            comm[0] = b'a' + pid as u8;
            comm
        };
        let mut rest = comm(prev).to_vec();
        rest.extend(prev.to_le_bytes());
        rest.extend(state.to_le_bytes());
        rest.extend(comm(next));
        rest.extend(next.to_le_bytes());
        rest.extend([120, 0, 0, 0, 120, 0, 0, 0]);
        self.push(at_ns, 1, 0, prev, &rest)
    }

    fn wake(&mut self, at_ns: u64, id: u16, flags: u8, by: i32, pid: i32) -> &mut Cpu {
        // Target is CPU 0.
        let rest = [pid.to_le_bytes(), [0; 4]].concat();
        self.push(at_ns, id, flags, by, &rest)
    }
}

fn timeline(head: Head, cpus: Vec<Cpu>) -> Timeline {
    of_pages(head, cpus.into_iter().map(|cpu| cpu.0.finish()).collect())
}

fn of_pages(head: Head, cpus: Vec<Vec<u8>>) -> Timeline {
    let pages = (0u32..).zip(cpus);
    let pages = pages.map(|(cpu, pages)| CpuPages::owned(cpu, pages));
    Timeline::of(&Capture::new(head, pages.collect()).unwrap()).unwrap()
}

/// Start, end, pid, how it ended.
fn seen(timeline: &Timeline, cpu: usize) -> Vec<(u64, u64, i32, End)> {
    let slice = |s: &Slice| {
        let pid = timeline.tasks[s.task as usize].pid;
        (s.start_ns, s.end_ns, pid, s.end)
    };
    timeline.cpus[cpu].slices.iter().map(slice).collect()
}
