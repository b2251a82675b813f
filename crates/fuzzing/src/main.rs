//! `make fuzz`, `make fuzz-corpus`, and the replay of single inputs.

#![forbid(unsafe_code)]

mod campaign;
mod corpus;
mod tools;

use fuzzing::{TARGETS, Target};
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "usage: fuzzing run [--seconds N] [TARGET...]\n       \
    fuzzing replay TARGET FILE...\n       \
    fuzzing shrink [TARGET...]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.split_first() {
        Some((verb, rest)) => match verb.as_str() {
            "run" => run(rest),
            "replay" => replay(rest),
            "shrink" => targets(rest).and_then(|all| corpus::shrink(&all)),
            _ => Err(USAGE.to_owned()),
        },
        None => Err(USAGE.to_owned()),
    };
    done.unwrap_or_else(|cause| {
        eprintln!("fuzzing: {cause}");
        ExitCode::from(2)
    })
}

fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let (seconds, names) = match arguments {
        [flag, number, names @ ..] if flag == "--seconds" => {
            let seconds: u64 = number
                .parse()
                .map_err(|_| format!("cannot fuzz for {number:?}: it is no number of seconds"))?;
            (Some(seconds), names)
        }
        names => (None, names),
    };
    campaign::run(&targets(names)?, seconds)
}

/// All, where none is named.
fn targets(names: &[String]) -> Result<Vec<Target>, String> {
    if names.is_empty() {
        return Ok(TARGETS.to_vec());
    }
    names.iter().map(|name| target(name)).collect()
}

fn target(name: &str) -> Result<Target, String> {
    let found = TARGETS.iter().find(|t| t.name == name);
    found.copied().ok_or_else(|| {
        let all: Vec<&str> = TARGETS.iter().map(|t| t.name).collect();
        format!("cannot find target {name}: there are {}", all.join(", "))
    })
}

/// With the flags of an ordinary build, in this process: what a debugger wants.
fn replay(arguments: &[String]) -> Result<ExitCode, String> {
    let [name, files @ ..] = arguments else {
        return Err(USAGE.to_owned());
    };
    let target = target(name)?;
    for file in files.iter().map(PathBuf::from) {
        let bytes = std::fs::read(&file)
            .map_err(|cause| format!("cannot read {}: {cause}", file.display()))?;
        println!("{name}: {}", file.display());
        (target.body)(&bytes);
    }
    Ok(ExitCode::SUCCESS)
}
