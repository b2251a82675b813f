//! How often answers were right against how sure they would have been, each by the record of all
//! other cores.

use crate::judge::{Judged, counted};
use crate::truth::Outcome;
use stats::wilson;
use std::fmt::Write as _;

/// Lower ends of the classes of confidence.
const LOWEST: [f64; 6] = [0.0, 0.5, 0.8, 0.9, 0.95, 0.98];

/// Answers of which about as much was said.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Class {
    lowest: f64,
    sum: f64,
    right: u32,
    all: u32,
}

impl Class {
    fn said(&self) -> f64 {
        self.sum / f64::from(self.all)
    }

    fn right(&self) -> f64 {
        f64::from(self.right) / f64::from(self.all)
    }
}

/// Each class that has answers, the least sure first.
pub fn classes(judged: &[Judged]) -> Vec<Class> {
    let mut classes = LOWEST.map(|lowest| Class {
        lowest,
        ..Class::default()
    });
    let mut cores: Vec<&str> = judged.iter().map(|j| j.core.as_str()).collect();
    cores.sort_unstable();
    cores.dedup();
    for core in cores {
        let (own, others): (Vec<&Judged>, Vec<&Judged>) =
            judged.iter().partition(|j| j.core == core);
        let patterns = counted(others.into_iter());
        let said = own.iter().flat_map(|j| {
            let key = &j.finding.key;
            j.agreements()
                .map(move |(pattern, outcome)| (key, pattern, outcome))
        });
        for (key, pattern, outcome) in said {
            let said = patterns.share(key, pattern);
            let class = LOWEST.iter().rposition(|low| said >= *low).unwrap_or(0);
            classes[class].sum += said;
            classes[class].right += u32::from(outcome == Outcome::Right);
            classes[class].all += 1;
        }
    }
    classes.into_iter().filter(|class| class.all > 0).collect()
}

/// Percent at the left edge; one column each up to 100.
const LEFT: f64 = 50.0;
const COLUMNS: usize = 51;

/// A line for each class: what was said (`o`), the share that was right (`x`, `*` where both are)
/// and its 95 % interval.
pub fn drawn(classes: &[Class]) -> String {
    let mut text = format!("{:63}50 %{:>47}\n", "", "100 %");
    for class in classes {
        let right = wilson(class.right(), f64::from(class.all));
        let _ = writeln!(
            text,
            "from {:3.0} %: said {:5.1} %, right {:5.1} % of {:5} ({:3.0} to {:3.0}) |{}|",
            100.0 * class.lowest,
            100.0 * class.said(),
            100.0 * right.center,
            class.all,
            100.0 * right.low,
            100.0 * right.high,
            line(class.said(), [right.center, right.low, right.high])
        );
    }
    text
}

fn line(said: f64, [right, low, high]: [f64; 3]) -> String {
    let column = |share: f64| {
        let place = stats::whole((100.0 * share - LEFT).max(0.0));
        usize::try_from(place)
            .unwrap_or(usize::MAX)
            .min(COLUMNS - 1)
    };
    let mut line = [' '; COLUMNS];
    line[column(low)..=column(high)].fill('-');
    line[column(said)] = 'o';
    line[column(right)] = if column(said) == column(right) {
        '*'
    } else {
        'x'
    };
    line.iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{Class, drawn, line};

    #[test]
    fn what_was_said_and_what_was_right_stand_at_their_percent() {
        let text = line(0.6, [0.75, 0.7, 0.8]);
        assert_eq!(text.len(), 51);
        assert_eq!((text.find('o'), text.find('x')), (Some(10), Some(25)));
        assert_eq!((text.find('-'), text.rfind('-')), (Some(20), Some(30)));
        assert_eq!(line(0.8, [0.8, 0.7, 0.9]).find('*'), Some(30));
        assert_eq!(line(0.1, [0.2, 0.0, 0.4]).find('*'), Some(0));
    }

    #[test]
    fn a_class_says_how_many_answers_it_rests_on() {
        let class = Class {
            lowest: 0.95,
            sum: 96.0,
            right: 98,
            all: 100,
        };
        let text = drawn(&[class]);
        assert!(
            text.contains("said  96.0 %, right  98.0 % of   100 ( 93 to  99)"),
            "{text}"
        );
        let widths: Vec<usize> = text.lines().map(str::len).collect();
        assert_eq!(
            widths[0] + 1,
            widths[1],
            "the scale ends where the lines do"
        );
    }
}
