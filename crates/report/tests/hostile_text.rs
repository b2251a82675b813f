//! A record's texts are whoever's who wrote it: each of them in turn becomes an
//! attack, and every way of showing the run is looked at.

use record::Run;
use report::export::{Format, Selection, Target, export};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Clears the screen (in seven and in eight bits), reverses text, forges lines
/// and metrics, is a formula, ends an element.
const EVIL: &str = "\x1b[2J\u{9b}2J\u{202e}\r\n=FORGED{x=\"\"} 1\n=FORGED</script><b>\u{2066}";

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/records/v1-small")
}

/// Where strings stand in a document, keys left out: those are ours.
fn strings(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at.to_owned()),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                strings(item, &format!("{at}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                strings(item, &format!("{at}/{name}"), found);
            }
        }
        _ => {}
    }
}

/// The run in each form that it can be shown in, with the form's name.
fn shown(run: &Run) -> Vec<(&'static str, String)> {
    let Ok(view) = analysis::load(run) else {
        return Vec::new();
    };
    let mut all = vec![
        ("terminal", report::terminal::render(&view, 100, false)),
        ("page", report::html::render(&view)),
    ];
    let foot = report::Foot::of(&view.head);
    for figure in report::figure::all(&view) {
        if let Ok(svg) = report::svg::file(&figure, &foot) {
            all.push(("svg", svg));
        }
    }
    let everything = Selection::default();
    for format in Format::ALL {
        let mut bytes = Vec::new();
        let target = Target::Stream(&mut bytes);
        if export(run, &view, (format, &everything), target).is_ok() {
            all.push((format.name(), String::from_utf8(bytes).unwrap()));
        }
    }
    all
}

fn wrong(form: &str, text: &str) -> Option<String> {
    let control = |c: char| (c.is_control() && c != '\n' && c != '\t') || escape::is_deceptive(c);
    if let Some(c) = text.chars().find(|c| control(*c)) {
        return Some(format!("{c:?} in it"));
    }
    let forged = text.lines().find(|l| l.starts_with("=FORGED"));
    // Lines mean nothing to a page or a picture.
    if !matches!(form, "page" | "svg") && forged.is_some() {
        return Some(format!("a line is forged: {}", forged.unwrap_or_default()));
    }
    let mut cells = text.lines().flat_map(|line| line.split(','));
    let formula = |cell: &str| cell.trim_start_matches('"').starts_with('=');
    if form == "csv" && cells.any(formula) {
        return Some("a cell is a formula".to_owned());
    }
    let markup = matches!(form, "page" | "svg") && text.contains("</script><b>");
    markup.then(|| "markup in it".to_owned())
}

#[test]
fn no_text_of_a_record_is_obeyed_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(fixture()).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    let head = folder.path().join("run.json");
    let document: Value = serde_json::from_slice(&std::fs::read(&head).unwrap()).unwrap();
    let mut places = Vec::new();
    strings(&document, "", &mut places);
    assert!(places.len() > 100, "{}", places.len());
    let (mut failures, mut opened) = (Vec::new(), 0);
    for place in &places {
        for evil in [EVIL, "=1+2"] {
            let mut changed = document.clone();
            *changed.pointer_mut(place).unwrap() = evil.into();
            std::fs::write(&head, changed.to_string()).unwrap();
            // Words from a list are refused; the refusal is shown too.
            let forms = match Run::open(folder.path()) {
                Ok(run) => shown(&run),
                Err(error) => vec![("error", error.to_string())],
            };
            opened += usize::from(forms.len() > 1);
            for (form, text) in forms {
                if let Some(what) = wrong(form, &text) {
                    failures.push(format!("{place}, {form}: {what}"));
                }
            }
        }
    }
    assert!(opened > 100, "{opened}");
    assert!(failures.is_empty(), "{failures:#?}");
}
