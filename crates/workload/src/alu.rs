//! Integer arithmetic in registers and nothing else: what only another thread of
//! the same core can slow down. If a neighbour on a core of its own does, the
//! instrument is wrong or the core is not its own.

use crate::Workload;
use crate::unit::{Unit, program};
use std::hint::black_box;

/// Steps of each of the sequences in a unit; some 10 us.
const STEPS: u64 = 8192;
/// Independent sequences, so that the adders and the multiplier are busy and not
/// waiting for one another.
const LANES: usize = 8;

/// Linear congruential sequences (Knuth, TAOCP vol. 2, 3.3.4, line 26), whose
/// n-th element is known in closed form.
struct Alu;

const FACTOR: u64 = 6_364_136_223_846_793_005;
const ADDEND: u64 = 1_442_695_040_888_963_407;

/// Makes it ready to run; the list of all programs states its unit.
pub fn build() -> Box<dyn Workload> {
    program(Alu, known())
}

impl Unit for Alu {
    fn once(&mut self) -> u64 {
        let mut lanes: [u64; LANES] = std::array::from_fn(|i| black_box(i as u64));
        for _ in 0..STEPS {
            for lane in &mut lanes {
                *lane = hidden(lane.wrapping_mul(FACTOR).wrapping_add(ADDEND));
            }
        }
        lanes.iter().fold(0, |all, lane| all ^ lane)
    }
}

/// A value of which the compiler knows nothing: it would find vectors, or the closed
/// form. Stays in its register, where it can.
#[inline]
fn hidden(value: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut value = value;
        // SAFETY: no instruction at all.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) value, options(pure, nomem, nostack, preserves_flags));
        }
        value
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    black_box(value)
}

/// By squaring: n steps are again of the form x -> a x + c.
fn known() -> u64 {
    let (mut a, mut c) = (1u64, 0u64);
    let (mut step_a, mut step_c) = (FACTOR, ADDEND);
    let mut left = STEPS;
    while left > 0 {
        if left & 1 == 1 {
            (a, c) = (
                a.wrapping_mul(step_a),
                c.wrapping_mul(step_a).wrapping_add(step_c),
            );
        }
        step_c = step_c.wrapping_mul(step_a).wrapping_add(step_c);
        step_a = step_a.wrapping_mul(step_a);
        left >>= 1;
    }
    (0..LANES as u64).fold(0, |all, x| all ^ x.wrapping_mul(a).wrapping_add(c))
}
