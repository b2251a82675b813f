//! Memory read from end to end, and copied in blocks.

use super::Built;
use super::chase::Set;
use crate::loops::{self, ReadFn};
use crate::memory::Mapping;
use crate::memory::buffer::scatter;
use harness::{Context, SetupError};
use record::axis::human_bytes;
use stats::Rng;
use workload::{Workload, WrongResult};

/// The widest loads that this processor has.
fn widest_read() -> Option<ReadFn> {
    let methods = ["avx512", "avx2", "neon", "sse2", "words"];
    let mut found = methods.into_iter().filter_map(|m| loops::find(m).ok());
    found.find_map(|k| k.read)
}

struct Reading {
    mapping: Mapping,
    bytes: usize,
    read: ReadFn,
    known: u64,
    wrong: u64,
}

/// Reads the set from end to end, again and again.
///
/// # Errors
/// `Skip` without the memory.
pub fn reading(context: &Context, set: Set) -> Result<Built, SetupError> {
    let bytes = set.bytes(context);
    let mut mapping = set.map(context)?;
    scatter(&mut mapping.as_mut_slice()[..bytes], bytes as u64);
    let read = widest_read().ok_or_else(|| SetupError::fail("read memory", "no loop for it"))?;
    let words = loops::find("words").ok().and_then(|k| k.read);
    let plain = words.ok_or_else(|| SetupError::fail("read memory", "no plain loop"))?;
    // SAFETY: the mapping holds `bytes` initialised bytes.
    let known = unsafe { plain(mapping.base().as_ptr(), bytes) };
    let note = format!("reads {}: {}", human_bytes(bytes as u64), mapping.note());
    let reading = Reading {
        mapping,
        bytes,
        read,
        known,
        wrong: 0,
    };
    Ok(Built::steps(reading, note))
}

impl Workload for Reading {
    fn run(&mut self, units: u64) {
        for _ in 0..units {
            // SAFETY: the mapping holds `bytes` initialised bytes.
            let sum = unsafe { (self.read)(self.mapping.base().as_ptr(), self.bytes) };
            self.wrong += u64::from(sum != self.known);
        }
    }

    fn verify(&self) -> Result<(), WrongResult> {
        match self.wrong {
            0 => Ok(()),
            n => Err(WrongResult::new(format!(
                "{n} passes read other data than was written"
            ))),
        }
    }

    fn working_set_bytes(&self) -> u64 {
        self.bytes as u64
    }
}

const BLOCK: usize = 256 << 10;
const REGION: usize = 64 << 20;

struct Copying {
    mapping: Mapping,
    random: Rng,
    copy: loops::CopyFn,
    last: Option<(usize, usize)>,
}

/// Copies blocks within a region, at random places.
///
/// # Errors
/// `Skip` without the memory.
pub fn blocks(context: &Context) -> Result<Built, SetupError> {
    let mut mapping = Mapping::huge_if_possible(REGION, context)?;
    let all = &mut mapping.as_mut_slice()[..REGION];
    for (number, block) in all.chunks_mut(BLOCK).enumerate() {
        scatter(block, number as u64);
    }
    let libc = loops::find("libc").ok().and_then(|k| k.copy);
    let copy = libc.ok_or_else(|| SetupError::fail("copy memory", "no memcpy"))?;
    let note = mapping.note().to_owned();
    let copying = Copying {
        mapping,
        random: Rng::new(BLOCK as u64),
        copy: std::hint::black_box(copy),
        last: None,
    };
    Ok(Built::steps(copying, note))
}

impl Copying {
    fn block(&self, number: usize) -> *mut u8 {
        // SAFETY: numbers are below the blocks of the region.
        unsafe { self.mapping.base().as_ptr().add(number * BLOCK) }
    }
}

impl Workload for Copying {
    fn run(&mut self, units: u64) {
        let blocks = REGION / BLOCK;
        for _ in 0..units {
            let from = self.random.below(blocks);
            let to = (from + 1 + self.random.below(blocks - 1)) % blocks;
            // SAFETY: two different blocks of the mapping.
            unsafe { (self.copy)(self.block(to), self.block(from), BLOCK) };
            self.last = Some((from, to));
        }
    }

    fn verify(&self) -> Result<(), WrongResult> {
        let Some((from, to)) = self.last else {
            return Ok(());
        };
        let bytes = |number| &self.mapping.as_slice()[number * BLOCK..][..BLOCK];
        match bytes(from) == bytes(to) {
            true => Ok(()),
            false => Err(WrongResult::new(format!(
                "block {to} is not the copy of {from}"
            ))),
        }
    }

    fn working_set_bytes(&self) -> u64 {
        REGION as u64
    }
}
