//! Files that claim more than they have, or more than anybody needs.

use super::open;
use super::sections_tests::File;
use super::tests::{file, head};
use crate::bytes::Order;
use crate::head::{Head, System};
use std::io::Cursor;
use std::path::Path;

const MIB: u32 = 1 << 20;

/// The error that these bytes cause, in a file that is `length` bytes long.
fn message(bytes: &[u8], length: u64) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dat");
    std::fs::write(&path, bytes).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(length.max(bytes.len() as u64)).unwrap();
    match open(&path) {
        Ok(capture) => format!("opened, with {} CPUs", capture.cpus.len()),
        Err(error) => error.to_string(),
    }
}

/// A zstd frame of `blocks` blocks of 128 KiB of zeros, four bytes each: RFC 8878.
fn zeros(blocks: u32) -> Vec<u8> {
    // No checksum, no dictionary, a window of 128 KiB.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3];
    for block in 1..=blocks {
        let head = u32::from(block == blocks) | 1 << 1 | (128 << 10) << 3;
        frame.extend(&head.to_le_bytes()[..3]);
        frame.push(0);
    }
    frame
}

fn chunk(packed: &[u8], says: u32) -> Vec<u8> {
    let mut chunk = (packed.len() as u32).to_le_bytes().to_vec();
    chunk.extend(says.to_le_bytes());
    chunk.extend(packed);
    chunk
}

/// A file whose kallsyms are this chunk.
fn with_symbols(method: &'static str, chunk: &[u8]) -> Vec<u8> {
    let mut file = File::new(method);
    let at = file.bytes.len() as u64;
    for number in [19u16, 1, 0, 0] {
        file.bytes.extend(number.to_le_bytes());
    }
    file.bytes.extend((chunk.len() as u64).to_le_bytes());
    file.bytes.extend(chunk);
    file.option(19, &at.to_le_bytes());
    file.finish()
}

/// One ring, whose CPUs have these chunks.
fn with_pages(chunks: &[Vec<u8>], cpus: u32) -> Vec<u8> {
    let mut file = File::new("zstd");
    let section = file.bytes.len() as u64;
    for number in [3u16, 1, 0, 0, 0, 0, 0, 0] {
        file.bytes.extend(number.to_le_bytes());
    }
    let mut option = section.to_le_bytes().to_vec();
    option.extend(b"\0mono\0");
    option.extend(4096u32.to_le_bytes());
    option.extend(cpus.to_le_bytes());
    let at = file.bytes.len() as u64;
    file.bytes.extend((chunks.len() as u32).to_le_bytes());
    chunks.iter().for_each(|chunk| file.bytes.extend(chunk));
    let size = file.bytes.len() as u64 - at;
    for cpu in 0..cpus {
        option.extend(cpu.to_le_bytes());
        option.extend(at.to_le_bytes());
        option.extend(size.to_le_bytes());
    }
    file.option(3, &option);
    file.finish()
}

#[test]
fn a_bomb_is_named_with_what_it_says_and_what_is_allowed() {
    // A megabyte that says it is a gigabyte, as zlib can.
    let bomb = chunk(&vec![0; 1_040_000], 1_060_000_000);
    let zlib = message(&with_symbols("zlib", &bomb), 0);
    let wanted = "section 19 (kallsyms): its 1040000 bytes should become 1060000000; \
                  at most 208000000 are allowed";
    assert!(zlib.contains(wanted), "{zlib}");
    // Allowed by its ratio, and more than a description may have.
    let large = chunk(&vec![0; 1_000_000], 150 * MIB);
    let large = message(&with_symbols("zlib", &large), 0);
    let wanted = "it says 157286400 bytes; 134217728 are allowed altogether";
    assert!(large.contains(wanted), "{large}");
}

#[test]
fn what_comes_out_ends_where_it_says() {
    // Says less than comes out: 16 MiB.
    let more = message(&with_symbols("zstd", &chunk(&zeros(128), 1000)), 0);
    let wanted = "more than 1000 bytes come out of it, and it says 1000";
    assert!(more.contains(wanted), "{more}");
    // Says more.
    let less = message(&with_symbols("zstd", &chunk(&zeros(1), MIB)), 0);
    let wanted = "131072 bytes come out of it, and it says 1048576";
    assert!(less.contains(wanted), "{less}");
}

#[test]
fn pages_are_counted_over_all_chunks_and_all_cpus() {
    let good = chunk(&zeros(8), MIB);
    assert_eq!(
        message(&with_pages(std::slice::from_ref(&good), 1), 0),
        "opened, with 1 CPUs"
    );
    let bomb = chunk(&zeros(8), 64 * MIB);
    let second = message(&with_pages(&[good.clone(), bomb], 1), 0);
    let wanted = "the pages of CPU 0: it says 67108864 bytes; 67108864 are allowed altogether, \
                  and 66060";
    assert!(second.contains(wanted), "{second}");
    // The same bytes for many CPUs.
    let shared = message(&with_pages(&[good], 100), 0);
    assert!(shared.contains("more bytes than the file,"), "{shared}");
}

/// The table of CPUs stands behind `flyrecord`.
fn table_of(bytes: &[u8]) -> usize {
    bytes.windows(10).position(|w| w == b"flyrecord\0").unwrap() + 10
}

#[test]
fn sizes_of_version_6_are_claims_too() {
    let good = file(Order::Little);
    let at = |what: &[u8]| good.windows(what.len()).position(|w| w == what).unwrap();
    let with = |place: usize, number: &[u8], length: u64| {
        let mut bytes = good.clone();
        bytes[place..place + number.len()].copy_from_slice(number);
        message(&bytes, length)
    };
    // A file may be sparse: it has the bytes.
    let sparse = 1u64 << 40;
    let symbols = at(b"ffffffff81000000 T _stext") - 4;
    for size in [200 * MIB, u32::MAX] {
        let found = with(symbols, &size.to_le_bytes(), sparse);
        let wanted = format!("kallsyms: it says {size} bytes; 134217728 are allowed");
        assert!(found.contains(&wanted), "{found}");
    }
    let header = at(b"header_page\0") + 12;
    let found = with(header, &(1u64 << 39).to_le_bytes(), sparse);
    assert!(
        found.contains("header_page: it says 549755813888"),
        "{found}"
    );
    // Four thousand million formats without a letter.
    let formats = at(b"header_event\0") + 13;
    let formats = formats + 8 + usize::from(good[formats]);
    let mut empty = good[..formats].to_vec();
    empty.extend(u32::MAX.to_le_bytes());
    let empty = message(&empty, sparse);
    assert!(
        empty.contains("format of an event of ftrace: it says 0"),
        "{empty}"
    );
    let cpus = at(b"options  \0") - 4;
    let found = with(cpus, &1_000_000u32.to_le_bytes(), sparse);
    assert!(
        found.contains("number of CPUs: it is 1000000; 16384"),
        "{found}"
    );
    let found = with(14, &(16 * MIB + 1).to_le_bytes(), sparse);
    assert!(found.contains("size of pages: it is 16777217"), "{found}");
    // The pages of CPU 2: where they are, and how many.
    let table = table_of(&good) + 2 * 16;
    for (place, number) in [(0, u64::MAX), (8, u64::MAX), (8, 1 << 41)] {
        let found = with(table + place, &number.to_le_bytes(), sparse);
        assert!(found.contains("the pages of CPU 2"), "{found}");
    }
}

#[test]
fn a_page_has_room_for_what_its_header_says() {
    let mut bytes = file(Order::Little);
    let word = b"offset:16;\tsize:4080;";
    let at = bytes.windows(word.len()).position(|w| w == word).unwrap();
    bytes[at..at + word.len()].copy_from_slice(b"offset:9999;\tsize:80;");
    let found = message(&bytes, 0);
    let wanted = "header_page: data should begin at byte 9999 of pages of 4096";
    assert!(found.contains(wanted), "{found}");
}

/// Bytes of a file with this head and no pages.
fn headed(change: impl Fn(&mut Head)) -> Vec<u8> {
    let mut head = head(Order::Little);
    change(&mut head);
    let mut out = Cursor::new(Vec::new());
    super::write(&mut out, &head, Vec::new()).unwrap();
    out.into_inner()
}

/// Two bytes of a file may become a hundred in memory.
#[test]
fn entries_count_whatever_they_have_in_the_file() {
    let many = "1 a\n".repeat(2_200_000);
    let system = System {
        name: String::new(),
        formats: Vec::new(),
    };
    let allowed = "which count as 64 bytes each; 134217728 are allowed altogether";
    for (what, bytes) in [
        ("names of tasks", headed(|h| h.comms.clone_from(&many))),
        ("kallsyms", headed(|h| h.kallsyms.clone_from(&many))),
        (
            "printk formats",
            headed(|h| h.printk_formats.clone_from(&many)),
        ),
        (
            "lines of the writer's version",
            headed(|h| h.notes = vec![String::new(); 2_200_000]),
        ),
    ] {
        let found = message(&bytes, 0);
        let named = found.contains(&format!("{what}: it makes 2200000 entries, {allowed}"));
        assert!(named, "{found}");
    }
    let systems = headed(|h| h.systems = vec![system.clone(); 2_200_000]);
    let found = message(&systems, 0);
    assert!(
        found.contains("number of event systems: it makes 1 entries"),
        "{found}"
    );
}

/// Many rings of one place in the file.
#[test]
fn every_instance_counts() {
    let with = |instances: usize| {
        let mut bytes = headed(|_| ());
        let place =
            |bytes: &[u8], word: &[u8]| bytes.windows(10).position(|w| w == word).unwrap() as u64;
        let begin = place(&bytes, b"options  \0") as usize + 10;
        // Behind what is put in here.
        let data = place(&bytes, b"flyrecord\0") + 16 * instances as u64 + 10;
        let mut options = vec![8, 0, 4, 0, 0, 0];
        options.extend(16384u32.to_le_bytes());
        for _ in 0..instances {
            options.extend([3, 0, 10, 0, 0, 0]);
            options.extend(data.to_le_bytes());
            options.extend(b"a\0");
        }
        bytes.splice(begin..begin, options);
        message(&bytes, 1 << 20)
    };
    assert_eq!(with(10), "opened, with 0 CPUs");
    let found = with(200);
    assert!(
        found.contains("places of CPUs' pages: it makes 16384 entries"),
        "{found}"
    );
}

#[test]
fn only_a_regular_file_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    for (path, kind) in [
        (fifo.as_path(), "a FIFO"),
        (folder.path(), "a folder"),
        (Path::new("/dev/zero"), "a character device"),
    ] {
        let found = open(path).unwrap_err().to_string();
        assert!(found.contains(kind), "{found}");
        assert!(found.ends_with("not a regular file"), "{found}");
    }
}
