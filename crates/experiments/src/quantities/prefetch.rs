//! Whether the processor fetches lines before a program asks for them. 1 is yes, 0 no.

use super::line::{COHERENCE, FLUSH, LINE};
use super::of;
use analysis::inference::{Answer, Fooler, Kind, Makes, Method, Quantity};
use record::Unit;

pub(crate) const DROPPED: &str = "dropped";
pub(crate) const ORDER: &str = "order";

/// Distances that lines may have, in bytes.
pub(crate) const LINES: [i64; 3] = [32, 64, 128];
/// At each of them: how many times as fast loads in order are as those at random, and which
/// share of a miss the load after a run in order is spared.
const GAINS: [&str; 3] = ["gain_at_32", "gain_at_64", "gain_at_128"];
const SHARES: [&str; 3] = ["spared_at_32", "spared_at_64", "spared_at_128"];

/// Order spares translations and opens rows of memory; what gains more is fetched ahead. Less
/// proves nothing: lines that are fetched too late gain little.
const GAIN: f64 = 3.0;
/// A share of a miss that is not more than noise, and one that is.
const NOTHING: f64 = 0.15;
pub(crate) const SPARED: f64 = 0.3;
/// Which share of a miss a random order that comes back spares: no finding of its own.
const REPLAYED: &str = "replayed";

/// Whether lines are fetched ahead of loads that go through memory line after line.
pub const AHEAD: Quantity = Quantity {
    key: "fetched_ahead",
    name: "lines fetched ahead",
    unit: Unit::Word,
    within: 0.0,
    widest: 1.0,
    methods: &[
        Method {
            name: DROPPED,
            kind: Kind::Flush,
            experiment: "mem/prefetch",
            how: "lines of a page are dropped from the caches and loaded in order: the last load \
                  takes less than one at a random place of the page where its line was fetched \
                  ahead",
            fooled_by: &[
                Fooler {
                    by: "a line that is longer than the distance of the loads",
                    makes: Makes::Larger,
                },
                Fooler {
                    by: "a prefetcher that remembers which lines followed one another",
                    makes: Makes::Larger,
                },
                Fooler {
                    by: "a prefetcher that loads at random places start as well",
                    makes: Makes::Smaller,
                },
            ],
        },
        Method {
            name: ORDER,
            kind: Kind::Sweep,
            experiment: "mem/latency",
            how: "a walk line after line through the largest set is many times as fast as one in \
                  random order; a smaller gain says nothing",
            fooled_by: &[Fooler {
                by: "what order spares besides: translations, and rows of memory to open",
                makes: Makes::Larger,
            }],
        },
    ],
    say: |of| match of.value {
        Some(1.0) => "lines are fetched ahead of loads that go through memory in order".to_owned(),
        _ => "no line is fetched ahead of loads that go through memory in order".to_owned(),
    },
    card: |_| None,
    differs: |_, _| "",
};

/// Which share of a miss a random order is spared when it comes back.
pub(crate) fn replayed([value, low, high]: [f64; 3]) -> Answer {
    Answer::between(REPLAYED, DROPPED, value, low, high)
}

/// Whether chains that come back are foreseen, as far as it was measured.
pub(super) fn replays(answers: &[Answer]) -> bool {
    of(answers, REPLAYED, DROPPED).is_some_and(|[_, low, _]| low > SPARED)
}

/// What a walk over lines so far apart gains by its order.
pub(crate) fn gain(distance: f64, [value, low, high]: [f64; 3]) -> Option<Answer> {
    let key = GAINS[place(distance)?];
    Some(Answer::between(key, ORDER, value, low, high))
}

/// Which share of a miss is spared after a run over lines so far apart.
pub(crate) fn spared(distance: f64, [value, low, high]: [f64; 3]) -> Option<Answer> {
    let key = SHARES[place(distance)?];
    Some(Answer::between(key, DROPPED, value, low, high))
}

fn place(distance: f64) -> Option<usize> {
    LINES.iter().position(|bytes| *bytes as f64 == distance)
}

/// What the two say at the distance of lines, which other methods found.
pub(super) fn derived(answers: &[Answer]) -> Vec<Answer> {
    let both = [
        (ORDER, GAINS, [f64::NEG_INFINITY, GAIN]),
        (DROPPED, SHARES, [NOTHING, SPARED]),
    ];
    let said = |(method, keys, borders): (&'static str, [&str; 3], [f64; 2])| {
        let known = keys.map(|key| of(answers, key, method));
        if known.iter().all(Option::is_none) {
            return None;
        }
        let nothing = |why: String| Answer::nothing(AHEAD.key, method, why);
        let Some(line) = line(answers) else {
            return Some(nothing(
                "the length of a line was not measured: pontage run inference does".to_owned(),
            ));
        };
        let Some(figure) = place(line).and_then(|place| known[place]) else {
            return Some(nothing(format!("no loads {line:.0} B apart were measured")));
        };
        Some(either(method, figure, borders))
    };
    both.into_iter().filter_map(said).collect()
}

/// The line, where no load came in between that could have brought its neighbour.
fn line(answers: &[Answer]) -> Option<f64> {
    let by = |method| of(answers, LINE.key, method).map(|[bytes, ..]| bytes);
    by(FLUSH).or_else(|| by(COHERENCE))
}

fn either(method: &'static str, [_, low, high]: [f64; 3], [no, yes]: [f64; 2]) -> Answer {
    match () {
        () if low > yes => Answer::exactly(AHEAD.key, method, 1.0),
        () if high < no => Answer::exactly(AHEAD.key, method, 0.0),
        () => {
            let none = match no.is_finite() {
                true => format!(", below {no} none"),
                false => String::new(),
            };
            let why = format!(
                "the gain lies between {low:.2} and {high:.2}: above {yes} lines are fetched{none}"
            );
            Answer::nothing(AHEAD.key, method, why)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AHEAD, DROPPED, ORDER, derived, gain, spared};
    use crate::quantities::line::{COHERENCE, FLUSH, LINE};
    use analysis::inference::{Answer, Says};

    fn said(line: Option<f64>, all: Vec<Option<Answer>>) -> Vec<(&'static str, Option<f64>)> {
        let mut answers: Vec<Answer> = all.into_iter().flatten().collect();
        answers.extend(line.map(|bytes| Answer::exactly(LINE.key, COHERENCE, bytes)));
        answers.push(Answer::nothing(LINE.key, FLUSH, "no such instruction"));
        let value = |a: Answer| match a.says {
            Says::Value { value, .. } => (a.method, Some(value)),
            Says::Nothing(_) => (a.method, None),
        };
        let all = derived(&answers).into_iter();
        all.inspect(|a| assert_eq!(a.quantity, AHEAD.key))
            .map(value)
            .collect()
    }

    #[test]
    fn the_gain_counts_at_the_distance_of_lines() {
        let all = || {
            // Half of the loads 64 B apart hit where a line is 128 B.
            vec![
                gain(64.0, [2.2, 2.1, 2.3]),
                gain(128.0, [1.2, 1.1, 1.3]),
                spared(64.0, [0.97, 0.96, 0.98]),
                spared(128.0, [0.02, -0.05, 0.08]),
            ]
        };
        assert_eq!(
            said(Some(128.0), all()),
            [(ORDER, None), (DROPPED, Some(0.0))]
        );
        assert_eq!(
            said(Some(64.0), all()),
            [(ORDER, None), (DROPPED, Some(1.0))]
        );
        assert_eq!(said(None, all()), [(ORDER, None), (DROPPED, None)]);
        assert_eq!(said(Some(32.0), all()), [(ORDER, None), (DROPPED, None)]);
        let fast = vec![gain(64.0, [80.0, 60.0, 90.0])];
        assert_eq!(said(Some(64.0), fast), [(ORDER, Some(1.0))]);
        assert_eq!(said(Some(64.0), Vec::new()), []);
    }
}
