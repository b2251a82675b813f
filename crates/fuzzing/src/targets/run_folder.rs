//! A record from elsewhere, drawn and exported: parts are the files of its
//! folder. Sizes and checksums in run.json are made those of the tables, so that
//! changed tables are read.

use crate::parts::{Part, parts, write_below};
use analysis::RunView;
use record::Run;
use report::export::{Format, Selection, Target, export};
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

const HEAD: &str = "run.json";

/// Runs the target on one input; a panic is a finding.
pub fn body(input: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let parts = parts(input);
    let head = parts.iter().find(|p| p.name == HEAD);
    let head = head.map_or(Vec::new(), |head| sealed(head.bytes, &parts));
    let mut files = parts.clone();
    files.retain(|p| p.name != HEAD);
    files.push(Part {
        name: HEAD,
        bytes: &head,
    });
    write_below(folder.path(), &files);
    let brief = record::brief::read(folder.path());
    let Ok(run) = Run::open(folder.path()) else {
        return;
    };
    if let Ok(brief) = brief {
        assert_eq!(brief.id, run.head().id, "the beginning of the head");
    }
    named(folder.path());
    for experiment in &run.head().experiments {
        let _ = run.copies(&experiment.id);
    }
    let Ok(mut view) = analysis::load(&run) else {
        return;
    };
    shown(&run, &view, folder.path());
    (view.head.findings, view.head.claims) = catalogue::conclude(experiments::all(), &view);
    let _ = report::terminal::render(&view, 80, true);
    let _ = analysis::compare(&view, &view, 0.05);
}

/// A run that gets a name is a run still, with that name.
fn named(folder: &Path) {
    let name = || Some("a".to_owned());
    if record::relabel(folder, |labels| labels.name = name()).is_ok() {
        let run = Run::open(folder).expect("a run with a name can be read");
        assert_eq!(run.head().labels.name, name());
    }
}

fn shown(run: &Run, view: &RunView, folder: &Path) {
    harmless(&report::terminal::render(view, 80, false), &['\n']);
    // Prose may have tabs, which a page shows as a space.
    harmless(&report::html::render(view), &['\n', '\t']);
    let everything = Selection::default();
    for format in Format::ALL {
        let out = folder.join("out");
        let written = export(run, view, (format, &everything), Target::Folder(&out));
        within(&out, &written.unwrap_or_default().files);
        let mut text = Vec::new();
        let target = Target::Stream(&mut text);
        let _ = export(run, view, (format, &everything), target);
        if format == Format::Json && !text.is_empty() {
            let parsed: Result<Value, _> = serde_json::from_slice(&text);
            assert!(parsed.is_ok(), "the JSON export is no JSON");
        }
    }
    let dat = folder.join("dat");
    if let Ok(exported) = report::export::cftu::write(run, &dat) {
        within(&dat, &exported.files);
    }
}

/// Nothing that a record says reaches a terminal or a page as a command.
fn harmless(text: &str, allowed: &[char]) {
    let commands = |c: char| escape::is_deceptive(c) || (c.is_control() && !allowed.contains(&c));
    let odd = text.char_indices().find(|(_, c)| commands(*c));
    if let Some((at, c)) = odd {
        let before: Vec<char> = text[..at].chars().rev().take(200).collect();
        let before: String = before.into_iter().rev().collect();
        panic!("{c:?} stands behind {before:?}");
    }
}

/// No name that a record has leads out of the folder that was asked for.
fn within(folder: &Path, files: &[PathBuf]) {
    for file in files {
        let below = file.strip_prefix(folder).expect("a file of the folder");
        let mut components = below.components();
        let plain = components.all(|c| matches!(c, Component::Normal(_)));
        assert!(plain, "{}", file.display());
    }
}

/// What is no JSON stays as it is.
fn sealed(head: &[u8], parts: &[Part<'_>]) -> Vec<u8> {
    let Ok(mut head) = serde_json::from_slice::<Value>(head) else {
        return head.to_vec();
    };
    for list in ["tables", "copies"] {
        let tables = head.get_mut(list).and_then(Value::as_array_mut);
        for table in tables.into_iter().flatten() {
            let file = table.get("file").and_then(Value::as_str);
            if let Some(part) = parts.iter().find(|p| Some(p.name) == file)
                && table.is_object()
            {
                table["bytes"] = part.bytes.len().into();
                table["crc32"] = crc32fast::hash(part.bytes).into();
            }
        }
    }
    head.to_string().into_bytes()
}
