//! The `.dat` files of the I/OAT-CFTU measurements; the first line is the name.

use record::foreign::cftu::{DatFile, DatName, Lines};

/// Runs the target on one input; a panic is a finding.
pub fn body(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (name, text) = text.split_once('\n').unwrap_or((&text, ""));
    let Some(name) = DatName::parse(name) else {
        return;
    };
    assert_eq!(DatName::parse(&name.file()), Some(name.clone()));
    let Ok(first) = DatFile::parse(name, text) else {
        return;
    };
    let printed = first.lines.to_string();
    let second = DatFile::parse(first.name.clone(), &printed).expect("what was printed is read");
    assert_eq!(second.lines.to_string(), printed);
    assert_eq!(lines(&second), lines(&first));
    assert!(second.notes.len() <= first.notes.len() + 1, "{second:?}");
}

fn lines(file: &DatFile) -> usize {
    match &file.lines {
        Lines::Trace(lines) => lines.len(),
        Lines::Latency(lines) => lines.len(),
        Lines::Synth(lines) => lines.len(),
        Lines::Victims(lines) => lines.len(),
        Lines::VictimSynth(lines) => lines.len(),
        Lines::Band(blocks) => blocks.iter().map(|b| b.rows.len()).sum(),
    }
}
