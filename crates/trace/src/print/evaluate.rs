//! A tree and an event -> a value.

use super::expression::{CType, Expression, Named};
use super::number::{Binary, Number};
use super::symbols::Names;
use crate::bytes::{Order, Words};
use crate::format::{Field, FieldKind};
use crate::width::low_word;
use std::borrow::Cow;

/// What a tree is evaluated with.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub event: &'a [u8],
    pub order: Order,
    pub long_bytes: usize,
    pub names: &'a Names<'a>,
}

/// What an expression gives.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    Number(Number),
    Text(Cow<'a, str>),
    /// Bytes somewhere in the event, and what one item of them is.
    Bytes(&'a [u8], usize, bool),
}

impl Value<'_> {
    /// As a number, where it is one.
    pub fn number(&self) -> Option<Number> {
        match self {
            Value::Number(number) => Some(*number),
            // An address that is compared with NULL.
            Value::Text(_) | Value::Bytes(..) => None,
        }
    }

    fn is_true(&self) -> bool {
        self.number().is_none_or(Number::is_true)
    }
}

/// A tree without fields.
pub fn constant(tree: &Expression, long_bytes: usize) -> Option<Number> {
    let names = Names::new("", "");
    let context = Context {
        event: &[],
        order: Order::Little,
        long_bytes,
        names: &names,
    };
    context.value(tree)?.number()
}

impl<'a> Context<'a> {
    /// None where the event does not hold what is asked for.
    pub fn value(self, tree: &'a Expression) -> Option<Value<'a>> {
        Some(match tree {
            Expression::Text(text) => Value::Text(Cow::Borrowed(text)),
            Expression::Field(field) => self.field(field)?,
            Expression::Item(array, index) => {
                let index = self.number(index)?.bits();
                item(&self.value(array)?, index, self.order)?
            }
            Expression::Cast(c_type, inner) => cast(*c_type, self.value(inner)?),
            Expression::Choice(parts) => {
                let [condition, yes, no] = parts.as_ref();
                let yes_is = self.value(condition)?.is_true();
                self.value(if yes_is { yes } else { no })?
            }
            Expression::Symbolic(value, names) => {
                Value::Text(symbolic(self.number(value)?.bits(), names))
            }
            Expression::Flags(value, between, names) => {
                Value::Text(flags(self.number(value)?.bits(), between, names).into())
            }
            Expression::Hex(bytes, count, between) => {
                let Value::Bytes(bytes, ..) = self.value(bytes)? else {
                    return None;
                };
                let count = usize::try_from(self.number(count)?.bits()).ok()?;
                Value::Text(hex(bytes.get(..count)?, between).into())
            }
            Expression::Array(values, count, item) => {
                let Value::Bytes(bytes, ..) = self.value(values)? else {
                    return None;
                };
                Value::Text(self.array(bytes, count.as_deref(), item)?.into())
            }
            Expression::Bitmask(field) => {
                let bytes = field.bytes(self.event, self.order)?;
                Value::Text(self.mask(bytes).into())
            }
            _ => Value::Number(self.plain_number(tree)?),
        })
    }

    fn number(self, tree: &'a Expression) -> Option<Number> {
        self.value(tree)?.number()
    }

    fn plain_number(self, tree: &'a Expression) -> Option<Number> {
        Some(match tree {
            Expression::Number(number) => *number,
            Expression::Length(field) => {
                let length = field.bytes(self.event, self.order)?.len();
                Number::sized(length as u64, 4, true)
            }
            Expression::Negated(inner) => self.number(inner)?.negated(),
            Expression::Inverted(inner) => self.number(inner)?.inverted(),
            Expression::Not(inner) => Number::truth(!self.value(inner)?.is_true()),
            Expression::Binary(Binary::BothTrue, a, b) => {
                Number::truth(self.value(a)?.is_true() && self.value(b)?.is_true())
            }
            Expression::Binary(Binary::OneTrue, a, b) => {
                Number::truth(self.value(a)?.is_true() || self.value(b)?.is_true())
            }
            Expression::Binary(binary, a, b) => binary.apply(self.number(a)?, self.number(b)?)?,
            _ => return None,
        })
    }

    fn field(self, field: &'a Field) -> Option<Value<'a>> {
        let bytes = |item, signed| {
            Some(Value::Bytes(
                field.bytes(self.event, self.order)?,
                item,
                signed,
            ))
        };
        match field.kind {
            FieldKind::Number => {
                let bits = self
                    .event
                    .unsigned_at(field.offset, field.size, self.order)?;
                Some(Value::Number(Number::sized(bits, field.size, field.signed)))
            }
            // The text's own bytes, for those that take them as such.
            FieldKind::Text => bytes(1, true),
            FieldKind::Array { item_bytes } => bytes(item_bytes, field.signed),
            FieldKind::Bytes => bytes(1, false),
        }
    }

    fn array(
        self,
        bytes: &[u8],
        count: Option<&'a Expression>,
        item: &'a Expression,
    ) -> Option<String> {
        let whole = |tree| usize::try_from(self.number(tree)?.bits()).ok();
        let size = whole(item).filter(|size| matches!(size, 1 | 2 | 4 | 8))?;
        let count = match count {
            Some(count) => whole(count)?,
            None => bytes.len() / size,
        };
        let bytes = bytes.get(..count.checked_mul(size)?)?;
        let items = bytes.chunks_exact(size).map(|item| {
            let value = item.unsigned_at(0, size, self.order)?;
            Some(format!("0x{value:x}"))
        });
        Some(format!(
            "{{{}}}",
            items.collect::<Option<Vec<_>>>()?.join(",")
        ))
    }

    /// As `%*pb`: groups of 32 bits, the highest first.
    fn mask(self, bytes: &[u8]) -> String {
        let words = words_of(bytes, self.order, self.long_bytes);
        let groups = words.iter().rev().map(|word| format!("{word:08x}"));
        groups.collect::<Vec<_>>().join(",")
    }

    /// The bits that are set: `0,2-5`.
    pub fn bit_list(self, bytes: &[u8], bits: usize) -> String {
        let words = words_of(bytes, self.order, self.long_bytes);
        let limit = bits.min(words.len() * 32);
        let is_set = |bit: usize| words[bit / 32] >> (bit % 32) & 1 == 1;
        let mut ranges = Vec::new();
        let mut bit = 0;
        while bit < limit {
            if !is_set(bit) {
                bit += 1;
                continue;
            }
            let first = bit;
            while bit < limit && is_set(bit) {
                bit += 1;
            }
            ranges.push(match bit - first {
                1 => first.to_string(),
                _ => format!("{first}-{}", bit - 1),
            });
        }
        ranges.join(",")
    }
}

/// A mask of longs, as words of 32 bits, the lowest first.
fn words_of(bytes: &[u8], order: Order, long_bytes: usize) -> Vec<u32> {
    let mut words = Vec::new();
    for long in bytes.chunks(long_bytes) {
        let value = long.unsigned_at(0, long.len(), order).unwrap_or(0);
        words.push(low_word(value));
        if long_bytes == 8 {
            words.push(low_word(value >> 32));
        }
    }
    words
}

fn item<'a>(array: &Value<'a>, index: u64, order: Order) -> Option<Value<'a>> {
    let Value::Bytes(bytes, item_bytes, signed) = *array else {
        return None;
    };
    let at = usize::try_from(index).ok()?.checked_mul(item_bytes)?;
    let bits = bytes.get(at..)?.unsigned_at(0, item_bytes, order)?;
    Some(Value::Number(Number::sized(bits, item_bytes, signed)))
}

fn cast(c_type: CType, value: Value<'_>) -> Value<'_> {
    match value {
        Value::Bytes(bytes, ..) if c_type.pointer => {
            Value::Bytes(bytes, c_type.bytes, c_type.signed)
        }
        Value::Number(number) if !c_type.pointer => {
            Value::Number(Number::sized(number.bits(), c_type.bytes, c_type.signed))
        }
        other => other,
    }
}

fn symbolic(value: u64, names: &[Named]) -> Cow<'_, str> {
    match names.iter().find(|(known, _)| *known == value) {
        Some((_, name)) => Cow::Borrowed(name),
        None => Cow::Owned(format!("0x{value:x}")),
    }
}

fn flags(mut value: u64, between: &str, names: &[Named]) -> String {
    if value == 0 {
        let none = names.iter().find(|(mask, _)| *mask == 0);
        return none.map_or(String::new(), |(_, name)| name.clone());
    }
    let mut words: Vec<Cow<'_, str>> = Vec::new();
    for (mask, name) in names {
        if *mask != 0 && value & mask == *mask {
            words.push(Cow::Borrowed(name));
            value &= !mask;
        }
    }
    if value != 0 {
        words.push(Cow::Owned(format!("0x{value:x}")));
    }
    words.join(between)
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8], between: &str) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    digits.collect::<Vec<_>>().join(between)
}
