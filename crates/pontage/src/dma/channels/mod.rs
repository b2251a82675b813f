//! `pontage dma channels`: sysfs and, where it is loaded, the module.

mod merge;
mod render;

use super::{Seen, failure};
use crate::failure::{DONE, NOTHING_RUNS, Outcome, say_skip};
use crate::flags::Format;
use crate::output;
use merge::merge;
use std::path::Path;
use uapi::Device;

#[cfg(test)]
pub use merge::tests;

const WHAT: &str = "dma channels";

/// # Errors
/// When the module's list cannot be read.
pub fn run(root: &Path, format: Format) -> Outcome {
    let seen = Seen::read(root);
    let opened = Device::open_below(root);
    let module = match &opened {
        Ok(device) => Some(device.channels().map_err(|e| failure(&e))?),
        Err(_) => None,
    };
    let skip = opened.as_ref().err().map(skip_of).transpose()?;
    let rows = merge(&seen, module.as_deref());
    if format == Format::Json || !rows.is_empty() {
        let facts = || render::json(&rows, &seen.dca, skip.as_ref());
        output::study(format, || render::document(&rows), facts)?;
    }
    if rows.is_empty() {
        let (reason, remedy) = none(root);
        say_skip(WHAT, &reason, &remedy);
    }
    if let Some((reason, remedy)) = &skip {
        say_skip("capabilities and counters of channels", reason, remedy);
    }
    Ok(if rows.is_empty() { NOTHING_RUNS } else { DONE })
}

/// What keeps from asking the module; an error that is no absence ends this.
fn skip_of(error: &uapi::Error) -> Result<(String, String), crate::failure::Failure> {
    error.skip().ok_or_else(|| failure(error))
}

/// Why there is no channel at all, in the words of `pontage doctor`.
fn none(root: &Path) -> (String, String) {
    let machine = machine::read(root);
    let evidence = probe::capability::Evidence {
        machine: &machine,
        perf: None,
        tools: None,
        self_test: None,
    };
    let judged = probe::capability::list(evidence);
    let channels = judged.into_iter().find(|c| c.name == WHAT);
    channels.map_or_else(Default::default, |c| (c.detail, c.remedy))
}
