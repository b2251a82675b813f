//! The calling thread on one CPU, a partner on another, and lines between them.
//!
//! Between batches the partner sleeps, so that other points set up at the same
//! time are not disturbed by its spinning. `gather` wakes it, outside the timed
//! part, and when that returns it already looks at the line of the coming batch:
//! no starting shot is in the timed part. Every wait ends when the other side
//! will not answer any more, and gives up the CPU when it takes too long.

use super::ping_pong::{alone, alone_exchange, answer, answer_exchange, call, call_exchange};
use super::stream::Ring;
use super::word::{Patience, Wait};
use engines::crew::body::{Body, Farewell, Host};
use engines::crew::child::Departure;
use harness::Fault;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Words of 8 bytes in a line: 64 bytes.
pub const WORDS: usize = 8;
/// What a stream counts as one line.
pub const LINE_BYTES: u64 = (WORDS * size_of::<u64>()) as u64;
/// Ring of a stream: as many lines as make a page.
const RING: usize = 64;
/// All lines that batches walk over: 64 pages of them.
const LINES: usize = 64 * RING;
/// From one batch's line to the next. Odd, so that all are visited, and far
/// enough to reach another page nearly every time.
const STRIDE: usize = 1267;

type Line = super::stream::Line<AtomicU64, WORDS>;

fn blank() -> [Line; RING] {
    let line = |_| super::stream::Line(std::array::from_fn(|_| AtomicU64::new(0)));
    std::array::from_fn(line)
}

/// How a line changes hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    LoadStore,
    CompareExchange,
    Stream,
}

/// The words of the axis `method`, in the order of the enum.
pub const METHODS: &[&str] = &["load_store", "compare_exchange", "stream"];

impl Method {
    /// # Panics
    /// On a word that is none of `METHODS`: the plan accepts no other.
    pub fn of(word: &str) -> Method {
        match word {
            "load_store" => Method::LoadStore,
            "compare_exchange" => Method::CompareExchange,
            "stream" => Method::Stream,
            _ => panic!("the plan gave an unknown method {word}"),
        }
    }

    /// Operations of one round.
    pub fn quantum(self) -> u64 {
        match self {
            Method::Stream => 1,
            Method::LoadStore | Method::CompareExchange => 2,
        }
    }
}

/// What both threads see.
#[derive(Debug, Default)]
pub struct Table {
    lines: Vec<[Line; RING]>,
    /// Line of the current turn.
    at: AtomicUsize,
    /// Turns that the partner was called to, looks at the line of, is done with.
    called: AtomicU64,
    ready: AtomicU64,
    done: AtomicU64,
    /// Rounds or lines that the partner has answered or taken.
    answered: AtomicU64,
    /// The partner will not answer any more.
    over: AtomicBool,
    /// The caller wants no more answers.
    leave: AtomicBool,
    /// The first thing that went wrong.
    fault: Mutex<Option<Fault>>,
}

impl Table {
    fn new() -> Self {
        Table {
            lines: (0..LINES / RING).map(|_| blank()).collect(),
            ..Table::default()
        }
    }

    /// The line of the current turn.
    pub fn line(&self) -> &AtomicU64 {
        let at = self.at.load(Ordering::Relaxed) % LINES;
        &self.lines[at / RING][at % RING].0[0]
    }

    /// The ring of the current turn, which has its line in it. The consumer
    /// reports in the next ring.
    pub fn ring(&self) -> Ring<'_, AtomicU64, WORDS> {
        let rings = self.lines.len();
        let at = self.at.load(Ordering::Relaxed) % LINES / RING;
        Ring {
            lines: &self.lines[at],
            taken: &self.lines[(at + 1) % rings][RING / 2].0[0],
        }
    }

    /// Turns that the partner was called to.
    #[cfg(test)]
    pub fn turn(&self) -> u64 {
        self.called.load(Ordering::Acquire)
    }

    fn first_fault(&self) -> MutexGuard<'_, Option<Fault>> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fault(&self, what: Fault) {
        self.first_fault().get_or_insert(what);
    }
}

/// The partner's part in one turn: until it is stopped. Returns the rounds.
pub type Answer = fn(&Table, &mut Patience<'_>) -> Result<u64, Fault>;

fn answer_of(method: Method) -> Answer {
    match method {
        Method::LoadStore => |table, wait| answer(table.line(), wait),
        Method::CompareExchange => |table, wait| answer_exchange(table.line(), wait),
        Method::Stream => |table, wait| table.ring().receive(wait),
    }
}

/// A caller and its partner thread, with the lines that they pass.
#[derive(Debug)]
pub struct Pair {
    method: Method,
    table: Arc<Table>,
    partner: Body,
    turn: u64,
    /// Whether the partner looks at the line of this turn.
    open: bool,
    /// Rounds or lines that the caller has seen through.
    rounds: u64,
    /// For what is done alone: lines that no other thread knows.
    own: Box<[Line; RING]>,
}

impl Pair {
    /// With a partner on `cpu`; the caller is where it is.
    ///
    /// # Errors
    /// No thread, or the partner cannot be pinned.
    pub fn start(method: Method, cpu: u32) -> io::Result<Pair> {
        Pair::with_answer(method, cpu, answer_of(method))
    }

    /// With a partner that answers in its own way.
    ///
    /// # Errors
    /// As `start`.
    pub fn with_answer(method: Method, cpu: u32, answer: Answer) -> io::Result<Pair> {
        // The caller touches the lines first: they are its memory node's.
        let table = Arc::new(Table::new());
        let seen = Arc::clone(&table);
        let life = move |bound| {
            live(cpu, bound, answer, &seen);
            Departure::Done
        };
        let partner = Body::start(Host::Thread, &format!("line-{cpu}"), cpu, &[], life)?;
        let mut pair = Pair {
            method,
            table,
            partner,
            turn: 0,
            open: false,
            rounds: 0,
            own: Box::new(blank()),
        };
        // The first turn proves that the partner is where it should be.
        pair.gather();
        pair.run(0);
        match pair.check() {
            Ok(()) => Ok(pair),
            Err(why) => Err(io::Error::other(why)),
        }
    }

    /// Brings the partner to a fresh line.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "only the remainder modulo LINES counts, a power of two"
    )]
    pub fn gather(&mut self) {
        if self.open || !self.settle() {
            return;
        }
        self.turn += 1;
        let table = &self.table;
        table
            .at
            .store(self.turn as usize * STRIDE % LINES, Ordering::Relaxed);
        match self.method {
            Method::Stream => table.ring().clear(),
            _ => table.line().store(0, Ordering::Relaxed),
        }
        table.called.store(self.turn, Ordering::Release);
        self.partner.unpark();
        self.open = self.await_turn(&table.ready);
    }

    /// `rounds` there and back, or as many lines; ends the turn.
    pub fn run(&mut self, rounds: u64) {
        if !self.open {
            // Only where the partner is gone: the faults say so.
            return;
        }
        self.open = false;
        let table = &*self.table;
        let mut wait = Patience::until(&table.over);
        let result = match self.method {
            Method::LoadStore => call(table.line(), rounds, &mut wait),
            Method::CompareExchange => call_exchange(table.line(), rounds, &mut wait),
            Method::Stream => table.ring().send(rounds, &mut wait),
        };
        match result {
            Ok(seen) => self.rounds += seen,
            Err(why) => table.fault(why),
        }
    }

    /// The same stores and loads without a partner.
    pub fn run_alone(&self, rounds: u64) {
        let line = &self.own[0].0[0];
        let result = match self.method {
            Method::LoadStore => alone(line, rounds),
            Method::CompareExchange => alone_exchange(line, rounds),
            Method::Stream => {
                let (lines, taken) = (&self.own[..], line);
                Ring { lines, taken }.alone(rounds)
            }
        };
        if let Err(why) = result {
            self.table.fault(why);
        }
    }

    /// Whether both sides count the same, and every number was right.
    ///
    /// # Errors
    /// The first thing that was wrong.
    pub fn check(&mut self) -> Result<(), Fault> {
        self.end_open_turn();
        self.settle();
        let table = &self.table;
        if let Some(first) = &*table.first_fault() {
            return Err(first.clone());
        }
        if table.over.load(Ordering::Acquire) {
            return Err(Fault::wrong("the partner is gone"));
        }
        let answered = table.answered.load(Ordering::Acquire);
        if answered != self.rounds {
            return Err(Fault::wrong(format!(
                "the caller counted {} rounds and the partner {answered}",
                self.rounds
            )));
        }
        Ok(())
    }

    /// Rounds or lines that the caller has seen through.
    #[cfg(test)]
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    fn end_open_turn(&mut self) {
        if self.open {
            self.run(0);
        }
    }

    /// Waits until the partner is done with the last turn. False when it is
    /// gone.
    fn settle(&self) -> bool {
        self.await_turn(&self.table.done)
    }

    fn await_turn(&self, counter: &AtomicU64) -> bool {
        let mut wait = Patience::until(&self.table.over);
        while counter.load(Ordering::Acquire) < self.turn {
            if !wait.again() {
                return false;
            }
        }
        true
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        self.table.leave.store(true, Ordering::Release);
        self.end_open_turn();
        self.partner.unpark();
    }
}

/// The life of the partner.
fn live(cpu: u32, bound: io::Result<()>, answer: Answer, table: &Table) {
    // Nobody answers any more, by whatever end.
    let _farewell = Farewell(|| table.over.store(true, Ordering::Release));
    if let Err(cause) = bound {
        table.fault(Fault::refused(
            &format!("pin the partner to CPU {cpu}"),
            cause,
        ));
        return;
    }
    for turn in 1.. {
        while table.called.load(Ordering::Acquire) < turn {
            if table.leave.load(Ordering::Acquire) {
                return;
            }
            std::thread::park();
        }
        if let Err(why) = is_on(cpu) {
            table.fault(Fault::wrong(format!("the partner {why}")));
        }
        table.ready.store(turn, Ordering::Release);
        match answer(table, &mut Patience::until(&table.leave)) {
            Ok(rounds) => {
                table.answered.fetch_add(rounds, Ordering::AcqRel);
            }
            Err(why) => {
                table.fault(why);
                return;
            }
        }
        table.done.store(turn, Ordering::Release);
    }
}

/// Whether the calling thread runs on `cpu`: a pinning that did not hold makes
/// the number one of some other pair.
///
/// # Errors
/// Where it runs instead.
pub fn is_on(cpu: u32) -> Result<(), Fault> {
    match harness::watch::current_cpu() {
        Some(here) if here != cpu => {
            Err(Fault::wrong(format!("ran on CPU {here} and not on {cpu}")))
        }
        _ => Ok(()),
    }
}
