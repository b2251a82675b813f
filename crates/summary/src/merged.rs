//! Findings that say the same of several ways or sizes, as one.

use analysis::numbers::{quantity, significant};
use record::{Finding, Unit, Verdict};

/// One finding of a record.
pub type One<'a> = &'a Finding;

/// Findings of one area whose keys differ in a number, or that are the same of several
/// experiments.
pub struct Family<'a> {
    pub members: Vec<&'a Finding>,
}

/// The families of these findings, in the order of their first members.
pub fn families(findings: &[Finding]) -> Vec<Family<'_>> {
    let mut families: Vec<Family<'_>> = Vec::new();
    for finding in findings {
        let known = families.iter_mut().find(|family| {
            let first = family.members[0];
            first.verdict == Verdict::Stated
                && stem(first) == stem(finding)
                && alike(first, finding)
        });
        match known {
            Some(family) => family.members.push(finding),
            None => families.push(Family {
                members: vec![finding],
            }),
        }
    }
    families
}

/// Only what stands for itself is merged: a contradiction is one of its own.
fn alike(a: &Finding, b: &Finding) -> bool {
    a.verdict == b.verdict && a.unit == b.unit && a.class == b.class
}

/// The area, and the key without the numbers and the ways in it.
fn stem(finding: &Finding) -> (&str, String) {
    let area = finding.experiment.split('/').next().unwrap_or_default();
    let parts = finding.key.split('_');
    let words = parts.filter(|part| !part.starts_with(|c: char| c.is_ascii_digit()));
    let mut words: Vec<&str> = words.collect();
    if let Some(family) = finding.family.as_deref() {
        words = vec![family];
    }
    (area, words.join("_"))
}

impl<'a> Family<'a> {
    /// The member with the largest effect that is sure, of a ratio; else the first.
    pub fn spokesman(&self) -> One<'a> {
        let sure = |finding: &&Finding| {
            let ln = |value: Option<f64>| value.filter(|v| *v > 0.0).map_or(0.0, f64::ln);
            crate::ranked::sure_part(ln(finding.low), ln(finding.high))
        };
        let first = self.members[0];
        if first.unit != Unit::Ratio {
            return first;
        }
        let members = self.members.iter().copied();
        members
            .reduce(|best, other| match sure(&other) > sure(&best) {
                true => other,
                false => best,
            })
            .unwrap_or(first)
    }

    /// Its sentence, and the range over the others.
    pub fn sentence(&self) -> String {
        let spokesman = self.spokesman();
        let values = self.members.iter().filter_map(|f| f.value);
        let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v), high.max(v))
        });
        let said = spokesman.brief.as_deref().unwrap_or(&spokesman.sentence);
        if self.members.len() < 2 || least >= most {
            return said.to_owned();
        }
        let over = match self
            .members
            .iter()
            .any(|f| f.experiment != self.members[0].experiment)
        {
            true => "ways",
            false => "settings",
        };
        let range = match spokesman.unit {
            Unit::Ratio => format!("{}x to {}x", significant(least, 2), significant(most, 2)),
            unit => format!(
                "{} to {}",
                quantity(least, unit, 3),
                quantity(most, unit, 3)
            ),
        };
        let said = said.trim_end_matches('.');
        format!("{said}; {range} over {} {over}", self.members.len())
    }
}
