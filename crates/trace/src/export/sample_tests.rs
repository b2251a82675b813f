//! A small capture with every kind of event that exports know.

use crate::bytes::Order;
use crate::capture::Capture;
use crate::format::PageLayout;
use crate::head::{CpuStat, Head, System};
use crate::page::PageWriter;
use crate::pages::CpuPages;

/// Name, bytes, signed; a name with brackets is an array of characters.
type FieldOf = (&'static str, usize, bool);

const PID: FieldOf = ("int pid", 4, true);
const TIMER: FieldOf = ("void * timer", 8, false);

const EVENTS: &[(u16, &str, &str, &[FieldOf])] = &[
    (
        10,
        "sched",
        "sched_switch",
        &[
            ("char prev_comm[16]", 16, false),
            ("pid_t prev_pid", 4, true),
            ("int prev_prio", 4, true),
            ("long prev_state", 8, true),
            ("char next_comm[16]", 16, false),
            ("pid_t next_pid", 4, true),
            ("int next_prio", 4, true),
        ],
    ),
    (
        11,
        "sched",
        "sched_waking",
        &[
            ("char comm[16]", 16, false),
            PID,
            ("int prio", 4, true),
            ("int target_cpu", 4, true),
        ],
    ),
    (
        12,
        "irq",
        "irq_handler_entry",
        &[("int irq", 4, true), ("char name[8]", 8, false)],
    ),
    (
        13,
        "irq",
        "irq_handler_exit",
        &[("int irq", 4, true), ("int ret", 4, true)],
    ),
    (
        14,
        "irq",
        "softirq_entry",
        &[("unsigned int vec", 4, false)],
    ),
    (15, "irq", "softirq_exit", &[("unsigned int vec", 4, false)]),
    (16, "timer", "timer_cancel", &[TIMER]),
    (
        17,
        "odd",
        "odd_event",
        &[("char who[8]", 8, false), PID, ("u8 key[4]", 4, false)],
    ),
];

fn format(id: u16, name: &str, fields: &[FieldOf]) -> String {
    let mut text = format!(
        "name: {name}\nID: {id}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\t\
         signed:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    );
    let mut offset = 8;
    for (declaration, size, signed) in fields {
        let signed = u8::from(*signed);
        text +=
            &format!("\tfield:{declaration};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n");
        offset += size;
    }
    text + "\nprint fmt: \"it is \\\"so\\\"\"\n"
}

/// Numbers and texts of an event, each as long as its field.
enum Is {
    N(i64),
    T(&'static str),
}
use Is::{N, T};

fn payload(id: u16, pid: i32, values: &[Is]) -> Vec<u8> {
    let (_, _, _, fields) = EVENTS.iter().find(|(known, ..)| *known == id).unwrap();
    let mut bytes = id.to_le_bytes().to_vec();
    bytes.extend([0, 0]);
    bytes.extend(pid.to_le_bytes());
    for ((_, size, _), value) in fields.iter().zip(values) {
        let mut field = match value {
            N(number) => number.to_le_bytes()[..*size].to_vec(),
            T(text) => text.as_bytes().to_vec(),
        };
        field.resize(*size, 0);
        bytes.extend(field);
    }
    bytes
}

fn switch(from: (&'static str, i64), state: i64, to: (&'static str, i64)) -> Vec<u8> {
    let values = [
        T(from.0),
        N(from.1),
        N(120),
        N(state),
        T(to.0),
        N(to.1),
        N(90),
    ];
    payload(10, from.1 as i32, &values)
}

const CAT: (&str, i64) = ("cat \"1\"", 4);
const DOG: (&str, i64) = ("dog", 5);
const IDLE: (&str, i64) = ("swapper/0", 0);

pub fn capture() -> Capture {
    let mut writer = PageWriter::new(4096, PageLayout::usual(8), Order::Little);
    let mut at = |stamp: u64, bytes: &[u8]| assert!(writer.push(stamp, bytes));
    at(1_000_000, &switch(IDLE, 0, CAT));
    at(1_002_000, &payload(12, 4, &[N(34), T("timer")]));
    at(1_003_000, &payload(14, 4, &[N(1)]));
    at(1_003_100, &payload(16, 4, &[N(-4096)]));
    at(1_003_500, &payload(15, 4, &[N(1)]));
    at(1_004_001, &payload(13, 4, &[N(34), N(1)]));
    at(1_010_000, &payload(11, 4, &[T("dog"), N(5), N(90), N(0)]));
    at(1_020_005, &switch(CAT, 256, DOG));
    at(
        1_030_000,
        &payload(17, 5, &[T("me"), N(-7), T("\x01\x02\x03\x04")]),
    );
    // The slice of dog spans a gap, and is none.
    writer.lose(Some(12));
    writer.push(2_000_000, &switch(DOG, 1, IDLE));
    writer.push(2_500_000, &switch(IDLE, 0, CAT));
    writer.push(2_500_001, &[99, 0, 0, 0, 4, 0, 0, 0]);
    let mut head = Head::empty(Order::Little, 8, 4096);
    for (id, system, name, fields) in EVENTS {
        head.systems.push(System {
            name: (*system).to_owned(),
            formats: vec![format(*id, name, fields)],
        });
    }
    head.comms = "5 dog\n4 cat \"1\"\n".to_owned();
    head.uname = Some("Linux host 6.12.1-x #1 SMP x86_64".to_owned());
    head.cpu_stats = vec![CpuStat {
        cpu: 1,
        text: "CPU: 1\nentries: 0\noverrun: 12\ndropped events: 0\nread events: 11\n".to_owned(),
    }];
    Capture::new(head, vec![CpuPages::owned(1, writer.finish())]).unwrap()
}
