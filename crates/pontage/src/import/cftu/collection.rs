//! Lines of many files, sorted into points.

mod pollution;

use super::ids::{BANDWIDTH, BANDWIDTH_START, LATENCY, LATENCY_START};
use super::trace::Trace;
use analysis::whole;
use record::foreign::cftu::{
    BandBlock, DatFile, DatName, Direction, LatencyRecord, Lines, SynthRecord,
};
use record::{AxisValue, Disturbance, PointHead, PointState, Sample, Setting, moment};
use std::collections::BTreeMap;

/// Everything of a run that came out of the files.
#[derive(Default)]
pub(super) struct Collection {
    /// In the order of their indexes.
    pub points: Vec<(PointHead, Vec<Sample>)>,
    /// None where no file is of recorded copies.
    pub trace: Option<Trace>,
    /// What did not fit together, with file and line.
    pub notes: Vec<String>,
    /// Where the point of a [`key`] stands.
    known: BTreeMap<String, usize>,
    /// Files read of each kind so far: a second one is another process.
    files: BTreeMap<String, usize>,
    synthesis: Vec<Synthesis>,
    programs: Vec<pollution::Synthesis>,
}

/// A line of a synthesis, until the measurements are all read.
struct Synthesis {
    place: String,
    settings: Vec<Setting>,
    record: SynthRecord,
}

impl Collection {
    pub fn add(&mut self, path: &str, context: &str, file: DatFile) {
        match (file.name, file.lines) {
            (DatName::Trace(routine), Lines::Trace(lines)) => {
                let trace = self.trace.get_or_insert_default();
                trace.add(path, routine.operation(), &lines);
            }
            (DatName::Band(direction), Lines::Band(blocks)) => {
                self.band(path, context, direction, &blocks);
            }
            (
                DatName::Latency {
                    to_user, flushed, ..
                },
                lines,
            ) => {
                let settings = latency_settings(context, to_user, flushed);
                match lines {
                    Lines::Latency(lines) => self.latency(path, &settings, &lines),
                    Lines::Synth(lines) => self.keep_synthesis(path, &settings, lines),
                    _ => {}
                }
            }
            (DatName::Pollution { load, .. }, lines) => match lines {
                Lines::Victims(lines) => self.victims(path, &load, &lines),
                Lines::VictimSynth(lines) => self.keep_programs(path, &load, lines),
                _ => {}
            },
            _ => {}
        }
    }

    /// Whether any point is of this context.
    pub fn has_context(&self, context: &str) -> bool {
        let mut points = self.points.iter().map(|(point, _)| point);
        points.any(|p| p.value("context") == Some(&context.into()))
    }

    /// All files were read: every synthesis is held against its measurements, and
    /// recorded copies become points.
    pub fn end(&mut self) {
        for synthesis in std::mem::take(&mut self.synthesis) {
            let size = synthesis.record.size_bytes;
            let key = key(LATENCY, &synthesis.settings);
            let times: Vec<u64> = self.known.get(&key).map_or_else(Vec::new, |at| {
                let timed = self.points[*at].1.iter().filter(|s| s.metric == 0);
                timed.map(|s| whole(s.elapsed_ns)).collect()
            });
            if times.is_empty() {
                self.alone(&synthesis);
            } else if let Some(made) = SynthRecord::of(size, &times)
                && let Some(differs) = synthesis.record.differs_from(&made)
            {
                self.notes.push(format!("{}: {differs}", synthesis.place));
            }
        }
        self.end_programs();
        if let Some(trace) = &self.trace {
            let first = u32::try_from(self.points.len()).unwrap_or(u32::MAX);
            self.points.extend(trace.points(first));
        }
    }

    fn latency(&mut self, path: &str, settings: &[Setting], lines: &[LatencyRecord]) {
        let process = self.next_process(LATENCY, settings);
        for line in lines {
            let mut settings = settings.to_vec();
            settings.push(size(line.size_bytes));
            let sample = timed(process, line.cpu, 1, line.dt_ns);
            let samples = started(&sample, *LATENCY_START, line.t0_ns);
            self.take(LATENCY, settings, path, Some(line.size_bytes), &samples);
        }
    }

    fn keep_synthesis(
        &mut self,
        path: &str,
        settings: &[Setting],
        lines: Vec<(usize, SynthRecord)>,
    ) {
        let keep = |(line, record): (usize, SynthRecord)| {
            let mut settings = settings.to_vec();
            settings.push(size(record.size_bytes));
            Synthesis {
                place: format!("{path}:{line}"),
                settings,
                record,
            }
        };
        self.synthesis.extend(lines.into_iter().map(keep));
    }

    fn band(&mut self, path: &str, context: &str, direction: Direction, blocks: &[BandBlock]) {
        let base = vec![
            word("direction", direction.word()),
            word("context", context),
        ];
        let process = self.next_process(BANDWIDTH, &base);
        for block in blocks {
            let twice = has_twice(block);
            let mut copies = 0;
            let mut per_ns = 0.0;
            for (place, row) in (0u16..).zip(&block.rows) {
                let channel = if twice { place } else { row.channel };
                let at = |channel: &str| {
                    let mut settings = base.clone();
                    settings.extend([word("channel", channel), size(row.size_bytes)]);
                    settings
                };
                let sample = timed(process, channel, row.operations, row.dt_ns);
                let samples = started(&sample, *BANDWIDTH_START, row.t0_ns);
                let bytes = Some(row.size_bytes);
                self.take(BANDWIDTH, at(&channel.to_string()), path, bytes, &samples);
                copies += row.operations;
                per_ns += row.operations as f64 / row.dt_ns as f64;
                if usize::from(place) + 1 == block.rows.len() {
                    let total = total(process, copies, per_ns);
                    self.take(BANDWIDTH, at("total"), path, bytes, &[total]);
                }
            }
        }
    }

    /// A size of which only the synthesis was given: kept in words, for five
    /// figures are no samples.
    fn alone(&mut self, synthesis: &Synthesis) {
        let record = &synthesis.record;
        let at = self.point(LATENCY, synthesis.settings.clone(), Some(record.size_bytes));
        let synthesis = format!(
            "minimum {} ns, maximum {} ns, mean {:.4} ns, variance {:.4} ns^2, median {:.4} ns \
             ({})",
            record.min_ns,
            record.max_ns,
            record.mean_ns,
            record.variance,
            record.median_ns,
            synthesis.place
        );
        self.only_synthesis(at, &synthesis);
    }

    fn only_synthesis(&mut self, at: usize, synthesis: &str) {
        self.points[at].0.state = PointState::Skipped {
            reason: format!("only its synthesis was given: {synthesis}"),
            remedy: "import the file of the measurements with it".to_owned(),
        };
    }

    /// Adds a sample and what belongs to it, as the next of its point.
    fn take(
        &mut self,
        experiment: &'static str,
        settings: Vec<Setting>,
        path: &str,
        bytes: Option<u64>,
        samples: &[Sample],
    ) {
        let at = self.point(experiment, settings, bytes);
        let (point, known) = &mut self.points[at];
        if !point.notes.iter().any(|n| n.ends_with(path)) {
            point.notes.push(format!("from {path}"));
        }
        let last = known
            .last()
            .filter(|s| Some(s.process) == samples.first().map(|s| s.process));
        let index = last.map_or(0, |s| s.index + 1);
        known.extend(samples.iter().map(|s| Sample { index, ..s.clone() }));
    }

    fn point(
        &mut self,
        experiment: &'static str,
        settings: Vec<Setting>,
        bytes_per_op: Option<u64>,
    ) -> usize {
        let next = self.points.len();
        let key = key(experiment, &settings);
        if let Some(at) = self.known.get(&key) {
            return *at;
        }
        let head = PointHead {
            index: u32::try_from(next).unwrap_or(u32::MAX),
            experiment: experiment.to_owned(),
            settings,
            bytes_per_op,
            state: PointState::Done,
            notes: Vec::new(),
            traces: Vec::new(),
            interrupts: None,
        };
        self.points.push((head, Vec::new()));
        self.known.insert(key, next);
        next
    }

    fn next_process(&mut self, experiment: &'static str, settings: &[Setting]) -> u16 {
        let next = self.files.entry(key(experiment, settings)).or_default();
        let process = *next;
        *next += 1;
        u16::try_from(process).unwrap_or(u16::MAX)
    }
}

/// Names a point of an experiment, or a kind of file.
fn key(experiment: &str, settings: &[Setting]) -> String {
    let settings = settings.iter().map(|s| format!(" {}={}", s.axis, s.value));
    experiment.to_owned() + &settings.collect::<String>()
}

fn latency_settings(context: &str, to_user: bool, flushed: bool) -> Vec<Setting> {
    vec![
        word("direction", if to_user { "to_user" } else { "from_user" }),
        word("cache", if flushed { "flushed" } else { "warm" }),
        word("context", context),
        word("pages", "pinned"),
    ]
}

fn has_twice(block: &BandBlock) -> bool {
    let mut channels: Vec<u16> = block.rows.iter().map(|r| r.channel).collect();
    channels.sort_unstable();
    channels.windows(2).any(|pair| pair[0] == pair[1])
}

fn word(axis: &str, value: &str) -> Setting {
    Setting {
        axis: axis.to_owned(),
        value: value.into(),
    }
}

/// Lines hold no more than fits.
fn size(bytes: u64) -> Setting {
    Setting {
        axis: "size".to_owned(),
        value: AxisValue::Int(bytes.cast_signed()),
    }
}

fn timed(process: u16, cpu: u16, ops: u64, dt_ns: u64) -> Sample {
    Sample {
        metric: 0,
        process,
        index: 0,
        ops,
        elapsed_ns: dt_ns as f64,
        floor_ns: 0.0,
        value: dt_ns as f64 / ops as f64,
        cpu,
        disturbance: Disturbance::default(),
        yardstick: None,
    }
}

/// The sample, and the two that say when it began.
fn started(sample: &Sample, metrics: [u16; 2], t0_ns: u64) -> Vec<Sample> {
    let mut samples = vec![sample.clone()];
    samples.extend(moment::samples_of(sample, metrics, t0_ns));
    samples
}

/// All channels together: the rates add up, so this is the time between the
/// ends of two copies of any channel.
fn total(process: u16, copies: u64, per_ns: f64) -> Sample {
    Sample {
        elapsed_ns: copies as f64 / per_ns,
        value: 1.0 / per_ns,
        ..timed(process, 0, copies, 0)
    }
}
