//! Two runs side by side on the terminal: the answer, then every path.

use super::paint::{painted, wrapped};
use super::{LEAST_WIDTH, Page, Paint};
use crate::beside::{self, QUESTION};
use crate::format::{percent, plus_minus, quantity};
use analysis::beside::{Beside, Path, Series, Side, Verdict};
use comfy_table::{CellAlignment, ContentArrangement, Table};
use record::Unit;

/// More paths than this are left to the page.
const MOST_PATHS: usize = 60;

/// Below this width a table leaves its intervals to the page.
const NARROW: usize = 100;

/// The two runs as text, `width` columns wide. Ends with a line feed.
#[must_use]
pub fn render(b: &Beside, width: usize, colour: bool) -> String {
    let page = Page {
        width: width.max(LEAST_WIDTH),
        paint: Paint::new(colour),
    };
    let mut sections = vec![heading(b, &page), answer(b, &page)];
    sections.extend(Verdict::ALL.map(|verdict| of_verdict(b, verdict, &page)));
    sections.extend([paths(b, &page), absent(b, &page)]);
    sections.retain(|s| !s.is_empty());
    sections.join("\n")
}

fn heading(b: &Beside, page: &Page) -> String {
    let mut text = wrapped(&b.light, page.width, "light  ", "       ");
    let heavy = format!("{} ({})", b.heavy, b.load);
    text.push_str(&wrapped(&heavy, page.width, "heavy  ", "       "));
    for detail in &b.load_detail {
        text.push_str(&painted(detail, page.width, "       ", "       ", |l| {
            page.paint.dim(l)
        }));
    }
    for caution in &b.cautions {
        text.push_str(&painted(caution, page.width, "!  ", "   ", |l| {
            page.paint.yellow(l)
        }));
    }
    text
}

fn answer(b: &Beside, page: &Page) -> String {
    let mut text = page.paint.bold(QUESTION) + "\n";
    text.push_str(&wrapped(&beside::answer(b), page.width, "  ", "  "));
    for ground in beside::grounds(b) {
        text.push_str(&painted(&ground, page.width, "  - ", "    ", |l| {
            page.paint.dim(l)
        }));
    }
    text
}

fn of_verdict(b: &Beside, verdict: Verdict, page: &Page) -> String {
    let lines = beside::lines(b, verdict);
    if lines.is_empty() {
        return String::new();
    }
    let mut text = title(verdict, page) + "\n";
    for line in lines {
        let head = [line.label.as_str(), line.points.as_str()].join("  ");
        text.push_str(&wrapped(&head, page.width, "  ", "    "));
        text.push_str(&wrapped(&line.figures, page.width, "      ", "      "));
        if !line.reason.is_empty() && !line.figures.contains(&line.reason) {
            text.push_str(&painted(
                &line.reason,
                page.width,
                "      ",
                "      ",
                |l| page.paint.dim(l),
            ));
        }
    }
    text
}

fn title(verdict: Verdict, page: &Page) -> String {
    let name = verdict.name();
    let mut letters = name.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    let name: String = first.into_iter().chain(letters).collect();
    match verdict {
        Verdict::Predictable | Verdict::Faster => page.paint.green(&name),
        Verdict::Slower | Verdict::Undecided => page.paint.yellow(&name),
        Verdict::Unpredictable => page.paint.red(&name),
    }
}

fn paths(b: &Beside, page: &Page) -> String {
    let all = b.paths().count();
    if all == 0 {
        return String::new();
    }
    let mut text = page.paint.bold("Every path");
    text.push('\n');
    if all > MOST_PATHS {
        let sentence = format!("{all} of them: pontage report LIGHT --beside HEAVY --html FILE");
        return text + &wrapped(&sentence, page.width, "  ", "  ");
    }
    let narrow = page.width < NARROW;
    let mut table = Table::new();
    table
        .load_preset(comfy_table::presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(page.width).unwrap_or(u16::MAX));
    table.set_header(["", "load", "median", "CV", "tail", "worst", "n"]);
    for series in &b.series {
        for path in &series.paths {
            let name = path_name(series, path);
            table.add_row(row(&name, "light", &path.light, narrow));
            table.add_row(row(&told(path, narrow), "heavy", &path.heavy, narrow));
        }
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for line in table.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn path_name(series: &Series, path: &Path) -> String {
    escape::terminal(format!("{} {}", series.label(), series.place(path)).trim_end()).into_owned()
}

fn told(path: &Path, narrow: bool) -> String {
    let moved = match path.ratio {
        Some(ratio) if narrow => beside::change(ratio.center),
        _ => beside::moved(path).unwrap_or_default(),
    };
    format!("  {}, {moved}", beside::verdict(path))
}

fn row(first: &str, load: &str, side: &Side, narrow: bool) -> [String; 7] {
    let time = |ns: f64| quantity(ns, Unit::Nanoseconds, 3);
    let interval = match narrow {
        true => String::new(),
        false => format!(" {}", plus_minus(side.median, side.low, side.high)),
    };
    [
        first.to_owned(),
        load.to_owned(),
        time(side.median) + &interval,
        percent(side.variation),
        format!("{} {}", side.tail_at.name(), time(side.tail())),
        time(side.max),
        side.samples.to_string(),
    ]
}

fn absent(b: &Beside, page: &Page) -> String {
    let absences = beside::absences(b);
    if absences.is_empty() {
        return String::new();
    }
    let mut text = page.paint.bold("Not side by side");
    text.push('\n');
    for sentence in absences {
        text.push_str(&wrapped(&sentence, page.width, "  ", "    "));
    }
    text
}
