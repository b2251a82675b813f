//! Pairs of kinds of work: gains of both members, and below what interrupted
//! them. One line a pair where the window is wide, else one a member.

use super::counters::counters_text;
use crate::colocation::{Block, CoRun, EVIDENCE, Gain, Member, NOT_COUNTED, Pair, blocks};
use crate::document::{Column, Document, Table, Text, Tone};
use analysis::ExperimentTable;
use record::RunHead;

const INDENT: usize = 4;
/// Longer names (of commands) are cut in tables.
const LONGEST_NAME: usize = 24;
/// Where there is little room.
const SHORT_NAME: usize = 14;
/// Windows below this have little room.
const NARROW: usize = 72;
/// Companies of a pair.
const PAIR: usize = 4;
/// Of more pairs the evidence is in the page.
const EVIDENCE_OF: usize = 4;

pub(super) fn document(table: &ExperimentTable, run: &RunHead, width: usize) -> Document {
    let blocks = blocks(table);
    let mut document = Document::new();
    for block in &blocks {
        document.append(self::block(table, block, run, width));
    }
    if run.conditions.counters.is_none() && !blocks.is_empty() {
        document.text(indented(NOT_COUNTED));
    }
    document
}

fn indented(text: impl Into<String>) -> Text {
    Text::new(text.into()).lead(" ".repeat(INDENT))
}

fn block(table: &ExperimentTable, block: &Block<'_>, run: &RunHead, width: usize) -> Document {
    let mut document = Document::new();
    document.heading(3, block.title.as_str());
    document.text(indented(format!(
        "before = neighbour of the same kind, after = of the other kind; gain with its interval{}",
        match members(block).any(|m| m.gain.as_ref().is_ok_and(|g| !g.is_clear())) {
            true => ", ~ if that contains 0",
            false => "",
        }
    )));
    document.append(Gains::of(block, width).document(block));
    let coruns: Vec<&CoRun<'_>> = block.pairs.iter().flat_map(|p| &p.coruns).collect();
    if block.pairs.len() > EVIDENCE_OF {
        document.text(indented(
            "what interrupted them: in the page, and in pontage export RUN --format json",
        ));
    } else {
        document.append(evidence(table, &coruns, width));
        document.append(counted(table, &coruns, run));
    }
    document
}

/// What the processor counted of each measured task, where counters were on.
fn counted(table: &ExperimentTable, coruns: &[&CoRun<'_>], run: &RunHead) -> Document {
    let of = |corun: &&CoRun<'_>| {
        let counted = counters_text(table, corun.point()?, run)?;
        Some(indented(format!("{} {counted}", label(corun))))
    };
    coruns.iter().filter_map(of).collect()
}

/// `image&strings`, in few columns.
fn label(corun: &CoRun<'_>) -> String {
    corun.names.map(|name| short(name, SHORT_NAME)).join("&")
}

fn members<'a>(block: &'a Block<'_>) -> impl Iterator<Item = &'a Member<'a>> {
    block.pairs.iter().flat_map(|pair| &pair.members)
}

/// A name that fits a column.
fn short(name: &str, longest: usize) -> String {
    if name.chars().count() <= longest {
        return name.to_owned();
    }
    let kept: String = name.chars().take(longest - 3).collect();
    kept + "..."
}

/// How the gains of a block are laid out: all its lines alike.
struct Gains {
    /// Of kind, gain, interval and change.
    widths: [usize; 4],
    longest: usize,
    /// Both members of a pair stand on one line.
    side_by_side: bool,
    /// The change stands on a line of its own.
    below: bool,
}

impl Gains {
    fn of(block: &Block<'_>, width: usize) -> Gains {
        let longest = match width < NARROW {
            true => SHORT_NAME,
            false => LONGEST_NAME,
        };
        let mut widths = [0; 4];
        for member in members(block) {
            let cells = match &member.gain {
                Ok(gain) => cells(member, gain, longest).to_vec(),
                Err(_) => vec![short(member.kind, longest)],
            };
            for (width, cell) in widths.iter_mut().zip(&cells) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let one = widths.iter().sum::<usize>() + 4;
        Gains {
            widths,
            longest,
            side_by_side: INDENT + 2 * one + 3 <= width,
            below: INDENT + one + 2 > width,
        }
    }

    fn document(&self, block: &Block<'_>) -> Document {
        let mut document = Document::new();
        block
            .pairs
            .iter()
            .for_each(|pair| document.append(self.pair(pair)));
        document
    }

    fn pair(&self, pair: &Pair<'_>) -> Document {
        let [a, b] = &pair.members;
        if let (true, Ok(of_a), Ok(of_b)) = (self.side_by_side, &a.gain, &b.gain) {
            let (a, b) = (cells(a, of_a, self.longest), cells(b, of_b, self.longest));
            let sign = Column::words("").gap(1);
            let columns = self.columns(INDENT).into_iter().chain([sign]);
            let mut table = Table::new(columns.chain(self.columns(1))).indent(INDENT);
            table.row(a.into_iter().chain(["|".to_owned()]).chain(b));
            return table.into();
        }
        let mut document = self.alone(" ", a);
        document.append(self.alone("|", b));
        document
    }

    /// A member on a line of its own.
    fn alone(&self, sign: &str, member: &Member<'_>) -> Document {
        let gain = match &member.gain {
            Ok(gain) => gain,
            Err(why) => {
                let said = format!("{}  {why}", short(member.kind, self.longest));
                let lead = format!("{:INDENT$}{sign} ", "");
                return Text::new(said).lead(lead).hang(2 * INDENT).into();
            }
        };
        let [kind, share, interval, change] = cells(member, gain, self.longest);
        let [first, second, third, fourth] = self.columns(1);
        let signed = Column::words("").gap(INDENT);
        let columns = [signed, first, second, third];
        let cells = [sign.to_owned(), kind, share, interval];
        let behind = (!self.below).then(|| (fourth, change.clone()));
        let (fourth, last) = behind.unzip();
        let mut table = Table::new(columns.into_iter().chain(fourth)).indent(INDENT);
        table.row(cells.into_iter().chain(last));
        let mut document = Document::from(table);
        if self.below {
            document.line(format!("{:1$}{change}", "", 2 * INDENT));
        }
        document
    }

    /// The first so many blanks in.
    fn columns(&self, first: usize) -> [Column; 4] {
        let [kind, share, interval, change] = self.widths;
        [
            Column::words("").least(kind).gap(first),
            Column::number("").least(share).gap(1),
            Column::words("").least(interval).gap(1),
            Column::words("").least(change),
        ]
    }
}

/// Kind, gain, interval, change.
fn cells(member: &Member<'_>, gain: &Gain, longest: usize) -> [String; 4] {
    let sure = if gain.is_clear() { " " } else { "~" };
    [
        short(member.kind, longest),
        format!("{}{sure}", gain.text()),
        gain.interval(),
        member.change(gain, "->"),
    ]
}

/// Rows of causes, columns of co-runs, as many in a row of columns as fit.
fn evidence(table: &ExperimentTable, coruns: &[&CoRun<'_>], width: usize) -> Document {
    let mut document = Document::from(indented(
        "per second, on the measured CPU / on its neighbour's; context: switches of the whole \
         machine; switches and faults of the measured task",
    ));
    let mut rest = coruns;
    while !rest.is_empty() {
        let fits = |n: &usize| causes(table, &rest[..*n]).width() <= width;
        let fitting = (1..=rest.len()).take_while(fits).count();
        // A pair stays together where it can, and no two are mixed.
        let of_pair = (rest.len() - 1) % PAIR + 1;
        let count = match of_pair == PAIR && fitting >= PAIR {
            true => fitting / PAIR * PAIR,
            false => fitting.clamp(1, of_pair.min(PAIR / 2)),
        };
        let (now, later) = rest.split_at(count);
        document.table(causes(table, now));
        rest = later;
    }
    document
}

fn causes(table: &ExperimentTable, coruns: &[&CoRun<'_>]) -> Table {
    let labels = coruns.iter().map(|corun| label(corun));
    let heads = std::iter::once(String::new()).chain(labels);
    let mut causes = Table::of(1, heads).indent(INDENT);
    causes.head_tone = Tone::Soft;
    for row in &EVIDENCE {
        let cells = coruns.iter().map(|corun| corun.cell(table, row));
        causes.row(std::iter::once(row.0.to_owned()).chain(cells));
    }
    causes
}
