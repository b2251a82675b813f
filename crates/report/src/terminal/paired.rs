//! A and B measured in turn: what differs, and what is not known.

use super::comparison::{interval, percent_change};
use crate::document::{Cell, Document, Phrase, Table, Text, Tone};
use crate::format::{counted, percent, quantity};
use analysis::paired::{Pair, PairOutcome, Side, Stop, Study, StudyVerdict};

/// The verdict with what it rests on, a row for each point, and what was not judged.
pub fn document(study: &Study) -> Document {
    Document::sections([heading(study), verdict(study), points(study), absent(study)])
}

fn heading(study: &Study) -> Document {
    let mut document = Document::new();
    document.text(Text::new(study.a.as_str()).lead("A  "));
    document.text(Text::new(study.b.as_str()).lead("B  "));
    document
}

fn verdict(study: &Study) -> Document {
    let family = &study.family;
    let count = |outcome| family.count(outcome);
    let (worse, better) = (count(PairOutcome::Worse), count(PairOutcome::Better));
    let (word, tone) = match study.verdict() {
        StudyVerdict::Passed => ("No regression shown", Tone::Good),
        StudyVerdict::Failed => ("Worse", Tone::Bad),
        StudyVerdict::Unknown => ("No verdict", Tone::Caution),
    };
    let mut document = Document::new();
    document.text(Text::new(word).tone(tone));
    document.text(format!(
        "{worse} worse, {better} better, {} equal within {}, {} undecided; a false alarm in at \
         most {} of comparisons, all points together",
        count(PairOutcome::Same),
        percent(family.threshold),
        count(PairOutcome::Undecided),
        percent(study.family_error),
    ));
    let blocks = counted(study.orders.len(), "block", "blocks");
    let stop = match study.stop {
        Stop::Running => "not ended",
        Stop::Decided => "ended because every point was decided",
        Stop::Time => "ended because the time was up",
        Stop::Interrupted => "interrupted",
    };
    let stolen = study.steal_share.filter(|s| *s > 0.0005);
    let stolen = stolen.map_or_else(String::new, |s| {
        let off = match family.pairs.iter().any(|p| p.stolen_slope.is_some()) {
            true => ": what of it shows in visits to the same side is taken off the ratios",
            false => "",
        };
        let share = percent(s);
        format!("; {share} of the CPU time was stolen by the hypervisor{off}")
    });
    document.text(format!(
        "{blocks} of A B B A or B A A B in {:.0} s, seed {}; {stop}{stolen}",
        study.seconds, family.seed
    ));
    document
}

fn points(study: &Study) -> Document {
    let mut pairs: Vec<&Pair> = study.family.pairs.iter().collect();
    if pairs.is_empty() {
        return Document::new();
    }
    let rank = |pair: &Pair| match pair.outcome {
        PairOutcome::Worse => 0,
        PairOutcome::Better => 1,
        PairOutcome::Undecided => 2,
        PairOutcome::Same => 3,
    };
    let far = |pair: &Pair| pair.ratio.map_or(0.0, |r| r.center.ln().abs());
    pairs.sort_by(|x, y| (rank(x).cmp(&rank(y))).then(far(y).total_cmp(&far(x))));
    let heads = ["point", "A", "B", "B / A", "interval", ""];
    let mut table = Table::of(1, heads).indent(1).fitting();
    pairs.iter().for_each(|pair| table.row(row(pair)));
    Document::from(table).headed(Phrase::toned("Points", Tone::Strong))
}

fn row(pair: &Pair) -> [Cell; 6] {
    let side = |side| {
        let middle = pair.middle(side);
        middle.map_or_else(|| "-".to_owned(), |m| quantity(m, pair.unit, 4))
    };
    let dash = || "-".to_owned();
    let outcome = match pair.outcome {
        PairOutcome::Worse => "worse",
        PairOutcome::Better => "better",
        PairOutcome::Same => "equal",
        PairOutcome::Undecided => "undecided",
    };
    [
        pair.name.clone(),
        side(Side::A),
        side(Side::B),
        pair.ratio.map_or_else(dash, |r| percent_change(r.center)),
        pair.ratio.map_or_else(dash, |r| interval(r.low, r.high)),
        outcome.to_owned(),
    ]
    .map(Cell::from)
}

fn absent(study: &Study) -> Document {
    let mut document = Document::new();
    let lines = study.absent.iter();
    document.list(
        "",
        lines.map(|a| {
            Text::new(format!("{}: {}", a.name, a.reason))
                .lead("  ")
                .hang(4)
        }),
    );
    document.headed("Not judged")
}
