//! `pontage persist`: a log that must outlive a crash, and the check that it did.

pub mod arguments;

use crate::failure::{DONE, FAILED, Failure, NOTHING_RUNS, Outcome};
use crate::output;
use arguments::{Check, Log, PersistCommand};
use engines::persistence::log::{self, FileStore, RECORD_BYTES, Writer};
use harness::SetupError;
use std::io::{self, Write};

/// A log is looked at as a whole.
const MOST_LOG_BYTES: u64 = 4 << 30;

/// # Errors
/// Files that cannot be made, written or read.
pub fn run(command: &PersistCommand) -> Outcome {
    match command {
        PersistCommand::Log(a) => write(a),
        PersistCommand::Check(a) => check(a),
    }
}

/// Writes the log; a record's number goes to standard output once the record is
/// on the medium, and not before.
fn write(arguments: &Log) -> Outcome {
    let bytes = usize::try_from(arguments.records)
        .ok()
        .and_then(|n| n.checked_mul(RECORD_BYTES))
        .ok_or_else(|| Failure::new("cannot create the log: no file can hold so many records"))?;
    let store = match FileStore::create(&arguments.file, bytes, arguments.sync) {
        Ok(store) => store,
        Err(SetupError::Skip { reason, remedy }) => {
            harness::message!("SKIP {reason}\n     {remedy}");
            return Ok(NOTHING_RUNS);
        }
        Err(SetupError::Fail(cause)) => {
            let hint = "a log is never overwritten: use a new file";
            return Err(Failure::new(cause).hint(hint));
        }
    };
    let mut writer = Writer::new(store);
    let mut out = io::stdout().lock();
    for _ in 0..arguments.records {
        let number = writer
            .append()
            .map_err(|e| Failure::new(format!("cannot write {}: {e}", arguments.file.display())))?;
        // Each line leaves at once: whoever reads it may rely on it.
        let written = writeln!(out, "{number}").and_then(|()| out.flush());
        if written.is_err() {
            return output::ended(written);
        }
    }
    Ok(DONE)
}

fn check(arguments: &Check) -> Outcome {
    let file = arguments.file.display();
    let bytes = files::input::read(&arguments.file, MOST_LOG_BYTES)
        .map_err(|e| Failure::new(format!("cannot read {file}: {e}")))?;
    let found = log::read(&bytes);
    let tail = match found.torn {
        true => format!("a torn record at byte {}", found.end),
        false => "nothing".to_owned(),
    };
    let missing = arguments.acknowledged.saturating_sub(found.records);
    output::data(&format!(
        "{file}: {} records whole, {} acknowledged, {missing} of them missing; after them {tail}\n",
        found.records, arguments.acknowledged
    ))?;
    Ok(if missing == 0 { DONE } else { FAILED })
}
