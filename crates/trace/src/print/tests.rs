//! Sentences of the kernel, and what is none.

use super::Printer;
use crate::bytes::Order;
use crate::capture::Capture;
use crate::head::{Head, System};
use crate::page::Event;
use proptest::prelude::*;

const FIELDS: &str = "\
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;
\tfield:int n;\toffset:16;\tsize:4;\tsigned:1;
\tfield:u8 b;\toffset:20;\tsize:1;\tsigned:0;
\tfield:u8 ip[4];\toffset:24;\tsize:4;\tsigned:0;
\tfield:void * at;\toffset:32;\tsize:8;\tsigned:0;
\tfield:__data_loc char[] name;\toffset:40;\tsize:4;\tsigned:0;
\tfield:__data_loc u16[] list;\toffset:44;\tsize:4;\tsigned:0;
\tfield:unsigned long mask;\toffset:48;\tsize:8;\tsigned:0;
\tfield:__data_loc unsigned long[] cpus;\toffset:56;\tsize:4;\tsigned:0;
";

fn payload() -> Vec<u8> {
    let mut bytes = vec![9, 0, 0, 0, 7, 0, 0, 0];
    bytes.extend(b"cat\0junk");
    bytes.extend((-5i32).to_le_bytes());
    bytes.extend([200, 0, 0, 0, 10, 1, 2, 3, 0, 0, 0, 0]);
    bytes.extend(0xffff_ffff_8100_0010u64.to_le_bytes());
    bytes.extend((60u32 | 4 << 16).to_le_bytes());
    bytes.extend((64u32 | 6 << 16).to_le_bytes());
    bytes.extend(5u64.to_le_bytes());
    bytes.extend((72u32 | 8 << 16).to_le_bytes());
    bytes.extend(b"abc\0\x01\0\x02\0\xff\xff\0\0");
    bytes.extend(0b1_0111u64.to_le_bytes());
    bytes
}

fn capture(print: &str) -> Capture {
    let format = format!("name: e\nID: 9\nformat:\n{FIELDS}\nprint fmt: {print}\n");
    let mut head = Head::empty(Order::Little, 8, 4096);
    head.systems = vec![System {
        name: "s".to_owned(),
        formats: vec![format],
    }];
    head.kallsyms = "ffffffff81000000 T start\nffffffff81000020 t next\n".to_owned();
    head.printk_formats = "0xffffffff81000010 : \"said\"\n".to_owned();
    Capture::new(head, Vec::new()).unwrap()
}

fn printed(print: &str) -> String {
    printed_of(print, &payload())
}

fn printed_of(print: &str, payload: &[u8]) -> String {
    let capture = capture(print);
    let event = Event {
        at_ns: 1,
        cpu: 0,
        payload,
    };
    let mut out = String::new();
    Printer::new(&capture).write(&event, &mut out);
    out
}

#[test]
fn sentences_are_the_kernels() {
    for (print, wanted) in [
        (
            "\"%s %d %u %x\", REC->comm, REC->n, REC->n, REC->n",
            "cat -5 4294967291 fffffffb",
        ),
        (
            "\"%lld|%5d|%-5d|%05d|%+d|%#x\", (long long)REC->n, REC->n, REC->n, REC->n, 3, 255",
            "-5|   -5|-5   |-0005|+3|0xff",
        ),
        (
            "\"%8s|%-8s|%.2s|%%\", REC->comm, __get_str(name), REC->comm",
            "     cat|abc     |ca|%",
        ),
        ("\"%s\", REC->n < 0 ? \"less\" : \"more\"", "less"),
        (
            "\"%d\", REC->b > 100 && !(REC->n == 5) ? 1 + 2 * 3 : 0",
            "7",
        ),
        (
            "\"%s\", __print_symbolic(REC->b, { 1, \"one\" }, { 100 << 1, \"two\" \"hundred\" })",
            "twohundred",
        ),
        ("\"%s\", __print_symbolic(REC->n, { -5, \"five\" })", "five"),
        (
            "\"%s\", __print_symbolic(REC->b, { SOME_ENUM, \"some\" }, { 1 << SOME_BIT, \"bit\" }, { }, { 1, \"one\" })",
            "0xc8",
        ),
        (
            "\"%s\", __print_flags(REC->mask, \"|\", { 1UL, \"A\" }, { (1 << 1), \"B\" })",
            "A|0x4",
        ),
        (
            "\"%s\", __print_flags(REC->mask & 2, \"|\", { 0, \"none\" }, { 2, \"B\" })",
            "none",
        ),
        (
            "\"%s\", __print_array(__get_dynamic_array(list), __get_dynamic_array_len(list) / 2, 2)",
            "{0x1,0x2,0xffff}",
        ),
        (
            "\"%s %s\", __print_hex(REC->ip, 4), __print_hex_str(REC->ip, sizeof(REC->ip))",
            "0a 01 02 03 0a010203",
        ),
        ("\"%pI4 %d\", REC->ip, REC->ip[3]", "10.1.2.3 3"),
        (
            "\"%pS %ps %p %px\", REC->at, (void *)REC->at, REC->at, REC->at",
            "start+0x10 start 0xffffffff81000010 0xffffffff81000010",
        ),
        (
            "\"%s %s\", (char *)REC->at, __get_bitmask(cpus)",
            "said 00000000,00000017",
        ),
        ("\"%*pbl\", 64, __get_dynamic_array(cpus)", "0-2,4"),
        ("\"%*phC\", 3, REC->ip", "0a:01:02"),
        ("\"%d\", *(u16 *)__get_dynamic_array(list)", "1"),
        ("\"%c%c %hhu\", 'a', REC->comm[1], 257", "aa 1"),
        ("\"%s\\n\", \"end\"", "end"),
        (
            "\"%u:%u\", ((unsigned int) ((9437185) >> 20)), ((unsigned int) ((9437185) & ((1U << 20) - 1)))",
            "9:1",
        ),
    ] {
        assert_eq!(printed(print), wanted, "{print}");
    }
}

/// The kernel's own format of a stack: eight callers, whatever there are.
const STACK: &str = "name: kernel_stack\nID: 4\nformat:\n\
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;
\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;

print fmt: \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\", \
(void *)REC->caller[0], (void *)REC->caller[1], (void *)REC->caller[2], (void *)REC->caller[3], \
(void *)REC->caller[4], (void *)REC->caller[5], (void *)REC->caller[6], (void *)REC->caller[7]
";

/// The sentence of a stack that says `size`, and the event by fields.
fn stack(format: &str, size: i32, frames: &[u64]) -> (String, String) {
    let mut head = Head::empty(Order::Little, 8, 4096);
    head.systems = vec![System {
        name: "ftrace".to_owned(),
        formats: vec![format.to_owned()],
    }];
    head.kallsyms = (0..30)
        .map(|n| format!("{:016x} T f{n}\n", 0xffff_ffff_8100_0000u64 + n * 16))
        .collect();
    let mut payload = vec![4, 0, 0, 0, 7, 0, 0, 0];
    payload.extend(size.to_le_bytes());
    payload.extend([0; 4]);
    for frame in frames {
        payload.extend(frame.to_le_bytes());
    }
    let capture = Capture::new(head, Vec::new()).unwrap();
    let event = Event {
        at_ns: 1,
        cpu: 0,
        payload: &payload,
    };
    let (mut text, mut raw) = (String::new(), String::new());
    let printer = Printer::new(&capture);
    printer.write(&event, &mut text);
    printer.write_raw(&event, &mut raw);
    assert_eq!(printer.not_understood(&event), None);
    (text, raw)
}

#[test]
fn a_stack_has_as_many_frames_as_the_event() {
    let frames: Vec<u64> = (0..20).map(|n| 0xffff_ffff_8100_0004 + n * 16).collect();
    for depth in [0, 1, 6, 7, 8, 9, 20] {
        let (text, raw) = stack(STACK, depth as i32, &frames[..depth]);
        let names: String = (0..depth).map(|n| format!(" => f{n}")).collect();
        assert_eq!(text, format!("<stack trace>{names}"));
        assert!(raw.starts_with(&format!("size={depth} caller=[")), "{raw}");
        assert_eq!(raw.matches("ffffffff8100").count(), depth, "{raw}");
    }
    // Says more than it has; says less; ends with the mark of older kernels.
    let more = stack(STACK, 12, &frames[..2]).0;
    assert_eq!(
        more,
        "<stack trace> => f0 => f1 => ... (12 frames, 2 in the event)"
    );
    assert_eq!(stack(STACK, 1, &frames[..2]).0, "<stack trace> => f0");
    let marked = [frames[0], u64::MAX, 0];
    assert_eq!(stack(STACK, 3, &marked).0, "<stack trace> => f0");
    let negative = stack(STACK, -1, &frames[..1]).0;
    assert!(
        negative.starts_with("<stack trace> => f0 => ... ("),
        "{negative}"
    );
    // User space has no symbols here.
    let user = STACK.replace("kernel_stack", "user_stack");
    let user = user.replace("int size", "unsigned int tgid");
    assert_eq!(
        stack(&user, 7, &[0x55, frames[1], 0, 0]).0,
        "<user stack trace> => 0x55 => 0xffffffff81000014"
    );
}

#[test]
fn what_cannot_be_evaluated_is_printed_by_fields() {
    let all = "comm=cat n=-5 b=200 ip=[a,1,2,3] at=0xffffffff81000010 name=abc list=[1,2,ffff] mask=5 cpus=[17]";
    for (print, cause) in [
        ("\"%s\", ({ int x; x; })", "statements"),
        (
            "\"%d\", jiffies_to_msecs(REC->n)",
            "calls jiffies_to_msecs()",
        ),
        ("\"%d\", SOME_ENUM", "SOME_ENUM"),
        ("\"%d\", REC->absent", "no field absent"),
        ("\"%d %d\", REC->n", "takes 2 values"),
        ("\"%pd\", REC->at", "memory"),
        ("\"%d", "no end"),
        ("", "string"),
    ] {
        assert_eq!(printed(print), all, "{print}");
        let capture = capture(print);
        let printer = Printer::new(&capture);
        let refused = printer.all_not_understood();
        assert!(refused["s:e"].to_string().contains(cause), "{refused:?}");
    }
    // Understood, but this event is too short, or divides by zero.
    assert_eq!(printed("\"%d\", REC->n / (REC->b - 200)"), all);
    let short = printed_of("\"%s\", __get_str(name)", &payload()[..58]);
    assert!(short.ends_with("name=? list=? mask=5 cpus=?"), "{short}");
}

#[test]
fn many_side_by_side_are_not_deep() {
    let values = vec!["(-(1))"; 300].join(", ");
    let sentence = format!("\"{}\", {values}", "%d".repeat(300));
    assert_eq!(printed(&sentence), "-1".repeat(300));
}

#[test]
fn deep_nests_are_refused() {
    let deep = format!("\"%d\", {}1{}", "(".repeat(5000), ")".repeat(5000));
    assert!(printed(&deep).starts_with("comm="));
    let deep = format!("\"%d\", {}1", "-!".repeat(5000));
    assert!(printed(&deep).starts_with("comm="));
    let long = format!("\"%d\", 1{}", " + 1".repeat(100_000));
    assert!(printed(&long).starts_with("comm="));
    let deep = format!("\"%d\", {}1", "1 ? 2 : ".repeat(5000));
    assert!(printed(&deep).starts_with("comm="));
}

proptest! {
    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec(prop_oneof![
        Just("REC->n"), Just("REC->name"), Just("REC->at"), Just("REC->list"), Just("("), Just(")"),
        Just("["), Just("]"), Just(","), Just("\"%s\""), Just("\"%*pbl %.*s\""), Just("+"), Just("<<"),
        Just("/"), Just("?"), Just(":"), Just("(u8)"), Just("(char *)"), Just("__get_str(name)"),
        Just("__print_flags("), Just("__print_hex("), Just("{"), Just("}"), Just("7"), Just("0x8000000000000000"),
        Just("-"), Just("*"), Just("!"), Just("__print_array("), Just("__get_dynamic_array(list)"),
    ], 0..14), bytes in prop::collection::vec(any::<u8>(), 0..90)) {
        let _ = printed_of(&format!("\"%s %d %p\", {}", words.join(" ")), &bytes);
        let _ = printed_of(&words.join(" "), &bytes);
    }

    #[test]
    fn any_conversion_is_read_or_refused(format in "(%[-+ #0]?[0-9*]{0,6}(\\.[0-9*]{0,3})?(hh|ll|l)?[diuxXocsp][SIihbMU6]?[4c]?.?){1,3}",
        payload in prop::collection::vec(any::<u8>(), 60..90)) {
        for value in ["REC->n", "REC->comm", "__get_dynamic_array(cpus)", "REC->at"] {
            let arguments = [value; 9].join(", ");
            let _ = printed_of(&format!("\"{format}\", {arguments}"), &payload);
        }
    }
}

/// A byte of it takes eighty of memory.
#[test]
fn sentences_are_bounded_each_and_together() {
    let refusals = |prints: &[String]| {
        let one = |(id, print): (usize, &String)| {
            format!("name: e{id}\nID: {id}\nformat:\n{FIELDS}\nprint fmt: {print}\n")
        };
        let mut head = Head::empty(Order::Little, 8, 4096);
        head.systems = vec![System {
            name: "s".to_owned(),
            formats: prints.iter().enumerate().map(one).collect(),
        }];
        let capture = Capture::new(head, Vec::new()).unwrap();
        let printer = Printer::new(&capture);
        let why = |id: usize| {
            let known = printer.events[id].as_ref().unwrap();
            known
                .sentence
                .as_ref()
                .err()
                .map_or_else(String::new, ToString::to_string)
        };
        (0..prints.len()).map(why).collect::<Vec<_>>()
    };
    let long = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2));
    let (most, more) = (super::SENTENCE_BYTES, super::SENTENCE_BYTES + 1);
    let why = refusals(&[long(most), long(more), long(9)]);
    assert!(why[0].is_empty() && why[2].is_empty());
    assert_eq!(why[1], "it has 65537 bytes; 65536 are allowed");
    let many = super::SENTENCES_BYTES / most;
    let why = refusals(&vec![long(most); many + 1]);
    assert!(why[many - 1].is_empty());
    assert_eq!(why[many], "all have more than 4194304 bytes");
}
