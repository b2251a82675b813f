//! Work of which it is known what it counts: loops in assembler, so that no compiler adds or
//! leaves out an instruction.
//!
//! After PAPI's validation tests and likwid-accuracy: a loop of so many instructions and
//! branches, calls that return, loads, stores, a chain through more memory than near caches
//! hold, code that near caches do not hold, branches that no predictor learns, system calls.

mod chain;
#[cfg(target_arch = "aarch64")]
#[path = "work/aarch64.rs"]
mod loops;
#[cfg(target_arch = "arm")]
#[path = "work/arm.rs"]
mod loops;
#[cfg(target_arch = "x86_64")]
#[path = "work/x86_64.rs"]
mod loops;

use chain::Chain;
use serde::{Deserialize, Serialize};

/// A loop of known work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loop {
    /// Four multiplications, each on the result of the one before: two or more cycles an
    /// instruction, so that cycles are not taken for instructions.
    Multiply,
    /// A function is called and returns.
    Calls,
    /// Four loads of one word.
    Loads,
    /// Four stores to one word.
    Stores,
    /// A load of a line of 16 MiB, each at the address that the one before gave.
    Lines,
    /// Jumps through 128 KiB of code, one a line of 64 bytes.
    Code,
    /// A branch on a random bit.
    Random,
    /// getppid(2).
    SystemCalls,
}

impl Loop {
    /// Every one.
    pub const ALL: [Loop; 8] = [
        Loop::Multiply,
        Loop::Calls,
        Loop::Loads,
        Loop::Stores,
        Loop::Lines,
        Loop::Code,
        Loop::Random,
        Loop::SystemCalls,
    ];
}

/// Jumps in one turn of [`Loop::Code`].
pub const JUMPS: u64 = 2048;

/// What the user's part of one turn counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Turn {
    pub instructions: u64,
    pub branches: u64,
    pub returns: u64,
    pub loads: u64,
    pub stores: u64,
}

impl Loop {
    /// By the assembler of `work/`; the two that are not exact are about so much.
    pub fn turn(self) -> Turn {
        let turn = |instructions, branches| Turn {
            instructions,
            branches,
            ..Turn::default()
        };
        match self {
            Loop::Multiply => turn(6, 1),
            Loop::Calls => Turn {
                returns: 1,
                ..turn(4, 3)
            },
            Loop::Loads => Turn {
                loads: 4,
                ..turn(6, 1)
            },
            Loop::Stores => Turn {
                stores: 4,
                ..turn(6, 1)
            },
            Loop::Lines => Turn {
                loads: 1,
                ..turn(3, 1)
            },
            Loop::Code => turn(JUMPS + 2, JUMPS + 1),
            Loop::Random => turn(6, 2),
            Loop::SystemCalls => turn(20, 4),
        }
    }

    /// Turns of the smaller of two measurements: a million instructions, or what takes about
    /// as long.
    pub fn turns(self) -> u64 {
        match self {
            Loop::Multiply | Loop::Loads | Loop::Stores | Loop::Random => 170_000,
            Loop::Calls => 250_000,
            Loop::Lines => 20_000,
            Loop::Code => 200,
            Loop::SystemCalls => 2_000,
        }
    }
}

/// Does known work.
pub trait Work {
    /// `turns` turns of it.
    fn run(&mut self, what: Loop, turns: u64);
}

/// On this processor.
#[derive(Debug, Default)]
pub struct Processor {
    /// None until it is needed, and where its memory cannot be had.
    chain: Option<Chain>,
    seed: u64,
}

impl Work for Processor {
    fn run(&mut self, what: Loop, turns: u64) {
        // The counters of armv7 loops have 32 bits.
        let turns = usize::try_from(turns).unwrap_or(usize::MAX);
        if turns == 0 {
            return;
        }
        match what {
            Loop::Multiply => loops::multiply(turns),
            Loop::Calls => loops::calls(turns),
            Loop::Loads => loops::loads(turns),
            Loop::Stores => loops::stores(turns),
            Loop::Lines => {
                self.chain = self.chain.take().or_else(|| Chain::new().ok());
                if let Some(chain) = &mut self.chain {
                    chain.walk(turns, loops::chase);
                }
            }
            Loop::Code => loops::code(turns),
            Loop::Random => self.seed = loops::random(turns, self.seed),
            Loop::SystemCalls => system_calls(turns),
        }
    }
}

impl Processor {
    /// Made, and its pages touched, before anything is counted.
    pub fn ready() -> Self {
        let mut work = Processor::default();
        for what in Loop::ALL {
            work.run(what, 16);
        }
        work
    }
}

fn system_calls(turns: usize) {
    for _ in 0..turns {
        // SAFETY: takes nothing, touches no memory, returns a number.
        unsafe { libc::syscall(libc::SYS_getppid) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_loop_ends_and_goes_on_where_it_was() {
        let mut work = Processor::ready();
        for what in Loop::ALL {
            work.run(what, 0);
            work.run(what, 3);
            assert!(what.turn().instructions * what.turns() > 0);
        }
        let before = work.seed;
        work.run(Loop::Random, 100);
        assert_ne!(work.seed, before, "other branches each time");
    }
}
