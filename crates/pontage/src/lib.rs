//! What the commands of `pontage` do, apart from their arguments.

#![forbid(unsafe_code)]

pub mod doctor;
pub mod pending;
