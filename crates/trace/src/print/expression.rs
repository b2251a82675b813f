//! What stands behind the text of `print fmt:`, as a tree.

use super::number::{Binary, Number};
use crate::format::Field;

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
    Hex(Box<Expression>, Option<Box<Expression>>, &'static str),
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
    /// `char *`, whose items are a text.
    pub text: bool,
}

impl CType {
    /// Of the words before the stars; None for what is no number's type (and
    /// may be pointed at all the same).
    pub fn parse(words: &[&str], stars: usize, long_bytes: usize) -> Option<CType> {
        let words: Vec<&str> = words
            .iter()
            .copied()
            .filter(|w| !matches!(*w, "const" | "volatile" | "__force"))
            .collect();
        let has = |word| words.contains(&word);
        let size = match words.as_slice() {
            ["bool" | "_Bool"] => Some((1, false)),
            ["u8" | "__u8" | "uint8_t" | "s8" | "__s8" | "int8_t"] => {
                Some((1, !words[0].contains('u')))
            }
            ["u16" | "__u16" | "uint16_t" | "__le16" | "__be16" | "umode_t"] => Some((2, false)),
            ["s16" | "__s16" | "int16_t"] => Some((2, true)),
            [
                "u32" | "__u32" | "uint32_t" | "__le32" | "__be32" | "gfp_t" | "dev_t" | "fmode_t"
                | "uint",
            ] => Some((4, false)),
            ["s32" | "__s32" | "int32_t" | "pid_t"] => Some((4, true)),
            [
                "u64" | "__u64" | "uint64_t" | "__le64" | "__be64" | "sector_t" | "phys_addr_t"
                | "dma_addr_t" | "resource_size_t" | "blkcnt_t",
            ] => Some((8, false)),
            ["s64" | "__s64" | "int64_t" | "loff_t" | "ktime_t" | "time64_t"] => Some((8, true)),
            ["size_t" | "uintptr_t" | "pgoff_t" | "ino_t" | "ulong"] => Some((long_bytes, false)),
            ["ssize_t" | "off_t"] => Some((long_bytes, true)),
            _ => None,
        };
        let c_words = ["unsigned", "signed", "long", "int", "short", "char"];
        let size = size.or_else(|| {
            let all = !words.is_empty() && words.iter().all(|w| c_words.contains(w));
            let longs = words.iter().filter(|w| **w == "long").count();
            let bytes = match (longs, has("short"), has("char")) {
                (2, ..) => 8,
                (1, ..) => long_bytes,
                (_, true, _) => 2,
                (.., true) => 1,
                _ => 4,
            };
            all.then_some((bytes, !has("unsigned")))
        });
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
            text: stars == 1 && has("char"),
        })
    }
}
