//! How often methods that agreed in a given way were right, on machines whose truth is
//! known.

use record::Pattern;
use std::collections::{BTreeMap, BTreeSet};

/// Counted by `cargo xtask zoo --keep`.
const COUNTED: &str = include_str!("../../data/patterns.json");

/// Right answers and all answers, by quantity and pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    counts: BTreeMap<String, BTreeMap<String, [u32; 2]>>,
    /// Every pattern is believed: while they are being counted.
    untested: bool,
}

impl Patterns {
    /// Those that come with the program.
    pub fn counted() -> Patterns {
        Patterns::parse(COUNTED).unwrap_or_default()
    }

    /// From `{"line_size": {"coherence+flush": [312, 312]}}`: right, and all.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Patterns, serde_json::Error> {
        Ok(Patterns {
            counts: serde_json::from_str(text)?,
            untested: false,
        })
    }

    /// Believes every pattern, so that all of them can be counted.
    pub fn untested() -> Patterns {
        Patterns {
            counts: BTreeMap::new(),
            untested: true,
        }
    }

    /// One more answer by this pattern.
    pub fn add(&mut self, quantity: &str, pattern: &str, right: bool) {
        let of = self.counts.entry(quantity.to_owned()).or_default();
        let [good, all] = of.entry(pattern.to_owned()).or_default();
        *good += u32::from(right);
        *all += 1;
    }

    /// What another record has of these quantities, in the place of what this one has.
    pub fn replace(&mut self, by: &Patterns, keys: &[&str]) {
        for key in keys {
            match by.counts.get(*key) {
                Some(of) => self.counts.insert((*key).to_owned(), of.clone()),
                None => self.counts.remove(*key),
            };
        }
    }

    /// The text that `parse` reads, one pattern a line.
    ///
    /// # Errors
    /// Never of counts; what the writer says.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(&self.counts).map(|text| text + "\n")
    }

    /// The record of a pattern: its own, with those of patterns in which no other methods
    /// agreed, fewer of them, and no fewer were misled. An agreement of more methods is not
    /// less sure than one of some of them.
    pub fn record(&self, quantity: &str, text: String) -> Pattern {
        let of = self.counts.get(quantity).into_iter().flatten();
        let within = of.filter(|(known, _)| is_within(known, &text));
        let (right, of) = within.fold((0, 0), |sum, (_, [right, of])| (sum.0 + right, sum.1 + of));
        Pattern { text, right, of }
    }

    /// All patterns of a quantity, those that were seen most first.
    pub fn of(&self, quantity: &str) -> Vec<Pattern> {
        let texts = self
            .counts
            .get(quantity)
            .into_iter()
            .flat_map(BTreeMap::keys);
        let mut all: Vec<Pattern> = texts
            .map(|text| self.record(quantity, text.clone()))
            .collect();
        all.sort_by_key(|pattern| std::cmp::Reverse(pattern.of));
        all
    }

    /// How often the next answer by this pattern should be right: the rule of succession,
    /// (right + 1) / (all + 2), so that a pattern which was seldom seen is not believed.
    pub fn share(&self, quantity: &str, pattern: &str) -> f64 {
        if self.untested {
            return 1.0;
        }
        let Pattern { right, of, .. } = self.record(quantity, pattern.to_owned());
        f64::from(right + 1) / f64::from(of + 2)
    }
}

/// Methods that agree, and clauses on those that were misled.
fn parts(pattern: &str) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let mut clauses = pattern.split(", ");
    let agreeing = clauses.next().unwrap_or_default().split('+').collect();
    (agreeing, clauses.collect())
}

fn is_within(known: &str, pattern: &str) -> bool {
    let (its, misled) = parts(known);
    let (all, also_misled) = parts(pattern);
    its.is_subset(&all) && also_misled.is_subset(&misled)
}

#[cfg(test)]
mod tests {
    use super::Patterns;

    #[test]
    fn more_methods_that_agree_are_as_sure_as_some_of_them() {
        let mut patterns = Patterns::default();
        (0..20).for_each(|_| patterns.add("line_size", "coherence+flush, pair larger", true));
        patterns.add("line_size", "flush+pair", true);
        patterns.add("line_size", "pair+walk, flush smaller", false);
        let of = |text: &str| {
            let record = patterns.record("line_size", text.to_owned());
            (record.right, record.of)
        };
        assert_eq!(of("coherence+flush+pair"), (21, 21));
        assert_eq!(of("coherence+flush"), (20, 20));
        assert_eq!(
            of("coherence+flush, walk larger"),
            (0, 0),
            "another was misled"
        );
        assert_eq!(of("pair+walk"), (0, 1));
    }

    #[test]
    fn of_some_quantities_the_record_is_replaced_and_of_others_it_stays() {
        let mut patterns = Patterns::default();
        let mut new = Patterns::default();
        patterns.add("line_size", "flush+pair", true);
        patterns.add("l1d_ways", "conflict+quotient", true);
        patterns.add("tick_period", "coarse+gaps", true);
        new.add("tick_period", "coarse+statement", true);
        new.add("line_size", "pair+walk", false);
        patterns.replace(&new, &["tick_period", "l1d_ways"]);
        assert_eq!(patterns.of("line_size")[0].text, "flush+pair");
        assert_eq!(patterns.of("tick_period")[0].text, "coarse+statement");
        assert!(patterns.of("l1d_ways").is_empty());
    }

    #[test]
    fn those_that_come_with_the_program_can_be_read() {
        assert!(Patterns::parse(super::COUNTED).is_ok());
    }

    #[test]
    fn an_agreement_that_was_seldom_seen_is_not_believed() {
        let mut patterns = Patterns::default();
        assert_eq!(patterns.share("line_size", "flush+pair"), 0.5);
        (0..17).for_each(|_| patterns.add("line_size", "flush+pair", true));
        assert!(patterns.share("line_size", "flush+pair") < 0.95);
        patterns.add("line_size", "flush+pair", true);
        assert_eq!(patterns.share("line_size", "flush+pair"), 0.95);
        patterns.add("line_size", "flush+pair", false);
        assert!(patterns.share("line_size", "flush+pair") < 0.95);
        let text = patterns.text().expect("counts are plain data");
        let read = Patterns::parse(&text).expect("as written");
        assert_eq!(read, patterns);
        assert_eq!(read.of("line_size")[0].right, 18);
    }
}
