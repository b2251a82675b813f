//! `cargo xtask zoo`: what is concluded about simulated machines, held against what they are.

#![forbid(unsafe_code)]

mod arguments;
mod judge;
mod tables;

use arguments::Arguments;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(why) => {
            eprintln!("zoo: {why}");
            return ExitCode::from(2);
        }
    };
    match judge::all(&arguments) {
        Ok(judged) => {
            tables::print(&arguments, &judged);
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("zoo: {why}");
            ExitCode::FAILURE
        }
    }
}
