//! The text of `print fmt:`, with its conversions (`%-8lu`), taken apart.

use super::error::SentenceError;
use super::number::Number;

/// Sizes of a conversion, those included that arguments give.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sizes {
    pub width: Option<i64>,
    pub precision: Option<i64>,
}

/// A part of a format: text, or a conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Literal(String),
    Conversion(Conversion),
}

/// One `%...`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conversion {
    pub left: bool,
    pub zero: bool,
    pub plus: bool,
    pub space: bool,
    pub alternate: bool,
    pub width: Option<Size>,
    pub precision: Option<Size>,
    pub length: Length,
    /// `d`, `s`, `p` ...
    pub kind: char,
    /// What stands behind `p`: `S`, `I4`.
    pub pointer: String,
}

/// The width of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    Fixed(usize),
    /// `*`: an argument says it.
    Argument,
}

/// How long a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Length {
    Char,
    Short,
    #[default]
    Int,
    Long,
    LongLong,
}

/// No table of the kernel is wider.
const WIDEST: usize = 4096;

impl Length {
    /// Bytes of a number of this length.
    pub fn bytes(self, long_bytes: usize) -> usize {
        match self {
            Length::Char => 1,
            Length::Short => 2,
            Length::Int => 4,
            Length::Long => long_bytes,
            Length::LongLong => 8,
        }
    }
}

impl Conversion {
    /// The sizes of a value: `next` gives those that are arguments.
    pub fn sizes(&self, mut next: impl FnMut() -> Option<Number>) -> Option<Sizes> {
        let mut size = |size: Option<Size>| {
            Some(match size {
                None => None,
                Some(Size::Fixed(n)) => i64::try_from(n).ok(),
                Some(Size::Argument) => Some(next()?.bits().cast_signed()),
            })
        };
        Some(Sizes {
            width: size(self.width)?,
            precision: size(self.precision)?,
        })
    }

    /// How many arguments it takes.
    pub fn arguments(&self) -> usize {
        let star = |size| usize::from(size == Some(Size::Argument));
        1 + star(self.width) + star(self.precision)
    }
}

/// The parts of a format.
///
/// # Errors
/// A conversion that is not known.
pub fn parts(text: &str) -> Result<Vec<Part>, SentenceError> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        literal.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('%') {
            literal.push('%');
            rest = behind;
            continue;
        }
        let (conversion, length) = conversion(rest)?;
        if !literal.is_empty() {
            parts.push(Part::Literal(std::mem::take(&mut literal)));
        }
        parts.push(Part::Conversion(conversion));
        rest = &rest[length..];
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        parts.push(Part::Literal(literal));
    }
    Ok(parts)
}

/// From behind the `%`; with its length.
fn conversion(text: &str) -> Result<(Conversion, usize), SentenceError> {
    let mut c = Conversion::default();
    let mut rest = text;
    while let Some(flag) = rest.chars().next() {
        match flag {
            '-' => c.left = true,
            '0' => c.zero = true,
            '+' => c.plus = true,
            ' ' => c.space = true,
            '#' => c.alternate = true,
            _ => break,
        }
        rest = &rest[1..];
    }
    (c.width, rest) = size(rest);
    if let Some(behind) = rest.strip_prefix('.') {
        (c.precision, rest) = size(behind);
        c.precision = c.precision.or(Some(Size::Fixed(0)));
    }
    (c.length, rest) = length(rest);
    c.kind = rest.chars().next().ok_or(SentenceError::OpenConversion)?;
    if !"diuxXocsp".contains(c.kind) {
        return Err(SentenceError::UnknownConversion(c.kind));
    }
    rest = &rest[1..];
    if c.kind == 'p' {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric());
        c.pointer = rest[..end.unwrap_or(rest.len())].to_owned();
        rest = &rest[c.pointer.len()..];
    }
    Ok((c, text.len() - rest.len()))
}

fn size(text: &str) -> (Option<Size>, &str) {
    if let Some(rest) = text.strip_prefix('*') {
        return (Some(Size::Argument), rest);
    }
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let fixed = digits.parse::<usize>().ok();
    (fixed.map(|n| Size::Fixed(n.min(WIDEST))), rest)
}

fn length(text: &str) -> (Length, &str) {
    for (word, length) in [
        ("hh", Length::Char),
        ("h", Length::Short),
        ("ll", Length::LongLong),
        ("l", Length::Long),
        ("L", Length::LongLong),
        ("z", Length::Long),
        ("t", Length::Long),
        ("j", Length::LongLong),
    ] {
        if let Some(rest) = text.strip_prefix(word) {
            return (length, rest);
        }
    }
    (Length::Int, text)
}
