//! What a user calls a run: a name of its own, and tags that it shares with others.

use serde::{Deserialize, Serialize};

/// Longest name or tag, in characters.
const MOST_CHARS: usize = 48;

/// Words that mean a run without being the name of one.
const RESERVED: [&str; 3] = ["latest", "previous", "baseline"];

/// A run's name and tags; records without them have none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Labels {
    /// Of one run in its folder of runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// In the order in which they were given, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

impl Labels {
    /// Whether there is neither a name nor a tag.
    pub fn is_empty(&self) -> bool {
        self.name.is_none() && self.tags.is_empty()
    }

    /// Adds a tag, unless it is there.
    pub fn tag(&mut self, word: &str) {
        if self.tags.iter().all(|known| known != word) {
            self.tags.push(word.to_owned());
        }
    }
}

/// Whether `word` can be a name or a tag.
///
/// # Errors
/// Why it cannot.
pub fn check(word: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if RESERVED.contains(&word) {
        return Err(format!(
            "{word} is reserved: it is a word for a run without a name"
        ));
    }
    if !word.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return Err("it must begin with a letter or a digit".to_owned());
    }
    if !word.chars().all(plain) {
        return Err("it may have letters, digits, - _ and . only".to_owned());
    }
    match word.len() > MOST_CHARS {
        true => Err(format!("it may have at most {MOST_CHARS} characters")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn names_are_plain_and_no_reserved_words() {
        for good in ["a", "v1.2", "6.12-rc3", "Zen_5", "0", &"x".repeat(48)] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "-x",
            ".",
            "..",
            ".a",
            "a b",
            "a/b",
            "@a",
            "ä",
            "a\n",
            "a,b",
            "latest",
            "previous",
            "baseline",
            &"x".repeat(49),
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
