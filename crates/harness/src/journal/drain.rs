//! What the rings of a killed recording still hold goes to its spool before the
//! instance is removed.

use super::outcome::Restored;
use super::reading::Entry;
use super::target::Ground;

pub fn rescued(_ground: &Ground, _entry: &Entry) -> Option<Restored> {
    None
}
