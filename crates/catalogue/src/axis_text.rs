//! Axis values as people type them: `64..1MiB`, `2,4,8`, `250us`, `same_cpu`.
//!
//! Grammar: a comma list of words, numbers, or ranges `low..high[:step]`; the
//! step is `xN` (multiply, default `x2`) or `+N` (add). Numbers take the units of
//! their axis (`number`).

mod number;

use crate::grid::AxisSpec;
use record::{AxisValue, Unit};
use std::collections::HashSet;

/// A range longer than this is a typing error, not a plan.
const MAX_VALUES: usize = 4096;

/// A value of an axis that cannot be taken, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read axis {axis}={text}: {cause}")]
pub struct AxisTextError {
    pub axis: String,
    pub text: String,
    pub cause: String,
    /// What the axis takes, with examples.
    pub accepts: String,
}

/// What an axis takes, with examples.
pub fn grammar(axis: &AxisSpec) -> String {
    let name = axis.name;
    if axis.unit == Unit::Word {
        let words = axis.words.join(", ");
        return format!("--axis {name}= takes {words}, comma-separated");
    }
    let range = match axis.unit {
        Unit::Bytes => "64..1MiB (doubling), 64..1MiB:x4, 64..256:+64",
        Unit::Nanoseconds => "1ms..8ms (doubling), 1ms..1s:x10, 1ms..3ms:+1ms",
        _ => "1..8 (doubling), 1..27:x3, 2..35:+1",
    };
    format!(
        "--axis {name}= takes {}; ranges: {range}; comma-separated",
        number::grammar(axis.unit)
    )
}

/// Values of one axis.
///
/// # Errors
/// When a value does not belong to the axis; the cause names what it accepts.
pub fn parse_values(axis: &AxisSpec, text: &str) -> Result<Vec<AxisValue>, AxisTextError> {
    let fail = |cause: String| AxisTextError {
        axis: axis.name.to_owned(),
        text: text.to_owned(),
        cause,
        accepts: grammar(axis),
    };
    let mut values = Vec::new();
    for item in items(axis, text) {
        let found = if axis.unit == Unit::Word {
            word(axis, item).map(|w| vec![w])
        } else if let Some((low, rest)) = item.split_once("..") {
            range(axis.unit, low, rest)
        } else {
            number::parse(axis.unit, item).map(|v| vec![AxisValue::Int(v)])
        };
        values.extend(found.map_err(fail)?);
    }
    let mut seen = HashSet::new();
    values.retain(|value| seen.insert(value.clone()));
    Ok(values)
}

/// The pieces of a list. What follows an open word is one piece, up to the
/// next open word: a command may have commas.
fn items<'a>(axis: &AxisSpec, text: &'a str) -> Vec<&'a str> {
    let open = |rest: &str| axis.words.iter().any(|w| is_open(w) && rest.starts_with(w));
    let mut items = Vec::new();
    let mut rest = text.trim();
    loop {
        let mut commas = rest.match_indices(',').map(|(at, _)| at);
        let end = commas.find(|at| !open(rest) || open(rest[at + 1..].trim_start()));
        let Some(end) = end else {
            items.push(rest);
            return items;
        };
        items.push(rest[..end].trim());
        rest = rest[end + 1..].trim();
    }
}

/// `cmd:`: anything may follow.
fn is_open(word: &str) -> bool {
    word.ends_with(':')
}

fn word(axis: &AxisSpec, item: &str) -> Result<AxisValue, String> {
    let mut words = axis.words.iter();
    let fits = |w: &&str| match is_open(w) {
        true => item.starts_with(*w) && item.len() > w.len(),
        false => item == *w,
    };
    match words.any(fits) {
        true => Ok(AxisValue::from(item)),
        false => Err(format!("{item:?} is not one of {}", axis.words.join(", "))),
    }
}

fn range(unit: Unit, low: &str, rest: &str) -> Result<Vec<AxisValue>, String> {
    let (high, step) = rest.split_once(':').unwrap_or((rest, "x2"));
    let (low, high) = (end(unit, low, "before")?, end(unit, high, "after")?);
    if low > high {
        return Err(format!("{low} is above {high}"));
    }
    let bad_step = || format!("step {step:?} is neither xN nor +N");
    let (factor, add) = match step.split_at_checked(1) {
        Some(("x", factor)) => (factor.parse().map_err(|_| bad_step())?, 0),
        Some(("+", add)) => (1, number::parse(unit, add)?),
        _ => return Err(bad_step()),
    };
    let next = |v: &i64| v.checked_mul(factor)?.checked_add(add);
    if next(&low).is_some_and(|second| second <= low) {
        return Err(format!("step {step} from {low} never reaches {high}"));
    }
    let values: Vec<AxisValue> = std::iter::successors(Some(low), next)
        .take_while(|v| *v <= high)
        .take(MAX_VALUES + 1)
        .map(AxisValue::Int)
        .collect();
    if values.len() > MAX_VALUES {
        return Err(format!("more than {MAX_VALUES} values"));
    }
    Ok(values)
}

/// A single size: `1500`, `64KiB`.
///
/// # Errors
/// Says what is wrong with it.
pub fn parse_bytes(text: &str) -> Result<i64, String> {
    number::parse(Unit::Bytes, text)
}

/// A single time, ns: `30us`, `2ms`.
///
/// # Errors
/// Says what is wrong with it.
pub fn parse_time(text: &str) -> Result<i64, String> {
    parse_time_in(text, 1)
}

/// The same, where a number without a unit counts in steps of `bare_ns`.
///
/// # Errors
/// Says what is wrong with it.
pub fn parse_time_in(text: &str, bare_ns: i64) -> Result<i64, String> {
    number::time(text.trim(), bare_ns)
}

/// One end of a range.
fn end(unit: Unit, text: &str, side: &str) -> Result<i64, String> {
    match text.trim() {
        "" => Err(format!("nothing is {side} \"..\"")),
        text => number::parse(unit, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: AxisSpec = AxisSpec::number("size", Unit::Bytes, "");
    const PLACE: AxisSpec = AxisSpec::word("placement", "", &["same_cpu", "cross_cpu"]);

    fn ints(text: &str) -> Vec<i64> {
        parse_values(&SIZE, text)
            .unwrap()
            .iter()
            .filter_map(AxisValue::as_int)
            .collect()
    }

    #[test]
    fn what_follows_an_open_word_is_one_value() {
        let kind = AxisSpec {
            words: &["alu", "cmd:"],
            ..PLACE
        };
        let words = |text| parse_values(&kind, text);
        let expected = ["alu".into(), "cmd:sleep 1, then 2".into()];
        assert_eq!(words("alu, cmd:sleep 1, then 2").unwrap(), expected);
        let expected = ["cmd:sort -t, x".into(), "cmd:true".into()];
        assert_eq!(words("cmd:sort -t, x,cmd:true").unwrap(), expected);
        assert!(words("cmd:").is_err(), "nothing follows");
        assert!(words("sleep").is_err());
    }

    #[test]
    fn ranges_double_by_default() {
        assert_eq!(ints("64..1KiB"), [64, 128, 256, 512, 1024]);
        assert_eq!(ints("1KiB..1MiB:x32"), [1024, 32768, 1 << 20]);
        assert_eq!(ints("2..5:+1"), [2, 3, 4, 5]);
        assert_eq!(ints("1,4KiB,1..2"), [1, 4096, 2]);
    }

    #[test]
    fn causes_name_what_is_accepted() {
        let cause = |axis, text| parse_values(axis, text).unwrap_err().cause;
        assert_eq!(cause(&SIZE, "64.."), "nothing is after \"..\"");
        assert_eq!(cause(&SIZE, "..64"), "nothing is before \"..\"");
        assert_eq!(cause(&SIZE, "8..4"), "8 is above 4");
        assert_eq!(cause(&SIZE, "0..4"), "step x2 from 0 never reaches 4");
        assert_eq!(cause(&SIZE, "1..4:2"), "step \"2\" is neither xN nor +N");
        assert_eq!(cause(&SIZE, ""), "a value is missing");
        assert_eq!(cause(&SIZE, "64,,128"), "a value is missing");
        assert_eq!(cause(&SIZE, "64,"), "a value is missing");
        assert_eq!(cause(&SIZE, "0..1GiB:+1"), "more than 4096 values");
        assert_eq!(
            cause(&PLACE, "here"),
            "\"here\" is not one of same_cpu, cross_cpu"
        );
    }

    #[test]
    fn sizes_and_times_have_the_units_of_other_tools() {
        assert_eq!(ints("64k..256K"), [65536, 131_072, 262_144]);
        assert_eq!(ints("64KB,1.5M"), [65536, 3 << 19]);
        let interval = AxisSpec {
            name: "interval",
            unit: Unit::Nanoseconds,
            ..SIZE
        };
        let times = parse_values(&interval, "1ms,1ms..3ms:+1ms").unwrap();
        let times: Vec<i64> = times.iter().filter_map(AxisValue::as_int).collect();
        assert_eq!(times, [1_000_000, 2_000_000, 3_000_000]);
    }

    #[test]
    fn an_error_says_what_the_axis_takes() {
        let accepts = |axis, text| parse_values(axis, text).unwrap_err().accepts;
        let size = accepts(&SIZE, "64..");
        for example in [
            "--axis size=",
            "64K",
            "64..1MiB:x4",
            ":+64",
            "comma-separated",
        ] {
            assert!(size.contains(example), "{example}: {size}");
        }
        let place = accepts(&PLACE, "nowhere");
        assert!(place.contains("same_cpu, cross_cpu"), "{place}");
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = parse_values(&SIZE, &text);
            let _ = parse_values(&PLACE, &text);
            let _ = parse_time_in(&text, 1_000_000_000);
        }

        #[test]
        fn every_spelling_of_a_size_means_the_same(
            count in 1i64..4096, shift in 0u32..4, tail in 0usize..3, case in proptest::bool::ANY
        ) {
            let prefix = ["", "K", "M", "G"][shift as usize];
            let tails = if shift == 0 { ["", "B", ""] } else { ["", "B", "iB"] };
            let unit = format!("{prefix}{}", tails[tail]);
            let unit = if case { unit.to_lowercase() } else { unit.to_uppercase() };
            let bytes = count << (10 * shift);
            proptest::prop_assert_eq!(parse_bytes(&format!("{count}{unit}")), Ok(bytes));
            proptest::prop_assert_eq!(ints(&format!("{count}{unit}..{bytes}")), [bytes]);
        }

        #[test]
        fn a_time_in_parts_is_their_sum(h in 0i64..1000, m in 0i64..100, s in 0i64..100, ms in 0i64..5000) {
            let text = format!("{h}h{m}m{s}s{ms}ms");
            let sum = ((h * 60 + m) * 60 + s) * 1000 + ms;
            proptest::prop_assert_eq!(parse_time(&text), Ok(sum * 1_000_000));
        }
    }
}
