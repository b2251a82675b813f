//! Writes the report of a made-up run: `synthetic OUT.html [--incomplete]`.

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = args.first() else {
        eprintln!("usage: synthetic OUT.html [--incomplete]");
        return ExitCode::from(2);
    };
    let view = if args.iter().any(|a| a == "--incomplete") {
        synthetic::incomplete()
    } else {
        synthetic::run()
    };
    match std::fs::write(path, report::html::render(&view)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("cannot write {path}: {cause}");
            ExitCode::from(2)
        }
    }
}
