//! Chains of dependent instructions whose length in cycles is a whole number.
//!
//! On x86-64 and AArch64 each step is written in assembly, so that neither the
//! optimiser nor the choice of an instruction is between the name of a
//! chain and what runs. Elsewhere the same arithmetic is left to the compiler,
//! in forms that it can neither fold nor reorder.

/// Steps in one turn of the unrolled loop.
pub const UNROLL: u64 = 64;

/// The chains, by name, shortest first on most processors.
pub const WORDS: &[&str] = &[
    "add",
    "xor_add",
    "rotate_xor_add",
    "multiply",
    "multiply_add",
    "float_multiply",
    "load",
];

/// State of a running chain. Every chain continues where its last batch left
/// off, so no batch repeats another.
#[derive(Debug)]
pub struct State {
    pub value: usize,
    pub step: usize,
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub float: f64,
    /// A cell that holds its own address: the shortest chain of loads.
    cell: Box<usize>,
}

impl State {
    /// Start values. The step is odd, so a chain of multiplications never ends at 0.
    pub fn new() -> Self {
        let mut cell = Box::new(0usize);
        *cell = std::ptr::from_ref(&*cell) as usize;
        State {
            value: 0x1234_5679,
            step: 0x0000_5eed | 1,
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            float: 1.0,
            cell,
        }
    }

    fn load(&mut self, turns: u64) {
        let mut place: *const usize = &raw const *self.cell;
        for _ in 0..turns {
            for _ in 0..UNROLL / 8 {
                // SAFETY: the cell holds its own address, so each load yields
                // the address of the cell again.
                unsafe {
                    place = place.cast::<*const usize>().read_volatile();
                    place = place.cast::<*const usize>().read_volatile();
                    place = place.cast::<*const usize>().read_volatile();
                    place = place.cast::<*const usize>().read_volatile();
                    place = place.cast::<*const usize>().read_volatile();
                    place = place.cast::<*const usize>().read_volatile();
                    place = place.cast::<*const usize>().read_volatile();
                    place = place.cast::<*const usize>().read_volatile();
                }
            }
        }
        self.value ^= place as usize;
    }
}

/// Runs `turns` turns of `UNROLL` steps.
pub type Chain = fn(&mut State, u64);

/// The chain of this name; `None` where this architecture has no form of it
/// whose instructions are certain.
pub fn find(name: &str) -> Option<Chain> {
    match name {
        "load" => Some(State::load),
        _ => in_registers(name),
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn in_registers(name: &str) -> Option<Chain> {
    Some(match name {
        "add" => native::add,
        "xor_add" => native::xor_add,
        "rotate_xor_add" => native::rotate_xor_add,
        "multiply" => native::multiply,
        "multiply_add" => native::multiply_add,
        "float_multiply" => native::float_multiply,
        _ => return None,
    })
}

/// A loop of `UNROLL` copies of one or more instructions on `value` and
/// `step`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! whole {
    ($name:ident, $($line:literal),+) => {
        pub fn $name(state: &mut super::State, turns: u64) {
            for _ in 0..turns {
                // SAFETY: register arithmetic only; no memory, no stack.
                unsafe {
                    std::arch::asm!(
                        ".rept 64", $($line,)+ ".endr",
                        x = inout(reg) state.value,
                        y = in(reg) state.step,
                        options(nomem, nostack)
                    );
                }
            }
        }
    };
}

/// The same of one instruction on `float`, in registers of a class.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! float {
    ($name:ident, $class:ident, $line:literal) => {
        pub fn $name(state: &mut super::State, turns: u64) {
            for _ in 0..turns {
                // SAFETY: register arithmetic only; no memory, no stack.
                unsafe {
                    std::arch::asm!(
                        ".rept 64", $line, ".endr",
                        x = inout($class) state.float,
                        y = in($class) 1.0f64,
                        options(nomem, nostack)
                    );
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod native {
    // Additions take a register, never a constant: recent cores finish
    // additions of small constants while renaming, in no time at all.
    whole!(add, "add {x}, {y}");
    whole!(xor_add, "xor {x}, {y}", "add {x}, {y}");
    whole!(rotate_xor_add, "rol {x}, 1", "xor {x}, {y}", "add {x}, {y}");
    whole!(multiply, "imul {x}, {y}");
    whole!(multiply_add, "imul {x}, {y}", "add {x}, {y}");

    float!(float_multiply, xmm_reg, "mulsd {x}, {y}");
}

#[cfg(target_arch = "aarch64")]
mod native {
    whole!(add, "add {x}, {x}, {y}");
    whole!(xor_add, "eor {x}, {x}, {y}", "add {x}, {x}, {y}");
    whole!(
        rotate_xor_add,
        "ror {x}, {x}, #1",
        "eor {x}, {x}, {y}",
        "add {x}, {x}, {y}"
    );
    whole!(multiply, "mul {x}, {x}, {y}");
    // Two instructions that the core cannot fuse into one multiply-add: the
    // sum is the factor of the next product.
    whole!(multiply_add, "mul {x}, {x}, {y}", "add {x}, {x}, {y}");

    float!(float_multiply, vreg, "fmul {x:d}, {x:d}, {y:d}");
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use native::find as in_registers;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod native {
    use std::hint::black_box;

    /// A loop of `UNROLL` copies of a step that mixes operations over
    /// different algebras, which no compiler may merge.
    macro_rules! mixed {
        ($name:ident, |$x:ident, $y:ident| $step:expr) => {
            fn $name(state: &mut super::State, turns: u64) {
                let ($y, mut $x) = (black_box(state.step), black_box(state.value));
                for _ in 0..turns {
                    mixed!(@eight $x, $step);
                    mixed!(@eight $x, $step);
                    mixed!(@eight $x, $step);
                    mixed!(@eight $x, $step);
                    mixed!(@eight $x, $step);
                    mixed!(@eight $x, $step);
                    mixed!(@eight $x, $step);
                    mixed!(@eight $x, $step);
                }
                state.value = black_box($x);
            }
        };
        (@eight $x:ident, $step:expr) => {
            $x = $step; $x = $step; $x = $step; $x = $step;
            $x = $step; $x = $step; $x = $step; $x = $step;
        };
    }

    mixed!(xor_add, |x, y| (x ^ y).wrapping_add(y));
    mixed!(rotate_xor_add, |x, y| (x.rotate_right(1) ^ y)
        .wrapping_add(y));
    mixed!(multiply_add, |x, y| x.wrapping_mul(y).wrapping_add(y));

    // Sums and products of one kind alone would be folded, and a float
    // multiplication may be a call here: those chains do not exist.
    /// The mixed chain of this name; `None` for a name that no chain has.
    pub fn find(name: &str) -> Option<super::Chain> {
        Some(match name {
            "xor_add" => xor_add,
            "rotate_xor_add" => rotate_xor_add,
            "multiply_add" => multiply_add,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{State, UNROLL, WORDS, find};

    /// What the chain of this name must leave behind.
    fn expected(name: &str, start: &State, steps: u64) -> Option<usize> {
        let y = start.step;
        let step: fn(usize, usize) -> usize = match name {
            "add" => |x, y| x.wrapping_add(y),
            "xor_add" => |x, y| (x ^ y).wrapping_add(y),
            "rotate_xor_add" if cfg!(target_arch = "x86_64") => {
                |x, y| (x.rotate_left(1) ^ y).wrapping_add(y)
            }
            "rotate_xor_add" => |x, y| (x.rotate_right(1) ^ y).wrapping_add(y),
            "multiply" => |x, y| x.wrapping_mul(y),
            "multiply_add" => |x, y| x.wrapping_mul(y).wrapping_add(y),
            _ => return None,
        };
        Some((0..steps).fold(start.value, |x, _| step(x, y)))
    }

    #[test]
    fn each_chain_performs_every_one_of_its_steps() {
        let mut checked = 0;
        for name in WORDS {
            let Some(chain) = find(name) else { continue };
            let mut state = State::new();
            let want = expected(name, &state, 3 * UNROLL);
            chain(&mut state, 3);
            if let Some(want) = want {
                assert_eq!(state.value, want, "{name}");
                checked += 1;
            }
        }
        assert!(checked >= 3);
    }

    #[test]
    fn some_chain_exists_everywhere_and_unknown_names_do_not() {
        assert!(find("load").is_some());
        assert!(find("divide").is_none());
    }
}
