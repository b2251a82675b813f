//! The clock rate behind the chains, compared with the rates on the card.

use analysis::claims::{Outcome, is_contaminated};
use analysis::conclusion::Conclusion;
use analysis::sentence::list;
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use record::{Finding, MachineCard, Unit};
use stats::{Interval, Period, TimedMultiple, common_period};

/// Rates closer than this are the same rate.
const RATE_SLACK: f64 = 0.02;

/// Lines of the card that may carry a clock rate, the most telling first.
const RATE_LINES: [&str; 3] = ["clock rate", "clock", "processor"];

/// The chain of dependent additions.
const ADD: &str = "add";

/// Claims of `cpu/clock`: chains take whole cycles, a dependent addition one.
pub const CLAIMS: &[Claim] = &[
    Claim {
        text: "every chain takes a whole number of cycles",
        check: whole_cycles,
    },
    Claim {
        text: "a dependent addition takes one cycle",
        check: addition_is_one_cycle,
    },
];

/// Clock rate, MHz, and the cycles of a dependent load, from the common period of all
/// chains.
pub fn findings(table: &ExperimentTable, card: &MachineCard) -> Vec<Finding> {
    let chains = Chains::of(table);
    if chains.times.is_empty() {
        return Vec::new();
    }
    let Some(period) = chains.period() else {
        let why = "the chains have no cycle time in common; the clock may have changed while \
                   they ran, or other work shared the core";
        return vec![Conclusion::undecided("clock_rate", Unit::Megahertz, why)];
    };
    let mut found = vec![rate(&chains, &period, card)];
    found.extend(load_cycles(&chains, &period));
    found
}

/// Measured chains and the shortest of their times, uncertain up to the fastest
/// quarter: nothing makes a batch shorter than its cycles, while what shares
/// the core makes it longer.
struct Chains {
    names: Vec<String>,
    times: Vec<TimedMultiple>,
}

impl Chains {
    fn of(table: &ExperimentTable) -> Self {
        let timed = |p: &PointView| {
            let name = p.head.value("chain")?.as_word()?.to_owned();
            let s = p.primary()?;
            let time = TimedMultiple {
                time: Interval::resampled(s.min, s.min, s.p25),
                multiple: None,
            };
            (time.time.low > 0.0).then_some((name, time))
        };
        let (names, times) = table.points.iter().filter_map(timed).unzip();
        Chains { names, times }
    }

    /// The cycle time, ns.
    fn period(&self) -> Option<Period> {
        common_period(&self.times).ok().flatten()
    }

    fn cycles_of(&self, name: &str, period: &Period) -> Option<u32> {
        let at = self.names.iter().position(|n| n == name)?;
        period.multiples.get(at).copied()
    }

    /// `add 1, multiply 3`.
    fn describe(&self, period: &Period) -> String {
        let each = self.names.iter().zip(&period.multiples);
        list(each.map(|(name, n)| format!("{name} {n}")), ", ")
    }
}

fn rate(chains: &Chains, period: &Period, card: &MachineCard) -> Finding {
    let mhz = |ns: f64| 1000.0 / ns;
    let cycle = period.period;
    let value = cycle.map(mhz);
    let rate = value.center;
    let (reference, source) = card_rate(card).unzip();
    let source = source.unwrap_or_default();
    let c = Conclusion::on("clock_rate")
        .redrawn_value(Unit::Megahertz, period.confidence, value)
        .against(reference, &source, RATE_SLACK);
    let on_card = match (reference, c.disagrees()) {
        (None, _) => "; the card gives no rate to compare with".to_owned(),
        (Some(r), false) => format!("; {source} says {r:.0} MHz"),
        (Some(r), true) if rate > r => {
            format!("; {source} says {r:.0} MHz: boost lifts a busy core above its nominal rate")
        }
        (Some(r), true) => format!(
            "; {source} says {r:.0} MHz: below a permitted maximum the governor, heat or \
             power set the rate"
        ),
    };
    c.say(format!(
        "this core ran at {rate:.0} MHz, a cycle of {:.4} ns; in cycles: {}{on_card}",
        cycle.center,
        chains.describe(period)
    ))
}

fn load_cycles(chains: &Chains, period: &Period) -> Option<Finding> {
    let cycles = f64::from(chains.cycles_of("load", period)?);
    let load = Conclusion::on("l1d_load_cycles");
    let load = load.redrawn_step(Unit::Cycles, period.confidence, cycles);
    let text = format!("a load that hits the first cache takes {cycles:.0} cycles");
    Some(load.say(text))
}

/// The highest rate that a line of the card states, MHz, and which line.
fn card_rate(card: &MachineCard) -> Option<(f64, String)> {
    RATE_LINES.iter().find_map(|label| {
        let (_, text) = card.lines.iter().find(|(l, _)| l == label)?;
        let rate = rates_in(text).into_iter().max_by(f64::total_cmp)?;
        Some((rate, format!("machine card, {label}")))
    })
}

/// Every `2300 MHz`, `3.6 GHz` or `2.30GHz` in a text, MHz.
fn rates_in(text: &str) -> Vec<f64> {
    let units = [("MHz", 1.0), ("GHz", 1000.0)].into_iter();
    let rates = units.flat_map(|(unit, scale)| {
        let before = text.match_indices(unit).map(|(at, _)| &text[..at]);
        before.filter_map(move |text| Some(trailing_number(text)? * scale))
    });
    rates.collect()
}

fn trailing_number(text: &str) -> Option<f64> {
    let text = text.trim_end();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    text[digits.len()..].parse().ok()
}

/// Why chains without a common period decide nothing.
const NO_PERIOD: &str = "no common cycle time: the clock changed, or other work shared the core";

/// The period rests on nearly all chains with 95 % (`stats::period`); what does not fit it then is
/// no multiple, unless other work moved it.
fn whole_cycles(table: &ExperimentTable) -> Option<Outcome> {
    let chains = Chains::of(table);
    if chains.times.len() < stats::period::FEWEST_TIMES {
        return None;
    }
    let Some(period) = chains.period() else {
        return Some(Outcome::unclear(NO_PERIOD));
    };
    let text = format!("in cycles: {}", chains.describe(&period));
    let name = |at: &usize| chains.names.get(*at).map(String::as_str);
    let odd: Vec<&str> = period.misfits.iter().filter_map(name).collect();
    let moved = odd.iter().find(|name| is_moved(table, name));
    Some(match (odd.as_slice(), moved) {
        ([], _) => Outcome::exactly(true, text),
        (_, Some(name)) => Outcome::unclear(format!("{text}; {name} is contaminated")),
        (odd, None) => Outcome::exactly(false, format!("{text}; no multiple: {}", odd.join(", "))),
    })
}

fn addition_is_one_cycle(table: &ExperimentTable) -> Option<Outcome> {
    let chains = Chains::of(table);
    let at = chains.names.iter().position(|name| name == ADD)?;
    if chains.times.len() < stats::period::FEWEST_TIMES {
        return None;
    }
    let Some(period) = chains.period() else {
        return Some(Outcome::unclear(NO_PERIOD));
    };
    let cycles = period.multiples.get(at)?;
    let text = format!("{cycles} cycles of {:.4} ns", period.period.center);
    Some(match period.misfits.contains(&at) {
        true => Outcome::unclear(format!("{text}; the addition fits no multiple")),
        false => Outcome::exactly(*cycles == 1, text),
    })
}

/// Whether other work moved the times of a chain.
fn is_moved(table: &ExperimentTable, chain: &str) -> bool {
    let point = table.point(&[("chain", chain)]);
    point.is_some_and(is_contaminated)
}

#[cfg(test)]
mod tests;
