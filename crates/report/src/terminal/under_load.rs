//! Two runs side by side on the terminal: the answer, then every path.

use crate::document::{Document, Phrase, Table, Text, Tone, terminal};
use crate::format::{percent, plus_minus, quantity};
use crate::under_load::{self, QUESTION};
use analysis::under_load::{Path, Side, UnderLoad, Verdict};
use record::Unit;

/// More paths than this are left to the page.
const MOST_PATHS: usize = 60;

/// Below this width a table leaves its intervals to the page.
const NARROW: usize = 100;

/// The two runs, laid out for `width` columns.
pub fn document(b: &UnderLoad, width: usize) -> Document {
    let width = width.max(terminal::LEAST_WIDTH);
    let verdicts = Verdict::ALL.map(|verdict| of_verdict(b, verdict));
    let parts = [heading(b), answer(b)].into_iter().chain(verdicts);
    Document::sections(parts.chain([paths(b, width), absent(b)]))
}

fn heading(b: &UnderLoad) -> Document {
    let mut document = Document::new();
    document.text(Text::new(b.light.as_str()).lead("light  "));
    document.text(Text::new(format!("{} ({})", b.heavy, b.load)).lead("heavy  "));
    let line = |text: &String, lead, tone| Text::new(text.as_str()).lead(lead).tone(tone);
    let details = b.load_detail.iter();
    document.extend(details.map(|detail| line(detail, "       ", Tone::Soft)));
    let cautions = b.cautions.iter();
    document.extend(cautions.map(|caution| line(caution, "!  ", Tone::Caution)));
    document
}

fn answer(b: &UnderLoad) -> Document {
    let mut document = Document::new();
    document.heading(2, QUESTION);
    document.text(Text::new(under_load::answer(b)).lead("  "));
    let ground = |text: String| Text::new(text).lead("  - ").tone(Tone::Soft);
    document.list("facts", under_load::grounds(b).into_iter().map(ground));
    document
}

fn of_verdict(b: &UnderLoad, verdict: Verdict) -> Document {
    let mut document = Document::new();
    for line in under_load::lines(b, verdict) {
        let head = [line.label.as_str(), line.points.as_str()].join("  ");
        document.text(Text::new(head).lead("  ").hang(4));
        let already_there = line.figures.contains(&line.reason);
        document.text(Text::new(line.figures).lead("      "));
        if !line.reason.is_empty() && !already_there {
            let reason = Text::new(line.reason).lead("      ");
            document.text(reason.tone(Tone::Soft));
        }
    }
    document.headed(title(verdict))
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

fn paths(b: &UnderLoad, width: usize) -> Document {
    let all = b.paths().count();
    if all > MOST_PATHS {
        let sentence =
            format!("{all} of them: pontage report LIGHT --under-load HEAVY --html FILE");
        return Document::from(Text::new(sentence).lead("  ")).headed("Every path");
    }
    let heads = ["", "load", "median", "CV", "tail", "worst", "n"];
    let mut table = Table::of(2, heads).indent(1).fitting();
    let narrow = width < NARROW;
    for (series, path) in b
        .series
        .iter()
        .flat_map(|s| s.paths.iter().map(move |p| (s, p)))
    {
        let name = format!("{} {}", series.label(), series.place(path));
        table.row(row(name.trim_end(), "light", &path.light, narrow));
        table.row(row(&sentence(path, narrow), "heavy", &path.heavy, narrow));
    }
    let some = (all > 0).then_some(table);
    some.into_iter().collect::<Document>().headed("Every path")
}

fn sentence(path: &Path, narrow: bool) -> String {
    let moved = match path.ratio {
        Some(ratio) if narrow => under_load::change(ratio.center),
        _ => under_load::moved(path).unwrap_or_default(),
    };
    format!("  {}, {moved}", under_load::verdict(path))
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

fn absent(b: &UnderLoad) -> Document {
    let sentence = |text: String| Text::new(text).lead("  ").hang(4);
    let mut document = Document::new();
    document.list("facts", under_load::absences(b).into_iter().map(sentence));
    document.headed("Not side by side")
}
