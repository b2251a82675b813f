//! `--format cftu`: a set of files, some of which a run may not be able to fill.

use super::failure;
use crate::arguments;
use crate::failure::{DONE, Failure, NOTHING_RUNS, Outcome};
use record::Run;
use report::export::cftu;

pub(super) fn run(arguments: &arguments::Export, run: &Run) -> Outcome {
    let Some(folder) = &arguments.out else {
        return Err(
            Failure::new("cannot export cftu to one stream: it is a set of files")
                .hint("name a folder with --out DIR"),
        );
    };
    let exported = cftu::write(run, folder).map_err(|e| failure(&e))?;
    for file in &exported.files {
        harness::message!("wrote {}", file.display());
    }
    for skipped in &exported.skipped {
        harness::message!("SKIP {}: {}", skipped.what, skipped.reason);
        harness::message!("     {}", skipped.remedy);
    }
    if exported.files.is_empty() {
        return Ok(NOTHING_RUNS);
    }
    Ok(DONE)
}
