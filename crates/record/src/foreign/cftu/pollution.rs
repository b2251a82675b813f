//! `measure_<x>.dat` and `synthesis_<x>.dat`: one run of a program a line, during
//! copies that `<x>` names, and each program's runs in five figures.

use super::fields::{Field, Layout, Line, difference, doubted_difference, field};
use std::fmt;

/// Longest name of a test, bytes.
const LONGEST_NAME: usize = 64;
/// Figures with six and with four decimals agree when they differ by less.
const LAST_OF_SIX: f64 = 1e-6;
const LAST_OF_FOUR: f64 = 1e-4;

/// One run of a program. What was not counted is `nan` in the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VictimRecord {
    /// `qsort_small`, `susan[s]_small`.
    pub test: String,
    pub t0_ns: u64,
    pub t1_ns: u64,
    pub dt_ns: u64,
    pub references: Option<u64>,
    pub misses: Option<u64>,
    pub miss_percent: Option<f64>,
}

/// All runs of a program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VictimSynth {
    pub test: String,
    pub runs: u64,
    pub mean_us: f64,
    /// Whole microseconds of the longest run; what is beyond them is cut off.
    pub max_us: u64,
    pub mean_references: Option<f64>,
    /// Mean of the runs' percentages, not percentage of the sums.
    pub mean_miss_percent: Option<f64>,
}

/// The test that the study's table has for one of our programs: `susan[s]_small`
/// for `susan_s_small`. Other names stay.
pub fn test_of(victim: &str) -> String {
    match victim
        .strip_prefix("susan_")
        .and_then(|v| v.split_once('_'))
    {
        Some((way @ ("s" | "e" | "c"), size)) => format!("susan[{way}]_{size}"),
        _ => victim.to_owned(),
    }
}

/// The program that a test is called after, the other way round.
pub fn victim_of(test: &str) -> String {
    match test.strip_prefix("susan[").and_then(|t| t.split_once("]_")) {
        Some((way @ ("s" | "e" | "c"), size)) => format!("susan_{way}_{size}"),
        _ => test.to_owned(),
    }
}

/// Whether a line can hold the name and give it back.
pub fn is_test_name(name: &str) -> bool {
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && !"|&\\$#".contains(c);
    name.len() <= LONGEST_NAME
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(plain)
}

/// Share of the references that missed, percent; None of none.
pub fn percent(references: Option<u64>, misses: Option<u64>) -> Option<f64> {
    let references = references.filter(|r| *r > 0)?;
    Some(misses? as f64 / references as f64 * 100.0)
}

impl Line for VictimRecord {
    const LAYOUT: &'static Layout<Self> = &Layout {
        kind: "a program's runs",
        fields: &[
            (
                "test",
                Field::Other(|r| r.test.clone(), |r, word| put_name(&mut r.test, word)),
            ),
            ("t0", field!(U64, t0_ns)),
            ("t1", field!(U64, t1_ns)),
            ("dt", field!(Exact, dt_ns)),
            ("cache refs", field!(OptExact, references)),
            ("cache misses", field!(OptExact, misses)),
            ("miss %", field!(OptDecimal, miss_percent, 6)),
        ],
        example: "qsort_small\t55698518635\t55702757592\t4238957\t157283\t982\t0.624352",
    };

    fn doubts(&self) -> Vec<String> {
        let mut doubts = doubted_difference(self.t0_ns, self.t1_ns, self.dt_ns);
        let follows = percent(self.references, self.misses);
        if let (Some(stated), Some(follows)) = (self.miss_percent, follows)
            && !close(stated, follows, LAST_OF_SIX)
        {
            doubts.push(format!(
                "its miss % is {stated:.6}, misses and refs give {follows:.6}"
            ));
        }
        doubts
    }
}

impl Line for VictimSynth {
    const LAYOUT: &'static Layout<Self> = &Layout {
        kind: "a synthesis of programs",
        fields: &[
            (
                "test",
                Field::Other(|r| r.test.clone(), |r, word| put_name(&mut r.test, word)),
            ),
            ("runs", field!(Exact, runs)),
            ("mean us", field!(Decimal, mean_us, 4)),
            ("maximum us", field!(Exact, max_us)),
            ("mean refs", field!(OptDecimal, mean_references, 4)),
            ("mean miss %", field!(OptDecimal, mean_miss_percent, 6)),
        ],
        example: "qsort_small\t300\t4408.6608\t4599\t157189.8800\t2.245550",
    };

    fn doubts(&self) -> Vec<String> {
        if self.mean_us < (self.max_us + 1) as f64 + LAST_OF_FOUR {
            return Vec::new();
        }
        vec![format!(
            "its mean {:.4} us is above its maximum {} us",
            self.mean_us, self.max_us
        )]
    }
}

impl VictimSynth {
    /// The synthesis of the runs of one test; None of no runs. Means of counts
    /// are of the runs that were counted.
    pub fn of(runs: &[VictimRecord]) -> Option<Self> {
        let sum_ns: f64 = runs.iter().map(|r| r.dt_ns as f64).sum();
        let max_ns = runs.iter().map(|r| r.dt_ns).max()?;
        let references = runs.iter().filter_map(|r| r.references);
        let shares = runs.iter().filter_map(|r| percent(r.references, r.misses));
        Some(VictimSynth {
            test: runs[0].test.clone(),
            runs: runs.len() as u64,
            mean_us: sum_ns / runs.len() as f64 / 1e3,
            max_us: max_ns / 1000,
            mean_references: mean(&mut references.map(|r| r as f64)),
            mean_miss_percent: mean(&mut shares.into_iter()),
        })
    }

    /// With the means of counts of other runs of the same test: (references, misses) of each.
    #[must_use]
    pub fn counted_in(self, others: &[(u64, u64)]) -> Self {
        let references = others.iter().map(|(references, _)| *references as f64);
        let shares = others
            .iter()
            .filter_map(|(r, m)| percent(Some(*r), Some(*m)));
        VictimSynth {
            mean_references: mean(&mut references.into_iter()).or(self.mean_references),
            mean_miss_percent: mean(&mut shares.into_iter()).or(self.mean_miss_percent),
            ..self
        }
    }

    /// In what it differs from another synthesis of the same runs. Whether the
    /// study rounds its maximum is not known: one microsecond is no difference. Nor are
    /// counts that the runs do not have: they are of other runs.
    pub fn differs_from(&self, recomputed: &VictimSynth) -> Option<String> {
        let alike = |of: fn(&Self) -> Option<f64>, last| match (of(self), of(recomputed)) {
            (Some(a), Some(b)) => close(a, b, last),
            (_, recomputed) => recomputed.is_none(),
        };
        let same = self.runs == recomputed.runs
            && self.max_us.abs_diff(recomputed.max_us) <= 1
            && close(self.mean_us, recomputed.mean_us, LAST_OF_FOUR)
            && alike(|s| s.mean_references, LAST_OF_FOUR)
            && alike(|s| s.mean_miss_percent, LAST_OF_SIX);
        (!same).then(|| difference(self, recomputed))
    }
}

fn put_name(to: &mut String, word: &str) -> Result<(), &'static str> {
    if !is_test_name(word) {
        return Err("not the name of a test");
    }
    word.clone_into(to);
    Ok(())
}

fn mean(values: &mut dyn Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0u32), |(sum, n), v| (sum + v, n + 1));
    (n > 0).then(|| sum / f64::from(n))
}

fn close(a: f64, b: f64, last: f64) -> bool {
    (a - b).abs() < last + 1e-9 * b
}

impl fmt::Display for VictimRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::LAYOUT.print(self, f)
    }
}

impl fmt::Display for VictimSynth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::LAYOUT.print(self, f)
    }
}
