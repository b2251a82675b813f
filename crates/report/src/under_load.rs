//! Two runs of one plan, light and heavy, in words: which paths stay
//! predictable, and what the answer rests on.

use crate::format::{counted, percent, significant};
use crate::grouped::grouped;
use analysis::under_load::{
    MEDIAN_MOVED, Path, Series, Side, TAIL_STEADY, TailAt, UnderLoad, Verdict,
};

/// The question of the whole.
pub const QUESTION: &str = "Which paths stay predictable under load?";

/// Paths of one series with one verdict.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// `copy/memcpy cache=hot`.
    pub label: String,
    /// `12 of 14: size=64 to size=65536`; empty for a path that stands alone.
    pub points: String,
    /// Median and tail in words.
    pub figures: String,
    /// What decided, or what keeps the verdict from being certain.
    pub reason: String,
    /// Where it stands among lines of its verdict: the steadiest first.
    span: f64,
}

/// The answer in a sentence or two.
pub(crate) fn answer(b: &UnderLoad) -> String {
    let all = b.paths().count();
    if all == 0 {
        return "No path was measured in both runs.".to_owned();
    }
    let predictable = b.count(Verdict::Predictable);
    let verb = if predictable == 1 { "stays" } else { "stay" };
    let mut text = format!(
        "{predictable} of {} {verb} predictable under load: median within {} of that without \
         load, tail within {} times the median.",
        counted(all, "path", "paths"),
        percent(MEDIAN_MOVED),
        TAIL_STEADY,
    );
    let rest = [
        (Verdict::Faster, "faster and steady"),
        (Verdict::Slower, "slower but steady"),
        (Verdict::Unpredictable, "unpredictable"),
        (Verdict::Undecided, "undecided"),
    ];
    let sentences = rest
        .iter()
        .map(|(verdict, words)| (b.count(*verdict), words));
    let sentences = sentences.filter(|(n, _)| *n > 0);
    let sentences: Vec<String> = sentences.map(|(n, words)| format!("{n} {words}")).collect();
    if !sentences.is_empty() {
        text.push_str(&format!(" {}.", sentences.join(", ")));
    }
    let mut reasons = b.paths().map(|p| (p.verdict, p.reason.as_str()));
    let first = reasons.next();
    // One reason for all is the answer.
    if let Some((Verdict::Undecided, reason)) = first.filter(|f| reasons.all(|r| r == *f)) {
        text.push_str(&format!(" Why: {reason}."));
    }
    text
}

/// What the answer rests on: which tails, how many samples, averages.
pub(crate) fn grounds(b: &UnderLoad) -> Vec<String> {
    let mut found = Vec::new();
    for at in [TailAt::P999, TailAt::P99, TailAt::Max] {
        let of: Vec<&Path> = b.paths().filter(|p| p.heavy.tail_at == at).collect();
        if let Some(samples) = range(of.iter().map(|p| f64::from(samples(p)))) {
            let paths = counted(of.len(), "path", "paths");
            found.push(match at {
                TailAt::Max => {
                    format!("the tail of {paths} is the largest of {samples} samples: no quantile")
                }
                _ => format!(
                    "the tail of {paths} is {}, from {samples} samples",
                    at.name()
                ),
            });
        }
    }
    let unsure = b.paths().filter(|p| !p.certain).count();
    let sure = match unsure {
        1 => "1 verdict is".to_owned(),
        n => format!("{n} verdicts are"),
    };
    if unsure > 0 {
        found.push(format!(
            "{sure} only probable: the intervals allow another verdict (more samples: --full)"
        ));
    }
    let averaged = b.paths().map(|p| p.heavy.operations);
    let averaged: Vec<f64> = averaged.filter(|n| *n > 1.0).collect();
    if let Some(operations) = range(averaged.iter().copied()) {
        found.push(format!(
            "samples of {} average over {operations} operations: a single late operation does not \
             show",
            counted(averaged.len(), "path", "paths"),
        ));
    }
    found
}

/// Samples of the side that has fewer.
fn samples(path: &Path) -> u32 {
    path.light.samples.min(path.heavy.samples)
}

/// `20 to 77`.
fn range(values: impl Iterator<Item = f64> + Clone) -> Option<String> {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(f64::NEG_INFINITY, f64::max);
    let short = |v: f64| format!("{v:.0}");
    match (low, high) {
        (low, high) if low > high => None,
        (low, high) if low == high => Some(short(low)),
        (low, high) => Some(format!("{} to {}", short(low), short(high))),
    }
}

/// The series that have paths with a verdict, the steadiest first.
pub(crate) fn lines(b: &UnderLoad, verdict: Verdict) -> Vec<Line> {
    let mut found: Vec<Line> = b.series.iter().filter_map(|s| line(s, verdict)).collect();
    found.sort_by(|a, b| a.span.total_cmp(&b.span));
    found
}

fn line(series: &Series, verdict: Verdict) -> Option<Line> {
    let of = series.paths.iter().filter(|p| p.verdict == verdict);
    let of: Vec<&Path> = of.collect();
    let spans = |a: &&&Path, b: &&&Path| a.heavy.span().total_cmp(&b.heavy.span());
    let worst = of.iter().max_by(spans)?;
    Some(Line {
        label: series.label(),
        points: points(series, &of),
        figures: figures(&of, worst),
        reason: reason(&of),
        span: worst.heavy.span(),
    })
}

/// What decided, or what keeps a verdict from being certain: the reason of most
/// of the paths.
fn reason(of: &[&Path]) -> String {
    let given = of.iter().filter(|p| !p.reason.is_empty());
    let given = grouped(given.map(|path| (&path.reason, path)));
    let counts: Vec<(&Path, usize)> = given
        .iter()
        .map(|(_, paths)| (*paths[0], paths.len()))
        .collect();
    let Some((path, n)) = counts.iter().max_by_key(|(_, n)| *n) else {
        return String::new();
    };
    let probably = if path.certain { "" } else { "only probably: " };
    if *n == of.len() {
        return format!("{probably}{}", path.reason);
    }
    format!("{n} of {} {probably}{}", of.len(), path.reason)
}

/// Which points of a series these are.
fn points(series: &Series, of: &[&Path]) -> String {
    let all = series.paths.len();
    if all == 1 {
        return String::new();
    }
    if of.len() == all {
        return format!("all {all} points");
    }
    let place = |p: &Path| series.place(p);
    let (Some(first), Some(last)) = (of.first(), of.last()) else {
        return String::new();
    };
    let at = |path: &Path| series.paths.iter().position(|p| std::ptr::eq(p, path));
    let together = at(last).zip(at(first)).map(|(l, f)| l - f + 1) == Some(of.len());
    let named = match of.len() {
        1 => place(first),
        _ if together => format!("{} to {}", place(first), place(last)),
        n if n <= 4 => of.iter().map(|p| place(p)).collect::<Vec<_>>().join(", "),
        n => format!("{}, {} and {} more", place(first), place(of[1]), n - 2),
    };
    format!("{} of {all}: {named}", of.len())
}

fn figures(of: &[&Path], worst: &Path) -> String {
    let ratios = of.iter().filter_map(|p| p.ratio).map(|r| r.center);
    let low = ratios.clone().fold(f64::INFINITY, f64::min);
    let high = ratios.fold(f64::NEG_INFINITY, f64::max);
    let median = match (change(low), change(high)) {
        (low, high) if low == high => low,
        (low, high) => format!("{low} to {high}"),
    };
    let most = if of.len() > 1 { "at most " } else { "" };
    format!(
        "median {median}, {} {most}{} x the median ({} without load)",
        worst.heavy.tail_at.name(),
        significant(worst.heavy.span(), 3),
        significant(worst.light.span(), 3),
    )
}

/// `+7.2 %`, `x2.50` for a ratio.
pub(crate) fn change(ratio: f64) -> String {
    match ratio {
        r if !r.is_finite() => crate::format::ABSENT.to_owned(),
        r if r >= 2.0 => format!("x{}", significant(r, 3)),
        r if (r - 1.0).abs() < 0.0005 => "+0 %".to_owned(),
        r if r < 1.0 => format!("-{}", percent(1.0 - r)),
        r => format!("+{}", percent(r - 1.0)),
    }
}

/// `probably predictable`.
pub(crate) fn verdict(path: &Path) -> String {
    let name = path.verdict.name();
    match path.certain {
        true => name.to_owned(),
        false => format!("probably {name}"),
    }
}

/// `+7.2 % (+1.0 % .. +13 %)`: the median under load against that without.
pub(crate) fn moved(path: &Path) -> Option<String> {
    let ratio = path.ratio?;
    let [center, low, high] = [ratio.center, ratio.low, ratio.high].map(change);
    Some(format!("{center} ({low} .. {high})"))
}

/// The interval of a tail: `1.02 µs to 1.31 µs`, `1.02 µs and more`.
pub(crate) fn tail_interval(side: &Side, unit: record::Unit) -> Option<String> {
    let tail = side.tail?;
    let labelled = |v: f64| crate::format::quantity(v, unit, 3);
    Some(match tail.value.high.is_finite() {
        true => format!(
            "{} to {}",
            labelled(tail.value.low),
            labelled(tail.value.high)
        ),
        false => format!("{} and more", labelled(tail.value.low)),
    })
}

/// What a path is called inside its experiment; the only one has its name.
pub(crate) fn name(series: &Series, path: &Path) -> String {
    let settings = series.settings.iter();
    let mut words: Vec<String> = settings
        .map(|s| format!("{}={}", s.axis, s.value))
        .collect();
    words.push(series.place(path));
    words.retain(|w| !w.is_empty());
    match words.is_empty() {
        true => series.experiment.clone(),
        false => words.join(" "),
    }
}

/// Points that one run lacks: `2 points of mem/latency: only in the light run`.
pub(crate) fn absences(b: &UnderLoad) -> Vec<String> {
    let absent = b.absent.iter().map(|a| {
        let points = counted(a.points as usize, "point", "points");
        format!("{points} of {}: {}", a.experiment, a.reason)
    });
    absent.collect()
}
