//! Programs during copies: `measure_<x>` and `synthesis_<x>`.

use super::super::ids::{VICTIM, VICTIM_COUNTS, VICTIM_START};
use super::{Collection, key, size, started, timed, word};
use analysis::whole;
use record::foreign::cftu::{CopyLoad, VictimRecord, VictimSynth, percent, victim_of};
use record::{Sample, Setting};

/// A line of a synthesis, until the measurements are all read.
pub(super) struct Synthesis {
    place: String,
    settings: Vec<Setting>,
    record: VictimSynth,
}

/// As the axes of `pollute/victim`; the study's daemon has one buffer, and its two
/// cores one cache.
fn settings(load: &CopyLoad, test: &str) -> Vec<Setting> {
    let mut settings = vec![word("victim", &victim_of(test))];
    settings.extend(load.direction.map(|d| word("direction", d.word())));
    settings.extend(load.size_bytes.map(size));
    settings.extend([
        word("buffer", "in_place"),
        word("placement", "same_cache"),
        word("copier", &load.copier),
    ]);
    settings
}

impl Collection {
    pub(super) fn victims(&mut self, path: &str, load: &CopyLoad, lines: &[VictimRecord]) {
        let process = self.next_process(VICTIM, &settings(load, ""));
        for line in lines {
            let sample = timed(process, 0, 1, line.dt_ns);
            let mut samples = started(&sample, *VICTIM_START, line.t0_ns);
            samples.extend(counted(&sample, line));
            self.take(VICTIM, settings(load, &line.test), path, None, &samples);
        }
    }

    pub(super) fn keep_programs(
        &mut self,
        path: &str,
        load: &CopyLoad,
        lines: Vec<(usize, VictimSynth)>,
    ) {
        let keep = |(line, record): (usize, VictimSynth)| Synthesis {
            place: format!("{path}:{line}"),
            settings: settings(load, &record.test),
            record,
        };
        self.programs.extend(lines.into_iter().map(keep));
    }

    /// Holds each synthesis against its measurements.
    pub(super) fn end_programs(&mut self) {
        for synthesis in std::mem::take(&mut self.programs) {
            let record = &synthesis.record;
            let known = self.known.get(&key(VICTIM, &synthesis.settings));
            let runs = known.map_or_else(Vec::new, |at| runs(&self.points[*at].1, &record.test));
            match VictimSynth::of(&runs) {
                Some(made) => {
                    let differs = record.differs_from(&made);
                    let place = &synthesis.place;
                    self.notes.extend(differs.map(|d| format!("{place}: {d}")));
                }
                None => {
                    let figures = format!(
                        "{} runs, mean {:.4} us, maximum {} us{} ({})",
                        record.runs,
                        record.mean_us,
                        record.max_us,
                        counts_given(record),
                        synthesis.place
                    );
                    let at = self.point(VICTIM, synthesis.settings, None);
                    self.only_synthesis(at, &figures);
                }
            }
        }
    }

    /// Whether a name of a file did not say who copied.
    pub fn has_odd_copier(&self) -> bool {
        let known = ["none", "cpu", "dma"].map(|w| word("copier", w).value);
        let copiers = self.points.iter().filter_map(|(p, _)| p.value("copier"));
        copiers.into_iter().any(|c| !known.contains(c))
    }
}

fn counts_given(record: &VictimSynth) -> String {
    match (record.mean_references, record.mean_miss_percent) {
        (Some(references), Some(share)) => {
            format!(", mean references {references:.4}, mean misses {share:.6} %")
        }
        _ => String::new(),
    }
}

fn counted(sample: &Sample, line: &VictimRecord) -> Vec<Sample> {
    let share = percent(line.references, line.misses).map(|p| p / 100.0);
    let values = [
        line.references.map(|r| r as f64),
        line.misses.map(|m| m as f64),
        share,
    ];
    let both = VICTIM_COUNTS.iter().zip(values);
    let of = |(metric, value): (&u16, Option<f64>)| {
        Some(Sample {
            metric: *metric,
            value: value?,
            elapsed_ns: 0.0,
            ..sample.clone()
        })
    };
    both.filter_map(of).collect()
}

/// The lines again that samples were made of, without their starts.
fn runs(samples: &[Sample], test: &str) -> Vec<VictimRecord> {
    let mut all: Vec<VictimRecord> = Vec::new();
    for sample in samples {
        let value = Some(whole(sample.value));
        match (sample.metric, all.last_mut()) {
            (0, _) => all.push(VictimRecord {
                test: test.to_owned(),
                t0_ns: 0,
                t1_ns: 0,
                dt_ns: whole(sample.elapsed_ns),
                references: None,
                misses: None,
                miss_percent: None,
            }),
            (metric, Some(run)) if metric == VICTIM_COUNTS[0] => run.references = value,
            (metric, Some(run)) if metric == VICTIM_COUNTS[1] => run.misses = value,
            _ => {}
        }
    }
    all
}
