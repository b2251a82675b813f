//! The one builder of a finding: what was seen, how sure, and how it stands to
//! what another source says.

use record::{Confidence, Finding, FindingClass, MethodSays, Pattern, Region, Unit, Verdict};
use stats::Interval;

/// Share of redrawn curves below which an answer is not given as one. Chosen: with
/// less, almost every second redraw says something else.
pub const SURE_ENOUGH: f64 = 0.6;

/// A finding in the making. Starts as words, certain and *stated*: nothing to
/// compare with. Whoever concludes a run adds the experiment.
pub struct Conclusion {
    finding: Finding,
    /// Whether the confidence is a share of redrawn curves.
    redrawn: bool,
}

impl Conclusion {
    /// About `key` (`l1d_capacity`, `best_copy_method`), which must stay the same
    /// from version to version.
    pub fn on(key: impl Into<String>) -> Self {
        let finding = Finding {
            experiment: String::new(),
            key: key.into(),
            sentence: String::new(),
            value: None,
            low: None,
            high: None,
            unit: Unit::Word,
            confidence: Confidence { share: 1.0 },
            reference: None,
            reference_source: None,
            verdict: Verdict::Stated,
            regions: Vec::new(),
            methods: Vec::new(),
            pattern: None,
            class: None,
            family: None,
            brief: None,
        };
        Conclusion {
            finding,
            redrawn: false,
        }
    }

    /// No answer: `why` is the sentence.
    pub fn undecided(key: impl Into<String>, unit: Unit, why: impl Into<String>) -> Finding {
        let blank = Conclusion::on(key).unit(unit).sure(0.0);
        blank.verdict(Verdict::Undecided).say(why)
    }

    /// Sure by this share, 0 to 1.
    #[must_use]
    pub fn sure(mut self, share: f64) -> Self {
        self.finding.confidence.share = share.clamp(0.0, 1.0);
        self
    }

    /// Seen in this share of the redrawn curves, 0 to 1. An answer that too few of
    /// them share is kept, and marked as undecided.
    #[must_use]
    pub fn redrawn(mut self, share: f64) -> Self {
        self.redrawn = true;
        self.sure(share)
    }

    /// A value with its interval, as sure as the interval's level; undecided without one. Of one
    /// process it is not known how sure: how others would have come out is assumed.
    #[must_use]
    pub fn estimate(self, unit: Unit, value: Interval) -> Self {
        if value.is_none() {
            let bare = self.unit(unit).sure(0.0).bare_value(value.center);
            return bare.verdict(Verdict::Undecided);
        }
        let sure = match value.is_of_one_process() {
            true => f64::NAN,
            false => value.level,
        };
        self.unit(unit).sure(sure).value(value)
    }

    /// The unit of the value, or of the one that is missing.
    #[must_use]
    pub fn unit(mut self, unit: Unit) -> Self {
        self.finding.unit = unit;
        self
    }

    /// A value with its interval, in the finding's unit.
    #[must_use]
    pub fn value(self, value: Interval) -> Self {
        self.between(value.center, value.low, value.high)
    }

    /// A value between two bounds, in the finding's unit.
    #[must_use]
    pub fn between(mut self, value: f64, low: f64, high: f64) -> Self {
        self.finding.value = Some(value);
        self.finding.low = Some(low);
        self.finding.high = Some(high);
        self
    }

    /// A value that no interval can be given for, in the finding's unit.
    #[must_use]
    pub fn bare_value(mut self, value: f64) -> Self {
        self.finding.value = Some(value);
        self
    }

    /// Sets the verdict instead of deriving it.
    #[must_use]
    pub fn verdict(mut self, verdict: Verdict) -> Self {
        self.finding.verdict = verdict;
        self
    }

    /// Stretches of an axis that figures shade.
    #[must_use]
    pub fn regions(mut self, regions: Vec<Region>) -> Self {
        self.finding.regions = regions;
        self
    }

    /// It should not be so, though nothing is stated of it.
    #[must_use]
    pub fn surprising(mut self) -> Self {
        self.finding.class = Some(FindingClass::Surprise);
        self
    }

    /// From its value on another choice is the better one.
    #[must_use]
    pub fn break_even(mut self) -> Self {
        self.finding.class = Some(FindingClass::BreakEven);
        self
    }

    /// Others of this family say the same of another way or size.
    #[must_use]
    pub fn of_family(mut self, family: &str) -> Self {
        self.finding.family = Some(family.to_owned());
        self
    }

    /// The sentence where there is room for a line.
    #[must_use]
    pub fn in_brief(mut self, sentence: impl Into<String>) -> Self {
        self.finding.brief = Some(sentence.into());
        self
    }

    /// What each method said of it, and how often such an agreement was right.
    #[must_use]
    pub fn by_methods(mut self, methods: Vec<MethodSays>, pattern: Option<Pattern>) -> Self {
        self.finding.methods = methods;
        self.finding.pattern = pattern;
        self
    }

    /// Compares the answer with another source's. They agree when that one lies
    /// within the interval stretched by `slack` to both sides (0.1: a tenth).
    /// Without a reference the finding stays as stated.
    #[must_use]
    pub fn against(self, reference: Option<f64>, source: &str, slack: f64) -> Self {
        let Some(reference) = reference else {
            return self;
        };
        let f = &self.finding;
        let low = f.low.or(f.value).unwrap_or(f64::NAN) / (1.0 + slack);
        let high = f.high.or(f.value).unwrap_or(f64::NAN) * (1.0 + slack);
        let agrees = (low..=high).contains(&reference);
        self.reference(reference, source, agrees)
    }

    /// What another source says, and whether that agrees.
    #[must_use]
    pub fn reference(mut self, reference: f64, source: impl Into<String>, agrees: bool) -> Self {
        self.finding.reference = Some(reference);
        self.held_against(source, Some(true), Some(agrees))
    }

    /// What was seen and what another source says, where that is no number. Nothing
    /// seen is undecided; nothing said leaves the finding as stated.
    pub fn held_against(
        mut self,
        source: impl Into<String>,
        seen: Option<bool>,
        said: Option<bool>,
    ) -> Self {
        self.finding.reference_source = Some(source.into());
        self.verdict(match (seen, said) {
            (None, _) => Verdict::Undecided,
            (_, None) => Verdict::Stated,
            (Some(a), Some(b)) if a == b => Verdict::Agree,
            _ => Verdict::Disagree,
        })
    }

    /// Whether it disagrees with its reference.
    pub fn disagrees(&self) -> bool {
        self.finding.verdict == Verdict::Disagree
    }

    /// Ends with the sentence. What is not sure at all agrees with nothing, whatever it is held
    /// against.
    pub fn say(mut self, sentence: impl Into<String>) -> Finding {
        self.finding.sentence = sentence.into();
        let least = match self.redrawn {
            true => SURE_ENOUGH,
            false => f64::MIN_POSITIVE,
        };
        if self.finding.confidence.share < least {
            self.finding.verdict = Verdict::Undecided;
        }
        self.finding
    }
}

#[cfg(test)]
mod tests {
    use super::Conclusion;
    use record::{Unit, Verdict};

    fn verdict(reference: Option<f64>, share: f64) -> Verdict {
        Conclusion::on("k")
            .unit(Unit::Bytes)
            .redrawn(share)
            .between(64.0, 60.0, 70.0)
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
    fn one_process_is_not_sure_by_any_share() {
        let of = |method| stats::Interval {
            center: 2.0,
            low: 1.0,
            high: 3.0,
            level: 0.95,
            method,
            degrees: None,
        };
        let share = |method| {
            let estimate = Conclusion::on("k").estimate(Unit::Nanoseconds, of(method));
            estimate.say("s").confidence.share
        };
        assert_eq!(share(stats::Method::ProcessT), 0.95);
        assert!(share(stats::Method::OneProcess).is_nan());
    }

    #[test]
    fn a_value_without_an_interval_agrees_with_nothing() {
        let none = stats::Interval {
            center: 100.0,
            low: 90.0,
            high: 110.0,
            level: 0.0,
            method: stats::Method::None,
            degrees: None,
        };
        let turn = Conclusion::on("rr_turn").estimate(Unit::Nanoseconds, none);
        let turn = turn.reference(100.0, "sched_rr_timeslice_ms", true);
        assert_eq!(turn.say("s").verdict, Verdict::Undecided);
    }

    #[test]
    fn without_reference_or_confidence_there_is_no_comparison() {
        assert_eq!(verdict(None, 1.0), Verdict::Stated);
        assert_eq!(verdict(Some(64.0), 0.3), Verdict::Undecided);
    }
}
