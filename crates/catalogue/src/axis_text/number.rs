//! A number with the unit of its axis: `4096`, `64K`, `1.5MiB`, `250us`, `1h30m`.

use record::Unit;

/// Names and what each stands for, in steps of the unit that the axis counts in.
type Scales = &'static [(&'static str, i64)];

/// As fio, lmbench and MLC take them: every one a power of two.
const BYTES: Scales = &[
    ("B", 1),
    ("K", 1 << 10),
    ("KB", 1 << 10),
    ("KiB", 1 << 10),
    ("M", 1 << 20),
    ("MB", 1 << 20),
    ("MiB", 1 << 20),
    ("G", 1 << 30),
    ("GB", 1 << 30),
    ("GiB", 1 << 30),
];
const TIMES: Scales = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];
/// Digits after the point; more are no measure of anything.
const MOST_DECIMALS: usize = 9;

fn scales(unit: Unit) -> Scales {
    match unit {
        Unit::Bytes => BYTES,
        Unit::Nanoseconds => TIMES,
        _ => &[],
    }
}

/// How numbers of this unit are written, with examples.
pub fn grammar(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => "sizes: 4096, 64K, 1.5MiB, 1G (powers of two)",
        Unit::Nanoseconds => "times: 250us, 1ms, 2.5s, 1m30s (without a unit: ns)",
        _ => "whole numbers",
    }
}

/// # Errors
/// Says what is wrong with it.
pub fn parse(unit: Unit, item: &str) -> Result<i64, String> {
    match unit {
        Unit::Nanoseconds => time(item, 1),
        _ => single(unit, item, 1),
    }
}

/// Nanoseconds, where a number without a unit counts in steps of `bare_ns`. Parts of different
/// units add up, the longest first: `1h30m`.
///
/// # Errors
/// Says what is wrong with it.
pub fn time(item: &str, bare_ns: i64) -> Result<i64, String> {
    let parts = parts(item);
    if let [one] = parts[..] {
        return single(Unit::Nanoseconds, one, bare_ns);
    }
    let mut sum_ns = 0i64;
    let mut before_ns = i64::MAX;
    for part in parts {
        let (_, name) = split(part);
        let step_ns = match name {
            "" => return Err(format!("{part:?} of {item:?} has no unit")),
            name => scale(Unit::Nanoseconds, name, 1)?,
        };
        if step_ns >= before_ns {
            return Err(format!(
                "{item:?} names a longer unit after a shorter one, or one twice"
            ));
        }
        before_ns = step_ns;
        let ns = single(Unit::Nanoseconds, part, 1)?;
        sum_ns = sum_ns
            .checked_add(ns)
            .ok_or_else(|| format!("{item} is too large"))?;
    }
    Ok(sum_ns)
}

/// Where a number follows a unit, another part begins.
fn parts(item: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut begin, mut in_unit) = (0, false);
    for (at, c) in item.char_indices() {
        if c.is_ascii_digit() && in_unit {
            parts.push(item[begin..at].trim_end());
            begin = at;
        }
        in_unit = c.is_alphabetic() || in_unit && !c.is_ascii_digit();
    }
    parts.push(&item[begin..]);
    parts
}

/// The number and the name of its unit.
fn split(item: &str) -> (&str, &str) {
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    let digits = item.find(|c| !is_digit(c)).unwrap_or(item.len());
    let (number, name) = item.split_at(digits);
    (number, name.trim_start())
}

fn single(unit: Unit, item: &str, bare: i64) -> Result<i64, String> {
    let (number, name) = split(item);
    let (whole, decimals) = decimal(number).ok_or_else(|| no_number(item))?;
    if let Some(high) = name.strip_prefix('-') {
        return Err(format!(
            "{item:?} is not a number; a range is written {number}..{high}"
        ));
    }
    let scale = scale(unit, name, bare)?;
    let power = 10i128.pow(u32::try_from(decimals.len()).unwrap_or(u32::MAX));
    let digits = format!("{whole}{decimals}").parse::<i128>();
    let too_large = || format!("{item} is too large");
    let value = digits.map_err(|_| too_large())?;
    let value = value.checked_mul(scale.into()).ok_or_else(too_large)?;
    if value % power != 0 {
        let steps = match unit {
            Unit::Bytes => "a whole number of bytes",
            Unit::Nanoseconds => "a whole number of nanoseconds",
            _ => "a whole number",
        };
        return Err(format!("{item} is not {steps}"));
    }
    i64::try_from(value / power).map_err(|_| too_large())
}

fn no_number(item: &str) -> String {
    match item.is_empty() {
        true => "a value is missing".to_owned(),
        false => format!("{item:?} is not a number"),
    }
}

/// Digits before and after the point.
fn decimal(number: &str) -> Option<(&str, &str)> {
    let (whole, decimals) = match number.split_once('.') {
        None => (number, ""),
        Some((_, "")) => return None,
        Some(parts) => parts,
    };
    let plain = !whole.is_empty() && !decimals.contains('.');
    (plain && decimals.len() <= MOST_DECIMALS).then_some((whole, decimals))
}

fn scale(unit: Unit, name: &str, bare: i64) -> Result<i64, String> {
    if name.is_empty() {
        return Ok(bare);
    }
    let known = scales(unit);
    let same = |known: &str| match unit {
        // k as well as K; ms is no M.
        Unit::Bytes => known.eq_ignore_ascii_case(name),
        // The letter mu as well as the sign for micro.
        _ => known == name || known == "µs" && name == "μs",
    };
    if let Some((_, scale)) = known.iter().find(|(known, _)| same(known)) {
        return Ok(*scale);
    }
    if known.is_empty() {
        return Err(format!("{name:?} follows a number without a unit"));
    }
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    Err(format!("unit {name:?} is not one of {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::{parse, time};
    use record::Unit::{Bytes, Count, Nanoseconds};

    #[test]
    fn sizes_are_read_as_other_tools_write_them() {
        for text in [
            "64K", "64k", "64KB", "64kb", "64KiB", "64kib", "65536", "65536B", "64 KiB",
        ] {
            assert_eq!(parse(Bytes, text), Ok(65536), "{text}");
        }
        for (text, bytes) in [
            ("0", 0),
            ("1M", 1 << 20),
            ("1.5MiB", 3 << 19),
            ("0.5k", 512),
            ("2G", 2 << 30),
            ("16064", 16064),
        ] {
            assert_eq!(parse(Bytes, text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn times_are_read_with_their_units() {
        for text in [
            "1ms",
            "1000us",
            "1000µs",
            "1000μs",
            "0.001s",
            "1000000",
            "1000000ns",
        ] {
            assert_eq!(parse(Nanoseconds, text), Ok(1_000_000), "{text}");
        }
        for text in ["2min", "2m", "1m60s", "1m 60s", "120s", "119s1000ms"] {
            assert_eq!(parse(Nanoseconds, text), Ok(120_000_000_000), "{text}");
        }
    }

    #[test]
    fn a_time_without_a_unit_counts_in_the_steps_of_its_flag() {
        const S: i64 = 1_000_000_000;
        for (text, s) in [("70", 70), ("1.5h", 5400), ("1h30m", 5400), ("1h1s", 3601)] {
            assert_eq!(time(text, S), Ok(s * S), "{text}");
        }
        assert_eq!(time("20", 1_000_000), Ok(20_000_000));
        assert_eq!(time("0.5", S), Ok(S / 2));
        let cause = |text| time(text, S).unwrap_err();
        assert_eq!(cause("1h30"), "\"30\" of \"1h30\" has no unit");
        for text in ["30m1h", "1m1m", "1m2min"] {
            assert!(cause(text).contains("longer unit"), "{text}");
        }
        assert_eq!(cause(""), "a value is missing");
        assert_eq!(cause("h"), "\"h\" is not a number");
        for text in ["1h-30m", "1h,30m", "1 h 30 q", "1h.5m", "9999999999h1s"] {
            assert!(time(text, S).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_of_the_unit_says_so() {
        let cause = |unit, text| parse(unit, text).unwrap_err();
        assert_eq!(cause(Bytes, ""), "a value is missing");
        assert_eq!(
            cause(Bytes, "64-1M"),
            "\"64-1M\" is not a number; a range is written 64..1M"
        );
        for text in [
            "x",
            ".",
            "1.",
            ".5",
            "1.2.3",
            "-1",
            "+1",
            "0x10",
            "K",
            "1.0000000001",
        ] {
            assert!(
                cause(Bytes, text).ends_with("is not a number") || text == "0x10",
                "{text}"
            );
        }
        assert_eq!(cause(Bytes, "1.3"), "1.3 is not a whole number of bytes");
        assert_eq!(cause(Count, "1.5"), "1.5 is not a whole number");
        assert_eq!(cause(Count, "4k"), "\"k\" follows a number without a unit");
        assert!(cause(Bytes, "4q").starts_with("unit \"q\" is not one of B, K, KB, KiB"));
        assert!(cause(Nanoseconds, "1MS").contains("ns, us"));
        assert_eq!(cause(Bytes, "9999999999G"), "9999999999G is too large");
        assert!(cause(Bytes, &"9".repeat(60)).contains("is too large"));
    }
}
