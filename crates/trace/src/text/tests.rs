//! Lines, and what is left out of them.

use super::{Choice, Lines, Style};
use crate::bytes::Order;
use crate::capture::Capture;
use crate::format::PageLayout;
use crate::head::{Head, System};
use crate::page::PageWriter;
use crate::pages::CpuPages;

const FORMAT: &str = "name: hop\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\t\
    size:2;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
    \tfield:char who[8];\toffset:8;\tsize:8;\tsigned:0;\n\tfield:u64 mask;\toffset:16;\tsize:8;\t\
    signed:0;\n\nprint fmt: \"who=%s, mask=%llx\", REC->who, REC->mask\n";

fn capture() -> Capture {
    let mut writer = PageWriter::new(4096, PageLayout::usual(8), Order::Little);
    let event = |id: u8, pid: u8, mask: u64| {
        let mut bytes = vec![id, 0, 0, 0, pid, 0, 0, 0];
        bytes.extend(b"a\"b\0\0\0\0\0");
        bytes.extend(mask.to_le_bytes());
        bytes
    };
    writer.push(1_000_000_005, &event(7, 4, 255));
    writer.lose(Some(3));
    writer.push(2_000_000_000, &event(7, 5, u64::MAX));
    writer.push(2_000_000_001, &event(9, 4, 0));
    let mut head = Head::empty(Order::Little, 8, 4096);
    head.systems = vec![System {
        name: "s".to_owned(),
        formats: vec![FORMAT.to_owned()],
    }];
    head.comms = "4 cat, big\n".to_owned();
    Capture::new(head, vec![CpuPages::owned(1, writer.finish())]).unwrap()
}

fn lines(style: Style, raw: bool) -> String {
    let capture = capture();
    let mut lines = Lines::new(&capture, style, raw);
    let mut out = lines.heading().to_owned();
    let mut items = capture.merged();
    while let Some(item) = items.next() {
        lines.write(&item.unwrap(), &mut out);
    }
    out
}

#[test]
fn lines_for_people_have_every_nanosecond_and_gap() {
    assert_eq!(
        lines(Style::Text, false),
        "        cat, big-4     [001] .....     1.000000005: hop:                  who=a\"b, mask=ff\n\
         CPU 1: 3 events lost\n\
         \u{20}          <...>-5     [001] .....     2.000000000: hop:                  who=a\"b, mask=ffffffffffffffff\n\
         \u{20}       cat, big-4     [001] .....     2.000000001: ?:                    (no format with ID 9; 24 bytes)\n"
    );
    let raw = lines(Style::Text, true);
    assert!(raw.contains("who=a\"b mask=255\n"), "{raw}");
}

#[test]
fn a_counting_clock_has_no_seconds() {
    let mut capture = capture();
    capture.head.clock = Some("counter".to_owned());
    let mut items = capture.merged();
    let first = items.next().unwrap().unwrap();
    let mut out = String::new();
    Lines::new(&capture, Style::Text, false).write(&first, &mut out);
    assert!(out.contains("[001] .....      1000000005: hop:"), "{out}");
}

#[test]
fn lines_for_programs() {
    assert_eq!(
        lines(Style::Json, false),
        "{\"at_ns\":1000000005,\"cpu\":1,\"pid\":4,\"task\":\"cat, big\",\"flags\":\".....\",\"event\":\"s:hop\",\"fields\":{\"who\":\"a\\\"b\",\"mask\":255}}\n\
         {\"lost\":3,\"cpu\":1,\"until_ns\":2000000000}\n\
         {\"at_ns\":2000000000,\"cpu\":1,\"pid\":5,\"task\":\"<...>\",\"flags\":\".....\",\"event\":\"s:hop\",\"fields\":{\"who\":\"a\\\"b\",\"mask\":\"0xffffffffffffffff\"}}\n\
         {\"at_ns\":2000000001,\"cpu\":1,\"pid\":4,\"task\":\"cat, big\",\"flags\":\".....\",\"id\":9}\n"
    );
    assert_eq!(
        lines(Style::Csv, false),
        "at_ns,cpu,pid,task,event,text,flags\n\
         1000000005,1,4,\"cat, big\",hop,\"who=a\"\"b, mask=ff\",.....\n\
         2000000000,1,,,lost,\"3 events lost\",\n\
         2000000000,1,5,<...>,hop,\"who=a\"\"b, mask=ffffffffffffffff\",.....\n\
         2000000001,1,4,\"cat, big\",?,(no format with ID 9; 24 bytes),.....\n"
    );
}

#[test]
fn what_is_chosen_comes_and_every_gap() {
    let capture = capture();
    let count = |events: &[&str], tasks: &[&str]| {
        let own = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        let choice = Choice::of(&capture, &own(events), &own(tasks))?;
        Ok::<_, crate::TraceError>(
            capture
                .merged()
                .map(|i| choice.has(&i.unwrap()))
                .filter(|chosen| *chosen)
                .count(),
        )
    };
    assert_eq!(count(&[], &[]).unwrap(), 4);
    assert_eq!(count(&["s:h*"], &[]).unwrap(), 3);
    assert_eq!(count(&["hop"], &["cat, big"]).unwrap(), 2);
    assert_eq!(count(&[], &["5"]).unwrap(), 2);
    let error = count(&["x*"], &[]).unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot find the format of x*: the trace describes no such event"
    );
    assert!(count(&[], &["dog"]).is_err());
}
