//! The binary: arguments -> calls -> exit status. Glue only.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
// With 64 bits: on armv7 types of the C library are narrower than elsewhere.
#![cfg_attr(
    all(not(test), target_pointer_width = "64"),
    deny(clippy::cast_possible_truncation)
)]
#![forbid(unsafe_code)]

mod ab;
mod advise;
mod amounts;
mod arguments;
mod candidates;
mod card;
mod colocate;
mod command_line;
mod commands;
mod compare;
mod completion;
mod conclusions;
mod copies;
mod dma;
mod export;
mod failure;
mod flags;
mod head;
mod import;
mod ipc;
mod kinds;
mod lab;
mod list;
mod man;
mod output;
mod persist;
mod pollute;
mod report;
mod restore;
mod run;
mod runs;
mod selection;
mod selftest;
mod study;
mod trace;

use arguments::{Arguments, Command};
use clap::Parser;
use failure::Outcome;
use std::process::ExitCode;

fn main() -> ExitCode {
    harness::signals::survive_file_size_limit();
    let asked = std::env::args_os().nth(1);
    if asked.is_none_or(|word| word != harness::worker::WORKER_ARGUMENT) {
        // How a measuring process ends is read by its coordinator instead.
        harness::signals::abort_as_failure();
    }
    let ended = harness::stack::with_room(parsed).unwrap_or_else(|e| {
        Err(
            failure::Failure::new(format!("cannot start a thread with its own stack: {e}"))
                .hint("give the first thread a larger stack: ulimit -s 8192"),
        )
    });
    match ended {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            harness::message!("{failure}");
            ExitCode::from(failure::USAGE)
        }
    }
}

fn parsed() -> Outcome {
    if completion::answered()? {
        return Ok(failure::DONE);
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help goes to standard output, which may be full.
            let printed = error.print();
            let status = u8::try_from(error.exit_code()).unwrap_or(failure::USAGE);
            return output::ended(printed).map(|_| status);
        }
    };
    run(&arguments)
}

fn run(arguments: &Arguments) -> Outcome {
    match &arguments.command {
        Command::List(a) => list::list(a),
        Command::Explain(a) => list::explain(a),
        Command::Completions { shell } => completion::script(*shell),
        Command::Man { out } => man::run(out.as_deref()),
        Command::Run(a) => run::run(a),
        Command::Report(a) => report::run(a),
        Command::Runs(a) => runs::command::run(a),
        Command::Worker => worker(),
        Command::Doctor(a) => doctor(a),
        Command::Selftest(a) => selftest::run(a),
        Command::Card(a) => card::run(a),
        Command::Compare(a) => compare::run(a),
        Command::Ab(a) => ab::run(a),
        Command::Export(a) => export::run(a),
        Command::Import(a) => import::run(a),
        Command::Advise(a) => advise::run(a),
        Command::Ipc(a) => ipc::run(a),
        Command::Colocate(a) => colocate::run(a),
        Command::Pollute(a) => pollute::run(a),
        Command::Copies(a) => copies::run(a),
        Command::Dma(a) => dma::run(a),
        Command::Lab(a) => lab::run(a),
        Command::Restore(a) => restore::run(a),
        Command::Trace(a) => trace::run(a),
        Command::Persist(a) => persist::run(a),
        Command::Caretaker { journal } => Ok(status(harness::journal::caretaker_main(
            journal,
            std::path::Path::new("/"),
        ))),
    }
}

/// The measuring process. Which experiment a point belongs to stands in it.
fn worker() -> Outcome {
    let ended = harness::worker::main(&|point, context| {
        let listed = experiments::all().find(&point.experiment).ok_or_else(|| {
            harness::SetupError::Fail(format!("cannot find experiment {}", point.experiment))
        })?;
        (listed.experiment.setup)(point, context)
    });
    Ok(status(ended))
}

fn status(ended: ExitCode) -> u8 {
    match ended == ExitCode::SUCCESS {
        true => failure::DONE,
        false => failure::USAGE,
    }
}

fn doctor(arguments: &arguments::Doctor) -> Outcome {
    let report = pontage::doctor::gather(&arguments.root)
        .map_err(|e| failure::Failure::new(&e).hinted(e.hint()))?;
    let brief = arguments.format == flags::TableFormat::Text && !arguments.all;
    let shown = || match brief {
        true => pontage::doctor::brief::document(&report, output::width()),
        false => pontage::doctor::document(&report, output::width()),
    };
    let facts = || pontage::doctor::json(&report);
    output::tabled(arguments.format, shown, facts, || {
        pontage::doctor::sheet(&report)
    })
}
