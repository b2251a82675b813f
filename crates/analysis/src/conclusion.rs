//! A finding put together step by step: what was seen, how sure, and how it
//! stands to what the machine card says.

use record::{Confidence, Finding, Unit, Verdict};

/// Share of redrawn curves below which an answer is not given as one.
pub const SURE_ENOUGH: f64 = 0.6;

/// A finding in the making. Starts as *stated*: nothing to compare with.
pub struct Conclusion(Finding);

impl Conclusion {
    /// About `key` of `experiment`, known by `share` of the redrawn data.
    #[must_use]
    pub fn of(experiment: &str, key: &str, unit: Unit, share: f64) -> Self {
        Conclusion(Finding {
            experiment: experiment.to_owned(),
            key: key.to_owned(),
            sentence: String::new(),
            value: None,
            low: None,
            high: None,
            unit,
            confidence: Confidence {
                share: share.clamp(0.0, 1.0),
            },
            reference: None,
            reference_source: None,
            verdict: Verdict::Stated,
            regions: Vec::new(),
        })
    }

    /// No answer: `why` is the sentence.
    #[must_use]
    pub fn undecided(experiment: &str, key: &str, unit: Unit, why: impl Into<String>) -> Finding {
        let mut finding = Conclusion::of(experiment, key, unit, 0.0).say(why);
        finding.verdict = Verdict::Undecided;
        finding
    }

    #[must_use]
    pub fn value(mut self, value: f64, low: f64, high: f64) -> Self {
        self.0.value = Some(value);
        self.0.low = Some(low);
        self.0.high = Some(high);
        self
    }

    /// Sets the answer beside another source's. They agree when that one lies
    /// within the interval stretched by `slack` to both sides (0.1: a tenth).
    /// Without a reference the finding stays as stated.
    #[must_use]
    pub fn against(mut self, reference: Option<f64>, source: &str, slack: f64) -> Self {
        let Some(reference) = reference else {
            return self;
        };
        let low = self.0.low.or(self.0.value).unwrap_or(f64::NAN) / (1.0 + slack);
        let high = self.0.high.or(self.0.value).unwrap_or(f64::NAN) * (1.0 + slack);
        self.0.reference = Some(reference);
        self.0.reference_source = Some(source.to_owned());
        self.0.verdict = match (low..=high).contains(&reference) {
            true => Verdict::Agree,
            false => Verdict::Disagree,
        };
        self
    }

    /// Whether it disagrees with its reference.
    #[must_use]
    pub fn disagrees(&self) -> bool {
        self.0.verdict == Verdict::Disagree
    }

    /// Ends with the sentence. An answer that too few of the redrawn curves
    /// share is kept, and marked as undecided.
    #[must_use]
    pub fn say(mut self, sentence: impl Into<String>) -> Finding {
        self.0.sentence = sentence.into();
        if self.0.confidence.share < SURE_ENOUGH {
            self.0.verdict = Verdict::Undecided;
        }
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Conclusion;
    use record::{Unit, Verdict};

    fn verdict(reference: Option<f64>, share: f64) -> Verdict {
        Conclusion::of("mem/x", "k", Unit::Bytes, share)
            .value(64.0, 60.0, 70.0)
            .against(reference, "sysfs", 0.1)
            .say("s")
            .verdict
    }

    #[test]
    fn a_reference_inside_the_stretched_interval_agrees() {
        assert_eq!(verdict(Some(60.0), 1.0), Verdict::Agree);
        assert_eq!(verdict(Some(76.0), 1.0), Verdict::Agree);
        assert_eq!(verdict(Some(78.0), 1.0), Verdict::Disagree);
        assert_eq!(verdict(Some(54.0), 1.0), Verdict::Disagree);
    }

    #[test]
    fn without_reference_or_confidence_there_is_no_comparison() {
        assert_eq!(verdict(None, 1.0), Verdict::Stated);
        assert_eq!(verdict(Some(64.0), 0.3), Verdict::Undecided);
    }
}
