//! `pontage ab`: A and B in turn, block after block, until it is clear which is slower.
//!
//! Each visit is a process started afresh: a whole `pontage run` of one process, or a command.
//! What it measured is in the record of its side, or in ab.json, before the next one starts.

pub mod arguments;
mod arm;
mod command;
mod kept;
mod setting;
mod sides;
mod taken;
mod visit;

use crate::compare::threshold;
use crate::failure::{DONE, FAILED, Failure, INTERRUPTED, NOTHING_RUNS, Outcome};
use crate::output;
use analysis::Abba;
use analysis::paired::{
    FEWEST_BLOCKS, Family, Pair, PairOutcome, Side, Stop, Study, StudyVerdict, drawn, order,
};
use arguments::Ab;
use probe::cpu_time::Stat;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Blocks do not all take the same time, and the first run of a side is none.
const MARGIN: f64 = 1.25;

/// What is measured on both sides.
trait Subject {
    /// The sides in words.
    fn sides(&self) -> [String; 2];

    /// How many points are compared, as far as that is known before measuring.
    fn points(&self) -> usize;

    /// What is said before measuring.
    fn plan(&self) -> Vec<String>;

    /// Where its runs are to be kept.
    ///
    /// # Errors
    /// When it cannot be had.
    fn place(&mut self, folder: &Path) -> Result<(), Failure>;

    /// Whatever makes the first block like the others.
    ///
    /// # Errors
    /// As `visit`.
    fn warm_up(&mut self, stop: &AtomicBool) -> Result<(), Ended>;

    /// Measures one side once: a value for each point, in the unit of its pair.
    ///
    /// # Errors
    /// Why it ended.
    fn visit(&mut self, side: Side, stop: &AtomicBool) -> Result<Vec<Value>, Ended>;

    /// The points, once the first visit has shown them.
    fn pairs(&self) -> Vec<Pair>;

    /// Closes what is kept; the folders of the runs.
    ///
    /// # Errors
    /// When it cannot be written.
    fn close(&mut self, stop: Stop) -> Result<Option<[String; 2]>, Failure>;
}

/// What a visit says of a point: its value, or why there is none.
type Value = Result<f64, String>;

/// Why a visit did not come to its end.
enum Ended {
    Interrupted,
    /// Nothing of what was asked for can run here.
    Nothing(String),
    Failed(Failure),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Ended {
        Ended::Failed(failure)
    }
}

/// Measures both sides in turn and judges them.
///
/// # Errors
/// Usage, a side that cannot be measured, a record that cannot be written. What was measured
/// until then is kept.
pub fn run(arguments: &Ab) -> Outcome {
    let threshold = threshold(arguments.threshold)?;
    let stop = harness::signals::stop_flag()
        .map_err(|e| Failure::new(format!("cannot catch signals: {e}")))?;
    let mut subject: Box<dyn Subject> = match &arguments.command {
        Some(lines) => Box::new(command::Commands::of(arguments, lines)?),
        None => Box::new(sides::Sides::of(arguments)?),
    };
    let most = Duration::from_secs(arguments.time) * u32::try_from(subject.points()).unwrap_or(1);
    if arguments.dry_run {
        return output::data(&plan(subject.as_ref(), most));
    }
    harness::message!(
        "{} pair(s), {} s at most; Ctrl-C keeps what was measured",
        subject.points(),
        most.as_secs()
    );
    let seed = arguments.seed.unwrap_or_else(seed_of_clock);
    let [a, b] = subject.sides();
    let study = Study {
        started_utc: record::rfc3339_utc(std::time::SystemTime::now()),
        command_line: crate::command_line::typed(),
        ..Study::new(a, b, Family::new(Vec::new(), threshold, seed))
    };
    let mut kept = kept::Kept::begin(&arguments.out)?;
    let measuring = Measuring {
        study,
        began: Instant::now(),
        most,
        stat: Stat::read(Path::new("/")).ok(),
        stop: &stop,
    };
    let (study, failed) = measuring.measure(subject.as_mut(), &mut kept)?;
    let nothing = study.orders.is_empty() && study.runs.is_none();
    if nothing {
        kept.drop_empty();
    }
    match failed {
        Some(Ended::Failed(failure)) if nothing => return Err(failure),
        Some(Ended::Failed(failure)) => {
            let folder = kept.folder().display().to_string();
            return Err(failure.or_hint(format!("what was measured is kept in {folder}")));
        }
        Some(Ended::Nothing(reason)) => {
            harness::message!("pontage: SKIP: nothing was compared: {reason}");
            return Ok(NOTHING_RUNS);
        }
        _ => {}
    }
    output::study(
        arguments.format,
        || ::report::terminal::paired(&study),
        || &study,
    )?;
    if !nothing {
        harness::message!("kept in {}", kept.folder().display());
    }
    Ok(status(&study))
}

fn status(study: &Study) -> u8 {
    match (study.stop, study.verdict()) {
        (Stop::Interrupted, _) => INTERRUPTED,
        (_, StudyVerdict::Failed) => FAILED,
        (_, StudyVerdict::Passed) => DONE,
        (_, StudyVerdict::Unknown) => {
            harness::message!(
                "pontage: SKIP: no verdict: {} block(s) were measured, too few to show anything\nhint: give it more time: --time \
                 SECONDS",
                study.orders.len()
            );
            NOTHING_RUNS
        }
    }
}

fn plan(subject: &dyn Subject, most: Duration) -> String {
    let [a, b] = subject.sides();
    let mut text = format!("A  {a}\nB  {b}\n");
    for line in subject.plan() {
        text += &format!("{line}\n");
    }
    text + &format!(
        "{} pair(s), {} s at most\n",
        subject.points(),
        most.as_secs()
    )
}

/// Said after the first block, while there is time to ask for more; None where enough fit.
fn too_long(block: Duration, most: Duration, points: usize) -> Option<String> {
    let wanted = block.as_secs_f64() * FEWEST_BLOCKS as f64;
    (wanted > most.as_secs_f64()).then(|| {
        format!(
            "a block of four visits takes {:.1} s, and {FEWEST_BLOCKS} blocks are the fewest that show \
             a difference: give it --time {:.0}, or something shorter",
            block.as_secs_f64(),
            (wanted * MARGIN / points.max(1) as f64).ceil()
        )
    })
}

fn seed_of_clock() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    // Short enough to be typed again.
    now.map_or(1, |since| u64::from(since.subsec_nanos()))
}

struct Measuring<'a> {
    study: Study,
    began: Instant,
    most: Duration,
    stat: Option<Stat>,
    stop: &'a AtomicBool,
}

impl Measuring<'_> {
    /// Blocks until the end, which is one of the study's, or an error that is no reason to lose
    /// what was measured.
    fn measure(
        mut self,
        subject: &mut dyn Subject,
        kept: &mut kept::Kept,
    ) -> Result<(Study, Option<Ended>), Failure> {
        kept.place(subject)?;
        let mut ended = subject.warm_up(self.stop).err();
        let mut longest = Duration::ZERO;
        while ended.is_none() && self.study.stop == Stop::Running {
            let began = Instant::now();
            if self.began.elapsed() + longest > self.most && !self.study.orders.is_empty() {
                self.study.stop = Stop::Time;
                self.study.family.last_look();
                break;
            }
            ended = self.block(subject).err();
            longest = longest.max(began.elapsed());
            if self.study.orders.len() == 1
                && let Some(warning) = too_long(longest, self.most, subject.points())
            {
                harness::message!("pontage: warning: {warning}");
            }
            self.note_time();
            kept.write(&self.study)?;
        }
        if matches!(ended, Some(Ended::Interrupted)) {
            self.study.stop = Stop::Interrupted;
            self.study.family.glance();
        }
        self.study.runs = subject.close(self.study.stop)?;
        self.note_time();
        kept.write(&self.study)?;
        Ok((self.study, ended))
    }

    fn block(&mut self, subject: &mut dyn Subject) -> Result<(), Ended> {
        let number = self.study.orders.len();
        let first = drawn(self.study.family.seed, number);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let mut stolen = (Vec::new(), Vec::new());
        for side in order(first) {
            let before = taken::Taken::now();
            let values = subject.visit(side, self.stop)?;
            let share = before.and_then(taken::Taken::share);
            let (visits, shares) = match side {
                Side::A => (&mut a, &mut stolen.0),
                Side::B => (&mut b, &mut stolen.1),
            };
            visits.push(values);
            shares.extend(share);
        }
        if let ([a0, a1], [b0, b1]) = (&stolen.0[..], &stolen.1[..]) {
            let (a, b) = ([*a0, *a1], [*b0, *b1]);
            self.study.family.stolen.push(Abba { a, b });
        }
        if number == 0 {
            self.study.family.pairs = subject.pairs();
        }
        self.study.orders.push(first);
        let before = self.study.absent.len();
        self.add(subject, [&a[0], &a[1]], [&b[0], &b[1]]);
        if self.study.family.pairs.is_empty() {
            let reasons = self.study.absent[before.min(self.study.absent.len())..].first();
            let reason = reasons.map_or_else(String::new, |r| format!("{}: {}", r.name, r.reason));
            return Err(Ended::Nothing(reason));
        }
        if self.study.family.look() {
            self.study.stop = Stop::Decided;
        }
        let family = &self.study.family;
        let undecided = family.count(PairOutcome::Undecided);
        harness::message!(
            "{:>4} blocks  {:>5.0} s of {} s  {} of {} points decided",
            self.study.orders.len(),
            self.began.elapsed().as_secs_f64(),
            self.most.as_secs(),
            family.pairs.len() - undecided,
            family.pairs.len()
        );
        Ok(())
    }

    /// Of points that are still there. One that lacks a value in a block is judged no more.
    fn add(&mut self, subject: &dyn Subject, a: [&[Value]; 2], b: [&[Value]; 2]) {
        let all = subject.pairs();
        let place = |name: &str| all.iter().position(|pair| pair.name == name);
        let sides = |name: &str| -> Result<Abba, String> {
            let at = place(name).ok_or("missing")?;
            let of = |visit: &[Value]| -> Result<f64, String> {
                let value = visit
                    .get(at)
                    .cloned()
                    .unwrap_or(Err("missing".to_owned()))?;
                match value > 0.0 && value.is_finite() {
                    true => Ok(value),
                    false => Err(format!("{value} has no ratio")),
                }
            };
            Ok(Abba {
                a: [of(a[0])?, of(a[1])?],
                b: [of(b[0])?, of(b[1])?],
            })
        };
        let found: Vec<Result<Abba, String>> = self
            .study
            .family
            .pairs
            .iter()
            .map(|p| sides(&p.name))
            .collect();
        let good: Vec<Abba> = found.iter().flatten().copied().collect();
        self.study.without(|at| found[at].as_ref().err().cloned());
        for (pair, block) in self.study.family.pairs.iter_mut().zip(good) {
            pair.blocks.push(block);
        }
    }

    fn note_time(&mut self) {
        self.study.seconds = self.began.elapsed().as_secs_f64();
        let now = Stat::read(Path::new("/")).ok();
        let passed = self
            .stat
            .as_ref()
            .zip(now.as_ref())
            .map(|(a, b)| b.all.since(&a.all));
        self.study.steal_share = passed.map(|time| time.share(time.steal));
    }
}

/// Whether a signal asked to end.
fn stopped(stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed)
}
