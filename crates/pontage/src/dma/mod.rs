//! `pontage dma`: the channels of this machine and the policy that gives copies
//! to them.

pub mod arguments;
mod channels;
mod dca;
mod policy;

use crate::failure::{Failure, NOTHING_RUNS, Outcome, say_skip};
use arguments::{Dma, DmaCommand};
use std::path::Path;

/// # Errors
/// What the module refused, or a root that is none.
pub fn run(arguments: &Dma) -> Outcome {
    let root = &arguments.root;
    is_machine(root)?;
    match &arguments.command {
        DmaCommand::Channels => channels::run(root, arguments.format),
        DmaCommand::Policy(command) => policy::run(command, root, arguments.format),
    }
}

/// # Errors
/// A root that is none.
pub fn is_machine(root: &Path) -> Result<(), Failure> {
    machine::check_root(root).map_err(|cause| {
        let shown = root.display();
        Failure::new(format!("cannot read the machine below {shown}: {cause}"))
            .hint("--root takes a folder with proc/ and sys/ in it; / is this machine")
    })
}

/// An error of the module: absence is a SKIP, everything else a failure.
///
/// # Errors
/// What is no absence.
pub fn refused(what: &str, error: &uapi::Error) -> Outcome {
    if let Some(skip) = error.skip() {
        say_skip(what, &skip.0, &skip.1);
        return Ok(NOTHING_RUNS);
    }
    Err(failure(error))
}

fn failure(error: &uapi::Error) -> Failure {
    Failure::new(error).hinted(error.hint())
}

/// The parts of the machine that bear on channels.
struct Seen {
    channels: Vec<machine::dma::DmaChannel>,
    dca: machine::dca::Dca,
}

impl Seen {
    fn read(root: &Path) -> Seen {
        let source = machine::Source::new(root);
        Seen {
            channels: machine::dma::read(&source),
            dca: machine::dca::read(&source),
        }
    }
}
