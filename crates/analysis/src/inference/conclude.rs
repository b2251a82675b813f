//! From what the methods of a quantity said to a finding.

use super::agree::agree;
use super::forms::{Agreement, Answer, Quantity, Says};
use super::patterns::Patterns;
use crate::conclusion::Conclusion;
use record::axis::human_bytes;
use record::{Finding, MachineCard, MethodSays, Stand, Unit, Verdict};

/// Answers that were right less often than this are given as undecided: of what is said with
/// 95 %, 95 % shall be right.
const SURE_ENOUGH: f64 = 0.95;
/// A method whose bounds are so many times as far apart as those of an answer may be says nothing:
/// noise agrees with every statement.
const VAGUE: f64 = 4.0;

/// A finding, and the experiment that it is shown with: of the first method that was measured.
pub struct Concluded {
    pub experiment: &'static str,
    pub finding: Finding,
}

/// The finding on a quantity from what its methods said; None where no method was measured.
pub fn conclude(
    quantity: &Quantity,
    answers: &[Answer],
    card: &MachineCard,
    patterns: &Patterns,
) -> Option<Concluded> {
    let mine = answers.iter().filter(|a| a.quantity == quantity.key);
    let heard: Vec<Answer> = mine.map(|answer| heard(quantity, answer)).collect();
    let mine: Vec<&Answer> = heard.iter().collect();
    let experiment = quantity.method(mine.first()?.method)?.experiment;
    let agreed = agree(quantity, &mine);
    let wide = agreed.high > quantity.widest * agreed.low;
    let finding = match agreed.value {
        Some(value) if !wide => answered(quantity, &agreed, value, card, patterns),
        Some(_) => undecided(quantity, &agreed, too_wide(quantity, &agreed)),
        None => undecided(quantity, &agreed, why_none(quantity, &agreed)),
    };
    Some(Concluded {
        experiment,
        finding,
    })
}

/// What a method says, where it does not leave open so much that it supports anything.
fn heard(quantity: &Quantity, answer: &Answer) -> Answer {
    let Says::Value { low, high, .. } = answer.says else {
        return answer.clone();
    };
    if quantity.widest <= 1.0 || high <= VAGUE * quantity.widest * low {
        return answer.clone();
    }
    let why = format!("it leaves open {}", ends(quantity.unit, [low, high]));
    Answer::nothing(answer.quantity, answer.method, why)
}

fn undecided(quantity: &Quantity, agreed: &Agreement, why: String) -> Finding {
    let of = Conclusion::on(quantity.key).unit(quantity.unit).sure(0.0);
    let of = of.by_methods(agreed.methods.clone(), None);
    of.verdict(Verdict::Undecided)
        .say(format!("{}: {why}", quantity.name))
}

fn too_wide(quantity: &Quantity, agreed: &Agreement) -> String {
    let ends = ends(quantity.unit, [agreed.low, agreed.high]);
    format!("methods agree, and leave open too much: {ends}")
}

/// `4.5 to 6.9 ns`, `20.2 MiB to 68.3 MiB`.
fn ends(unit: Unit, [low, high]: [f64; 2]) -> String {
    let (scale, symbol) = match unit {
        Unit::Bytes => {
            let [low, high] = [low, high].map(|bytes| human_bytes(stats::whole(bytes)));
            return format!("{low} to {high}");
        }
        Unit::Nanoseconds if high >= 1e7 => (1e6, " ms"),
        Unit::Nanoseconds if high >= 1e4 => (1e3, " us"),
        Unit::Nanoseconds => (1.0, " ns"),
        Unit::Ratio => (0.01, " %"),
        _ => (1.0, ""),
    };
    let [low, high] = [low, high].map(|end| end / scale);
    match high < 20.0 {
        true => format!("{low:.1} to {high:.1}{symbol}"),
        false => format!("{low:.0} to {high:.0}{symbol}"),
    }
}

fn answered(
    quantity: &Quantity,
    agreed: &Agreement,
    value: f64,
    card: &MachineCard,
    patterns: &Patterns,
) -> Finding {
    let text = agreed.pattern.clone().unwrap_or_default();
    let share = patterns.share(quantity.key, &text);
    let record = patterns.record(quantity.key, text);
    let of = Conclusion::on(quantity.key).unit(quantity.unit).sure(share);
    let of = of.between(value, agreed.low, agreed.high);
    let of = of.by_methods(agreed.methods.clone(), Some(record.clone()));
    let said = (quantity.card)(card);
    let of = match &said {
        // Yes or no is no number to be shown.
        Some((known, source)) if quantity.unit == Unit::Word => {
            of.held_against(source, Some(true), Some(value == *known))
        }
        Some((known, source)) => of.against(Some(*known), source, quantity.within),
        None => of,
    };
    let sentence = (quantity.say)(agreed) + &misled(agreed);
    if share < SURE_ENOUGH {
        let why = match record.of {
            0 => "methods never agreed in this way on a simulated machine".to_owned(),
            of => format!(
                "when methods agreed in this way on simulated machines, {} of {of} were right",
                record.right
            ),
        };
        return of
            .verdict(Verdict::Undecided)
            .say(format!("perhaps {sentence}: {why}"));
    }
    let against = match said {
        Some((known, _)) if of.disagrees() => {
            let shown = (quantity.say)(&Agreement::of(known));
            format!(
                "; on the machine card {shown}: {}",
                (quantity.differs)(value, known)
            )
        }
        _ => String::new(),
    };
    of.say(sentence + &against)
}

/// What other methods say, and why they are not believed.
fn misled(agreed: &Agreement) -> String {
    let misled = agreed.methods.iter().filter(|m| m.stand == Stand::Misled);
    misled.map(|m| format!("; {}", m.why)).collect()
}

fn why_none(quantity: &Quantity, agreed: &Agreement) -> String {
    let said = |m: &&MethodSays| m.value.is_some();
    let speaking: Vec<&MethodSays> = agreed.methods.iter().filter(said).collect();
    let silent = agreed.methods.iter().filter(|m| m.value.is_none());
    let silent: Vec<String> = silent.map(|m| format!("{}: {}", m.method, m.why)).collect();
    let shown = |m: &&MethodSays| {
        let value = Agreement::of(m.value.unwrap_or(f64::NAN));
        format!("by {} {}", m.method, (quantity.say)(&value))
    };
    let answers: Vec<String> = speaking.iter().map(shown).collect();
    match (answers.as_slice(), silent.as_slice()) {
        ([], silent) => format!("no method could decide ({})", silent.join("; ")),
        ([one], []) => format!("one method alone decides nothing: {one}"),
        ([one], silent) => format!(
            "one method alone decides nothing: {one} ({})",
            silent.join("; ")
        ),
        (several, _) => format!("methods do not agree: {}", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{VAGUE, conclude};
    use crate::inference::agree::tests::{SIZE, method};
    use crate::inference::{Answer, Kind, Patterns, Quantity};
    use record::{MachineCard, Stand, Unit};

    const SLACK: Quantity = Quantity {
        key: "slack",
        unit: Unit::Nanoseconds,
        widest: 1.5,
        methods: &[
            method("said", Kind::Statement),
            method("seen", Kind::Lateness),
        ],
        ..SIZE
    };

    #[test]
    fn noise_supports_no_statement() {
        let of = |low: f64, high: f64| {
            let answers = [
                Answer::exactly("slack", "said", 50.0),
                Answer::between("slack", "seen", (low * high).sqrt(), low, high),
            ];
            let card = MachineCard::default();
            let found = conclude(&SLACK, &answers, &card, &Patterns::untested());
            found.expect("a finding").finding
        };
        assert_eq!(of(45.0, 45.0 * VAGUE * 1.49).value, Some(50.0));
        let vague = of(45.0, 45.0 * VAGUE * 1.51);
        assert_eq!(vague.value, None);
        let seen = vague.methods.iter().find(|m| m.method == "seen");
        assert!(seen.is_some_and(|m| m.stand == Stand::Silent && m.why.contains("45 to 272 ns")));
        assert!(vague.sentence.contains("one method alone"));
    }
}
