//! `%p` and what the kernel lets stand behind it:
//! Documentation/core-api/printk-formats.rst.

use super::evaluate::{Context, Value, hex};
use super::template::{Conversion, Sizes};
use crate::bytes::{Order, Words};
use std::fmt::Write;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether values can be made for what stands behind `%p`: not for those that
/// would have to read the kernel's memory.
pub fn is_known(extension: &str) -> bool {
    let plain = ["", "K", "x", "a", "ap", "ad", "e", "b", "bl"];
    plain.contains(&extension)
        || extension.starts_with(['S', 's', 'F', 'f', 'B', 'I', 'i', 'M', 'm', 'h', 'U'])
}

/// Writes a pointer by the letters behind `%p`.
pub fn write(
    context: Context<'_>,
    conversion: &Conversion,
    sizes: Sizes,
    value: &Value<'_>,
    out: &mut String,
) -> Option<()> {
    let extension = conversion.pointer.as_str();
    if let Value::Number(number) = value {
        return address(context, extension, number.bits(), out);
    }
    let Value::Bytes(bytes, ..) = *value else {
        return None;
    };
    match extension.chars().next()? {
        'I' | 'i' => internet(context.order, extension, bytes, out)?,
        'M' | 'm' => {
            let between = if extension.starts_with('m') { "" } else { ":" };
            out.push_str(&hex(bytes.get(..6)?, between));
        }
        'h' => {
            let count = usize::try_from(sizes.width.unwrap_or(1)).ok()?;
            let between = match extension.get(1..) {
                Some("C") => ":",
                Some("D") => "-",
                Some("N") => "",
                _ => " ",
            };
            out.push_str(&hex(&bytes[..count.min(bytes.len())], between));
        }
        'U' => out.push_str(&uuid(extension, bytes.get(..16)?)),
        'b' => {
            let bits = usize::try_from(sizes.width?).ok()?;
            out.push_str(&context.bit_list(bytes, bits));
        }
        _ => return None,
    }
    Some(())
}

fn address(context: Context<'_>, extension: &str, address: u64, out: &mut String) -> Option<()> {
    let is_symbol = extension.starts_with(['S', 's', 'F', 'f', 'B']);
    let symbol = context.names.symbol(address).filter(|_| is_symbol);
    let _ = match symbol {
        // The kernel prints the size too; it takes a symbol's end to know it.
        Some(symbol) if extension.starts_with(['s', 'f']) => out.write_str(symbol.name),
        Some(symbol) => write!(out, "{}+0x{:x}", symbol.name, symbol.offset),
        None => write!(out, "0x{address:x}"),
    };
    Some(())
}

fn internet(order: Order, extension: &str, bytes: &[u8], out: &mut String) -> Option<()> {
    let _ = match extension.get(1..2)? {
        "4" => write!(out, "{}", ipv4(bytes)?),
        "6" if extension == "I6c" => write!(out, "{}", ipv6(bytes)?),
        "6" => {
            let bytes = bytes.get(..16)?;
            let colon = if extension.starts_with('i') { "" } else { ":" };
            let words = bytes.chunks(2).map(|pair| hex(pair, ""));
            out.write_str(&words.collect::<Vec<_>>().join(colon))
        }
        "S" => return socket(order, extension, bytes, out),
        _ => return None,
    };
    Some(())
}

fn ipv4(bytes: &[u8]) -> Option<Ipv4Addr> {
    Some(Ipv4Addr::from(*bytes.first_chunk::<4>()?))
}

fn ipv6(bytes: &[u8]) -> Option<Ipv6Addr> {
    Some(Ipv6Addr::from(*bytes.first_chunk::<16>()?))
}

/// A `struct sockaddr`: the family in the machine's order, the rest in the
/// network's.
fn socket(order: Order, extension: &str, bytes: &[u8], out: &mut String) -> Option<()> {
    const INET: u16 = 2;
    const INET6: u16 = 10;
    let port = extension.contains('p').then(|| bytes.u16_at(2, Order::Big));
    let _ = match (bytes.u16_at(0, order)?, port) {
        (INET, None) => write!(out, "{}", ipv4(bytes.get(4..)?)?),
        (INET, Some(port)) => write!(out, "{}:{}", ipv4(bytes.get(4..)?)?, port?),
        (INET6, None) => write!(out, "{}", ipv6(bytes.get(8..)?)?),
        (INET6, Some(port)) => write!(out, "[{}]:{}", ipv6(bytes.get(8..)?)?, port?),
        (family, _) => write!(out, "(address of family {family})"),
    };
    Some(())
}

/// Little-endian (`l`) swaps the first three groups.
fn uuid(extension: &str, bytes: &[u8]) -> String {
    let little = extension[1..].starts_with(['l', 'L']);
    let order = match little {
        true => [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15],
        false => [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    };
    let ordered = order.map(|at| bytes[at]);
    let groups = [0..4, 4..6, 6..8, 8..10, 10..16].map(|group| hex(&ordered[group], ""));
    let text = groups.join("-");
    match extension.contains(['B', 'L']) {
        true => text.to_uppercase(),
        false => text,
    }
}
