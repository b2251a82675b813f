//! What stands behind the text of `print fmt:`, as a tree.

use super::number::{Binary, Number};
use crate::format::Field;

/// An argument of a sentence, parsed.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    Number(Number),
    Text(String),
    Field(Field),
    /// How many bytes a dynamic field has.
    Length(Field),
    /// `a[i]`, `*a`.
    Item(Box<Expression>, Box<Expression>),
    Cast(CType, Box<Expression>),
    Negated(Box<Expression>),
    Inverted(Box<Expression>),
    Not(Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
    Choice(Box<[Expression; 3]>),
    Symbolic(Box<Expression>, Vec<Named>),
    Flags(Box<Expression>, String, Vec<Named>),
    /// Bytes, how many, what stands between them.
    Hex(Box<Expression>, Box<Expression>, &'static str),
    /// Numbers, how many, bytes of each.
    Array(Box<Expression>, Option<Box<Expression>>, Box<Expression>),
    /// Bits that are set, as a list of ranges or as hex digits.
    Bitmask(Field),
}

/// A value and the word for it.
pub type Named = (u64, String);

/// A type as far as it matters: what a cast keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CType {
    pub bytes: usize,
    pub signed: bool,
    pub pointer: bool,
}

impl CType {
    /// Of the words before the stars; None for what is no number's type (and
    /// may be pointed at all the same).
    pub fn parse(words: &[&str], stars: usize, long_bytes: usize) -> Option<CType> {
        let mut words = words.to_vec();
        words.retain(|word| !matches!(*word, "const" | "volatile" | "__force"));
        let size = typedef(&words, long_bytes).or_else(|| basic(&words, long_bytes));
        let pointed = matches!(
            words.as_slice(),
            ["void"] | ["struct" | "enum" | "union", _]
        );
        let (bytes, signed) = match size {
            Some(size) => size,
            None if words.first() == Some(&"enum") => (4, false),
            // A structure's address.
            None if stars > 0 && pointed => (1, false),
            None => return None,
        };
        Some(CType {
            bytes: if stars > 1 { long_bytes } else { bytes },
            signed,
            pointer: stars > 0,
        })
    }
}

/// Bytes of a type that the kernel names, and whether it is signed.
fn typedef(words: &[&str], long_bytes: usize) -> Option<(usize, bool)> {
    let [word] = words else { return None };
    Some(match *word {
        "bool" | "_Bool" | "u8" | "__u8" | "uint8_t" => (1, false),
        "s8" | "__s8" | "int8_t" => (1, true),
        "u16" | "__u16" | "uint16_t" | "__le16" | "__be16" | "umode_t" => (2, false),
        "s16" | "__s16" | "int16_t" => (2, true),
        "u32" | "__u32" | "uint32_t" | "__le32" | "__be32" | "gfp_t" | "dev_t" | "fmode_t"
        | "uint" | "__kernel_rwf_t" => (4, false),
        "s32" | "__s32" | "int32_t" | "pid_t" => (4, true),
        "u64" | "__u64" | "uint64_t" | "__le64" | "__be64" | "sector_t" | "phys_addr_t"
        | "dma_addr_t" | "resource_size_t" | "blkcnt_t" => (8, false),
        "s64" | "__s64" | "int64_t" | "loff_t" | "ktime_t" | "time64_t" => (8, true),
        "size_t" | "uintptr_t" | "pgoff_t" | "ino_t" | "ulong" => (long_bytes, false),
        "ssize_t" | "off_t" => (long_bytes, true),
        _ => return None,
    })
}

/// The same of a type in C's own words: `unsigned long int`.
fn basic(words: &[&str], long_bytes: usize) -> Option<(usize, bool)> {
    const WORDS: [&str; 6] = ["unsigned", "signed", "long", "int", "short", "char"];
    if words.is_empty() || !words.iter().all(|word| WORDS.contains(word)) {
        return None;
    }
    let has = |word| words.contains(&word);
    let longs = words.iter().filter(|word| **word == "long").count();
    let bytes = match longs {
        2 => 8,
        1 => long_bytes,
        _ if has("short") => 2,
        _ if has("char") => 1,
        _ => 4,
    };
    Some((bytes, !has("unsigned")))
}
