//! What interrupted the machine while points were sampled, where the run kept
//! it: by kind, a second.

use crate::grouped::grouped;
use analysis::{ExperimentTable, PointView};
use record::InterruptsHead;

/// Points that kept it, and the kinds that came at all.
pub struct Interruptions<'a> {
    pub points: Vec<(&'a PointView, &'a InterruptsHead)>,
    /// Most frequent first.
    pub kinds: Vec<Kind<'a>>,
}

/// A kind of interrupt, or a sum of the whole machine.
pub struct Kind<'a> {
    pub name: &'a str,
    pub description: &'a str,
}

impl Interruptions<'_> {
    /// None where no point kept it.
    pub fn of(table: &ExperimentTable) -> Option<Interruptions<'_>> {
        let points = table.points.iter();
        let points: Vec<_> = points
            .filter_map(|p| Some((p, p.head.interrupts.as_deref()?)))
            .collect();
        let rows = points.iter().flat_map(|(_, met)| &met.rows);
        let kinds = grouped(rows.map(|row| (row.name.as_str(), row))).into_iter();
        let kinds = kinds.map(|(name, rows)| {
            let description = rows[0].description.as_str();
            let sum = rows
                .iter()
                .fold(0u64, |sum, row| sum.saturating_add(row.total));
            (sum, Kind { name, description })
        });
        let mut kinds: Vec<(u64, Kind<'_>)> = kinds.collect();
        kinds.sort_by(|(a, x), (b, y)| b.cmp(a).then(x.name.cmp(y.name)));
        let kinds = kinds.into_iter().map(|(_, kind)| kind).collect();
        (!points.is_empty()).then_some(Interruptions { points, kinds })
    }

    /// All points together. Points that share their time count it and what came in
    /// it as often as they are, so that rates stay what they are.
    pub fn together(&self) -> InterruptsHead {
        let mut heads = self.points.iter().map(|(_, met)| *met);
        let mut sum = heads.next().cloned().unwrap_or_default();
        heads.for_each(|met| sum.add(met));
        sum
    }
}

/// A kind as people know it: devices' interrupts have numbers only.
pub fn spoken(name: &str) -> String {
    match name.bytes().all(|b| b.is_ascii_digit()) {
        true => format!("irq {name}"),
        false => name.to_owned(),
    }
}

/// A rate for people: few digits, none behind the point from ten on.
pub fn rate(by_second: f64) -> String {
    match by_second {
        0.0 => "0".to_owned(),
        r if r < 10.0 => format!("{r:.1}"),
        r => format!("{r:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn rates_have_few_digits() {
        assert_eq!(
            [0.0, 0.26, 9.94, 250.4].map(rate),
            ["0", "0.3", "9.9", "250"]
        );
    }
}
