//! One plan's estimate against what it took, and all of them together.

/// A run may take longer or shorter than was estimated by this share of what it took.
const ALLOWED: f64 = 0.25;

/// What came of one run.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It ended; `trouble` says what it ended with, where that is no success.
    Ran {
        estimated_s: f64,
        took_s: f64,
        trouble: Option<String>,
    },
    /// Nothing of it runs here.
    Skipped(String),
}

impl Verdict {
    /// Above the rows.
    pub const HEAD: &str =
        "plan                           run     estimated     took      off  ratio  within 25 %";

    /// Nothing of it runs here.
    pub fn is_skip(&self) -> bool {
        matches!(self, Verdict::Skipped(_))
    }

    /// Whether the estimate was good; None of a skip.
    pub fn within(&self) -> Option<bool> {
        match self {
            Verdict::Skipped(_) => None,
            Verdict::Ran {
                estimated_s,
                took_s,
                ..
            } => Some((estimated_s - took_s).abs() <= ALLOWED * took_s),
        }
    }

    /// A row of the table.
    pub fn row(&self, name: &str, which: &str) -> String {
        match self {
            Verdict::Skipped(why) => format!("{name:<30} {which:<6}  SKIP  {why}"),
            Verdict::Ran {
                estimated_s,
                took_s,
                trouble,
            } => {
                let off_s = took_s - estimated_s;
                let ratio = took_s / estimated_s;
                let within = if self.within() == Some(true) {
                    "yes"
                } else {
                    "NO"
                };
                let trouble = trouble.as_deref().unwrap_or_default();
                let row = format!(
                    "{name:<30} {which:<6} {estimated_s:>8.1} s {took_s:>6.1} s {off_s:>+6.1} s \
                     {ratio:>6.2}  {within:<3}  {trouble}"
                );
                row.trim_end().to_owned()
            }
        }
    }
}

/// Of all runs.
#[derive(Debug, Default)]
pub struct Sum {
    runs: usize,
    within: usize,
    skipped: usize,
    troubled: usize,
    left_out: Vec<String>,
}

impl Sum {
    /// One more run.
    pub fn add(&mut self, verdict: &Verdict) {
        match verdict.within() {
            None => self.skipped += 1,
            Some(within) => {
                self.runs += 1;
                self.within += usize::from(within);
            }
        }
        let troubled = matches!(
            verdict,
            Verdict::Ran {
                trouble: Some(_),
                ..
            }
        );
        self.troubled += usize::from(troubled);
    }

    /// There was no time for this plan.
    pub fn left_out(&mut self, name: &str) {
        self.left_out.push(name.to_owned());
    }

    /// The last lines of the table.
    pub fn text(&self) -> String {
        let mut text = format!(
            "within 25 %: {} of {} runs; {} skipped, {} ended with an error",
            self.within, self.runs, self.skipped, self.troubled
        );
        if !self.left_out.is_empty() {
            text.push_str(&format!(
                "\nnot run for lack of time ({}): {}",
                self.left_out.len(),
                self.left_out.join(", ")
            ));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{Sum, Verdict};

    fn ran(estimated_s: f64, took_s: f64) -> Verdict {
        Verdict::Ran {
            estimated_s,
            took_s,
            trouble: None,
        }
    }

    #[test]
    fn a_quarter_of_what_it_took_is_allowed() {
        for (estimated_s, within) in [(7.4, false), (7.6, true), (12.4, true), (12.6, false)] {
            assert_eq!(
                ran(estimated_s, 10.0).within(),
                Some(within),
                "{estimated_s}"
            );
        }
        assert_eq!(Verdict::Skipped("no device".to_owned()).within(), None);
    }

    #[test]
    fn the_sum_counts_runs_skips_and_what_was_left_out() {
        let mut sum = Sum::default();
        sum.add(&ran(1.0, 1.0));
        sum.add(&ran(1.0, 2.0));
        sum.add(&Verdict::Skipped("no device".to_owned()));
        sum.left_out("full");
        let text = sum.text();
        assert!(
            text.starts_with("within 25 %: 1 of 2 runs; 1 skipped, 0 ended"),
            "{text}"
        );
        assert!(
            text.ends_with("not run for lack of time (1): full"),
            "{text}"
        );
        let row = ran(1.0, 2.0).row("a/b", "first");
        assert!(row.ends_with("+1.0 s   2.00  NO"), "{row:?}");
    }
}
