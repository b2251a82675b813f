//! Two runs side by side as a page of its own: the answer, the paths by
//! verdict, and for each experiment a figure and a table.

use super::{Frame, POLICY, SCRIPT, STYLE, WORD, anchor, word_head};
use crate::ReportError;
use crate::document::{self, Cell, Column, Document, Phrase, Span, Table, Text};
use crate::drawing::under_load::Rows;
use crate::format::{counted, percent, plus_minus, quantity, significant};
use crate::grouped::distinct;
use crate::svg;
use crate::under_load::{self, Line, QUESTION};
use analysis::under_load::{Path, Series, Side, UnderLoad, Verdict};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use record::Unit;

/// The whole page.
///
/// # Errors
/// [`ReportError::Draw`] when plotters refuses to draw.
pub fn page(b: &UnderLoad) -> Result<String, ReportError> {
    let experiments = distinct(b.series.iter().map(|s| s.experiment.as_str()));
    let sections = experiments.iter().map(|id| experiment(b, id));
    let sections: Vec<Markup> = sections.collect::<Result<_, _>>()?;
    let frame = Frame {
        policy: POLICY.trim(),
        generator: None,
        title: &format!("Pontage: light and heavy, {}", b.machine.host),
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (frame.head(html! { style { (PreEscaped(STYLE)) } }))
            body {
                a.skip href="#answer" { "Skip to the answer" }
                (masthead(b))
                div.columns {
                    nav.contents aria-label="Contents" {
                        ul {
                            li { a href="#answer" { "Answer" } }
                            @if !b.absent.is_empty() { li { a href="#absent" { "Not side by side" } } }
                            @for id in &experiments {
                                li.id { a href={ "#" (anchor(id)) } { (id) } }
                            }
                        }
                    }
                    main {
                        (answer(b))
                        (absent(b))
                        @if !sections.is_empty() { (key()) }
                        @for section in &sections { (section) }
                    }
                }
                footer { p { "Light: run " code { (b.light) } ". Heavy: run " code { (b.heavy) } "." } }
                script #figures type="text/plain" {}
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    Ok(escape::page(&page.into_string()).into_owned())
}

fn masthead(b: &UnderLoad) -> Markup {
    html! {
        header.masthead {
            div.title {
                p.brand { "Pontage" }
                h1 { (QUESTION) }
                p.sub {
                    (b.machine.host) " · " (b.machine.cpu_model) " · Linux " (b.machine.kernel)
                    " · load " (b.load) ": " (b.load_detail.join("; "))
                }
            }
            button #theme.theme type="button" hidden { "Dark" }
            @for caution in &b.cautions { p.caution { (caution) } }
        }
    }
}

fn answer(b: &UnderLoad) -> Markup {
    let question = Text::new(under_load::answer(b)).kind("question");
    let answer = Document::from(question).headed("Answer");
    let mut grounds = Document::new();
    grounds.list("facts", under_load::grounds(b).into_iter().map(Text::new));
    html! {
        section #answer {
            (document::html::write(&answer))
            @for verdict in Verdict::ALL { (of_verdict(verdict, &under_load::lines(b, verdict))) }
            (document::html::write(&grounds))
        }
    }
}

fn of_verdict(verdict: Verdict, lines: &[Line]) -> Markup {
    html! {
        @if !lines.is_empty() {
            h3 { span class=(badge(verdict)) { (verdict.name()) } }
            ul.findings {
                @for line in lines {
                    li {
                        p { b { (line.label) } @if !line.points.is_empty() { " · " (line.points) } }
                        p.support {
                            (line.figures)
                            @if !line.reason.is_empty() { ". " (line.reason) }
                        }
                    }
                }
            }
        }
    }
}

fn badge(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Predictable | Verdict::Faster => "badge good",
        Verdict::Slower | Verdict::Undecided => "badge",
        Verdict::Unpredictable => "badge bad",
    }
}

fn absent(b: &UnderLoad) -> Markup {
    let mut absent = Document::new();
    absent.list("facts", under_load::absences(b).into_iter().map(Text::new));
    let absent = absent.headed("Not side by side");
    html! {
        @if !b.absent.is_empty() {
            section #absent { (document::html::write(&absent)) }
        }
    }
}

fn key() -> Markup {
    html! {
        section.key aria-label="How to read the figures" {
            p {
                "In the figures: " span.mark { "●" } " the median, thick the quartiles, thin up to the "
                "tail that the table names, a last small dot for the worst sample. The axis of time is "
                "logarithmic: equal lengths are equal factors."
            }
        }
    }
}

fn experiment(b: &UnderLoad, id: &str) -> Result<Markup, ReportError> {
    let series = b.series.iter().filter(|s| s.experiment == id);
    let of = series.flat_map(|s| s.paths.iter().map(move |p| (s, p)));
    let of: Vec<(&Series, &Path)> = of.collect();
    let label = format!(
        "{id}: light and heavy, {}",
        counted(of.len(), "path", "paths")
    );
    let rows = Rows(of);
    let drawn = svg::rows(&rows, &label)?;
    Ok(html! {
        section.experiment id=(anchor(id)) {
            h2 { code { (id) } }
            figure {
                div.static tabindex="0" role="region" aria-label=(label) { (drawn) }
            }
            (document::html::table(&paths(&rows, id)))
        }
    })
}

const COLUMNS: [&str; 12] = [
    "heavy / light",
    "load",
    "median",
    "±",
    "p25",
    "p75",
    "CV",
    "tail",
    "its interval",
    "worst",
    "n",
    "operations a sample",
];

fn paths(rows: &Rows<'_>, id: &str) -> Table {
    let verdict = Column::words(Phrase::from("verdict").kind("wide"));
    let heads = [word_head("path"), verdict].into_iter();
    let name = format!("Paths of {id}, scrollable");
    let heads = heads.chain(COLUMNS.map(Column::number));
    let mut table = Table::new(heads).on_page("points", name);
    for (series, path) in &rows.0 {
        let name = under_load::name(series, path);
        table.row(row(name, "light", &path.light, Some(path)));
        table.row(row(String::new(), "heavy", &path.heavy, None));
    }
    table
}

fn row(name: String, load: &str, side: &Side, judged: Option<&Path>) -> Vec<Cell> {
    let time = |ns: f64| quantity(ns, Unit::Nanoseconds, 3);
    let verdict = judged.map(|path| {
        let verdict = Span::new(under_load::verdict(path)).kind(badge(path.verdict));
        verdict.title(path.reason.as_str())
    });
    let tail = under_load::tail_interval(side, Unit::Nanoseconds);
    let mut cells = vec![
        Cell::from(name).kind(WORD),
        Cell::from(Phrase::of(verdict)).kind("wide"),
        Cell::from(judged.and_then(under_load::moved).unwrap_or_default()),
        Cell::from(load),
        Cell::from(time(side.median.center)).kind("median"),
    ];
    let rest = [
        plus_minus(&side.median),
        time(side.p25),
        time(side.p75),
        percent(side.variation),
        format!("{} {}", side.tail_at.name(), time(side.tail())),
        tail.unwrap_or_else(|| "–".to_owned()),
        time(side.max),
        side.samples.to_string(),
        significant(side.operations, 3),
    ];
    cells.extend(rest.map(Cell::from));
    cells
}
