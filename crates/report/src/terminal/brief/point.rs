//! One point: value, interval, range, spread, a line of histogram, modes, verdict.

use crate::document::{Document, Phrase, Span, Text, Tone};
use crate::format::{counted, modes, percent, significant, time_ns};
use analysis::view::ContaminationLevel;
use analysis::{PointView, Summary};
use record::{RunHead, Unit};

const LABEL: usize = 10;
/// Heights of a bar, from nothing to full.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub(super) fn document(point: &PointView, label: &str, run: &RunHead, width: usize) -> Document {
    let mut document = Document::new();
    let Some(s) = point.primary() else {
        return document;
    };
    if !label.is_empty() {
        document.line(Phrase::toned(label, Tone::Strong));
    }
    let time = |ns: f64| time_ns(ns, 3);
    document.text(line(
        "Time",
        format!("{}{}", value(s), in_cycles(point, run)),
    ));
    document.text(line(
        "Range",
        format!(
            "{} .. {}, quartiles {} .. {}; {} of {}",
            time(s.min),
            time(s.max),
            time(s.p25),
            time(s.p75),
            counted(s.samples as usize, "sample", "samples"),
            counted(s.processes as usize, "process", "processes"),
        ),
    ));
    document.extend(histogram(point, width));
    if let Some(sentence) = modes(s, Unit::Nanoseconds) {
        let between = match s.modes_between_processes {
            true => "; each process has one of them",
            false => "",
        };
        document.text(line("Modes", format!("{sentence}{between}")));
    }
    document.text(line("Verdict", verdict(point, s)));
    document
}

fn line(label: &str, text: String) -> Text {
    Text::new(text).label(2, Span::new(label).tone(Tone::Soft), LABEL)
}

/// `204 ns (162 to 255, 95 %)`.
fn value(s: &Summary) -> String {
    let center = time_ns(s.median.center, 3);
    match summary::has_interval(s) {
        false => format!("{center}, no interval"),
        true => format!(
            "{center}, {} to {} ({} interval of the median)",
            time_ns(s.median.low, 3),
            time_ns(s.median.high, 3),
            percent(s.median.level),
        ),
    }
}

fn in_cycles(point: &PointView, run: &RunHead) -> String {
    let counts = run.instrument.yardstick.is_some_and(|y| y.counts_cycles());
    match (&point.cycles, point.link_ns.filter(|_| counts)) {
        (Some(cycles), Some(link)) => format!(
            "; {} cycles at {} GHz",
            significant(cycles.center, 3),
            significant(1.0 / link, 3)
        ),
        (Some(cycles), None) => format!("; {} cycles", significant(cycles.center, 3)),
        _ => String::new(),
    }
}

fn histogram(point: &PointView, width: usize) -> Option<Text> {
    let shown = point.histogram.as_ref()?;
    let most = shown.bins.iter().copied().max().filter(|most| *most > 0)? as usize;
    let bar = |count: &u32| match *count as usize {
        0 => BARS[0],
        n => BARS[(n * (BARS.len() - 1)).div_ceil(most).min(BARS.len() - 1)],
    };
    let bars: String = shown.bins.iter().map(bar).collect();
    let beyond = match shown.beyond {
        0 => String::new(),
        n => format!(", {n} beyond"),
    };
    let ends = [shown.from, shown.to].map(|ns| time_ns(ns, 3));
    let line = format!("{:12}{}  {bars}  {}{beyond}", "", ends[0], ends[1]);
    (line.chars().count() <= width).then(|| Text::line(line))
}

fn verdict(point: &PointView, s: &Summary) -> String {
    let contamination = point.contamination.as_ref();
    let watched = match contamination {
        None => "disturbances were not watched".to_owned(),
        Some(c) => match (c.level, c.disturbed) {
            (ContaminationLevel::Contaminated, _) => format!("disturbed: {}", c.reason),
            (_, 0) => "no sample disturbed".to_owned(),
            (_, some) => {
                let samples = c.samples;
                format!("{some} of {samples} samples disturbed, the median does not move")
            }
        },
    };
    let speeds = match s.modes.len() {
        0 | 1 => "one speed",
        _ => "several speeds: the median alone misleads",
    };
    format!("{speeds}; {watched}")
}
