//! Summaries, modes and values of axes in words; the numbers in them are those of
//! `analysis::numbers`.

pub use analysis::numbers::{
    ABSENT, counted, percent, plus_minus, quantity, relative_half_width, significant, time_ns,
    time_range, time_scale,
};
use analysis::singles;
use analysis::{ExperimentTable, PointView, Summary};
use record::Unit;
use record::axis::human_bytes;

/// `60 samples are worth 3 independent ones`; None where their interval is given.
pub fn too_dependent(summary: &Summary) -> Option<String> {
    let text = || {
        let worth = summary.effective.floor();
        format!(
            "{} samples are worth {worth} independent ones",
            summary.samples
        )
    };
    summary.median.is_none().then(text)
}

/// `two modes: 70 % at 31.0 ns, 30 % at 62.1 ns`; None where the distribution
/// has one mode.
pub fn modes(summary: &Summary, unit: Unit) -> Option<String> {
    if summary.modes.len() < 2 {
        return None;
    }
    let count = match summary.modes.len() {
        2 => "two".to_owned(),
        3 => "three".to_owned(),
        n => n.to_string(),
    };
    let modes = summary.modes.iter();
    let list = modes.map(|m| (100.0 * m.share, quantity(m.center, unit, 3)));
    let list: Vec<String> = list
        .map(|(share, at)| format!("{share:.0} % at {at}"))
        .collect();
    Some(format!("{count} modes: {}", list.join(", ")))
}

/// `single operations: two modes: 89 % at 310 ns, 11 % at 960 ns; a batch averages them`; None
/// where they are of one kind or were not timed one by one.
pub fn within_batches(table: &ExperimentTable, point: &PointView) -> Option<String> {
    let kinds = singles::kinds(table, point)?;
    let modes = modes(kinds.singles, Unit::Nanoseconds)?;
    let times = significant(kinds.times_batched, 2);
    let meaning = match kinds.agree() {
        true => "a batch averages them".to_owned(),
        false => format!("{times} times a batch's time: timing them apart may make the modes"),
    };
    Some(format!("single operations: {modes}; {meaning}"))
}

/// A value of an axis with its unit: `4 KiB`, `avx2`, `8`.
pub fn axis_value(value: &record::AxisValue, unit: Unit) -> String {
    match value {
        record::AxisValue::Word(w) => w.clone(),
        record::AxisValue::Int(v) => match unit {
            Unit::Bytes if *v >= 0 => human_bytes(v.unsigned_abs()),
            Unit::Count | Unit::Word | Unit::Ratio | Unit::Bytes => v.to_string(),
            _ => format!("{v} {}", unit.symbol()),
        },
    }
}

/// Bytes of a file, in powers of ten: `17 B`, `4.2 kB`, `73.8 MB`.
pub fn decimal_bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_sizes_in_powers_of_ten() {
        assert_eq!(decimal_bytes(999), "999 B");
        assert_eq!(decimal_bytes(4_200), "4.2 kB");
        assert_eq!(decimal_bytes(73_830_000), "73.8 MB");
        assert_eq!(decimal_bytes(5_000_000_000_000_000), "5000.0 TB");
    }
}
