//! What methods said on simulated machines, kept in a file: an experiment of a run a line. A
//! changed rule of agreement is applied to what is kept. A changed method is asked again where
//! the line has its points, and makes the other lines of its experiment old.

use crate::points::Points;
use analysis::inference::{Answer, Says};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Digits of a number that are kept behind its first.
const DIGITS: usize = 6;

/// One experiment of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    pub core: String,
    pub condition: String,
    pub seed: u64,
    pub experiment: String,
    answers: Vec<Said>,
    /// What was measured, of experiments that take long to simulate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Points>,
}

/// Quantity and method; value and bounds, or why there are none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Said {
    Value(String, String, f64, f64, f64),
    Nothing(String, String, String),
}

impl Kept {
    /// What an experiment's methods said there.
    pub fn new(
        core: &str,
        condition: &str,
        seed: u64,
        experiment: &str,
        answers: &[Answer],
    ) -> Kept {
        Kept {
            core: core.to_owned(),
            condition: condition.to_owned(),
            seed,
            experiment: experiment.to_owned(),
            answers: answers.iter().map(said).collect(),
            points: None,
        }
    }

    /// The same run with other answers.
    #[must_use]
    pub fn saying(&self, answers: &[Answer]) -> Kept {
        Kept {
            answers: answers.iter().map(said).collect(),
            ..self.clone()
        }
    }

    /// With what was measured.
    #[must_use]
    pub fn with(self, points: Option<Points>) -> Kept {
        Kept { points, ..self }
    }

    /// That it is of this run.
    pub fn is_of(&self, core: &str, condition: &str, seed: u64) -> bool {
        (self.core.as_str(), self.condition.as_str(), self.seed) == (core, condition, seed)
    }

    /// What the methods said.
    pub fn answers(&self) -> impl Iterator<Item = Answer> + '_ {
        self.answers.iter().map(|said| match said {
            Said::Value(quantity, method, value, low, high) => {
                Answer::between(word(quantity), word(method), *value, *low, *high)
            }
            Said::Nothing(quantity, method, why) => {
                Answer::nothing(word(quantity), word(method), why.as_str())
            }
        })
    }
}

fn said(answer: &Answer) -> Said {
    let (quantity, method) = (answer.quantity.to_owned(), answer.method.to_owned());
    match &answer.says {
        Says::Value { value, low, high } => {
            let [value, low, high] = [*value, *low, *high].map(short);
            Said::Value(quantity, method, value, low, high)
        }
        Says::Nothing(why) => Said::Nothing(quantity, method, why.clone()),
    }
}

fn short(value: f64) -> f64 {
    let text = format!("{value:.DIGITS$e}");
    text.parse().unwrap_or(value)
}

/// Quantities and methods have names that live as long as the program; those of a file are the
/// same few again and again.
fn word(text: &str) -> &'static str {
    static WORDS: LazyLock<Mutex<BTreeSet<&'static str>>> = LazyLock::new(Mutex::default);
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    match words.get(text) {
        Some(known) => known,
        None => {
            let new: &'static str = text.to_owned().leak();
            words.insert(new);
            new
        }
    }
}

/// All of a file; of one that is not there, none. A last line that was cut off is left out.
///
/// # Errors
/// The file cannot be read, or a line is none of these.
pub fn read(path: &str) -> Result<Vec<Kept>, String> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(format!("cannot read {path}: {e}")),
    };
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let lines = (1..).zip(whole.lines());
    let parsed = lines.map(|(number, line)| {
        serde_json::from_str(line).map_err(|e| format!("cannot read {path}, line {number}: {e}"))
    });
    parsed.collect()
}

/// Takes off a last line that was cut off, so that what is added begins a line of its own.
///
/// # Errors
/// The file cannot be read or written.
pub fn mend(path: &str) -> Result<(), String> {
    let failed = |cause: std::io::Error| format!("cannot mend {path}: {cause}");
    let text = match std::fs::read(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        text => text.map_err(failed)?,
    };
    let whole = text
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    if whole == text.len() {
        return Ok(());
    }
    let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
    file.set_len(whole as u64).map_err(failed)
}

/// Adds one to a file.
///
/// # Errors
/// The file cannot be written.
pub fn add(path: &str, kept: &Kept) -> Result<(), String> {
    let line = line(kept)?;
    let file = OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    written.map_err(|e| format!("cannot write {path}: {e}"))
}

/// Writes a file anew; until it is whole, the old one stays.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &str, all: &[Kept]) -> Result<(), String> {
    let lines = all.iter().map(line).collect::<Result<String, String>>()?;
    let written = files::output::write(Path::new(path), lines.as_bytes());
    written.map_err(|e| format!("cannot write {path}: {e}"))
}

fn line(kept: &Kept) -> Result<String, String> {
    let text = serde_json::to_string(kept).map_err(|e| format!("cannot keep a run: {e}"))?;
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::{Kept, add, mend, read};
    use analysis::inference::Answer;

    #[test]
    fn what_is_written_is_read_and_a_cut_line_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        let path = path.to_str().unwrap();
        assert_eq!(read(path), Ok(Vec::new()));
        let answers = [
            Answer::between("l1d_capacity", "chase", 47_836.100_025, 40_960.0, 52_224.0),
            Answer::nothing("line_size", "strides", "its knee moves"),
        ];
        let kept = Kept::new("zen2", "quiet", 3, "mem/latency", &answers);
        add(path, &kept).unwrap();
        add(path, &kept).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        std::fs::write(path, &text[..text.len() - 9]).unwrap();
        let read = read(path).unwrap();
        assert_eq!(read, std::slice::from_ref(&kept));
        mend(path).unwrap();
        add(path, &kept).unwrap();
        assert_eq!(super::read(path), Ok(vec![kept.clone(), kept]));
        super::write(path, &read).unwrap();
        assert_eq!(super::read(path).as_deref(), Ok(&read[..]), "written anew");
        let again: Vec<Answer> = read[0].answers().collect();
        assert_eq!(
            again[0],
            Answer::between("l1d_capacity", "chase", 47_836.1, 40_960.0, 52_224.0)
        );
        assert_eq!(again[1], answers[1]);
        assert!(read[0].is_of("zen2", "quiet", 3) && !read[0].is_of("zen2", "quiet", 4));
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        std::fs::write(&path, "{}\n").unwrap();
        let why = read(path.to_str().unwrap()).unwrap_err();
        assert!(why.contains("line 1"), "{why}");
    }
}
