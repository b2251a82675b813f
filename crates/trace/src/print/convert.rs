//! A value as a conversion says: `%-8lu`.

use super::evaluate::{Context, Value};
use super::number::Number;
use super::pointer;
use super::template::{Conversion, Length};
use std::fmt::Write;

/// Sizes of a conversion, when arguments have said theirs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sizes {
    pub width: Option<i64>,
    pub precision: Option<i64>,
}

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
            let byte = value.number()?.bits() as u8;
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
            let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
            out.push_str(&String::from_utf8_lossy(&bytes[..end]));
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

/// Numbers that a conversion of int prints are cut to it, as in C.
fn whole(
    context: Context<'_>,
    conversion: &Conversion,
    sizes: Sizes,
    number: Number,
    out: &mut String,
) -> Option<()> {
    let bytes = match conversion.length {
        Length::Char => 1,
        Length::Short => 2,
        Length::Int => 4,
        Length::Long => context.long_bytes,
        Length::LongLong => 8,
    };
    let signed = matches!(conversion.kind, 'd' | 'i');
    let value = Number::sized(number.bits(), bytes, signed).bits();
    let (negative, magnitude) = match signed {
        true => (value.cast_signed() < 0, value.cast_signed().unsigned_abs()),
        false => (false, value),
    };
    let begin = out.len();
    let sign = match (
        negative,
        conversion.plus && signed,
        conversion.space && signed,
    ) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (.., true) => " ",
        _ => "",
    };
    let prefix = match (conversion.kind, conversion.alternate && value != 0) {
        ('x', true) => "0x",
        ('X', true) => "0X",
        ('o', true) => "0",
        _ => "",
    };
    let digits_begin = begin + sign.len() + prefix.len();
    out.push_str(sign);
    out.push_str(prefix);
    let _ = match conversion.kind {
        'x' => write!(out, "{magnitude:x}"),
        'X' => write!(out, "{magnitude:X}"),
        'o' => write!(out, "{magnitude:o}"),
        _ => write!(out, "{magnitude}"),
    };
    let digits = out.len() - digits_begin;
    let zeros = match (sizes.precision, sizes.width) {
        (Some(least), _) => usize::try_from(least).unwrap_or(0).saturating_sub(digits),
        (None, Some(width)) if conversion.zero && !conversion.left => usize::try_from(width)
            .unwrap_or(0)
            .saturating_sub(out.len() - begin),
        _ => 0,
    };
    if zeros > 0 {
        out.insert_str(digits_begin, &"0".repeat(zeros.min(LONGEST)));
    }
    pad(conversion, sizes, begin, out);
    Some(())
}

/// An event's own number may be a width; nobody reads more.
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
