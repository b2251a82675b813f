//! A whole file: its lines, and what in them does not fit together.

use super::band::{BandBlock, BandLine};
use super::fields::{Line, Malformed, fields, plain};
use super::{DatName, LatencyRecord, SynthRecord, TraceRecord, VictimRecord, VictimSynth};
use std::fmt;

/// More is no file to import at once: a million copies take some 70 MB.
pub const LARGEST_FILE_BYTES: usize = 128 << 20;

/// A file of the study, read.
#[derive(Debug, Clone, PartialEq)]
pub struct DatFile {
    /// What it is: by its name, and where that says otherwise by its lines.
    pub name: DatName,
    pub lines: Lines,
    /// What does not fit together: noted, not refused.
    pub notes: Vec<Note>,
}

/// The lines, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub enum Lines {
    Trace(Vec<TraceRecord>),
    Latency(Vec<LatencyRecord>),
    /// With the number of the line in the file.
    Synth(Vec<(usize, SynthRecord)>),
    Band(Vec<BandBlock>),
    Victims(Vec<VictimRecord>),
    /// With the number of the line in the file.
    VictimSynth(Vec<(usize, VictimSynth)>),
}

/// A line and what is odd about it. Line 0 is the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub line: usize,
    pub text: String,
}

/// A line that cannot be read, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MalformedLine {
    pub line: usize,
    pub why: Malformed,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, " {}", self.text),
            line => write!(f, "{line}: {}", self.text),
        }
    }
}

impl DatFile {
    /// Reads the text of a file that is called `name`.
    ///
    /// # Errors
    /// The first line that is none of its kind.
    pub fn parse(name: DatName, text: &str) -> Result<DatFile, MalformedLine> {
        let text = text.trim_start_matches('\u{feff}');
        let mut notes = Vec::new();
        let name = by_its_lines(name, text, &mut notes);
        let lines = lines(&name, text, &mut notes)?;
        // Of a trace it is an answer: that routine was not called.
        if lines.is_empty() && !matches!(lines, Lines::Trace(_)) {
            notes.push(Note {
                line: 0,
                text: "it holds no line".to_owned(),
            });
        }
        Ok(DatFile { name, lines, notes })
    }
}

impl Lines {
    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        match self {
            Lines::Trace(lines) => lines.is_empty(),
            Lines::Latency(lines) => lines.is_empty(),
            Lines::Synth(lines) => lines.is_empty(),
            Lines::Band(blocks) => blocks.is_empty(),
            Lines::Victims(lines) => lines.is_empty(),
            Lines::VictimSynth(lines) => lines.is_empty(),
        }
    }
}

/// The file as the study's programs write it.
impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lines::Trace(lines) => lines.iter().try_for_each(|l| writeln!(f, "{l}")),
            Lines::Latency(lines) => lines.iter().try_for_each(|l| writeln!(f, "{l}")),
            Lines::Synth(lines) => lines.iter().try_for_each(|(_, l)| writeln!(f, "{l}")),
            Lines::Band(blocks) => blocks.iter().try_for_each(|b| writeln!(f, "{b}")),
            Lines::Victims(lines) => lines.iter().try_for_each(|l| writeln!(f, "{l}")),
            Lines::VictimSynth(lines) => lines.iter().try_for_each(|(_, l)| writeln!(f, "{l}")),
        }
    }
}

/// A file of measurements may be called a synthesis and the other way round:
/// the number of fields decides.
fn by_its_lines(mut name: DatName, text: &str, notes: &mut Vec<Note>) -> DatName {
    let (synth, fields_of_both) = match &mut name {
        DatName::Latency { synth, .. } => (synth, [5, 6]),
        DatName::Pollution { synth, .. } => (synth, [7, 6]),
        DatName::Trace(_) | DatName::Band(_) => return name,
    };
    let named_synth = *synth;
    let count = text
        .lines()
        .map(|line| fields(&plain(line)).len())
        .find(|count| *count > 0);
    let is = count.and_then(|c| fields_of_both.iter().position(|n| *n == c));
    *synth = is.map_or(named_synth, |is| is == 1);
    if *synth != named_synth {
        let lines = if named_synth {
            "measurements"
        } else {
            "a synthesis"
        };
        notes.push(Note {
            line: 0,
            text: format!("its lines are {lines}: it is read as {}", name.file()),
        });
    }
    name
}

/// The lines of a file of that kind, with what is odd in them.
fn lines(name: &DatName, text: &str, notes: &mut Vec<Note>) -> Result<Lines, MalformedLine> {
    Ok(match name {
        DatName::Trace(_) => Lines::Trace(without_numbers(records(text, notes)?)),
        DatName::Latency { synth: false, .. } => {
            Lines::Latency(without_numbers(records(text, notes)?))
        }
        DatName::Latency { synth: true, .. } => Lines::Synth(records(text, notes)?),
        DatName::Band(_) => Lines::Band(blocks(text, notes)?),
        DatName::Pollution { synth: false, .. } => {
            Lines::Victims(without_numbers(records(text, notes)?))
        }
        DatName::Pollution { synth: true, .. } => Lines::VictimSynth(records(text, notes)?),
    })
}

/// Every line as a record, with the number of the line.
fn records<T: Line>(text: &str, notes: &mut Vec<Note>) -> Result<Vec<(usize, T)>, MalformedLine> {
    let mut all = Vec::new();
    each(text, notes, &mut |number, fields| {
        let record = T::LAYOUT.parse(fields)?;
        let odd = record.doubts();
        all.push((number, record));
        Ok(odd)
    })?;
    Ok(all)
}

fn without_numbers<T>(records: Vec<(usize, T)>) -> Vec<T> {
    records.into_iter().map(|(_, record)| record).collect()
}

/// What is done with a line: its number, its fields, and what is odd in them.
type Take<'a> = dyn FnMut(usize, &[&str]) -> Result<Vec<String>, Malformed> + 'a;

/// Every line but the empty ones.
fn each(text: &str, notes: &mut Vec<Note>, take: &mut Take<'_>) -> Result<(), MalformedLine> {
    for (line, content) in (1..).zip(text.lines()) {
        let content = plain(content);
        let fields = fields(&content);
        if fields.is_empty() {
            continue;
        }
        let odd = take(line, &fields).map_err(|why| MalformedLine { line, why })?;
        notes.extend(odd.into_iter().map(|text| Note { line, text }));
    }
    Ok(())
}

/// Rows up to a total, or to a row of another size where the total is missing.
fn blocks(text: &str, notes: &mut Vec<Note>) -> Result<Vec<BandBlock>, MalformedLine> {
    let mut open = OpenBlocks::default();
    let mut of_blocks = Vec::new();
    each(text, notes, &mut |line, fields| {
        let content = BandLine::parse(fields)?;
        let doubts = match &content {
            BandLine::Row(row, _) => row.doubts(),
            BandLine::Total(_) => Vec::new(),
        };
        open.take(line, content, &mut of_blocks);
        Ok(doubts)
    })?;
    open.end(&mut of_blocks);
    notes.append(&mut of_blocks);
    Ok(open.done)
}

#[derive(Default)]
struct OpenBlocks {
    done: Vec<BandBlock>,
    block: BandBlock,
    /// Of the block's last row.
    line: usize,
}

impl OpenBlocks {
    fn take(&mut self, line: usize, content: BandLine, notes: &mut Vec<Note>) {
        match content {
            BandLine::Row(row, total) => {
                let size = self.block.rows.first().map(|r| r.size_bytes);
                if size.is_some_and(|size| size != row.size_bytes) {
                    self.end(notes);
                }
                self.block.rows.push(row);
                self.line = line;
                if total.is_some() {
                    self.block.total_mib_per_s = total;
                    self.end(notes);
                }
            }
            BandLine::Total(total) if self.block.rows.is_empty() => notes.push(Note {
                line,
                text: format!("a total of {total:.6} MB/s without channels is left out"),
            }),
            BandLine::Total(total) => {
                self.block.total_mib_per_s = Some(total);
                self.end(notes);
            }
        }
    }

    fn end(&mut self, notes: &mut Vec<Note>) {
        let block = std::mem::take(&mut self.block);
        if block.rows.is_empty() {
            return;
        }
        let line = self.line;
        let odd = block.doubts().into_iter();
        notes.extend(odd.map(|text| Note { line, text }));
        self.done.push(block);
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
