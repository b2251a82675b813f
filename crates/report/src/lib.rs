//! What a run looks like: record -> figure model -> terminal, HTML, SVG.
//!
//! Everything here reads an [`analysis::RunView`], or a [`trace::timeline::Timeline`],
//! and returns text. It never
//! measures, never asks the machine it runs on, and needs neither the program
//! nor the computer that made the run.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
// With 64 bits: on armv7 types of the C library are narrower than elsewhere.
#![cfg_attr(
    all(not(test), target_pointer_width = "64"),
    deny(clippy::cast_possible_truncation)
)]
#![forbid(unsafe_code)]

pub mod analyses;
pub mod card;
pub mod colocation;
pub mod compared;
mod counted;
pub mod document;
mod drawing;
pub mod export;
pub mod figure;
pub mod format;
mod grouped;
pub mod html;
pub mod instrument;
mod interruptions;
pub mod label;
mod packed;
pub mod placed;
pub mod png;
pub mod sheet;
pub mod svg;
pub mod terminal;
pub mod timeline;
pub mod toll;
pub mod under_load;

pub use drawing::Foot;
use std::path::PathBuf;

/// What can go wrong between a figure and a file.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("cannot write {path}: {source}")]
    Write {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("cannot draw figure {figure}: {cause}")]
    Draw { figure: String, cause: String },
}
