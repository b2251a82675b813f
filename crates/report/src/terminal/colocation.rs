//! Pairs of kinds of work: gains of both members, and below what interrupted
//! them. One line a pair where the window is wide, else one a member.

use super::Page;
use super::paint::wrapped;
use super::summary::counters_text;
use crate::colocation::{Block, Company, EVIDENCE, Gain, Member, NOT_COUNTED, blocks};
use analysis::ExperimentTable;
use record::RunHead;

const INDENT: &str = "    ";
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

pub(super) fn render(table: &ExperimentTable, run: &RunHead, page: &Page) -> String {
    let blocks = blocks(table);
    let each = blocks
        .iter()
        .map(|block| self::block(table, block, run, page));
    let mut text: String = each.collect();
    if run.conditions.counters.is_none() && !blocks.is_empty() {
        text.push_str(&wrapped(NOT_COUNTED, page.width, INDENT, INDENT));
    }
    text
}

fn block(table: &ExperimentTable, block: &Block<'_>, run: &RunHead, page: &Page) -> String {
    let mut text = format!(
        "{INDENT}{}\n",
        page.paint.bold(&escape::terminal(&block.title))
    );
    let said = format!(
        "before: beside its own kind, after: beside the other; gain with its interval{}",
        match members(block).any(|m| m.gain.as_ref().is_ok_and(|g| !g.is_clear())) {
            true => ", ~ where that holds 0",
            false => "",
        }
    );
    text.push_str(&wrapped(&said, page.width, INDENT, INDENT));
    text.push_str(&gains(block, page));
    let companies: Vec<&Company<'_>> = block.pairs.iter().flat_map(|p| &p.companies).collect();
    if block.pairs.len() > EVIDENCE_OF {
        let said = "what interrupted them: in the page, and in pontage export RUN --format json";
        text.push_str(&wrapped(said, page.width, INDENT, INDENT));
    } else {
        text.push_str(&evidence(table, &companies, page));
        text.push_str(&counted(table, &companies, run, page));
    }
    text
}

/// What the processor counted in each company, where it was asked.
fn counted(
    table: &ExperimentTable,
    companies: &[&Company<'_>],
    run: &RunHead,
    page: &Page,
) -> String {
    let of = |company: &&Company<'_>| {
        let counted = counters_text(table, company.point()?, run)?;
        let [of, beside] = company.names.map(|name| short(name, SHORT_NAME));
        let said = format!("{of}&{beside} {counted}");
        Some(wrapped(&said, page.width, INDENT, INDENT))
    };
    companies.iter().filter_map(of).collect()
}

fn members<'a>(block: &'a Block<'_>) -> impl Iterator<Item = &'a Member<'a>> {
    block.pairs.iter().flat_map(|pair| &pair.members)
}

/// A name that fits a column.
fn short(name: &str, longest: usize) -> String {
    let name = escape::terminal(name).into_owned();
    if name.chars().count() <= longest {
        return name;
    }
    let kept: String = name.chars().take(longest - 3).collect();
    kept + "..."
}

/// Columns of a member: kind, gain, interval, change.
fn columns(member: &Member<'_>, gain: &Gain, longest: usize) -> [String; 4] {
    let sure = if gain.is_clear() { " " } else { "~" };
    [
        short(member.kind, longest),
        format!("{}{sure}", gain.text()),
        gain.interval(),
        escape::terminal(&member.change(gain, "->")).into_owned(),
    ]
}

fn gains(block: &Block<'_>, page: &Page) -> String {
    let longest = match page.width < NARROW {
        true => SHORT_NAME,
        false => LONGEST_NAME,
    };
    let mut widths = [0; 4];
    for member in members(block) {
        let cells = match &member.gain {
            Ok(gain) => columns(member, gain, longest),
            Err(_) => [
                short(member.kind, longest),
                String::new(),
                String::new(),
                String::new(),
            ],
        };
        for (width, cell) in widths.iter_mut().zip(&cells) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let one = widths.iter().sum::<usize>() + 4;
    let wide = INDENT.len() + 2 * one + 3 <= page.width;
    let narrow = INDENT.len() + one + 2 > page.width;
    let mut text = String::new();
    for pair in &block.pairs {
        let [a, b] = &pair.members;
        if wide && a.gain.is_ok() && b.gain.is_ok() {
            let (a, b) = (
                line(a, &widths, longest, false),
                line(b, &widths, longest, false),
            );
            text.push_str(&format!("{INDENT}{a} | {}\n", b.trim_end()));
            continue;
        }
        for (sign, member) in ["  ", "| "].into_iter().zip([a, b]) {
            match &member.gain {
                Ok(_) => {
                    let line = line(member, &widths, longest, narrow);
                    text.push_str(&format!("{INDENT}{sign}{}\n", line.trim_end()));
                }
                Err(why) => {
                    let said =
                        format!("{}  {}", short(member.kind, longest), escape::terminal(why));
                    let first = format!("{INDENT}{sign}");
                    text.push_str(&wrapped(
                        &said,
                        page.width,
                        &first,
                        &format!("{INDENT}    "),
                    ));
                }
            }
        }
    }
    text
}

fn line(member: &Member<'_>, widths: &[usize; 4], longest: usize, narrow: bool) -> String {
    let Ok(gain) = &member.gain else {
        return String::new();
    };
    let [kind, share, interval, change] = columns(member, gain, longest);
    let [w0, w1, w2, w3] = *widths;
    match narrow {
        true => format!("{kind:w0$} {share:>w1$} {interval}\n{INDENT}    {change}"),
        false => format!("{kind:w0$} {share:>w1$} {interval:w2$}  {change:w3$}"),
    }
}

/// Rows of causes, columns of companies, as many beside each other as fit.
fn evidence(table: &ExperimentTable, companies: &[&Company<'_>], page: &Page) -> String {
    let said = "a second, on the measured CPU / on its neighbour's; context: switches of the whole \
                machine; switches and faults of the measured task";
    let mut text = wrapped(said, page.width, INDENT, INDENT);
    let heads = EVIDENCE.iter().map(|row| row.0.len());
    let left = heads.max().unwrap_or(0);
    let columns: Vec<Vec<String>> = companies
        .iter()
        .map(|company| {
            let [of, beside] = company.names.map(|name| short(name, SHORT_NAME));
            let cells = EVIDENCE.iter().map(|row| company.cell(table, row));
            std::iter::once(format!("{of}&{beside}"))
                .chain(cells)
                .collect()
        })
        .collect();
    let width = |column: &Vec<String>| {
        let widths = column.iter().map(|cell| cell.chars().count());
        widths.max().unwrap_or(0) + 2
    };
    let mut rest = columns.as_slice();
    while !rest.is_empty() {
        let mut have = INDENT.len() + left;
        let fitting = rest.iter().take_while(|column| {
            have += width(column);
            have <= page.width
        });
        // A pair stays together where it can, and no two are mixed.
        let (fits, of_pair) = (fitting.count(), (rest.len() - 1) % PAIR + 1);
        let count = match of_pair == PAIR && fits >= PAIR {
            true => fits / PAIR * PAIR,
            false => fits.clamp(1, of_pair.min(PAIR / 2)),
        };
        let (now, later) = rest.split_at(count);
        for row in 0..=EVIDENCE.len() {
            let head = row.checked_sub(1).map_or("", |row| EVIDENCE[row].0);
            let cells = now.iter().map(|column| {
                let width = width(column);
                format!("{:>width$}", column[row])
            });
            let line = format!("{INDENT}{head:left$}{}", cells.collect::<String>());
            text.push_str(&match row {
                0 => page.paint.dim(&line),
                _ => line,
            });
            text.push('\n');
        }
        rest = later;
    }
    text
}
