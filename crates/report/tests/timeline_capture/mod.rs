//! A made-up capture of any size: on each CPU some tasks take turns, wake one
//! another, are preempted, sleep; a timer ticks and its softirq runs.

use trace::format::PageLayout;
use trace::page::PageWriter;
use trace::{Capture, CpuPages, Head, Order, System};

const COMMON: &str = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
    \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
    \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n";
const SWITCH: &str = "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\
    \tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\
    \tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n\
    \tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n\
    \tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n\
    \tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n\
    \tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n";
const WAKING: &str = "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n";
const VEC: &str = "\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n";
const EXPIRY: &str = "\tfield:void * function;\toffset:8;\tsize:8;\tsigned:0;\n\
    \tfield:void * hrtimer;\toffset:16;\tsize:8;\tsigned:0;\n\
    \tfield:s64 now;\toffset:24;\tsize:8;\tsigned:1;\n";
const IDLE_STATE: &str = "\tfield:u32 state;\toffset:8;\tsize:4;\tsigned:0;\n";
const EXEC: &str = "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n\
    \tfield:char filename[12];\toffset:12;\tsize:12;\tsigned:0;\n";

/// Numbers of the events.
const SCHED_SWITCH: u16 = 1;
const SCHED_WAKING: u16 = 2;
const SOFTIRQ_ENTRY: u16 = 3;
const SOFTIRQ_EXIT: u16 = 4;
const TIMER_ENTRY: u16 = 5;
const TIMER_EXIT: u16 = 6;
const HRTIMER: u16 = 7;
const CPU_IDLE: u16 = 8;
const PROCESS_EXEC: u16 = 9;

const TASKS: i32 = 6;

fn head() -> Head {
    let format = |id: u16, name: &str, fields: &str| {
        format!("name: {name}\nID: {id}\nformat:\n{COMMON}\n{fields}\nprint fmt: \"\"\n")
    };
    let system = |name: &str, formats: &[(u16, &str, &str)]| System {
        name: name.to_owned(),
        formats: formats.iter().map(|(id, n, f)| format(*id, n, f)).collect(),
    };
    let mut head = Head::empty(Order::Little, 8, 4096);
    head.clock = Some("mono".to_owned());
    head.kallsyms = "ffff1000 t tick_nohz_handler\nffff2000 t other\n".to_owned();
    head.systems = vec![
        system(
            "sched",
            &[
                (SCHED_SWITCH, "sched_switch", SWITCH),
                (SCHED_WAKING, "sched_waking", WAKING),
                (PROCESS_EXEC, "sched_process_exec", EXEC),
            ],
        ),
        system(
            "irq",
            &[
                (SOFTIRQ_ENTRY, "softirq_entry", VEC),
                (SOFTIRQ_EXIT, "softirq_exit", VEC),
            ],
        ),
        system(
            "irq_vectors",
            &[
                (TIMER_ENTRY, "local_timer_entry", ""),
                (TIMER_EXIT, "local_timer_exit", ""),
            ],
        ),
        system("timer", &[(HRTIMER, "hrtimer_expire_entry", EXPIRY)]),
        system("power", &[(CPU_IDLE, "cpu_idle", IDLE_STATE)]),
    ];
    head
}

struct Cpu {
    writer: PageWriter,
    at_ns: u64,
    random: u64,
    events: usize,
}

impl Cpu {
    fn push(&mut self, id: u16, pid: i32, rest: &[u8]) {
        let mut payload = [0; 72];
        payload[..2].copy_from_slice(&id.to_le_bytes());
        payload[4..8].copy_from_slice(&pid.to_le_bytes());
        payload[8..8 + rest.len()].copy_from_slice(rest);
        let length = (8 + rest.len()).next_multiple_of(4);
        assert!(self.writer.push(self.at_ns, &payload[..length]));
        self.events += 1;
    }

    /// xorshift: the same capture each time.
    fn below(&mut self, limit: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % limit
    }

    fn pass(&mut self, least_ns: u64, most_ns: u64) {
        self.at_ns += least_ns + self.below(most_ns - least_ns);
    }

    fn switch(&mut self, prev: i32, state: u64, next: i32) {
        let mut rest = [0; 56];
        rest[..16].copy_from_slice(&comm(prev));
        rest[16..20].copy_from_slice(&prev.to_le_bytes());
        rest[24..32].copy_from_slice(&state.to_le_bytes());
        rest[32..48].copy_from_slice(&comm(next));
        rest[48..52].copy_from_slice(&next.to_le_bytes());
        self.push(SCHED_SWITCH, prev, &rest);
    }

    fn idle(&mut self, state: u32) {
        self.push(CPU_IDLE, 0, &state.to_le_bytes());
    }

    fn exec(&mut self, pid: i32) {
        let mut rest = [0; 16];
        rest[..4].copy_from_slice(&pid.to_le_bytes());
        rest[4..13].copy_from_slice(b"/bin/made");
        self.push(PROCESS_EXEC, pid, &rest);
    }

    fn tick(&mut self, pid: i32) {
        let mut expiry = [0; 24];
        expiry[..8].copy_from_slice(&0xffff_1010u64.to_le_bytes());
        self.push(TIMER_ENTRY, pid, &[]);
        self.pass(300, 900);
        self.push(HRTIMER, pid, &expiry);
        self.pass(500, 3000);
        self.push(TIMER_EXIT, pid, &[]);
        self.push(SOFTIRQ_ENTRY, pid, &1u32.to_le_bytes());
        self.pass(500, 9000);
        self.push(SOFTIRQ_EXIT, pid, &1u32.to_le_bytes());
    }
}

fn comm(pid: i32) -> [u8; 16] {
    let name = match pid {
        0 => "swapper".to_owned(),
        _ => format!(
            "{}-{pid}",
            ["pipe", "matrix", "dd", "kworker"][pid as usize % 4]
        ),
    };
    let mut comm = [0; 16];
    comm[..name.len()].copy_from_slice(name.as_bytes());
    comm
}

/// About `events` events on `cpus` CPUs.
pub fn capture(events: usize, cpus: u32, gaps: bool) -> Capture {
    let pages = |cpu: u32| CpuPages::owned(cpu, one(cpu, events / cpus as usize, gaps));
    Capture::new(head(), (0..cpus).map(pages).collect()).expect("the formats are well-formed")
}

fn one(number: u32, events: usize, gaps: bool) -> Vec<u8> {
    let mut cpu = Cpu {
        writer: PageWriter::new(4096, PageLayout::usual(8), Order::Little),
        at_ns: 5_000_000_000 + u64::from(number) * 700,
        random: 0x9e37_79b9_7f4a_7c15 ^ u64::from(number + 1),
        events: 0,
    };
    let first = 100 + number as i32 * TASKS;
    let (mut runs, mut next_tick, mut next_loss) = (0, cpu.at_ns, 1500);
    while cpu.events < events {
        if gaps && cpu.events >= next_loss {
            next_loss += 5000;
            cpu.writer.lose(Some(17));
            cpu.at_ns += 2_000_000;
        }
        if cpu.at_ns >= next_tick {
            cpu.tick(runs);
            next_tick += 4_000_000;
        }
        let wanted = first + cpu.below(TASKS as u64) as i32;
        if wanted != runs {
            cpu.push(SCHED_WAKING, runs, &wanted.to_le_bytes());
            cpu.pass(400, 6000);
            let idle = runs == 0 || cpu.below(8) > 0;
            let state = if runs == 0 {
                0
            } else {
                [1, 1, 2, 0x100, 0][cpu.below(5) as usize]
            };
            let next = if idle { wanted } else { 0 };
            if runs == 0 {
                cpu.idle(u32::MAX);
            }
            cpu.switch(runs, state, next);
            runs = next;
            if runs == 0 {
                cpu.idle(2);
            } else if cpu.below(500) == 0 {
                cpu.exec(runs);
            }
        }
        cpu.pass(1000, 60_000);
    }
    cpu.writer.finish()
}
