//! What a reader of a run sees first.

mod grade;
mod made;
mod ranking;
