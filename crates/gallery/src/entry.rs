//! One reference machine, as it is kept.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The first word of each file; another one is of another version.
pub const FORMAT: &str = "pontage-gallery-1";
/// Longest text of a field, bytes; entries are files of other people.
const LONGEST_TEXT: usize = 400;
/// Most values of an entry.
const MOST_VALUES: usize = 2000;

/// A machine, how it was measured, and what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub format: String,
    /// What the file is called: `epyc-zen5-guest`.
    pub name: String,
    /// What its owner says of it, in a sentence.
    pub about: String,
    pub machine: Machine,
    pub measured: Measured,
    pub values: Vec<Value>,
}

/// The computer. Facts that are not known are empty or 0.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    pub cpu_model: String,
    pub arch: String,
    pub cpus: u32,
    pub cores: u32,
    pub sockets: u32,
    pub memory_bytes: u64,
    pub kernel: String,
    /// Empty where it is no guest.
    pub hypervisor: String,
    pub mitigations: Vec<String>,
    /// A program plays the processor: its times mean nothing elsewhere.
    pub emulated: bool,
}

/// How it was measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// `2026-11-29`.
    pub date: String,
    pub pontage: String,
    pub recipe: String,
    /// The letter of trust; empty where only curves were kept.
    pub grade: String,
    /// Ratio of two typical values that it tells apart.
    pub parts_from: Option<f64>,
}

/// One measured value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// The same on every machine: `L2/latency`, `ipc/pipe/pipe/65536`.
    pub id: String,
    /// What a reader sees: `L2 latency`, `pipe 64 KiB`.
    pub label: String,
    pub unit: ValueUnit,
    pub value: f64,
    /// Ends of the 95 % interval; None where there is none.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// It was disturbed or is open: shown, never compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub doubtful: bool,
}

/// What a value counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueUnit {
    Ns,
    Cycles,
    Bytes,
    GbPerS,
    Ghz,
}

/// Why a text is no entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable(pub String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}

impl Entry {
    /// From the text of a file.
    ///
    /// # Errors
    /// What is wrong with it: no JSON, another version, an unknown or missing field, a text that is
    /// too long, a number that no measurement gives, a value that stands there twice.
    pub fn parse(text: &str) -> Result<Entry, Unreadable> {
        let entry: Entry = serde_json::from_str(text).map_err(|e| Unreadable(e.to_string()))?;
        entry.check().map_err(Unreadable)?;
        Ok(entry)
    }

    /// As text, a value a line, so that a change of one shows as one.
    ///
    /// # Errors
    /// Never of finite numbers; what the writer says.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        let mut head = serde_json::to_value(self)?;
        head["values"] = serde_json::Value::Array(Vec::new());
        let head = serde_json::to_string_pretty(&head)?;
        let values = self.values.iter().map(serde_json::to_string);
        let lines: Vec<String> = values.collect::<Result<_, _>>()?;
        let lines = format!("\"values\": [\n    {}\n  ]", lines.join(",\n    "));
        Ok(head.replace("\"values\": []", &lines) + "\n")
    }

    fn check(&self) -> Result<(), String> {
        if self.format != FORMAT {
            return Err(format!("its format is {:?}, not {FORMAT:?}", self.format));
        }
        let of_name =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
        if self.name.is_empty() || !self.name.chars().all(of_name) {
            return Err(format!(
                "its name {:?} has other characters than a-z, 0-9, - and .",
                self.name
            ));
        }
        if self.values.len() > MOST_VALUES {
            return Err(format!("it has more than {MOST_VALUES} values"));
        }
        let texts = [&self.about, &self.machine.cpu_model, &self.machine.kernel];
        let labels = self.values.iter().flat_map(|v| [&v.id, &v.label]);
        if let Some(long) = texts
            .into_iter()
            .chain(labels)
            .find(|t| t.len() > LONGEST_TEXT)
        {
            let begin: String = long.chars().take(40).collect();
            return Err(format!(
                "a text is longer than {LONGEST_TEXT} bytes: {begin:?}"
            ));
        }
        let mut seen = std::collections::BTreeSet::new();
        self.values.iter().try_for_each(|value| {
            value.check()?;
            match seen.insert(value.id.as_str()) {
                true => Ok(()),
                false => Err(format!("value {:?} stands there twice", value.id)),
            }
        })
    }

    /// The value of this id.
    pub fn value(&self, id: &str) -> Option<&Value> {
        self.values.iter().find(|value| value.id == id)
    }
}

impl Value {
    fn check(&self) -> Result<(), String> {
        let ends = [self.low, self.high].into_iter().flatten();
        // A wide interval may begin below nothing.
        let whole =
            self.value.is_finite() && self.value > 0.0 && ends.into_iter().all(f64::is_finite);
        let in_order = self.low.is_none_or(|low| low <= self.value)
            && self.high.is_none_or(|high| self.value <= high);
        match whole && in_order {
            true => Ok(()),
            false => Err(format!("value {:?} is no measurement", self.id)),
        }
    }
}

#[cfg(test)]
mod tests;
