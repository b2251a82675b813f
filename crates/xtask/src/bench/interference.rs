//! What neighbours and copies do, judged by what must come out: pairs that share
//! nothing, a probe's controls, and its answers from run to run.

use super::json::{Measured, metric};
use super::numbers::range;
use super::ours::Ours;
use super::row::{Row, Rows};
use std::collections::BTreeMap;

/// The whole matrix, 14 kinds of work against 15.
const MATRIX_LIMIT_S: f64 = 75.0;
const MATRICES: usize = 5;
/// How near to 1 a pair has to be that shares nothing.
const TOLERANCE: f64 = 0.03;
const LEAST_COVERED: f64 = 0.95;

const MATRIX: &str = "colocate/matrix";

/// Five matrices: the time of one, and the pairs of which nothing can come.
pub fn matrix(ours: &Ours) -> Rows {
    let (mut seconds, mut cells) = (Vec::new(), Vec::new());
    for _ in 0..MATRICES {
        let run = ours.run(&[MATRIX, "--full", "--processes", "1"])?;
        seconds.push(run.seconds);
        let export = ours.export(&run)?;
        let all = metric(&export, MATRIX, "slowdown").into_iter();
        cells.extend(all.filter(undisturbed));
    }
    if cells.is_empty() {
        return Ok(vec![Row::skipped(
            MATRIX,
            "no two CPUs of cores of their own",
            "none: needs a second core",
        )]);
    }
    let mut rows = vec![Row::limit(
        "matrix of 14 x 15 pairs",
        super::numbers::median(&seconds),
        MATRIX_LIMIT_S,
        "s",
    )];
    let own = cells
        .iter()
        .filter(|c| c.is("victim", "alu") && c.is("neighbour", "alu"));
    rows.extend(own.map(of_likes));
    rows.push(share_of(
        "pairs without effect within 1.00 +- 0.03",
        &cells,
        |c| (c.median - 1.0).abs() <= TOLERANCE,
    ));
    rows.push(share_of("intervals of them that hold 1", &cells, |c| {
        c.low <= 1.0 && 1.0 <= c.high
    }));
    Ok(rows)
}

/// Two of the same kind that share nothing.
fn of_likes(cell: &Measured) -> Row {
    let text = format!("{:.3} ({:.3} to {:.3})", cell.median, cell.low, cell.high);
    Row::ratio(
        "alu against alu",
        (cell.median, text),
        (1.0, "alone".to_owned()),
        1.0 - TOLERANCE..=1.0 + TOLERANCE,
    )
}

/// The share of the cells that `is` holds for.
fn share_of(name: &str, cells: &[Measured], is: fn(&Measured) -> bool) -> Row {
    let count = cells.iter().filter(|c| is(c)).count();
    let share = count as f64 / cells.len() as f64;
    let text = format!("{count} of {} pairs", cells.len());
    Row::share(name, share, &text, LEAST_COVERED)
}

/// Work in registers, except against msync, whose storage interrupts; and the column of
/// nobody.
fn undisturbed(cell: &Measured) -> bool {
    let far = !cell.is("placement", "same_cpu") && !cell.is("placement", "smt_sibling");
    let registers = cell.is("victim", "alu") && !cell.is("neighbour", "msync");
    far && (registers || cell.is("neighbour", "spin"))
}

const PROBES: usize = 3;
const CONTROL_LIMIT: f64 = 0.01;
const REPEAT_LIMIT: f64 = 0.05;
/// Fewer do not make a median.
const FEWEST_TURNS: u64 = 6;

/// The probe's own error at 512 KiB, and its answers for kernel copies in several runs.
pub fn probe(ours: &Ours) -> Rows {
    let id = "pollute/probe";
    let axes = "set=512KiB placement=same_cpu buffer=walking history=fresh \
                method=from_user,to_user copied=64KiB,256KiB,1MiB,4MiB,16MiB";
    let mut error = 0.0f64;
    let mut answers = ["evicted_near", "evicted_all"].map(|name| (name, BTreeMap::new()));
    for _ in 0..PROBES {
        let export = ours.measured(id, "--full", axes)?;
        for point in metric(&export, id, "control_error") {
            error = error.max(point.median);
            for (_, places) in &mut answers {
                let _: &mut Vec<f64> = places.entry(point.place()).or_default();
            }
        }
        for (name, places) in &mut answers {
            let found = metric(&export, id, name);
            for found in found.iter().filter(|f| f.samples >= FEWEST_TURNS) {
                places.entry(found.place()).or_default().push(found.median);
            }
        }
    }
    if answers.iter().any(|(_, places)| places.is_empty()) {
        return Err("no point of the probe was measured".to_owned().into());
    }
    let mut rows = vec![Row::limit(
        "probe's control error, 512 KiB",
        error,
        CONTROL_LIMIT,
        "of 1",
    )];
    for (name, places) in &answers {
        rows.extend(repeats(name, places));
    }
    Ok(rows)
}

/// How far apart the runs are, at the worst place and by places. Where neighbours left
/// a run too few turns, the place does not hold.
fn repeats(name: &str, places: &BTreeMap<String, Vec<f64>>) -> [Row; 2] {
    let complete = places.values().filter(|all| all.len() == PROBES);
    let answered: Vec<f64> = complete.map(|all| range(all) / 2.0).collect();
    let worst = answered.iter().copied().reduce(f64::max);
    let alike = answered.iter().filter(|s| **s <= REPEAT_LIMIT).count();
    let (all, enough) = (places.len(), answered.len());
    let detail = format!("{alike} of {all}, {enough} with turns enough");
    let between = format!("{name} by kernel copies, +- between runs");
    let within = format!("sizes and directions of {name} within that");
    [
        Row::limit(
            &between,
            worst.unwrap_or(f64::INFINITY),
            REPEAT_LIMIT,
            "of 1",
        ),
        Row::share(&within, alike as f64 / all.max(1) as f64, &detail, 1.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::row::table;
    use super::{PROBES, repeats};
    use std::collections::BTreeMap;

    #[test]
    fn a_place_without_an_answer_in_every_run_does_not_hold() {
        let met = |places: &[&[f64]]| {
            let named = places.iter().enumerate();
            let places: BTreeMap<String, Vec<f64>> = named
                .map(|(n, all)| (n.to_string(), all.to_vec()))
                .collect();
            repeats("evicted_near", &places).map(|row| table(&[row]).contains("yes"))
        };
        let good: &[f64] = &[0.3; PROBES];
        assert_eq!(met(&[good, good]), [true; 2]);
        assert_eq!(met(&[good, &[0.3]]), [true, false]);
        assert_eq!(met(&[good, &[]]), [true, false]);
        assert_eq!(met(&[&[0.3]]), [false; 2]);
        assert_eq!(met(&[good, &[0.2, 0.3, 0.4]]), [false; 2]);
    }
}
