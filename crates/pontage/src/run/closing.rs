//! How long a run goes on when its last sample is there: conclusions, tables, the page.
//!
//! A run with a limit of time ends within it, closing included. What that takes on this machine
//! is known from the last run of the same recipe.

use pontage::state_file;
use std::collections::BTreeMap;
use std::time::Duration;

/// In the state folder: by the recipe's name, s.
const FILE: &str = "closing.json";
/// Of a run that was never closed here.
const USUAL_S: f64 = 5.0;
/// Not more of a limit than this part: most of the time is for measuring.
const MOST: f64 = 0.25;

/// Time for measuring, of a run with this limit that began so long ago.
pub fn left(recipe: &str, within: Duration, passed: Duration) -> Duration {
    let known: BTreeMap<String, f64> = state_file::read(FILE).unwrap_or_default();
    let closing = of(known.get(recipe).copied(), within);
    within.saturating_sub(passed).saturating_sub(closing)
}

fn of(known_s: Option<f64>, within: Duration) -> Duration {
    let known_s = known_s.filter(|s| s.is_finite() && *s > 0.0);
    Duration::from_secs_f64(known_s.unwrap_or(USUAL_S)).min(within.mul_f64(MOST))
}

/// A run was closed in this time; what cannot be kept is not missed.
pub fn learn(recipe: &str, took: Duration) {
    let mut known: BTreeMap<String, f64> = state_file::read(FILE).unwrap_or_default();
    known.insert(recipe.to_owned(), took.as_secs_f64());
    let _ = state_file::keep(FILE, &known);
}

#[cfg(test)]
mod tests {
    use super::of;
    use std::time::Duration;

    #[test]
    fn closing_takes_what_it_took_and_never_most_of_the_time() {
        let seconds = Duration::from_secs;
        assert_eq!(of(None, seconds(70)), seconds(5));
        assert_eq!(of(Some(12.0), seconds(70)), seconds(12));
        assert_eq!(of(Some(200.0), seconds(20)), seconds(5));
        assert_eq!(of(Some(f64::NAN), seconds(70)), seconds(5), "no number");
        assert_eq!(of(Some(-1.0), seconds(2)), Duration::from_millis(500));
    }
}
