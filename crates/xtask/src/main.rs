//! Rules that are executable, and pages that are generated.
//!
//!     cargo xtask tidy            check every rule of the house
//!     cargo xtask docs            rewrite the generated pages
//!     cargo xtask docs --check    fail when a generated page is stale
//!     cargo xtask bench           measure ourselves against named peers
//!     cargo xtask estimates       hold the estimates of runs against the clock
//!     cargo xtask faults          inject faults into the program, one after the other
//!     cargo xtask kills           kill the program at random, and see what is left
//!     cargo xtask mutants         change the code a little, and see whether tests notice
//!     cargo xtask truth [TABLE]   simulate known truths, and count how often we are right
//!     cargo xtask zoo             conclude about simulated machines, and hold it against them

#![forbid(unsafe_code)]

mod bench;
mod command;
mod docs;
mod estimates;
mod faults;
mod files;
mod kills;
mod mutants;
mod tidy;
mod truth;
mod zoo;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask tidy | docs [--check] | bench [--only NAME] | \
    estimates [--only TEXT] [--budget SECONDS] [--program PATH] [--keep] | \
    faults [PROGRAM | --only NAME] | kills [--rounds N] [--seed N] [--only VICTIM] \
    [--program PATH] | mutants [--seed N] [--sample N] [CRATE...] | \
    truth [TABLE [TRIALS]] | zoo [--seeds N] [--cores NAME,..|untouched|all] \
    [--conditions quiet,neighbour,stolen] [--only EXPERIMENT,..] [--runs FILE] [--kept] \
    [--keep FILE] [--here FOLDER [--curves FILE]] [--verbose]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ended = match words.as_slice() {
        ["tidy"] => tidy::run(&root()),
        ["docs"] => docs::write(&root()),
        ["docs", "--check"] => docs::check(&root()),
        ["bench"] => bench::run(&root(), None),
        ["bench", "--only", part] => bench::run(&root(), Some(part)),
        ["estimates", rest @ ..] => estimates::run(&root(), rest),
        ["faults"] => faults::run(&root().join("target/debug/pontage"), None),
        ["faults", "--only", part] => faults::run(&root().join("target/debug/pontage"), Some(part)),
        ["faults", program] => faults::run(Path::new(program), None),
        ["kills", rest @ ..] => kills::run(&root().join("target/debug/pontage"), rest),
        ["mutants", rest @ ..] => mutants::run(&root(), rest),
        ["truth", rest @ ..] => truth::run(&root(), rest),
        ["zoo", rest @ ..] => zoo::run(&root(), rest),
        _ => Err(USAGE.to_owned()),
    };
    match ended {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(cause) => {
            eprintln!("{cause}");
            ExitCode::FAILURE
        }
    }
}

/// The repository's root: two folders above this crate.
fn root() -> PathBuf {
    let mut path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    path.pop();
    path.pop();
    path
}
