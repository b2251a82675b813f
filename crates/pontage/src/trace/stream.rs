//! Events -> lines, as they come; damaged pages and unknown sentences are reported
//! on standard error.

use crate::failure::Outcome;
use crate::output;
use ::trace::text::{Choice, Lines, Style};
use ::trace::{Capture, Item, Selection, TraceError};
use std::collections::HashSet;
use std::io::{self, Write};

/// Written when so much has come together.
const BUFFER_BYTES: usize = 1 << 16;

pub struct Wanted<'a> {
    pub selection: Selection,
    pub events: &'a [String],
    pub tasks: &'a [String],
}

/// Why lines end before the trace does.
pub enum Cut {
    /// Events or tasks that the trace does not have.
    Choice(TraceError),
    /// The output takes no more.
    Written(io::Error),
}

/// # Errors
/// As [`lines`]; a reader that goes away is none.
pub fn to_standard_output(
    capture: &Capture,
    wanted: &Wanted<'_>,
    style: Style,
    raw: bool,
) -> Outcome {
    match lines(capture, wanted, style, raw, io::stdout().lock()) {
        Ok(reported) => reported.end(),
        Err(Cut::Choice(error)) => Err(error.into()),
        Err(Cut::Written(error)) => output::ended(Err(error)),
    }
}

/// Returns what could not be read.
///
/// # Errors
/// See [`Cut`].
pub fn lines(
    capture: &Capture,
    wanted: &Wanted<'_>,
    style: Style,
    raw: bool,
    mut out: impl Write,
) -> Result<Reported, Cut> {
    let choice = Choice::of(capture, wanted.events, wanted.tasks).map_err(Cut::Choice)?;
    let mut lines = Lines::new(capture, style, raw);
    let mut reported = Reported::default();
    let mut text = lines.heading().to_owned();
    let mut items = capture.selected(&wanted.selection);
    while let Some(item) = items.next() {
        let item = match item {
            Ok(item) => item,
            Err(error) => {
                reported.damage(&error);
                continue;
            }
        };
        if !choice.has(&item) {
            continue;
        }
        if let (Item::Event(event), false, true) = (&item, raw, style != Style::Json) {
            reported.sentence(&lines, event, capture);
        }
        lines.write(&item, &mut text);
        if text.len() >= BUFFER_BYTES {
            out.write_all(text.as_bytes()).map_err(Cut::Written)?;
            text.clear();
        }
    }
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(Cut::Written)?;
    Ok(reported)
}

/// What has been reported already.
#[derive(Default)]
pub struct Reported {
    damaged: u64,
    sentences: HashSet<u16>,
}

impl Reported {
    /// The first one in full, the others counted.
    pub fn damage(&mut self, error: &TraceError) {
        if self.damaged == 0 {
            harness::message!("pontage: {error}; reading continues after it");
        }
        self.damaged += 1;
    }

    fn sentence(&mut self, lines: &Lines<'_>, event: &::trace::Event<'_>, capture: &Capture) {
        let Some(cause) = lines.printer.not_understood(event) else {
            return;
        };
        let id = event.id(capture.head.order);
        let unknown = capture
            .formats
            .by_id(id)
            .filter(|_| self.sentences.insert(id));
        let Some(format) = unknown else {
            return;
        };
        let (system, name) = (&format.system, &format.name);
        harness::message!(
            "pontage: {system}:{name} is printed by its fields: cannot evaluate its print fmt: {cause}"
        );
    }

    pub fn end(&self) -> Outcome {
        super::unread(self.damaged)
    }
}
