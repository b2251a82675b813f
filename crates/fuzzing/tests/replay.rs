//! The committed corpus, replayed with the flags of an ordinary build.
//!
//! Where the process itself ends (a stack at its end, more memory than allowed),
//! this names the input: `cargo run -p fuzzing -- replay TARGET fuzz/corpus/TARGET/*`.

use cap::Cap;
use fuzzing::{TARGETS, Target};
use std::alloc::System;
use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::thread;

/// Of all targets together, which run at once.
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, 2 << 30);

/// As that of a program's first thread.
const STACK_BYTES: usize = 8 << 20;
const MOST_FILE_BYTES: usize = 32 << 10;
const MOST_BYTES: usize = 2 << 20;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn names(folder: &Path) -> BTreeSet<String> {
    let listing = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
    let text = |name: std::ffi::OsString| name.into_string().expect("plain names");
    listing.map(name).map(text).collect()
}

/// The inputs at which the target panics, with their sizes of all.
fn replay(target: &Target) -> (usize, Vec<String>) {
    let folder = fuzz().join("corpus").join(target.name);
    let (mut bytes, mut broken) = (0, Vec::new());
    for name in names(&folder) {
        let input = fs::read(folder.join(&name)).expect("a readable input");
        assert!(
            input.len() <= MOST_FILE_BYTES,
            "{}/{name} is too large",
            target.name
        );
        bytes += input.len();
        if catch_unwind(|| (target.body)(&input)).is_err() {
            broken.push(format!("{}/{name}", target.name));
        }
    }
    (bytes, broken)
}

#[test]
fn every_input_of_the_corpus_is_survived() {
    let (mut bytes, mut broken) = (0, Vec::new());
    thread::scope(|scope| {
        let spawn = |target: &'static Target| {
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            let spawned = builder.spawn_scoped(scope, || replay(target));
            spawned.expect("a thread")
        };
        let threads: Vec<_> = TARGETS.iter().map(spawn).collect();
        for thread in threads {
            let of_target = thread.join().expect("panics are caught");
            bytes += of_target.0;
            broken.extend(of_target.1);
        }
    });
    assert_eq!(broken, Vec::<String>::new(), "inputs that are not survived");
    assert!(bytes <= MOST_BYTES, "the corpus has {bytes} bytes");
}

/// A target without a program is never fuzzed, one without a corpus never replayed.
#[test]
fn every_target_has_a_program_and_a_corpus() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|t| t.name.to_owned()).collect();
    assert_eq!(names(&fuzz().join("corpus")), targets);
    for target in &targets {
        let inputs = names(&fuzz().join("corpus").join(target)).len();
        assert!(inputs > 0, "{target} has no input");
    }
    let sources = |folder: &Path, except: &str| -> BTreeSet<String> {
        let all = names(folder).into_iter().filter(|name| name != except);
        all.map(|name| name.trim_end_matches(".rs").to_owned())
            .collect()
    };
    assert_eq!(sources(&fuzz().join("src/bin"), ""), targets);
    let bodies = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/targets");
    assert_eq!(sources(&bodies, "mod.rs"), targets);
}
