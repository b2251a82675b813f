//! Events field by field.

use super::evaluate::hex;
use crate::bytes::Order;
use crate::format::{EventFormat, Field, Value};
use std::fmt::Write;

/// Appends `name=value` of all the event's own fields.
pub fn write_fields(format: &EventFormat, payload: &[u8], order: Order, out: &mut String) {
    for (index, field) in format.fields.iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(&field.name);
        out.push('=');
        write_field(field, payload, order, out);
    }
}

fn write_field(field: &Field, payload: &[u8], order: Order, out: &mut String) {
    let is_address = field.c_type.ends_with('*');
    let _ = match field.value(payload, order) {
        None => write!(out, "?"),
        Some(Value::Unsigned(n)) if is_address => write!(out, "0x{n:x}"),
        Some(Value::Unsigned(n)) => write!(out, "{n}"),
        Some(Value::Signed(n)) => write!(out, "{n}"),
        Some(Value::Text(text)) => write!(out, "{text}"),
        Some(Value::Numbers(numbers)) => {
            let digits = numbers.iter().map(|number| format!("{number:x}"));
            write!(out, "[{}]", digits.collect::<Vec<_>>().join(","))
        }
        Some(Value::Bytes(bytes)) => out.write_str(&hex(bytes, " ")),
    };
}
