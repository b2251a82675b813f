//! What a reader of a run sees first.

mod grade;
mod kept;
mod made;
mod ranking;
