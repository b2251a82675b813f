//! Times, sizes and percentages behind flags: read as the axes read theirs, so that one spelling
//! works everywhere.

use catalogue::axis_text::{parse_bytes, parse_time_in};
use std::ops::RangeInclusive;
use std::time::Duration;

/// What a time without a unit counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bare {
    Milliseconds,
    Seconds,
}

impl Bare {
    fn ns(self) -> u64 {
        match self {
            Bare::Milliseconds => 1_000_000,
            Bare::Seconds => 1_000_000_000,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Bare::Milliseconds => "ms",
            Bare::Seconds => "s",
        }
    }

    fn examples(self) -> &'static str {
        match self {
            Bare::Milliseconds => "20, 20ms, 0.5s",
            Bare::Seconds => "70, 70s, 2m, 1h30m",
        }
    }
}

/// A time in whole steps of its flag: `70`, `70s`, `2m`, `1h30m`.
pub fn whole<T: TryFrom<u64> + 'static>(
    bare: Bare,
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let ns = time_ns(text, bare)?;
        let (steps, unit) = (ns / bare.ns(), bare.name());
        if ns % bare.ns() != 0 {
            return Err(format!("must be a whole number of {unit}"));
        }
        let fits = T::try_from(steps).ok().filter(|_| range.contains(&steps));
        fits.ok_or_else(|| format!("must be {} to {} {unit}", range.start(), range.end()))
    }
}

/// A time in seconds, above 0 and at most `MOST_SECONDS`: `2`, `0.5`, `500ms`, `1m`.
pub fn duration(text: &str) -> Result<Duration, String> {
    match time_ns(text, Bare::Seconds)? {
        ns if (1..=MOST_SECONDS * 1_000_000_000).contains(&ns) => Ok(Duration::from_nanos(ns)),
        _ => Err(format!("must be above 0 and at most {MOST_SECONDS} s")),
    }
}

const MOST_SECONDS: u64 = 1_000_000;

/// A time above 0 that names its unit, ns: `30us`, `2ms`.
pub fn with_unit_ns(text: &str) -> Result<u64, String> {
    if text.ends_with(|c: char| c.is_ascii_digit()) {
        return Err("needs a unit: ns, us, ms or s".to_owned());
    }
    match time_ns(text, Bare::Seconds)? {
        0 => Err("must be above 0".to_owned()),
        ns => Ok(ns),
    }
}

fn time_ns(text: &str, bare: Bare) -> Result<u64, String> {
    let bare_ns = i64::try_from(bare.ns()).unwrap_or(i64::MAX);
    let ns = parse_time_in(text, bare_ns);
    let ns = ns.map_err(|cause| format!("{cause}; a time is {}", bare.examples()))?;
    u64::try_from(ns).map_err(|_| "must not be negative".to_owned())
}

/// A size of at least one byte, as the axes spell it: `4096`, `64K`, `64KiB`, `1M`.
pub fn bytes(text: &str) -> Result<u64, String> {
    match bytes_or_none(text)? {
        0 => Err("must be at least 1".to_owned()),
        size => Ok(size),
    }
}

/// The same, or 0.
pub fn bytes_or_none(text: &str) -> Result<u64, String> {
    let size = parse_bytes(text.trim());
    let size = size.map_err(|cause| format!("{cause}; a size is {SIZES}"))?;
    u64::try_from(size).map_err(|_| "must not be negative".to_owned())
}

const SIZES: &str = "4096, 64K, 64KiB, 1M (powers of two)";

/// KiB where no unit is given: `8192`, `512K`, `8M`, `1GiB`.
pub fn kibibytes(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| {
        let is_bare = text.trim().ends_with(|c: char| c.is_ascii_digit());
        let size = match is_bare {
            true => bytes_or_none(&format!("{}K", text.trim()))?,
            false => bytes_or_none(text)?,
        };
        let kib = size / 1024;
        let fits = size % 1024 == 0 && range.contains(&kib);
        let refused = || format!("must be {} to {} KiB", range.start(), range.end());
        fits.then_some(kib).ok_or_else(refused)
    }
}

/// `5`, `5%`, `2.5 %`.
pub fn percent(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let number = text.strip_suffix('%').unwrap_or(text).trim_end();
    let percent = number.parse::<f64>().ok().filter(|n| n.is_finite());
    percent.ok_or_else(|| "must be a percentage: 5, 5% or 2.5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Bare, bytes, bytes_or_none, duration, kibibytes, percent, whole, with_unit_ns};
    use std::time::Duration;

    #[test]
    fn a_time_counts_in_the_steps_of_its_flag_unless_it_names_others() {
        let seconds = whole::<u64>(Bare::Seconds, 5..=1_000_000);
        for (text, s) in [("70", 70), ("70s", 70), ("2m", 120), ("1h30m", 5400)] {
            assert_eq!(seconds(text), Ok(s), "{text}");
        }
        let ms = whole::<u64>(Bare::Milliseconds, 1..=3_600_000);
        for (text, expected) in [("20", 20), ("20ms", 20), ("0.5s", 500), ("1m", 60_000)] {
            assert_eq!(ms(text), Ok(expected), "{text}");
        }
        assert_eq!(seconds("4").unwrap_err(), "must be 5 to 1000000 s");
        assert_eq!(ms("10us").unwrap_err(), "must be a whole number of ms");
        assert_eq!(ms("0").unwrap_err(), "must be 1 to 3600000 ms");
        for text in ["", "x", "-5", "1d", "70 s x", "5s5", "1e3"] {
            let cause = seconds(text).unwrap_err();
            assert!(cause.ends_with("a time is 70, 70s, 2m, 1h30m"), "{cause}");
        }
    }

    #[test]
    fn durations_may_be_parts_of_a_second() {
        for (text, ms) in [
            ("2", 2000),
            ("0.5", 500),
            ("500ms", 500),
            ("2s", 2000),
            ("1m", 60_000),
            ("250000us", 250),
            ("1h", 3_600_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "s", "-1", "0ms", "1000001", "nan", "inf", "300h"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_that_needs_a_unit_is_refused_without() {
        assert_eq!(with_unit_ns("30us"), Ok(30_000));
        assert_eq!(with_unit_ns("1s"), Ok(1_000_000_000));
        for wrong in ["30", "us", "0us", "1d", "-1us", "99999999999999999999s"] {
            assert!(with_unit_ns(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_powers_of_two() {
        for text in ["64K", "64k", "64KB", "64kB", "64KiB", "64 kib", "65536B"] {
            assert_eq!(bytes(text), Ok(65536), "{text}");
        }
        assert_eq!(bytes("1M"), bytes("1MiB"));
        assert_eq!(bytes("0").unwrap_err(), "must be at least 1");
        assert_eq!(bytes_or_none("0"), Ok(0));
        assert!(bytes("64Q").unwrap_err().ends_with("(powers of two)"));
        let kib = kibibytes(8..=1 << 24);
        for (text, size) in [
            ("8192", 8192),
            ("512K", 512),
            ("512kB", 512),
            ("8M", 8192),
            ("1GiB", 1 << 20),
        ] {
            assert_eq!(kib(text), Ok(size), "{text}");
        }
        for text in [
            "",
            "7",
            "M",
            "8T",
            "-8",
            "99999999999999999999",
            "17G",
            "8193B",
        ] {
            assert!(kib(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_percentage_may_have_its_sign() {
        for text in ["5", "5%", " 5 % ", "5.0"] {
            assert_eq!(percent(text), Ok(5.0), "{text}");
        }
        for text in ["", "%", "x", "nan", "inf%", "5%%"] {
            assert!(percent(text).is_err(), "{text}");
        }
    }
}
