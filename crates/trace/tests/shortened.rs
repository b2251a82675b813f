//! A file that another process shortens while it is read: an error, and not the end
//! of the program by SIGBUS.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Read};
use std::path::{Path, PathBuf};
use trace::format::PageLayout;
use trace::page::PageWriter;
use trace::{Capture, Head, Order, Selection};

/// More than any window holds.
const EVENTS: u64 = 60_000;

fn written(folder: &Path) -> PathBuf {
    let path = folder.join("t.dat");
    let mut writer = PageWriter::new(4096, PageLayout::usual(8), Order::Little);
    for stamp in 0..EVENTS {
        writer.push(stamp * 10, &[7; 40]);
    }
    let pages = writer.finish();
    let mut source: &[u8] = &pages;
    let sources: Vec<(u32, &mut dyn Read)> = vec![(0, &mut source)];
    let mut out = BufWriter::new(File::create(&path).unwrap());
    trace::file::write(&mut out, &Head::empty(Order::Little, 8, 4096), sources).unwrap();
    path
}

fn shorten(path: &Path, bytes: u64) {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(bytes).unwrap();
}

/// Events, and what cannot be read.
fn rest(capture: &Capture, after: u64, then: impl FnOnce()) -> (u64, Vec<String>) {
    let mut items = capture.merged();
    let mut events = 0;
    let mut then = Some(then);
    let mut errors = Vec::new();
    loop {
        if events == after
            && let Some(then) = then.take()
        {
            then();
        }
        match items.next() {
            None => return (events, errors),
            Some(Ok(_)) => events += 1,
            Some(Err(error)) => errors.push(error.to_string()),
        }
    }
}

#[test]
fn a_file_that_is_shortened_while_it_is_read_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for (bytes, after) in [(0, 0), (0, 1), (8192, 500), (100_000, 20_000)] {
        let path = written(folder.path());
        let capture = trace::file::open(&path).unwrap();
        let (events, errors) = rest(&capture, after, || shorten(&path, bytes));
        assert!(events < EVENTS, "{events}");
        assert_eq!(errors.len(), 1, "{errors:?}");
        let wanted =
            "cannot read the pages of CPU 0: the file has become shorter while it was read";
        assert_eq!(errors[0], wanted);
    }
}

#[test]
fn nothing_is_cut_out_of_a_file_that_is_not_there_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let capture = trace::file::open(&path).unwrap();
    shorten(&path, 50_000);
    let part = folder.path().join("part.dat");
    let error = trace::cut(&capture, &Selection::all(), &part).unwrap_err();
    assert!(error.to_string().contains("has become shorter"), "{error}");
}

#[test]
fn an_unchanged_one_is_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let capture = trace::file::open(&written(folder.path())).unwrap();
    assert_eq!(rest(&capture, 0, || ()), (EVENTS, Vec::new()));
}
