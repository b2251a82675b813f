//! "Did you mean": the known names nearest to a mistyped one.

/// Below this a name has nothing in common with what was typed.
const ALIKE: f64 = 0.8;

/// Up to three, nearest first.
pub fn nearest(typed: &str, known: &[String]) -> Vec<String> {
    let scored = known
        .iter()
        .map(|name| (strsim::jaro_winkler(typed, name), name));
    let mut near: Vec<_> = scored.filter(|(score, _)| *score > ALIKE).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    near.dedup_by(|a, b| a.1 == b.1);
    near.into_iter().take(3).map(|(_, n)| n.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_comes_first_and_strangers_do_not() {
        let known = ["sched_switch", "sched_waking", "irq", "sched_switch"].map(str::to_owned);
        assert_eq!(nearest("sched_swich", &known)[0], "sched_switch");
        assert_eq!(nearest("zzz", &known), Vec::<String>::new());
    }
}
