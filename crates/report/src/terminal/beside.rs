//! Two runs side by side on the terminal: the answer, then every path.

use crate::beside::{self, QUESTION};
use crate::document::{Document, Phrase, Table, Text, Tone, terminal};
use crate::format::{percent, plus_minus, quantity};
use analysis::beside::{Beside, Path, Series, Side, Verdict};
use record::Unit;

/// More paths than this are left to the page.
const MOST_PATHS: usize = 60;

/// Below this width a table leaves its intervals to the page.
const NARROW: usize = 100;

/// The two runs, laid out for `width` columns.
pub fn document(b: &Beside, width: usize) -> Document {
    let width = width.max(terminal::LEAST_WIDTH);
    let mut parts = vec![heading(b), answer(b)];
    parts.extend(Verdict::ALL.map(|verdict| of_verdict(b, verdict)));
    parts.extend([paths(b, width), absent(b)]);
    Document::sections(parts)
}

fn heading(b: &Beside) -> Document {
    let mut document = Document::new();
    document.text(Text::new(b.light.as_str()).lead("light  "));
    document.text(Text::new(format!("{} ({})", b.heavy, b.load)).lead("heavy  "));
    for detail in &b.load_detail {
        let text = Text::new(detail.as_str()).lead("       ");
        document.text(text.tone(Tone::Soft));
    }
    for caution in &b.cautions {
        let text = Text::new(caution.as_str()).lead("!  ");
        document.text(text.tone(Tone::Caution));
    }
    document
}

fn answer(b: &Beside) -> Document {
    let mut document = Document::new();
    document.heading(2, QUESTION);
    document.text(Text::new(beside::answer(b)).lead("  "));
    let ground = |text: String| Text::new(text).lead("  - ").tone(Tone::Soft);
    document.list("facts", beside::grounds(b).into_iter().map(ground));
    document
}

fn of_verdict(b: &Beside, verdict: Verdict) -> Document {
    let mut document = Document::new();
    let lines = beside::lines(b, verdict);
    if !lines.is_empty() {
        document.heading(2, title(verdict));
    }
    for line in lines {
        let head = [line.label.as_str(), line.points.as_str()].join("  ");
        document.text(Text::new(head).lead("  ").hang(4));
        let already_there = line.figures.contains(&line.reason);
        document.text(Text::new(line.figures).lead("      "));
        if !line.reason.is_empty() && !already_there {
            let reason = Text::new(line.reason).lead("      ");
            document.text(reason.tone(Tone::Soft));
        }
    }
    document
}

fn title(verdict: Verdict) -> Phrase {
    let name = verdict.name();
    let mut letters = name.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    let name: String = first.into_iter().chain(letters).collect();
    let tone = match verdict {
        Verdict::Predictable | Verdict::Faster => Tone::Good,
        Verdict::Slower | Verdict::Undecided => Tone::Caution,
        Verdict::Unpredictable => Tone::Bad,
    };
    Phrase::toned(name, tone)
}

fn paths(b: &Beside, width: usize) -> Document {
    let mut document = Document::new();
    let all = b.paths().count();
    if all == 0 {
        return document;
    }
    document.heading(2, "Every path");
    if all > MOST_PATHS {
        let sentence = format!("{all} of them: pontage report LIGHT --beside HEAVY --html FILE");
        document.text(Text::new(sentence).lead("  "));
        return document;
    }
    let heads = ["", "load", "median", "CV", "tail", "worst", "n"];
    let mut table = Table::of(2, heads).indent(1).fitting();
    let narrow = width < NARROW;
    for series in &b.series {
        for path in &series.paths {
            let name = path_name(series, path);
            table.row(row(&name, "light", &path.light, narrow));
            table.row(row(&sentence(path, narrow), "heavy", &path.heavy, narrow));
        }
    }
    document.table(table);
    document
}

fn path_name(series: &Series, path: &Path) -> String {
    let name = format!("{} {}", series.label(), series.place(path));
    name.trim_end().to_owned()
}

fn sentence(path: &Path, narrow: bool) -> String {
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
        false => format!(" {}", plus_minus(&side.median)),
    };
    [
        first.to_owned(),
        load.to_owned(),
        time(side.median.center) + &interval,
        percent(side.variation),
        format!("{} {}", side.tail_at.name(), time(side.tail())),
        time(side.max),
        side.samples.to_string(),
    ]
}

fn absent(b: &Beside) -> Document {
    let mut document = Document::new();
    let absences = beside::absences(b);
    if !absences.is_empty() {
        document.heading(2, "Not side by side");
    }
    let sentence = |text: String| Text::new(text).lead("  ").hang(4);
    document.list("facts", absences.into_iter().map(sentence));
    document
}
