//! What the rings of a killed recording still hold goes to its spool before the
//! instance is removed.

use super::outcome::{Outcome, Restored};
use super::reading::Entry;
use super::target::Ground;
use probe::tracefs::Rescue;

/// `None` where nothing is to be kept: another line, or the spool was completed.
pub fn rescued(ground: &Ground, entry: &Entry) -> Option<Restored> {
    let Entry::Recording { ring, spool } = entry else {
        return None;
    };
    ring.stands(ground).ok()?;
    let not_drained = |cause: String| Outcome::NotDrained { cause };
    let outcome = match Rescue::find(ground.root(), spool, Some(ring.path())) {
        Ok(None) => return None,
        Ok(Some(rescue)) => match rescue.drain() {
            Ok(bytes) => Outcome::Drained { bytes },
            Err(cause) => not_drained(cause.to_string()),
        },
        Err(untouched) => not_drained(untouched.to_string()),
    };
    Some(Restored {
        path: spool.clone(),
        outcome,
    })
}
