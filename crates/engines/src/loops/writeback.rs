//! Instructions that bring a written line towards memory, and the fences that
//! wait for them.
//!
//! | word | what becomes of the line | fence |
//! |---|---|---|
//! | `store` | stays where the store left it | none |
//! | `ntstore` | passes the caches by | `sfence` |
//! | `clflush` | written back and dropped, one line after the other | `mfence` |
//! | `clflushopt` | written back and dropped, lines in any order | `sfence` |
//! | `clwb` | written back, may stay | `sfence` |
//! | `dc_cvac` | written back to where all see the same, may stay | `dsb sy` |
//! | `dc_cvap` | written back to where it outlives the power, may stay | `dsb sy` |
//! | `dc_civac` | written back and dropped | `dsb sy` |

/// Has an instruction work on each of the lines.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! each {
    ($text:literal, $lines:ident) => {
        for line in $lines {
            // SAFETY: contents do not change; by the caller's promise.
            unsafe { asm!($text, in(reg) line, options(nostack, preserves_flags)) };
        }
    };
}

#[cfg(target_arch = "aarch64")]
#[path = "writeback/arm.rs"]
mod native;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "writeback/other.rs"]
mod native;
#[cfg(target_arch = "x86_64")]
#[path = "writeback/x86.rs"]
mod native;

use super::Missing;
use std::fmt;

/// Bytes that blocks are aligned to and multiples of: one wide store.
pub const GRAIN_BYTES: usize = 16;

/// How a line is brought towards memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instruction {
    Store,
    Clflush,
    Clflushopt,
    Clwb,
    NonTemporal,
    DcCvac,
    DcCvap,
    DcCivac,
}

/// Its word on an axis, the architecture, the fence that waits for it, what it needs.
type Row = (
    Instruction,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

/// How often a writer waits for what it has sent off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fence {
    /// Once, behind the last line.
    Block,
    /// Behind each line.
    Line,
}

/// An instruction that this processor has, and the line it works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writeback {
    instruction: Instruction,
    line_bytes: usize,
}

/// Every architecture.
const ANY: &str = "";
const X86: &str = "x86_64";
const ARM: &str = "aarch64";

/// In the order of figures, which is that of the enum.
const TABLE: [Row; 8] = {
    use Instruction::{Clflush, Clflushopt, Clwb, DcCivac, DcCvac, DcCvap, NonTemporal, Store};
    const LEAF_1: &str = "an x86 processor with CLFLUSH (CPUID leaf 1)";
    const LEAF_7: &str = "an x86 processor with CLFLUSHOPT (CPUID leaf 7)";
    const CLWB: &str = "an x86 processor with CLWB (CPUID leaf 7)";
    const CVAP: &str =
        "a 64-bit ARM processor with DC CVAP (dcpop among the features of /proc/cpuinfo)";
    let table = [
        (Store, "store", ANY, "no fence", "nothing"),
        (Clflush, "clflush", X86, "mfence", LEAF_1),
        (Clflushopt, "clflushopt", X86, "sfence", LEAF_7),
        (Clwb, "clwb", X86, "sfence", CLWB),
        (NonTemporal, "ntstore", X86, "sfence", "an x86 processor"),
        (DcCvac, "dc_cvac", ARM, "dsb sy", "a 64-bit ARM processor"),
        (DcCvap, "dc_cvap", ARM, "dsb sy", CVAP),
        (DcCivac, "dc_civac", ARM, "dsb sy", "a 64-bit ARM processor"),
    ];
    let mut at = 0;
    while at < table.len() {
        assert!(table[at].0 as usize == at, "a row of another instruction");
        at += 1;
    }
    table
};

impl Instruction {
    /// All of them on any processor, in the order of figures.
    pub fn all() -> impl Iterator<Item = Instruction> {
        TABLE.iter().map(|row| row.0)
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// The word of an axis.
    pub fn word(self) -> &'static str {
        self.row().1
    }

    /// The instruction of an axis's word.
    pub fn from_word(word: &str) -> Option<Instruction> {
        Self::all().find(|i| i.word() == word)
    }

    /// Those of an architecture, named as `uname -m` names it; whether a
    /// processor of it has them, only [`Writeback::find`] knows.
    pub fn of(arch: &str) -> Vec<Instruction> {
        let here = TABLE.iter().filter(|row| [ANY, arch].contains(&row.2));
        here.map(|row| row.0).collect()
    }

    /// Name of the fence that waits for it.
    pub fn fence_name(self) -> &'static str {
        self.row().3
    }

    fn missing(self) -> Missing {
        let needs = self.row().4;
        let here = Self::all().filter(|i| native::line_bytes(*i).is_some());
        let here: Vec<&str> = here.map(Self::word).collect();
        Missing {
            reason: format!("{self} needs {needs}"),
            remedy: format!(
                "choose one that exists here: --axis method={}",
                here.join(",")
            ),
        }
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.word().replace('_', " "))
    }
}

impl Writeback {
    /// `instruction`, when this processor has it for user programs.
    ///
    /// # Errors
    /// What is missing, and which instructions there are instead.
    pub fn find(instruction: Instruction) -> Result<Writeback, Missing> {
        match native::line_bytes(instruction) {
            Some(line_bytes) => Ok(Writeback {
                instruction,
                line_bytes,
            }),
            None => Err(instruction.missing()),
        }
    }

    /// Which instruction it is.
    pub fn instruction(self) -> Instruction {
        self.instruction
    }

    /// Bytes that one of them writes back.
    pub fn line_bytes(self) -> usize {
        self.line_bytes
    }

    /// Sends off each line that holds a byte of the range, without waiting.
    /// Stores are sent off as they are made, so the two of them do nothing here.
    ///
    /// # Safety
    /// The range is mapped and readable.
    #[inline]
    pub unsafe fn push(self, at: *const u8, len: usize) {
        let first = at as usize / self.line_bytes * self.line_bytes;
        let lines = (first..at as usize + len).step_by(self.line_bytes);
        // SAFETY: each line holds a byte of the caller's range, and `find` has
        // seen that the processor has the instruction.
        unsafe { native::push(self.instruction, lines) }
    }

    /// Waits until what was sent off has arrived.
    #[inline]
    pub fn fence(self) {
        match self.instruction {
            Instruction::Store => {}
            Instruction::Clflush => full_fence(),
            _ => native::store_fence(),
        }
    }

    /// Writes the words `seed`, `seed + 1`, ... (little endian) and brings them
    /// to memory by the instruction: all stores, all lines, one fence; or all
    /// of that for one line after the other.
    ///
    /// # Safety
    /// The range is writable, and both its ends are multiples of [`GRAIN_BYTES`].
    #[inline]
    pub unsafe fn write(self, to: *mut u8, seed: u64, len: usize, fence: Fence) {
        let step = match fence {
            Fence::Block => len.max(1),
            Fence::Line => self.line_bytes,
        };
        for from in (0..len).step_by(step) {
            let piece = step.min(len - from);
            // SAFETY: `from + piece` is at most `len`; lines are whole grains.
            unsafe {
                let at = to.add(from);
                let word = seed.wrapping_add(from as u64 / 8);
                if self.instruction == Instruction::NonTemporal {
                    native::stream(at, word, piece);
                } else {
                    store(at, word, piece);
                }
                self.push(at, piece);
            }
            self.fence();
        }
    }
}

/// Whether the range holds the words that [`Writeback::write`] puts there.
pub fn holds(bytes: &[u8], seed: u64) -> bool {
    let words = (0u64..).map(|i| seed.wrapping_add(i).to_le_bytes());
    bytes
        .chunks(8)
        .zip(words)
        .all(|(found, word)| *found == word[..found.len()])
}

/// Waits for all loads, stores and write-backs before it.
#[inline]
pub fn full_fence() {
    native::full_fence();
}

/// # Safety
/// As [`Writeback::write`].
#[inline]
unsafe fn store(to: *mut u8, seed: u64, len: usize) {
    for word in 0..len / 8 {
        // SAFETY: whole words inside the range.
        unsafe {
            let value = seed.wrapping_add(word as u64).to_le();
            to.cast::<u64>().add(word).write(value);
        }
    }
    // The asm of the instructions counts as a reader of all memory; without it the
    // compiler could drop the stores.
    std::hint::black_box(to);
}

#[cfg(test)]
mod tests {
    use super::{Fence, Instruction, Writeback, holds};
    use crate::memory::buffer::Buffer;

    #[test]
    fn each_instruction_is_here_or_says_what_it_needs() {
        for instruction in Instruction::all() {
            assert_eq!(
                Instruction::from_word(instruction.word()),
                Some(instruction)
            );
            match Writeback::find(instruction) {
                Ok(found) => assert!(found.line_bytes().is_power_of_two()),
                Err(missing) => {
                    assert!(missing.reason.contains("needs"), "{}", missing.reason);
                    assert!(missing.remedy.contains("--axis method=store"));
                }
            }
        }
        assert_eq!(Instruction::from_word("telepathy"), None);
    }

    #[test]
    fn an_architecture_lists_no_foreign_instruction() {
        let words =
            |arch| -> Vec<&str> { Instruction::of(arch).iter().map(|i| i.word()).collect() };
        assert_eq!(
            words("x86_64"),
            ["store", "clflush", "clflushopt", "clwb", "ntstore"]
        );
        assert_eq!(
            words("aarch64"),
            ["store", "dc_cvac", "dc_cvap", "dc_civac"]
        );
        assert_eq!(words("riscv64"), ["store"]);
    }

    #[test]
    fn every_way_writes_its_words_and_nothing_else() {
        let mut buffer = Buffer::touched(8192).expect("two pages are available");
        for way in Instruction::all().filter_map(|i| Writeback::find(i).ok()) {
            for fence in [Fence::Block, Fence::Line] {
                for (from, len) in [(64, 64), (16, 16), (48, 224), (64, 4096), (4096, 0)] {
                    buffer.as_mut_slice().fill(0xc3);
                    // SAFETY: grains inside the buffer.
                    unsafe { way.write(buffer.as_mut_ptr().add(from), !2, len, fence) };
                    let (before, rest) = buffer.as_slice().split_at(from);
                    let (block, behind) = rest.split_at(len);
                    let name = way.instruction();
                    assert!(holds(block, !2), "{name} {fence:?} {from} {len}");
                    let kept = before.iter().chain(behind).all(|b| *b == 0xc3);
                    assert!(kept, "{name} {fence:?} {from} {len} wrote outside");
                }
            }
        }
    }

    #[test]
    fn a_wrong_word_is_seen() {
        let mut words: Vec<u8> = (7u64..15).flat_map(u64::to_le_bytes).collect();
        assert!(holds(&words, 7));
        assert!(!holds(&words, 8));
        words[63] = 1;
        assert!(!holds(&words, 7));
    }
}
