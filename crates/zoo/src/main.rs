//! `cargo xtask zoo`: what is concluded about simulated machines, held against what they are.

#![forbid(unsafe_code)]

mod arguments;
mod here;
mod runs;
mod tables;

use arguments::Arguments;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(why) => {
            eprintln!("zoo: {why}");
            return ExitCode::from(2);
        }
    };
    let done = match &arguments.here {
        Some(folder) => here::print(
            Path::new(folder),
            arguments.curves.as_deref(),
            arguments.verbose,
        ),
        None => runs::all(&arguments).map(|judged| tables::print(&arguments, &judged)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("zoo: {why}");
            ExitCode::FAILURE
        }
    }
}
