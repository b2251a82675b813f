//! A word that a second CPU has just loaded, and the time that a word near it takes here.
//!
//! Both words are dropped from all caches before, so what the first CPU finds near is what
//! the second one brought into a cache that both have, or can pass on.

use super::{LARGEST_PAIR_STEP, partner, shuffled};
use crate::mem::dropping::{dropped_by, timed_way};
use engines::crew::threads::{Crew, Member, Waiting};
use engines::loops::writeback::{Writeback, full_fence};
use engines::memory::{Mapping, Pages};
use engines::reading::of_events;
use engines::verdict::must;
use harness::{Context, Fault, Reading, SetupError, Subject};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Pairs of words that take turns.
const PAIRS: usize = 64;
/// Turns of a spin before others may run, and how often they may before the partner counts
/// as gone.
const PATIENCE: u32 = 1 << 14;
const LONGEST: u32 = 1 << 20;

/// The words, and what the two threads tell each other.
struct Letters {
    mapping: Mapping,
    /// Offsets of the word that is handed over and the one that is timed.
    pairs: Vec<[usize; 2]>,
    /// Number of the request, and the place that it asks for.
    asked: AtomicU64,
    place: AtomicU64,
    /// Number of the request that was done.
    done: AtomicU64,
    over: AtomicBool,
}

impl Letters {
    fn word(&self, offset: usize) -> *mut u8 {
        self.mapping.base().as_ptr().wrapping_add(offset)
    }
}

/// One of the two threads.
struct Hand {
    letters: Arc<Letters>,
    partner: bool,
    /// None: a simulated machine does it.
    way: Option<Writeback>,
    tick_ns: f64,
    next: usize,
    asked: u64,
}

/// What a turn took, ns; None where the partner did not answer.
type Took = Option<f64>;

impl Member for Hand {
    type Order = u64;
    type Answer = Took;

    fn obey(&mut self, times: u64) -> Took {
        match self.partner {
            true => {
                self.serve();
                Some(0.0)
            }
            false => {
                let took = (0..times).map(|_| self.once()).sum();
                self.letters.over.store(true, Ordering::Release);
                took
            }
        }
    }
}

impl Hand {
    /// Loads what is asked for until it is over.
    fn serve(&mut self) {
        let letters = Arc::clone(&self.letters);
        while !letters.over.load(Ordering::Acquire) {
            let asked = letters.asked.load(Ordering::Acquire);
            if asked == letters.done.load(Ordering::Relaxed) {
                std::hint::spin_loop();
                continue;
            }
            let place = usize::try_from(letters.place.load(Ordering::Relaxed)).unwrap_or(0);
            // SAFETY: inside the mapping, and aligned: the caller asks for words of pairs.
            unsafe { letters.word(place).cast::<u64>().read_volatile() };
            full_fence();
            letters.done.store(asked, Ordering::Release);
        }
    }

    /// Drops both words, has the first loaded over there, and times the second here, ns.
    fn once(&mut self) -> Option<f64> {
        let letters = &*self.letters;
        let [first, second] = letters.pairs[self.next % PAIRS];
        self.next += 1;
        let way = self.way?;
        let mut ticks = [0];
        // SAFETY: inside the mapping.
        unsafe {
            [first, second].iter().for_each(|at| {
                way.push(letters.word(*at), size_of::<usize>());
            });
        }
        full_fence();
        self.asked += 1;
        letters.place.store(first as u64, Ordering::Relaxed);
        letters.asked.store(self.asked, Ordering::Release);
        self.wait()?;
        full_fence();
        // SAFETY: inside the mapping, aligned; the word holds an address inside it.
        unsafe { harness::loads::time_each(letters.word(second).cast::<usize>(), &mut ticks) };
        Some(f64::from(ticks[0]) * self.tick_ns)
    }

    /// Until the partner has done what was asked.
    fn wait(&self) -> Option<()> {
        for turn in 0..LONGEST {
            if self.letters.done.load(Ordering::Acquire) == self.asked {
                return Some(());
            }
            match turn < PATIENCE {
                true => std::hint::spin_loop(),
                // The partner has lost its CPU, perhaps to this thread.
                false => std::thread::yield_now(),
            }
        }
        None
    }
}

/// Loads of the calling thread behind those of a partner.
pub struct Handed {
    crew: Option<Crew<Hand>>,
    letters: Arc<Letters>,
    way: Option<Writeback>,
    /// Of a simulated machine.
    next: usize,
    took_ns: f64,
    ops: u64,
    fault: Option<Fault>,
}

impl Handed {
    /// Words `step` bytes apart.
    ///
    /// # Errors
    /// `Skip` where no instruction drops a line, single loads cannot be timed, or there is no
    /// second CPU.
    pub fn new(step: usize, seed: u64, context: &Context) -> Result<Handed, SetupError> {
        let way = timed_way(context)?;
        let cpu = partner(context)?;
        let mapping = Mapping::new(PAIRS * LARGEST_PAIR_STEP, Pages::Base, context)?;
        let pairs = pairs(step, seed);
        for at in pairs.iter().flatten() {
            let word = mapping.base().as_ptr().wrapping_add(*at);
            // SAFETY: inside the mapping, aligned: steps are multiples of 8.
            unsafe { word.cast::<usize>().write(word as usize) };
        }
        let simulated = mapping.simulated().is_some();
        let letters = Arc::new(Letters {
            mapping,
            pairs,
            asked: AtomicU64::new(0),
            place: AtomicU64::new(0),
            done: AtomicU64::new(0),
            over: AtomicBool::new(false),
        });
        let tick_ns = way.map_or(0.0, |_| harness::loads::tick_ns());
        let its = Arc::clone(&letters);
        let hand = move |partner| Hand {
            letters: Arc::clone(&its),
            partner,
            way,
            tick_ns,
            next: 0,
            asked: 0,
        };
        let crew = match simulated {
            true => None,
            false => {
                let own = hand(false);
                let make = move |_, _| Ok(hand(true));
                Some(Crew::start("line", Waiting::OnTheLine, own, &[cpu], make)?)
            }
        };
        Ok(Handed {
            crew,
            letters,
            way,
            next: 0,
            took_ns: 0.0,
            ops: 0,
            fault: None,
        })
    }
}

/// The pairs in random order, half of them with the later word first.
fn pairs(step: usize, seed: u64) -> Vec<[usize; 2]> {
    let pair = |(number, block): (usize, usize)| {
        let mut pair = [block * LARGEST_PAIR_STEP, block * LARGEST_PAIR_STEP + step];
        if number % 2 == 1 {
            pair.reverse();
        }
        pair
    };
    let blocks = shuffled(PAIRS, seed).into_iter().enumerate();
    blocks.map(pair).collect()
}

impl Subject for Handed {
    fn prepare(&mut self, _part: u16) {
        self.letters.over.store(false, Ordering::Release);
        if let Some(crew) = &mut self.crew {
            crew.gather();
        }
    }

    fn batch(&mut self, _part: u16, times: u64) {
        (self.ops, self.took_ns) = (times, 0.0);
        if let Some(machine) = self.letters.mapping.simulated() {
            for _ in 0..times {
                let [first, second] = self.letters.pairs[self.next % PAIRS];
                self.next += 1;
                let at = |offset| self.letters.word(offset) as usize;
                machine.flush(at(first));
                machine.flush(at(second));
                machine.load_by_partner(at(first));
                self.took_ns += machine.time_load(0, at(second));
            }
            return;
        }
        let Some(crew) = &mut self.crew else { return };
        let gone = || {
            Fault::wrong("the second CPU did not answer: something else keeps it (chrt -p, cpuset)")
        };
        match crew.turn(times) {
            Ok(Some(ns)) => self.took_ns = ns,
            Ok(None) => self.fault = self.fault.take().or_else(|| Some(gone())),
            Err(fault) => self.fault = self.fault.take().or(Some(fault)),
        }
    }

    fn reading(&mut self, _part: u16) -> Option<Reading> {
        Some(of_events(self.ops, self.took_ns, None))
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if let Some(crew) = &mut self.crew {
            crew.answers();
        }
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let at = |offset: usize| self.letters.word(offset) as usize;
        // SAFETY: inside the mapping, aligned, and written when it was set up.
        let holds = |offset| unsafe { (at(offset) as *const usize).read() };
        let words = self.letters.pairs.iter().flatten();
        let lost = words.filter(|word| holds(**word) != at(**word)).count();
        must(lost == 0, "words do not hold what was written")
    }

    fn notes(&self) -> Vec<String> {
        let way = self.way.map(dropped_by);
        let mapping = self.letters.mapping.note().to_owned();
        way.into_iter().chain([mapping]).collect()
    }
}
