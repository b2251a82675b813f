//! Getting data out of the caches, so that a copy starts cold.

use super::writeback::{Instruction, Writeback, full_fence};
use crate::memory::buffer::Buffer;
use record::{MachineCard, axis::human_bytes};
use std::hint::black_box;

/// Eviction walks this many times the last-level cache: a policy that is not
/// strictly least-recently-used keeps some lines through one cache full.
const EVICTION_FACTOR: u64 = 2;

/// Size assumed for the last-level cache where the machine does not report it, bytes.
const UNKNOWN_CACHE_BYTES: u64 = 64 << 20;

/// Instructions that drop a line from every level, the best first.
const DROPPING: [Instruction; 3] = [
    Instruction::Clflushopt,
    Instruction::Clflush,
    Instruction::DcCivac,
];

/// A way to make memory cold on this machine.
#[derive(Debug)]
pub enum Flusher {
    /// An instruction that writes a line back and drops it from every level.
    Lines(Writeback),
    /// No such instruction: read so much other memory that the line is evicted.
    Eviction { other: Buffer, line_bytes: usize },
}

impl Flusher {
    /// The best way that this processor has. CLWB is none: it writes the line
    /// back but may keep it.
    ///
    /// # Errors
    /// The eviction buffer, where one is needed, cannot be mapped.
    pub fn best(card: &MachineCard, available_bytes: u64) -> std::io::Result<Flusher> {
        let found = DROPPING.iter().find_map(|i| Writeback::find(*i).ok());
        match found {
            Some(way) => Ok(Flusher::Lines(way)),
            None => Flusher::eviction(card, available_bytes),
        }
    }

    /// Eviction, for memory that has no address here (pages of the kernel).
    ///
    /// # Errors
    /// The buffer cannot be mapped.
    pub fn eviction(card: &MachineCard, available_bytes: u64) -> std::io::Result<Flusher> {
        let bytes = eviction_bytes(card, available_bytes);
        Ok(Flusher::Eviction {
            other: Buffer::touched(usize::try_from(bytes).unwrap_or(usize::MAX))?,
            line_bytes: line_bytes(card),
        })
    }

    /// Makes `len` bytes at `at` cold. Returns when the lines are gone.
    ///
    /// # Safety
    /// The range is mapped and readable.
    pub unsafe fn flush(&self, at: *const u8, len: usize) {
        match self {
            Flusher::Lines(way) => {
                // SAFETY: by the caller's promise.
                unsafe { way.push(at, len) };
                // No flush may still be running in the timed part.
                full_fence();
            }
            Flusher::Eviction { other, line_bytes } => walk(other.as_slice(), *line_bytes),
        }
    }

    /// What was done, for the notes of a point.
    pub fn describe(&self) -> String {
        match self {
            Flusher::Lines(way) => format!(
                "cold by {} on every {} B line",
                way.instruction(),
                way.line_bytes()
            ),
            Flusher::Eviction { other, .. } => format!(
                "cold by reading {} of other memory",
                human_bytes(other.bytes() as u64)
            ),
        }
    }
}

/// Bytes to read so that everything else leaves the caches, within a quarter
/// of the memory that is free.
pub fn eviction_bytes(card: &MachineCard, available_bytes: u64) -> u64 {
    let cache = card
        .last_level()
        .map_or(UNKNOWN_CACHE_BYTES, |c| c.size_bytes);
    (EVICTION_FACTOR * cache).min(available_bytes / 4)
}

fn line_bytes(card: &MachineCard) -> usize {
    card.last_level()
        .and_then(|c| c.line_bytes)
        .map_or(64, |l| l as usize)
        .max(8)
}

fn walk(other: &[u8], line_bytes: usize) {
    let mut sum = 0u8;
    for byte in other.iter().step_by(line_bytes) {
        sum ^= *byte;
    }
    black_box(sum);
}

#[cfg(test)]
mod tests {
    use super::{Flusher, eviction_bytes};
    use crate::memory::buffer::{Buffer, scatter};
    use record::{Cache, CacheKind, MachineCard};

    fn card(last_level_bytes: u64) -> MachineCard {
        MachineCard {
            caches: vec![Cache {
                level: 3,
                kind: CacheKind::Unified,
                size_bytes: last_level_bytes,
                line_bytes: Some(64),
                ways: None,
                shared_by: vec![0],
                instances: 1,
            }],
            ..MachineCard::default()
        }
    }

    #[test]
    fn eviction_is_sized_from_the_card_and_bounded_by_memory() {
        assert_eq!(eviction_bytes(&card(8 << 20), 1 << 30), 16 << 20);
        assert_eq!(eviction_bytes(&card(1 << 30), 1 << 30), 256 << 20);
        assert_eq!(eviction_bytes(&MachineCard::default(), 1 << 40), 128 << 20);
    }

    #[test]
    fn flushing_any_range_keeps_its_contents() {
        let mut b = Buffer::touched(9000).expect("a few pages are available");
        scatter(b.as_mut_slice(), 5);
        let before = b.as_slice().to_vec();
        let small = card(1 << 16);
        let ways = [
            Flusher::best(&small, 1 << 30).expect("a small buffer"),
            Flusher::eviction(&small, 1 << 30).expect("a small buffer"),
        ];
        for way in ways {
            for (from, len) in [(0, 0), (0, 1), (63, 2), (1, 8999), (0, 9000)] {
                // SAFETY: every range is inside the buffer.
                unsafe { way.flush(b.as_ptr().add(from), len) };
            }
            assert!(way.describe().starts_with("cold by "));
        }
        assert_eq!(b.as_slice(), before);
    }
}
