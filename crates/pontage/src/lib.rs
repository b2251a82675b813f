//! What the commands of `pontage` do, apart from their arguments.

pub mod doctor;
pub mod pending;
