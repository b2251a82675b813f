//! A line as fields, whoever separated them, and numbers out of fields.

use std::borrow::Cow;
use std::fmt::Display;

/// Why a line is none of its kind, and what to do with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    pub cause: String,
    pub remedy: String,
}

/// The line without what pasting from a table adds: `|`, `&`, `$`, `\`.
pub(super) fn plain(line: &str) -> Cow<'_, str> {
    const OF_TABLES: [char; 4] = ['|', '&', '\\', '$'];
    if !line.contains(OF_TABLES) {
        return Cow::Borrowed(line);
    }
    // `total\_band` is one word; what separates becomes space.
    let kept = line.replace(['\\', '$'], "");
    Cow::Owned(kept.replace(['|', '&'], " "))
}

/// The fields of a plain line; none for an empty line, a ruling, a comment.
pub(super) fn fields(plain: &str) -> Vec<&str> {
    if plain.trim_start().starts_with('#') {
        return Vec::new();
    }
    let ruling = |word: &&str| {
        word.chars().all(|c| "-:+=".contains(c))
            || ["hline", "toprule", "midrule", "bottomrule"].contains(word)
    };
    plain.split_whitespace().filter(|w| !ruling(w)).collect()
}

/// The fields of a kind of line, for reading it and for messages.
pub(super) struct Layout {
    /// `latency`.
    pub kind: &'static str,
    /// Names of its fields, in order.
    pub fields: &'static [&'static str],
    /// One line of it.
    pub example: &'static str,
}

impl Layout {
    /// The line's fields, as many as there must be.
    pub fn of<'a, const N: usize>(&self, fields: &[&'a str]) -> Result<[&'a str; N], Malformed> {
        <[&str; N]>::try_from(fields).map_err(|_| {
            self.malformed(format!(
                "it has {} fields, a line of {} has {}: {}",
                fields.len(),
                self.kind,
                self.fields.len(),
                self.fields.join(", ")
            ))
        })
    }

    /// A whole number, no larger than fits.
    pub fn whole<T: TryFrom<u64>>(&self, at: usize, word: &str) -> Result<T, Malformed> {
        let number = word.parse::<u64>().ok().and_then(|n| T::try_from(n).ok());
        number.ok_or_else(|| self.odd(at, word, "no whole number that fits"))
    }

    /// A size or a time that a record can hold: below 2^53, so that a double
    /// keeps it to the last digit.
    pub fn exact(&self, at: usize, word: &str) -> Result<u64, Malformed> {
        let number: u64 = self.whole(at, word)?;
        if number > 1 << 53 {
            return Err(self.odd(at, word, "larger than 2^53"));
        }
        Ok(number)
    }

    /// A finite number that is not negative, with a decimal point.
    pub fn decimal(&self, at: usize, word: &str) -> Result<f64, Malformed> {
        let number = word.parse().ok().filter(|n: &f64| (0.0..1e18).contains(n));
        number.ok_or_else(|| self.odd(at, word, "no number such as 99.0000"))
    }

    /// Field `at` holds `word`, which is `what`.
    pub fn odd(&self, at: usize, word: &str, what: &str) -> Malformed {
        let name = self.fields.get(at).copied().unwrap_or("total");
        self.malformed(format!("its {name} {} is {what}", quoted(word)))
    }

    /// With a line of this kind as the remedy.
    pub fn malformed(&self, cause: String) -> Malformed {
        let remedy = format!(
            "correct the line, or delete it if it is cut off; such a line is: {}",
            self.example.replace('\t', " ")
        );
        Malformed { cause, remedy }
    }
}

/// A word of a foreign file for a message: short, and without what a terminal
/// would obey.
fn quoted(word: &str) -> String {
    let short: String = word.chars().take(40).collect();
    format!("{short:?}")
}

/// A sentence where `dt_ns` is not `t1 - t0`.
pub(super) fn doubted_difference(t0_ns: u64, t1_ns: u64, dt_ns: u64) -> Vec<String> {
    match t1_ns.checked_sub(t0_ns) {
        Some(difference) if difference == dt_ns => Vec::new(),
        Some(difference) => vec![format!("its dt is {dt_ns} ns, t1 - t0 is {difference} ns")],
        None => vec![format!("it ends {} ns before it begins", t0_ns - t1_ns)],
    }
}

/// What a synthesis says and what the measurements give.
pub(super) fn difference(said: &impl Display, recomputed: &impl Display) -> String {
    let words = |synthesis: &dyn Display| synthesis.to_string().replace('\t', " ");
    format!(
        "the synthesis says {}, the measurements give {}",
        words(said),
        words(recomputed)
    )
}
