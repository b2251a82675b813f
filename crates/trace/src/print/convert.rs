//! A value as a conversion says: `%-8lu`.

use super::evaluate::{Context, Value};
use super::number::Number;
use super::pointer;
use super::template::{Conversion, Sizes};
use crate::bytes::text_until_nul;
use crate::width::low_byte;
use std::fmt::Write;

/// None where the value is not of the conversion's kind.
pub fn convert(
    context: Context<'_>,
    conversion: &Conversion,
    sizes: Sizes,
    value: &Value<'_>,
    out: &mut String,
) -> Option<()> {
    let begin = out.len();
    match conversion.kind {
        's' => text(context, sizes, value, out)?,
        'c' => {
            let byte = low_byte(value.number()?.bits());
            out.push(char::from(byte));
        }
        'p' => pointer::write(context, conversion, sizes, value, out)?,
        _ => return whole(context, conversion, sizes, value.number()?, out),
    }
    pad(conversion, sizes, begin, out);
    Some(())
}

fn text(context: Context<'_>, sizes: Sizes, value: &Value<'_>, out: &mut String) -> Option<()> {
    let begin = out.len();
    match value {
        Value::Text(text) => out.push_str(text),
        Value::Bytes(bytes, ..) => {
            let limit = sizes.precision.and_then(|p| usize::try_from(p).ok());
            let bytes = &bytes[..bytes.len().min(limit.unwrap_or(usize::MAX))];
            out.push_str(&text_until_nul(bytes));
        }
        // The event holds where the text is, not the text.
        Value::Number(number) => match context.names.text(number.bits()) {
            Some(text) => out.push_str(text),
            None if number.bits() == 0 => out.push_str("(null)"),
            None => {
                let _ = write!(out, "0x{:x}", number.bits());
            }
        },
    }
    if let Some(most) = sizes.precision.and_then(|p| usize::try_from(p).ok()) {
        let cut = out[begin..].char_indices().nth(most);
        if let Some((at, _)) = cut {
            out.truncate(begin + at);
        }
    }
    Some(())
}

fn whole(
    context: Context<'_>,
    conversion: &Conversion,
    sizes: Sizes,
    number: Number,
    out: &mut String,
) -> Option<()> {
    let (negative, magnitude) = cut_to_length(context, conversion, number);
    let begin = out.len();
    out.push_str(sign(conversion, negative));
    out.push_str(prefix(conversion, magnitude));
    let digits_begin = out.len();
    let _ = match conversion.kind {
        'x' => write!(out, "{magnitude:x}"),
        'X' => write!(out, "{magnitude:X}"),
        'o' => write!(out, "{magnitude:o}"),
        _ => write!(out, "{magnitude}"),
    };
    let (digits, chars) = (out.len() - digits_begin, out.len() - begin);
    let zeros = leading_zeros(conversion, sizes, digits, chars).min(LONGEST);
    out.insert_str(digits_begin, &"0".repeat(zeros));
    pad(conversion, sizes, begin, out);
    Some(())
}

fn is_signed(conversion: &Conversion) -> bool {
    matches!(conversion.kind, 'd' | 'i')
}

/// Whether the number is negative, and how large. Numbers that a conversion of int
/// prints are cut to it, as in C.
fn cut_to_length(context: Context<'_>, conversion: &Conversion, number: Number) -> (bool, u64) {
    let bytes = conversion.length.bytes(context.long_bytes);
    let signed = is_signed(conversion);
    let value = Number::sized(number.bits(), bytes, signed).bits();
    match signed {
        true => (value.cast_signed() < 0, value.cast_signed().unsigned_abs()),
        false => (false, value),
    }
}

fn sign(conversion: &Conversion, negative: bool) -> &'static str {
    let signed = is_signed(conversion);
    match negative {
        true => "-",
        false if conversion.plus && signed => "+",
        false if conversion.space && signed => " ",
        false => "",
    }
}

fn prefix(conversion: &Conversion, magnitude: u64) -> &'static str {
    match (conversion.kind, conversion.alternate && magnitude != 0) {
        ('x', true) => "0x",
        ('X', true) => "0X",
        ('o', true) => "0",
        _ => "",
    }
}

/// Zeros before the digits: up to the precision; without one up to the width, of
/// which `chars` are used, sign and prefix included.
fn leading_zeros(conversion: &Conversion, sizes: Sizes, digits: usize, chars: usize) -> usize {
    let missing = |least: i64, has| usize::try_from(least).unwrap_or(0).saturating_sub(has);
    match (sizes.precision, sizes.width) {
        (Some(least), _) => missing(least, digits),
        (None, Some(width)) if conversion.zero && !conversion.left => missing(width, chars),
        _ => 0,
    }
}

/// An event's own number may be a width; no reader needs more.
const LONGEST: usize = 4096;

fn pad(conversion: &Conversion, sizes: Sizes, begin: usize, out: &mut String) {
    // `%*ph` and `%*pb` take the width as a number of bytes or bits.
    if conversion.pointer.starts_with(['h', 'b']) {
        return;
    }
    let width = sizes.width.unwrap_or(0);
    let least = usize::try_from(width.unsigned_abs())
        .unwrap_or(0)
        .min(LONGEST);
    let has = out[begin..].chars().count();
    let missing = least.saturating_sub(has);
    if missing == 0 {
        return;
    }
    let spaces = " ".repeat(missing);
    match conversion.left || width < 0 {
        true => out.push_str(&spaces),
        false => out.insert_str(begin, &spaces),
    }
}
