//! What the numbers say, in sentences that carry their confidence.

use crate::axis::{Setting, Unit};
use serde::{Deserialize, Serialize};

/// A conclusion drawn from one experiment's table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Experiment that it rests on.
    pub experiment: String,
    /// Stable key: `l1d_capacity`, `dram_latency`, `best_copy_method`.
    pub key: String,
    /// A plain sentence, complete without the figure.
    pub sentence: String,
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub unit: Unit,
    pub confidence: Confidence,
    /// What another source (sysfs, cpuid) says of the same quantity.
    pub reference: Option<f64>,
    /// Who says so: `sysfs cache/index2/size`.
    pub reference_source: Option<String>,
    pub verdict: Verdict,
    /// Stretches of an axis that the finding names; figures over that axis
    /// shade them. Records from before there were any have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<Region>,
    /// Of a conclusion about the machine: what each method said of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<MethodSays>,
    /// Of a conclusion about the machine: how often methods that agreed and
    /// disagreed in this way were right on simulated machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
    /// What it is to its reader, where that is no plain figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<FindingClass>,
    /// What it has in common with others that say the same of another way or size:
    /// `bytes_outweigh`. None: its key without the numbers in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// The sentence for a list of the most important ones, where it is a long one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief: Option<String>,
}

/// What a finding is to its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingClass {
    /// It should not be so, though nothing is stated of it.
    Surprise,
    /// A point from which on another choice is the better one.
    BreakEven,
}

/// What one method said of the quantity that a finding is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodSays {
    /// Stable name: `flush`, `coherence`.
    pub method: String,
    pub experiment: String,
    /// In the finding's unit; None: the method could not decide.
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub stand: Stand,
    /// Why it is silent, or what explains that it says something else; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// How a method stands to the conclusion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stand {
    /// One of those that the conclusion rests on.
    Supports,
    /// Says something else, for a reason that is known to mislead it.
    Misled,
    /// Says something else, and nothing known explains it: there is no conclusion.
    Contradicts,
    /// Could not decide.
    Silent,
}

/// A way in which methods agree and disagree, and its record on machines whose
/// truth is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// `coherence+flush, pair larger`.
    pub text: String,
    /// Simulated runs in which this pattern led to the right answer, and all of them.
    pub right: u32,
    pub of: u32,
}

/// A named stretch of an axis: `every write blocks`, 64 KiB to 16 MiB.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// Axis of the experiment that it lies on.
    pub axis: String,
    /// Ends, in the axis's unit.
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub from_x: f64,
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub to_x: f64,
    /// Short: it stands inside the figure.
    pub name: String,
    /// Settings of the curve that it was seen on; none when it holds for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<Setting>,
}

/// How much the finding can bear.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Confidence {
    /// Share of resampled data sets that give the same answer, 0..=1.
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub share: f64,
}

impl Confidence {
    /// In whole percent, rounded down: 94.7 % are not called 95, nor 99.9 % certain. None where
    /// it is not known.
    pub fn percent(&self) -> Option<f64> {
        // A share such as 0.57 is a little less than it in binary.
        let percent = (100.0 * self.share + 1e-9).floor();
        percent.is_finite().then_some(percent)
    }
}

/// Comparison of a finding with its reference, or of a claim with the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing to compare with.
    Stated,
    Agree,
    Disagree,
    /// The data do not allow an answer; the sentence says why.
    Undecided,
}

/// A claim of an experiment (a statement about shape) and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimOutcome {
    pub experiment: String,
    pub claim: String,
    /// None: the points that it needs were not measured, or their intervals leave it open.
    pub held: Option<bool>,
    /// Its points were measured, and their intervals decide neither for it nor against it.
    /// Records from before there was this say held by the figures alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unclear: bool,
    /// The figures that decided it.
    pub evidence: String,
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimState {
    Held,
    Broken,
    /// Measured, and not decided.
    Unclear,
    NotTested,
}

impl ClaimOutcome {
    /// What became of it.
    pub fn state(&self) -> ClaimState {
        match (self.held, self.unclear) {
            (Some(true), _) => ClaimState::Held,
            (Some(false), _) => ClaimState::Broken,
            (None, true) => ClaimState::Unclear,
            (None, false) => ClaimState::NotTested,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ClaimOutcome, ClaimState, Confidence, Finding};
    use crate::describe::FigureHead;
    use serde_json::{Value, json};

    fn finding() -> Value {
        json!({
            "experiment": "ipc/pipe", "key": "knee_1", "sentence": "s", "value": 65536.0,
            "low": null, "high": null, "unit": "bytes", "confidence": {"share": 0.9},
            "reference": null, "reference_source": null, "verdict": "stated",
        })
    }

    #[test]
    fn confidence_is_never_rounded_up() {
        let of = |share| Confidence { share }.percent();
        assert_eq!(of(18.0 / 19.0), Some(94.0));
        assert_eq!(of(1150.0 / 1151.0), Some(99.0));
        assert_eq!((of(0.57), of(1.0)), (Some(57.0), Some(100.0)));
        assert_eq!(of(f64::NAN), None);
    }

    #[test]
    fn findings_from_before_regions_are_read_and_written_as_they_were() {
        let read: Finding = serde_json::from_value(finding()).expect("the old form");
        assert!(read.regions.is_empty());
        assert_eq!(serde_json::to_value(&read).expect("plain data"), finding());
    }

    #[test]
    fn a_region_keeps_its_ends_its_name_and_its_curve() {
        let mut stored = finding();
        stored["regions"] = json!([{
            "axis": "size", "from_x": 65536.0, "to_x": null, "name": "every write blocks",
            "only": [{"axis": "placement", "value": "cross-cpu"}],
        }]);
        let read: Finding = serde_json::from_value(stored.clone()).expect("the new form");
        let region = &read.regions[0];
        assert_eq!((region.from_x, region.only.len()), (65536.0, 1));
        assert!(region.to_x.is_nan(), "JSON has no other way to say so");
        assert_eq!(serde_json::to_value(&read).expect("plain data"), stored);
    }

    #[test]
    fn figures_from_before_panels_have_none() {
        let stored = json!({
            "title": "t", "x": "size", "x_log2": true, "y": "latency", "y_log": true,
            "series": [], "only": [], "marks": [], "reading": "r",
        });
        let read: FigureHead = serde_json::from_value(stored.clone()).expect("the old form");
        assert!(read.below.is_empty());
        assert_eq!(serde_json::to_value(&read).expect("plain data"), stored);
    }

    #[test]
    fn a_claim_that_is_unclear_reads_as_undecided_where_only_held_is_known() {
        let old =
            |held: Value| json!({"experiment": "a/b", "claim": "c", "held": held, "evidence": "e"});
        let states = [
            (json!(true), ClaimState::Held),
            (json!(false), ClaimState::Broken),
            (Value::Null, ClaimState::NotTested),
        ];
        for (held, state) in states {
            let read: ClaimOutcome =
                serde_json::from_value(old(held.clone())).expect("the old form");
            assert_eq!(read.state(), state);
            assert_eq!(serde_json::to_value(&read).expect("plain data"), old(held));
        }
        let mut stored = old(Value::Null);
        stored["unclear"] = json!(true);
        let read: ClaimOutcome = serde_json::from_value(stored.clone()).expect("the new form");
        assert_eq!((read.state(), read.held), (ClaimState::Unclear, None));
        assert_eq!(serde_json::to_value(&read).expect("plain data"), stored);
    }
}
