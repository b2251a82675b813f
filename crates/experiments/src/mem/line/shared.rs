//! Two CPUs that add to words some way apart.

use super::{LARGEST_PAIR_STEP, partner, shuffled};
use engines::crew::threads::{Crew, Member, Waiting};
use engines::memory::{Mapping, Pages};
use harness::{Context, Fault, SetupError, Subject};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Additions between two looks of the partner whether it should stop.
const BETWEEN_LOOKS: u64 = 16;
/// Places of the two words that batches take in turn.
const PLACES: usize = 64;

/// The two words of each place, `step` bytes apart, and the sign to stop.
struct Words {
    mapping: Mapping,
    offsets: Vec<usize>,
    step: usize,
    /// The partner goes on until then.
    over: AtomicBool,
}

impl Words {
    fn word(&self, place: usize, distance: usize) -> &AtomicU64 {
        let offset = self.offsets[place % self.offsets.len()] + distance;
        let word = self.mapping.base().as_ptr().wrapping_add(offset);
        // SAFETY: inside the mapping, aligned, and as long as that; both threads use it as
        // an atomic only.
        unsafe { AtomicU64::from_ptr(word.cast::<u64>()) }
    }
}

/// The place of a turn, and how many additions the caller makes there.
#[derive(Debug, Clone, Copy)]
struct Turn {
    place: usize,
    times: u64,
}

/// One of the two threads.
struct Adder {
    words: Arc<Words>,
    partner: bool,
}

impl Member for Adder {
    type Order = Turn;
    type Answer = u64;

    fn obey(&mut self, Turn { place, times }: Turn) -> u64 {
        let words = &*self.words;
        if !self.partner {
            let own = words.word(place, 0);
            (0..times).for_each(|_| add(own));
            words.over.store(true, Ordering::Release);
            return times;
        }
        let theirs = words.word(place, words.step);
        let mut added = 0;
        while !words.over.load(Ordering::Acquire) {
            (0..BETWEEN_LOOKS).for_each(|_| add(theirs));
            added += BETWEEN_LOOKS;
        }
        added
    }
}

#[inline]
fn add(word: &AtomicU64) {
    word.fetch_add(1, Ordering::Relaxed);
}

/// Additions of the calling thread to one word while a partner adds to another.
pub struct Shared {
    crew: Option<Crew<Adder>>,
    words: Arc<Words>,
    place: usize,
    added: u64,
    partner_added: u64,
    fault: Option<Fault>,
}

impl Shared {
    /// Words `step` bytes apart.
    ///
    /// # Errors
    /// `Skip` where there is no second CPU.
    pub fn new(step: usize, seed: u64, context: &Context) -> Result<Shared, SetupError> {
        let cpu = partner(context)?;
        let mapping = Mapping::new(PLACES * LARGEST_PAIR_STEP, Pages::Base, context)?;
        let simulated = mapping.simulated().is_some();
        let places = shuffled(PLACES, seed).into_iter();
        let words = Arc::new(Words {
            mapping,
            offsets: places.map(|place| place * LARGEST_PAIR_STEP).collect(),
            step,
            over: AtomicBool::new(false),
        });
        let adder = |partner| Adder {
            words: Arc::clone(&words),
            partner,
        };
        let crew = match simulated {
            true => None,
            false => {
                let its = Arc::clone(&words);
                let make = move |_, _| {
                    Ok(Adder {
                        words: Arc::clone(&its),
                        partner: true,
                    })
                };
                let on_the_line = Waiting::OnTheLine;
                Some(Crew::start(
                    "line",
                    on_the_line,
                    adder(false),
                    &[cpu],
                    make,
                )?)
            }
        };
        Ok(Shared {
            crew,
            words,
            place: 0,
            added: 0,
            partner_added: 0,
            fault: None,
        })
    }
}

impl Shared {
    /// What the partner has added in the last turn.
    fn collect(&mut self) {
        let answers = self.crew.as_mut().map(Crew::answers).unwrap_or_default();
        self.partner_added += answers.iter().sum::<u64>();
    }
}

impl Subject for Shared {
    fn prepare(&mut self, _part: u16) {
        self.collect();
        self.place += 1;
        self.words.over.store(false, Ordering::Release);
        if let Some(crew) = &mut self.crew {
            crew.gather();
        }
    }

    fn batch(&mut self, _part: u16, times: u64) {
        let place = self.place;
        let words = &self.words;
        match (&mut self.crew, words.mapping.simulated()) {
            (Some(crew), _) => {
                let done = crew.turn(Turn { place, times });
                self.fault = self.fault.take().or(done.err());
            }
            (None, Some(machine)) => {
                let at = |distance| std::ptr::from_ref(words.word(place, distance)) as usize;
                machine.contend(at(0), at(words.step), times);
            }
            (None, None) => {}
        }
        self.added += times;
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.collect();
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        if self.crew.is_none() {
            return Ok(());
        }
        let words = &self.words;
        let sum = |distance| -> u64 {
            let places = 0..words.offsets.len();
            let of = |place| words.word(place, distance).load(Ordering::Acquire);
            places.map(of).sum()
        };
        engines::verdict::must(
            (sum(0), sum(words.step)) == (self.added, self.partner_added),
            format!(
                "{} and {} additions are in the words, {} and {} were made",
                sum(0),
                sum(words.step),
                self.added,
                self.partner_added
            ),
        )
    }

    fn notes(&self) -> Vec<String> {
        vec![self.words.mapping.note().to_owned()]
    }
}
