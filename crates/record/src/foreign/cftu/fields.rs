//! A line as fields, whoever separated them, and numbers out of fields.

use std::borrow::Cow;
use std::fmt::{self, Display};

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

/// A line of a file: what its fields are, and what is odd in them.
pub(super) trait Line: Default + 'static {
    const LAYOUT: &'static Layout<Self>;

    fn doubts(&self) -> Vec<String>;
}

/// The fields of a kind of line, for reading and printing it and for messages.
pub(super) struct Layout<R: 'static> {
    /// `latency`.
    pub kind: &'static str,
    /// In order, with their names.
    pub fields: &'static [(&'static str, Field<R>)],
    /// One line of it.
    pub example: &'static str,
}

/// How a field is got of a record, and put into a record that is being read.
pub(super) enum Field<R> {
    U16(fn(&R) -> u16, fn(&mut R, u16)),
    U32(fn(&R) -> u32, fn(&mut R, u32)),
    U64(fn(&R) -> u64, fn(&mut R, u64)),
    /// See [`Layout::exact`].
    Exact(fn(&R) -> u64, fn(&mut R, u64)),
    /// With so many digits behind the point.
    Decimal(usize, fn(&R) -> f64, fn(&mut R, f64)),
    /// What was not counted is `nan` in the file.
    OptExact(fn(&R) -> Option<u64>, fn(&mut R, Option<u64>)),
    OptDecimal(usize, fn(&R) -> Option<f64>, fn(&mut R, Option<f64>)),
    /// What is put may say what the word is instead.
    Other(
        fn(&R) -> String,
        fn(&mut R, &str) -> Result<(), &'static str>,
    ),
}

/// A field of the record in both directions.
macro_rules! field {
    ($kind:ident, $name:ident $(, $digits:literal)?) => {
        Field::$kind($($digits,)? |r| r.$name, |r, value| r.$name = value)
    };
}
pub(super) use field;

impl<R: Default> Layout<R> {
    /// The record of a line that has as many fields as there must be.
    pub fn parse(&self, words: &[&str]) -> Result<R, Malformed> {
        if words.len() != self.fields.len() {
            let names: Vec<&str> = self.fields.iter().map(|(name, _)| *name).collect();
            return Err(self.malformed(format!(
                "it has {} fields, a line of {} has {}: {}",
                words.len(),
                self.kind,
                names.len(),
                names.join(", ")
            )));
        }
        let mut record = R::default();
        for (at, word) in words.iter().enumerate() {
            self.read(at, word, &mut record)?;
        }
        Ok(record)
    }

    fn read(&self, at: usize, word: &str, record: &mut R) -> Result<(), Malformed> {
        match &self.fields[at].1 {
            Field::U16(_, set) => set(record, self.whole(at, word)?),
            Field::U32(_, set) => set(record, self.whole(at, word)?),
            Field::U64(_, set) => set(record, self.whole(at, word)?),
            Field::Exact(_, set) => set(record, self.exact(at, word)?),
            Field::Decimal(_, _, set) => set(record, self.decimal(at, word)?),
            Field::OptExact(_, set) => {
                set(record, known(word).map(|w| self.exact(at, w)).transpose()?);
            }
            Field::OptDecimal(_, _, set) => {
                set(
                    record,
                    known(word).map(|w| self.decimal(at, w)).transpose()?,
                );
            }
            Field::Other(_, set) => set(record, word).map_err(|what| self.odd(at, word, what))?,
        }
        Ok(())
    }

    /// The line of a record, without its end.
    pub fn print(&self, record: &R, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (_, field)) in self.fields.iter().enumerate() {
            f.write_str(if at > 0 { "\t" } else { "" })?;
            match field {
                Field::U16(get, _) => write!(f, "{}", get(record)),
                Field::U32(get, _) => write!(f, "{}", get(record)),
                Field::U64(get, _) | Field::Exact(get, _) => write!(f, "{}", get(record)),
                Field::Decimal(digits, get, _) => write!(f, "{:.digits$}", get(record)),
                Field::OptExact(get, _) => match get(record) {
                    Some(value) => write!(f, "{value}"),
                    None => f.write_str("nan"),
                },
                Field::OptDecimal(digits, get, _) => match get(record) {
                    Some(value) => write!(f, "{value:.digits$}"),
                    None => f.write_str("nan"),
                },
                Field::Other(get, _) => f.write_str(&get(record)),
            }?;
        }
        Ok(())
    }

    /// A whole number, no larger than fits.
    fn whole<T: TryFrom<u64>>(&self, at: usize, word: &str) -> Result<T, Malformed> {
        let number = word.parse::<u64>().ok().and_then(|n| T::try_from(n).ok());
        number.ok_or_else(|| self.odd(at, word, "not a whole number that fits"))
    }

    /// A size or a time that a record can hold: below 2^53, so that a double
    /// keeps it to the last digit.
    fn exact(&self, at: usize, word: &str) -> Result<u64, Malformed> {
        let number: u64 = self.whole(at, word)?;
        if number > 1 << 53 {
            return Err(self.odd(at, word, "larger than 2^53"));
        }
        Ok(number)
    }

    /// A finite number that is not negative, with a decimal point.
    pub fn decimal(&self, at: usize, word: &str) -> Result<f64, Malformed> {
        let number = word.parse().ok().filter(|n: &f64| (0.0..1e18).contains(n));
        number.ok_or_else(|| self.odd(at, word, "not a number such as 99.0000"))
    }

    /// Field `at` holds `word`, which is `what`.
    pub fn odd(&self, at: usize, word: &str, what: &str) -> Malformed {
        let name = self.fields.get(at).map_or("total", |(name, _)| name);
        self.malformed(format!("its {name} {} is {what}", quoted(word)))
    }

    /// With a line of this kind as the remedy.
    pub fn malformed(&self, cause: String) -> Malformed {
        let remedy = format!(
            "correct the line, or delete it if it is truncated; an example: {}",
            self.example.replace('\t', " ")
        );
        Malformed { cause, remedy }
    }
}

/// None for `nan`, however its sign came out.
fn known(word: &str) -> Option<&str> {
    let nan = word
        .trim_start_matches(['-', '+'])
        .eq_ignore_ascii_case("nan");
    (!nan).then_some(word)
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
        "the synthesis has {}, the measurements give {}",
        words(said),
        words(recomputed)
    )
}
