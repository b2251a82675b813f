//! Standard output is data. A reader that goes away early (`| head`) is not an
//! error. Pages are files: whole, or not at all.

use crate::failure::{DONE, Failure, Outcome};
use crate::flags::{Format, TableFormat};
use ::report::document::{Document, markdown, terminal};
use ::report::sheet::Sheet;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes data to standard output.
///
/// # Errors
/// When it cannot be written for another reason than a closed pipe.
pub fn data(text: &str) -> Outcome {
    // Fields from files are cleaned where they are put in; this is the net.
    written(&escape::screen(text))
}

/// Writes a document as wide as the terminal, in its colours.
///
/// # Errors
/// As `data`.
pub fn document(document: &Document) -> Outcome {
    data(&terminal::write(document, width(), colour()))
}

/// A study in the format that was asked for: its document, or its facts as JSON.
///
/// # Errors
/// As `data`.
pub fn study<F: serde::Serialize>(
    format: Format,
    shown: impl FnOnce() -> Document,
    facts: impl FnOnce() -> F,
) -> Outcome {
    match format {
        Format::Json => json(&facts()),
        format => self::shown(format, &shown()),
    }
}

/// A study that has a table: as `study`, or the table as CSV.
///
/// # Errors
/// As `data`.
pub fn tabled<F: serde::Serialize>(
    format: TableFormat,
    shown: impl FnOnce() -> Document,
    facts: impl FnOnce() -> F,
    table: impl FnOnce() -> Sheet,
) -> Outcome {
    match format.without_table() {
        Some(format) => study(format, shown, facts),
        None => written(&table().csv()),
    }
}

/// A document that is read: as Markdown where that was asked for.
///
/// # Errors
/// As `data`.
pub fn shown(format: Format, shown: &Document) -> Outcome {
    match format {
        Format::Markdown => data(&markdown::write(shown)),
        Format::Text | Format::Json => document(shown),
    }
}

fn written(text: &str) -> Outcome {
    let mut out = std::io::stdout().lock();
    ended(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// The outcome of writing to standard output.
///
/// # Errors
/// As `data`.
pub fn ended(result: std::io::Result<()>) -> Outcome {
    match result {
        Ok(()) => Ok(DONE),
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(DONE),
        Err(e) => Err(Failure::new(format!("cannot write standard output: {e}"))),
    }
}

/// JSON for people and pipes: indented, one document, ends with a new line.
///
/// # Errors
/// As `data`.
pub fn json(value: &impl serde::Serialize) -> Outcome {
    let text = serde_json::to_string_pretty(value)
        .map_err(|e| Failure::new(format!("cannot write JSON: {e}")))?;
    written(&(escape::json(&text) + "\n"))
}

/// COLUMNS, else those of the terminal; 100 where there is none.
pub fn width() -> usize {
    let asked = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let window = || terminal_size::terminal_size().map(|(w, _)| usize::from(w.0));
    asked.or_else(window).unwrap_or(100).max(60)
}

/// Colour only on a terminal, and not where NO_COLOR is set.
pub fn colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// What is drawn from a record, or from anything else, does not replace one.
///
/// # Errors
/// Where `out` is a file of a record.
pub fn spare_records(out: &Path) -> Result<(), Failure> {
    if !record::layout::is_of_record(out) {
        return Ok(());
    }
    let cannot = format!("cannot write {}: it is part of a record", out.display());
    Err(Failure::new(cannot).hint("name another file"))
}

/// Writes a self-contained page: whole, or not at all.
///
/// # Errors
/// When the file cannot be written; `hint` says how to name another.
pub fn page(file: &Path, text: &str, hint: &str) -> Result<(), Failure> {
    spare_records(file).map_err(|failure| failure.hint(hint))?;
    files::output::write(file, text.as_bytes())
        .map_err(|e| Failure::new(format!("cannot write {}: {e}", file.display())).hint(hint))
}

/// Hands a page to whatever opens pages here.
///
/// # Errors
/// Where there is no `xdg-open`.
pub fn open_in_browser(page: &Path) -> Result<(), Failure> {
    // From the root on: no name of a folder is then an option, or an address.
    let whole = std::path::absolute(page).unwrap_or_else(|_| page.to_owned());
    Command::new("xdg-open")
        .arg(whole)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(drop)
        .map_err(|e| {
            Failure::new(format!("cannot open {}: xdg-open: {e}", page.display()))
                .hint("open the file in a browser; it needs no network")
        })
}
