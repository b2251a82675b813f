//! A medium behind a volatile cache, as a processor has it: what was stored may
//! reach the medium at any time or never, until the line was written back and
//! waited for. A crash comes at a step that was drawn before.

use super::Store;
use stats::Rng;
use std::collections::BTreeSet;
use std::io;

const LINE_BYTES: usize = 64;

/// What a writer forgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forgets {
    Nothing,
    Flush,
    Fence,
    /// To write back the last line of what it wrote.
    LastLine,
}

/// A store behind a simulated cache that loses what was not written back.
pub struct Simulated {
    /// As the processors see it.
    cached: Vec<u8>,
    medium: Vec<u8>,
    /// Lines whose last stores may not be on the medium.
    dirty: BTreeSet<usize>,
    /// Written back and not yet waited for: still dirty.
    sent: BTreeSet<usize>,
    steps_left: u32,
    random: Rng,
    forgets: Forgets,
}

impl Simulated {
    /// `bytes` of zeros; the power fails after so many steps.
    pub fn new(bytes: usize, steps: u32, seed: u64, forgets: Forgets) -> Simulated {
        Simulated {
            cached: vec![0; bytes],
            medium: vec![0; bytes],
            dirty: BTreeSet::new(),
            sent: BTreeSet::new(),
            steps_left: steps,
            random: Rng::new(seed),
            forgets,
        }
    }

    /// What a reader finds after the crash: each line that was not safe made it
    /// or did not.
    pub fn crash(mut self) -> Vec<u8> {
        for line in std::mem::take(&mut self.dirty) {
            if self.random.below(2) == 0 {
                self.reach_medium(line);
            }
        }
        self.medium
    }

    fn reach_medium(&mut self, line: usize) {
        let end = ((line + 1) * LINE_BYTES).min(self.cached.len());
        let bytes = line * LINE_BYTES..end;
        self.medium[bytes.clone()].copy_from_slice(&self.cached[bytes]);
    }

    /// One step of the processor; now and then a line is evicted before it.
    fn step(&mut self) -> io::Result<()> {
        if self.random.below(8) == 0 && !self.dirty.is_empty() {
            let nth = self.random.below(self.dirty.len());
            let line = *self.dirty.iter().nth(nth).expect("not empty");
            self.reach_medium(line);
            // Clean until it is stored to again.
            self.dirty.remove(&line);
            self.sent.remove(&line);
        }
        match self.steps_left.checked_sub(1) {
            Some(left) => self.steps_left = left,
            None => return Err(io::Error::other("crash")),
        }
        Ok(())
    }
}

impl Store for &mut Simulated {
    /// A word at a time: what a processor stores as a whole.
    fn write(&mut self, at: usize, bytes: &[u8]) -> io::Result<()> {
        for (index, word) in bytes.chunks(8).enumerate() {
            self.step()?;
            let from = at + 8 * index;
            self.cached[from..from + word.len()].copy_from_slice(word);
            self.dirty.insert(from / LINE_BYTES);
            self.sent.remove(&(from / LINE_BYTES));
        }
        Ok(())
    }

    fn flush(&mut self, at: usize, len: usize) -> io::Result<()> {
        let last = (at + len - 1) / LINE_BYTES;
        for line in at / LINE_BYTES..=last {
            self.step()?;
            let forgotten = match self.forgets {
                Forgets::Flush => true,
                Forgets::LastLine => line == last,
                Forgets::Nothing | Forgets::Fence => false,
            };
            if self.dirty.contains(&line) && !forgotten {
                self.sent.insert(line);
            }
        }
        Ok(())
    }

    fn fence(&mut self) -> io::Result<()> {
        self.step()?;
        if self.forgets == Forgets::Fence {
            return Ok(());
        }
        for line in std::mem::take(&mut self.sent) {
            self.reach_medium(line);
            self.dirty.remove(&line);
        }
        Ok(())
    }
}
