//! Files that are written here are read here; any bytes are read or refused.

use super::{open, open_instance, write};
use crate::bytes::Order;
use crate::format::PageLayout;
use crate::head::{CpuStat, Head, System, TimeScale};
use crate::page::PageWriter;
use proptest::prelude::*;
use std::io::{Cursor, Read};

const SWITCH: &str = "name: sched_switch\nID: 372\nformat:\n\tfield:unsigned short common_type;\t\
    offset:0;\tsize:2;\tsigned:0;\n\nprint fmt: \"\"\n";

pub(super) fn head(order: Order) -> Head {
    let system = |name: &str| System {
        name: name.to_owned(),
        formats: vec![SWITCH.replace("372", if name == "ftrace" { "5" } else { "372" })],
    };
    Head {
        systems: vec![system("ftrace"), system("sched")],
        kallsyms: "ffffffff81000000 T _stext\n".to_owned(),
        printk_formats: "0x1 : \"a\"\n".to_owned(),
        comms: "4 cat\n".to_owned(),
        header_event: "# entry\n".to_owned(),
        clock: Some("mono".to_owned()),
        uname: Some("Linux x".to_owned()),
        writer: Some("pontage 1".to_owned()),
        notes: vec!["one".to_owned(), "two".to_owned()],
        offset_ns: -5,
        scale: Some(TimeScale {
            mult: 1,
            shift: 0,
            offset: 7,
        }),
        cpu_stats: vec![CpuStat {
            cpu: 2,
            text: "CPU: 2\noverrun: 1\n".to_owned(),
        }],
        ..Head::empty(order, 8, 4096)
    }
}

pub(super) fn pages(order: Order) -> Vec<u8> {
    let mut writer = PageWriter::new(4096, PageLayout::usual(8), order);
    for stamp in 0..1000 {
        writer.push(stamp * 10, &[7; 40]);
    }
    writer.finish()
}

pub(super) fn file(order: Order) -> Vec<u8> {
    let pages = pages(order);
    let mut out = Cursor::new(Vec::new());
    let mut none: &[u8] = &[];
    let mut some: &[u8] = &pages;
    let sources: Vec<(u32, &mut dyn Read)> = vec![(0, &mut none), (2, &mut some)];
    // Text that a header_page would be.
    let mut head = head(order);
    head.header_page = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t \
        commit;\toffset:8;\tsize:8;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\n"
        .to_owned();
    write(&mut out, &head, sources).unwrap();
    out.into_inner()
}

fn opened(bytes: &[u8]) -> crate::Result<crate::Capture> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dat");
    std::fs::write(&path, bytes).unwrap();
    open(&path)
}

#[test]
fn a_file_says_what_was_written() {
    for order in [Order::Little, Order::Big] {
        let capture = opened(&file(order)).unwrap();
        let mut wanted = head(order);
        wanted.header_page.clone_from(&capture.head.header_page);
        assert_eq!(capture.head, wanted);
        assert_eq!(capture.cpus.len(), 3);
        assert_eq!(capture.merged().count(), 1000);
        let last = capture.merged().map(|i| i.unwrap().at_ns()).last();
        assert_eq!(last, Some(9990 - 5));
        assert_eq!(
            capture.formats.find("sched", "sched_switch").unwrap().id,
            372
        );
    }
}

/// Version 6 with an instance: the option of notes becomes one of a ring, whose
/// table stands at the end and has the first page of CPU 2 only.
fn with_instance(name: &str) -> Vec<u8> {
    let mut bytes = file(Order::Little);
    let notes = b"\x12\0\0\0pontage 1\none\ntwo\0";
    let at = bytes.windows(notes.len()).position(|w| w == notes).unwrap();
    let end = bytes.len() as u64;
    bytes[at - 2] = 3;
    let option = &mut bytes[at + 4..at + 4 + 18];
    option.fill(0);
    option[..8].copy_from_slice(&end.to_le_bytes());
    option[8..8 + name.len()].copy_from_slice(name.as_bytes());
    let kind = bytes.windows(10).position(|w| w == b"flyrecord\0").unwrap();
    let pages = bytes[kind + 10 + 32..kind + 10 + 40].to_vec();
    bytes.extend(b"flyrecord\0");
    for (place, length) in [
        ([0; 8], 0u64),
        ([0; 8], 0),
        (pages.try_into().unwrap(), 4096),
    ] {
        bytes.extend(place);
        bytes.extend(length.to_le_bytes());
    }
    bytes
}

#[test]
fn an_instance_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dat");
    let count = |bytes: &[u8], name: Option<&str>| {
        std::fs::write(&path, bytes).unwrap();
        open_instance(&path, name).map(|capture| capture.merged().count())
    };
    let bytes = with_instance("net");
    let part = count(&bytes, Some("net")).unwrap();
    assert!((1..1000).contains(&part), "{part}");
    assert_eq!(count(&bytes, None).unwrap(), 1000);
    assert_eq!(count(&bytes, Some("top")).unwrap(), 1000);
    let error = count(&bytes, Some("disk")).unwrap_err().to_string();
    let wanted = format!(
        "cannot find instance \"disk\" in {}: it has top, net",
        path.display()
    );
    assert_eq!(error, wanted);
    // A file with one ring has that.
    let error = count(&file(Order::Little), Some("net")).unwrap_err();
    assert!(error.to_string().ends_with("it has top"), "{error}");
    // What is left out is named.
    let others = |bytes: &[u8], name| {
        std::fs::write(&path, bytes).unwrap();
        open_instance(&path, name).unwrap().other_rings
    };
    assert_eq!(others(&bytes, None), ["net"]);
    assert_eq!(others(&bytes, Some("net")), ["top"]);
    assert!(others(&file(Order::Little), None).is_empty());
    // An instance may be called so itself.
    let bytes = with_instance("top");
    assert_eq!(count(&bytes, Some("top")).unwrap(), part);
}

#[test]
fn a_cut_file_says_where() {
    let whole = file(Order::Little);
    for (length, part) in [
        (0, ""),
        (5, "its first bytes"),
        (12, "byte order"),
        (60, "header_page"),
        (whole.len() - 4096, "the pages of CPU 2"),
    ] {
        let error = opened(&whole[..length]).unwrap_err().to_string();
        assert!(error.contains(part), "{length}: {error}");
    }
}

#[test]
fn what_is_no_trace_is_refused() {
    let error = opened(b"PERFILE2 and more").unwrap_err().to_string();
    assert!(error.contains("not a trace.dat"), "{error}");
    let mut version = file(Order::Little);
    version[10] = b'9';
    let error = opened(&version).unwrap_err().to_string();
    assert!(error.contains("\"9\"; 6 and 7 are known"), "{error}");
}

#[test]
fn a_cpu_that_no_reader_takes_is_not_written() {
    for cpu in [super::CPUS, u32::MAX] {
        let mut out = Cursor::new(Vec::new());
        let mut none: &[u8] = &[];
        let error = write(&mut out, &head(Order::Little), vec![(cpu, &mut none)]).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{error}");
        assert!(out.into_inner().is_empty());
    }
}

proptest! {
    #[test]
    fn a_file_with_wrong_bytes_is_read_or_refused(wrong in prop::collection::vec((0usize..1500, any::<u8>()), 1..6)) {
        let mut bytes = file(Order::Little);
        for (at, byte) in wrong {
            bytes[at] = byte;
        }
        if let Ok(capture) = opened(&bytes) {
            let _ = capture.merged().count();
        }
    }

    #[test]
    fn sections_of_any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400), first in 30u64..300) {
        let mut file = b"\x17\x08\x44tracing7\0\0\x08\0\x10\0\0none\0\0".to_vec();
        file.extend(first.to_le_bytes());
        file.extend(bytes);
        let _ = opened(&file);
    }
}
