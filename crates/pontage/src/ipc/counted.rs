//! What is to be said of iterations that were counted.

use super::iteration::Sample;
use analysis::probe_effect::SLOWED;
use record::{ALARM, PROBE_EFFECT};

/// Says what counting costs, and which counts are not given.
pub fn say(samples: &[Sample]) {
    notes(samples)
        .iter()
        .for_each(|note| harness::message!("{note}"));
}

fn notes(samples: &[Sample]) -> Vec<String> {
    let effect = |s: &Sample| {
        let found = s.counts.iter().find(|(name, _)| name == PROBE_EFFECT);
        found.map(|(_, effect)| *effect)
    };
    let effects: Vec<f64> = samples.iter().filter_map(effect).collect();
    let mut said = Vec::new();
    if let Ok(median) = analysis::median(&effects) {
        let always = effects.iter().all(|effect| *effect > 1.0);
        let alarm = if median > 1.0 + SLOWED && always {
            ALARM
        } else {
            "note: "
        };
        said.push(format!(
            "{alarm}bandwidth and times are of exchanges without counters; with them one takes \
             {median:.2} times as long (median of {})",
            effects.len()
        ));
    }
    for note in samples.iter().flat_map(|s| &s.notes) {
        let note = match note.starts_with(ALARM) {
            true => note.clone(),
            false => format!("note: {note}"),
        };
        if !said.contains(&note) {
            said.push(note);
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(effect: f64, notes: &[&str]) -> Sample {
        Sample {
            total_bytes: 1,
            elapsed_ns: 1.0,
            messages_sent: 0,
            messages_received: 0,
            voluntary_switches: 0,
            involuntary_switches: 0,
            user_ns: 0,
            system_ns: 0,
            counts: vec![(PROBE_EFFECT.to_owned(), effect)],
            notes: notes.iter().map(|n| (*n).to_owned()).collect(),
        }
    }

    #[test]
    fn what_counting_costs_is_said_once_and_is_an_alarm_above_5_percent() {
        assert_eq!(notes(&[]), [""; 0]);
        let calm = notes(&[sample(1.01, &[]), sample(1.03, &[])]);
        assert!(
            calm[0].starts_with("note: ") && calm[0].contains("1.02 times"),
            "{calm:?}"
        );
        let slow = notes(&[sample(14.0, &["x"]), sample(16.0, &["x", "alarm: y"])]);
        assert!(
            slow[0].starts_with("alarm: ") && slow[0].contains("15.00 times"),
            "{slow:?}"
        );
        assert_eq!(slow[1..], ["note: x", "alarm: y"]);
    }
}
