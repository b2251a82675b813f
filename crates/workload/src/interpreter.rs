//! An interpreter of byte code, running one fixed program: a sieve, greatest common
//! divisors, the 3n + 1 sequence, a scanner of text, a recursion.
//!
//! Stands for perlbench and the interpreters of Python or Lua. Like them: fetch,
//! decode, an indirect branch for each instruction whose target the last ones hardly
//! predict, then a body of few instructions on operands that lie in memory; many short
//! branches that depend on data; a working set that the first-level caches hold.
//! Unlike them: whole numbers only, so no look at types, no reference counts, no
//! garbage, no calls into a library.
//!
//! Working set: the instructions, the cells, registers and return addresses; some
//! 18 KB. A unit is a small part of a millisecond.

use crate::Workload;
use crate::digest::Digest;
use crate::random::Random;
use crate::unit::{Unit, program};

mod program;
#[cfg(test)]
mod tests;

/// What an instruction does with its operands: registers a, b and c, and the number n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    /// a = n
    Set,
    /// a = b
    Copy,
    /// a = b + c
    Add,
    /// a = b + n
    AddNumber,
    /// a = b * n
    Times,
    /// a = b % c
    Remainder,
    /// a = b >> n
    Shift,
    /// a = b & n
    And,
    /// a = cell b
    Load,
    /// cell b = a
    Store,
    /// Adds a to the results.
    Emit,
    Return,
    Halt,
    // What follows goes to instruction n.
    Jump,
    /// if a = 0
    IfZero,
    /// if a < b
    IfLess,
    Call,
}

#[derive(Debug, Clone, Copy)]
struct Instruction {
    op: Op,
    a: u8,
    b: u8,
    c: u8,
    n: i32,
}

const REGISTERS: usize = 16;
const CELLS: usize = 2048;
/// Where the text lies in the cells, one character each.
const TEXT: usize = 1024;
const CHARACTERS: usize = 1024;
const DEPTH: usize = 64;

/// The interpreter with its program.
struct Interpreter {
    code: Box<[Instruction]>,
    cells: Box<[i64; CELLS]>,
    registers: Box<[i64; REGISTERS]>,
    returns: Box<[u32; DEPTH]>,
}

/// What the program emits; `tests` finds it in plain Rust.
const KNOWN: u64 = 0xeef8_8269_9078_f8c5;

/// Makes it ready to run; the list of all programs states its unit.
pub fn build() -> Box<dyn Workload> {
    let interpreter = Interpreter {
        code: program::assembled(),
        cells: cells(),
        registers: Box::new([0; REGISTERS]),
        returns: Box::new([0; DEPTH]),
    };
    program(interpreter, KNOWN)
}

/// Punctuation, digits and letters: 40 to 103 of ASCII.
fn cells() -> Box<[i64; CELLS]> {
    let mut random = Random::new(3);
    let mut cells = Box::new([0; CELLS]);
    for cell in &mut cells[TEXT..TEXT + CHARACTERS] {
        *cell = 40 + i64::from(random.below(64));
    }
    cells
}

impl Unit for Interpreter {
    fn once(&mut self) -> u64 {
        self.execute()
    }

    fn bytes(&self) -> u64 {
        let own = size_of_val(&*self.registers) + size_of_val(&*self.returns);
        (size_of_val(&*self.code) + size_of_val(&*self.cells) + own) as u64
    }
}

impl Interpreter {
    fn execute(&mut self) -> u64 {
        let (registers, cells) = (&mut *self.registers, &mut *self.cells);
        let mut results = Digest::default();
        let (mut at, mut depth) = (0usize, 0usize);
        loop {
            let Instruction { op, a, b, c, n } = self.code[at];
            let [a, b, c] = [a, b, c].map(|register| usize::from(register) % REGISTERS);
            at += 1;
            match op {
                Op::Set => registers[a] = i64::from(n),
                Op::Copy => registers[a] = registers[b],
                Op::Add => registers[a] = registers[b].wrapping_add(registers[c]),
                Op::AddNumber => registers[a] = registers[b].wrapping_add(i64::from(n)),
                Op::Times => registers[a] = registers[b].wrapping_mul(i64::from(n)),
                Op::Remainder => registers[a] = registers[b].wrapping_rem(registers[c]),
                Op::Shift => registers[a] = registers[b] >> (n % 64),
                Op::And => registers[a] = registers[b] & i64::from(n),
                Op::Load => registers[a] = cells[registers[b] as usize % CELLS],
                Op::Store => cells[registers[b] as usize % CELLS] = registers[a],
                Op::Emit => results = results.with(registers[a] as u64),
                Op::Jump => at = n as usize,
                Op::IfZero if registers[a] == 0 => at = n as usize,
                Op::IfLess if registers[a] < registers[b] => at = n as usize,
                Op::IfZero | Op::IfLess => {}
                Op::Call => {
                    self.returns[depth % DEPTH] = at as u32;
                    depth += 1;
                    at = n as usize;
                }
                Op::Return => {
                    depth -= 1;
                    at = self.returns[depth % DEPTH] as usize;
                }
                Op::Halt => return results.value(),
            }
        }
    }
}
