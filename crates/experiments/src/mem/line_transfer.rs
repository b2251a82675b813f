//! # mem/line_transfer - A cache line on its way from one CPU to another
//!
//! What does it cost to hand one cache line from CPU to CPU, which pairs of CPUs
//! are near each other, and how many lines per second can one send the other?
//!
//! ## Counts
//! `load_store` and `compare_exchange`: one way of one cache line, half a round
//! trip. A thread on `from` writes a number to a word, a partner on `to` waits for
//! it and writes the next one; an operation is one of the two. With `load_store`
//! each waits by loading (acquire) and answers by storing (release); with
//! `compare_exchange` each tries to replace the other's number by its own until
//! that succeeds.
//!
//! `stream`: one line of 64 bytes through a ring of 64 with one producer, on
//! `from`, and one consumer, on `to`. The producer writes seven words and then the
//! line's number, the consumer waits for the number and reads all eight. An
//! operation is one line, and the batch ends when the last one has been taken.
//!
//! `transfer` is that. `alone` is the same stores and loads by one thread on a
//! line that no other CPU touches, and `net` the difference, sample by sample.
//!
//! ## Does not count
//! Waking the partner: it sleeps between batches and is brought to the line of the
//! coming batch outside the timed part, so that there is no starting shot in it.
//! Nor the waking of anything else: both threads look at the line without a pause.
//! This is the cost of the hardware, not of sleeping (`switch/context`) nor of a
//! call to the kernel.
//!
//! Every batch uses a fresh line out of 4096 (256 KiB, touched first by `from`), for
//! which slice of the last-level cache or which directory is in charge of a line
//! depends on its physical address. The samples of a point are thus a draw over
//! places, and the median is the cost of a line somewhere, not of a lucky one. On a
//! machine with several memory nodes all lines are at home where `from` is.
//!
//! ## Origin
//! Handing a line back and forth is as old as shared memory; David, Guerraoui and
//! Trigonakis (SOSP 2013) measured all pairs of CPUs on large machines. The tools
//! core-to-core-latency (compare-exchange), multichase `pingpong` (load and store)
//! and clamchowder's CoherencyLatency print the same quantity, one way.
//!
//! ## Theory
//! A core may write a line only while no other has a copy. To write a line that the
//! other one wrote last, a core has to ask for it, whatever keeps the books (a shared
//! cache, a directory, a ring of snooping caches) has to find the owner, and the
//! owner has to send it and give up its copy. None of that can be overlapped with
//! anything when each side waits for the other, so a way of the line is latency and
//! nothing else.
//!
//! It depends on how far the request travels. Two threads of one core share the
//! first level and the line moves nowhere. Under one last-level cache it passes
//! through that; between two such caches through the interconnect of the socket;
//! between sockets through the link. The matrix shows these groups as squares along
//! the diagonal. Where the squares are not those that the kernel reports, either the
//! firmware tells stories (in a virtual machine it usually does) or the host has
//! moved the virtual CPUs: the same pair then jumps between levels from one second
//! to the next, and its distribution has several modes. Believe the modes rather
//! than one median between them.
//!
//! The two directions of a pair hold the same round trip and differ only in who is
//! at home, so the matrix should be symmetric: what is not is a measure of the noise,
//! or of the distance to the memory node.
//!
//! Waiting by compare-exchange asks for the line for writing at every look, also
//! in vain, and so takes it away from the one who is about to write it. It costs
//! more than load and store as a rule; a lock whose waiters spin on the exchange
//! pays it.
//!
//! A stream overlaps what a ping-pong cannot: the producer writes ahead, up to the
//! length of the ring, and several lines are on their way at once. By Little's law
//! lines per second are lines under way divided by latency. What one line costs in
//! a stream is what a queue between two threads costs at best, and it is a fraction
//! of the latency.

mod findings;
#[cfg(all(test, target_pointer_width = "64"))]
mod model;
mod pair;
mod ping_pong;
mod routes;
mod stream;
#[cfg(test)]
mod tests;
mod word;

use catalogue::{AxisSpec, Claim, Experiment, Figure, toll_row};
use engines::crew::child::not_started;
use harness::{Context, Fault, Point, SetupError, Subject, affinity};
use pair::{LINE_BYTES, METHODS, Method, Pair};
use record::{FigureHead, FigureKind, Placement, TollGroup, TollHead, Unit};

/// Part 0 goes between the CPUs, part 1 stays on one.
struct Transfer {
    pair: Pair,
    method: Method,
    from: u32,
    /// Where the thread was pinned before, and goes back to.
    home: u32,
    astray: Option<Fault>,
    notes: Vec<String>,
}

impl Transfer {
    /// Points of other pairs are set up at the same time and need this thread
    /// elsewhere.
    fn go_there(&mut self) {
        if pair::is_on(self.from).is_ok() {
            return;
        }
        let from = self.from;
        let gone = affinity::pin(&[from]).map_err(|e| Fault::wrong(e.to_string()));
        if let Err(why) = gone.and_then(|()| pair::is_on(from)) {
            let sentence = format!("the caller is not on CPU {from}: {why}");
            self.astray = Some(Fault::wrong(sentence));
        }
    }
}

impl Subject for Transfer {
    fn batch(&mut self, part: u16, ops: u64) {
        let rounds = ops / self.method.quantum();
        if part == 0 {
            self.pair.run(rounds);
        } else {
            self.pair.run_alone(rounds);
        }
    }

    fn prepare(&mut self, part: u16) {
        self.go_there();
        if part == 0 {
            self.pair.gather();
        }
    }

    fn quantum(&self) -> u64 {
        self.method.quantum()
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.go_there();
        // More lines than the ring holds, and not a multiple of it.
        self.pair.gather();
        self.pair.run(200);
        self.pair.run_alone(200);
        self.pair.check()?;
        self.astray.take().map_or(Ok(()), Err)
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        // Refused only where it was refused before: then it never moved.
        let _ = affinity::pin(&[self.home]);
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let (from, to) = ends(point, context)?;
    let method = Method::of(point.word("method"));
    affinity::bindable(from)?;
    affinity::bindable(to)?;
    affinity::pin(&[from]).map_err(|e| SetupError::fail("move to a CPU", e))?;
    let started = Pair::start(method, to);
    let pair = started.map_err(|cause| {
        let _ = affinity::pin(&[context.test_cpu]);
        not_started("start the partner of mem/line_transfer", &cause)
    })?;
    Ok(Box::new(Transfer {
        pair,
        method,
        from,
        home: context.test_cpu,
        astray: None,
        notes: notes(from, to, context),
    }))
}

fn ends(point: &Point, context: &Context) -> Result<(u32, u32), SetupError> {
    if context.cpus.len() < 2 {
        return Err(SetupError::skip(
            "a line travels between two CPUs, and this process may run on one only",
            "run on a machine with two CPUs, or allow a second one: taskset -c 0,1 pontage run",
        ));
    }
    let end = |axis: &str| {
        let wanted = point.int(axis);
        let mut usable = context.cpus.iter().copied();
        let end = usable.find(|cpu| i64::from(*cpu) == wanted);
        end.ok_or_else(|| {
            let usable = affinity::format_list(&context.cpus);
            SetupError::skip(
                format!("this process may not run on CPU {wanted}"),
                format!("--axis {axis}={usable} (the CPUs it may run on), or a wider taskset"),
            )
        })
    };
    let (from, to) = (end("from")?, end("to")?);
    if from == to {
        return Err(SetupError::skip(
            format!("from CPU {from} to itself a line does not travel"),
            "choose two CPUs: --axis from=0 --axis to=1",
        ));
    }
    Ok((from, to))
}

fn notes(from: u32, to: u32, context: &Context) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(relation) = Placement::between(&context.card.places, from, to) {
        notes.push(format!("the kernel calls these CPUs {}", relation.text()));
    }
    let watched = context.test_cpu;
    if from != watched {
        notes.push(format!(
            "interrupts and steal are watched on CPU {watched}, not on CPU {from}"
        ));
    }
    notes
}

fn matrix(method: &str, title: &str, y: &str, reading: &str) -> FigureHead {
    let figure = Figure::of(title, "to", y).log_y().series(&["from"]);
    let figure = figure.only(&[("method", method)]);
    figure.kind(FigureKind::Matrix).reading(reading)
}

fn figures() -> Vec<FigureHead> {
    vec![
        matrix(
            "load_store",
            "One way of a cache line by load and store",
            "transfer",
            "Squares along the diagonal are CPUs that are near each other. The picture should \
             be the same on both sides of the diagonal; where it is not, look at the modes.",
        ),
        matrix(
            "compare_exchange",
            "One way of a cache line by compare-exchange",
            "transfer",
            "What a lock pays whose waiters spin on the exchange.",
        ),
        matrix(
            "stream",
            "Lines from one producer to one consumer",
            "bandwidth",
            "GB/s = 10^9 bytes per second, 64 bytes a line: the best a queue between two \
             threads can do.",
        ),
    ]
}

/// The nearest pair of CPUs; a stream has many lines under way, and competes with no single one.
fn toll() -> Vec<TollHead> {
    let row = |method, label: &str, way: &str, condition: &str| TollHead {
        size_axis: String::new(),
        way: way.to_owned(),
        group: Some(TollGroup::Line),
        condition: condition.to_owned(),
        usual: method == "load_store",
        ..toll_row(label, &[("method", method)])
    };
    vec![
        row("load_store", "line by load and store", "load and store", ""),
        row(
            "compare_exchange",
            "line by compare and exchange",
            "compare-exchange",
            "",
        ),
        row("stream", "one line of a stream", "stream", "stream"),
    ]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: &[
        AxisSpec::number(
            "from",
            Unit::Count,
            "CPU that starts, produces, and touched the lines first",
        ),
        AxisSpec::number(
            "to",
            Unit::Count,
            "CPU of the partner, which answers or consumes",
        ),
        AxisSpec::word("method", "how the line is handed over", METHODS).compared(),
    ],
    parts: &[
        (
            "transfer",
            "time of one way of a line, or of one line of a stream",
        ),
        (
            "alone",
            "the same stores and loads on a line that stays with one CPU",
        ),
    ],
    bytes_per_op: |point| (point.word("method") == "stream").then_some(LINE_BYTES),
    grids: routes::grids,
    setup,
    figures,
    toll: |_| toll(),
    claims: &[
        Claim {
            text: "Handing a line to another CPU costs more than keeping it",
            check: findings::costs_more_than_staying,
        },
        Claim {
            text: "Both directions of a pair cost the same, to a tenth",
            check: findings::symmetric,
        },
        Claim {
            text: "A line in a stream costs less than a line handed back and forth",
            check: findings::stream_overlaps,
        },
    ],
    findings: findings::findings,
    ..Experiment::EMPTY
};
