//! Fused multiply-adds in vector registers, in chains that do not wait for one
//! another, and nothing else.
//!
//! Stands for the inner loop of dense linear algebra (LINPACK's and what follows it)
//! with its data in registers already. Like it: the units for vectors of doubles are
//! busy in nearly every cycle, in the widest form there is, which is also what
//! lowers the clock of some processors. Unlike it: no load, no store, no branch but
//! the loop's. So only another thread of the same core can take much away, and two of
//! these that slow each other down are siblings; what cores of one socket share is
//! power, which costs them a little clock.
//!
//! Working set: none. A unit is some tens of microseconds. Where not every processor
//! of the architecture has the fused form, the plain set multiplies, then adds.

use crate::Workload;
use crate::unit::{Unit, program};
use crate::vector::{self, Set};
use std::hint::black_box;

/// Steps of each chain in a unit.
const STEPS: u32 = 32_768;
/// Enough for two multipliers of four or five cycles each, and few enough for the
/// sixteen registers of AVX2.
const CHAINS: usize = 10;

/// The multiply-adds in one set of instructions.
struct Fma(Set);

/// Makes it ready to run; the list of all programs states its unit.
pub fn build() -> Box<dyn Workload> {
    program(Fma(vector::widest()), known())
}

impl Unit for Fma {
    fn once(&mut self) -> u64 {
        turn(self.0)
    }

    fn vectors(&self) -> Option<&'static str> {
        Some(self.0.name())
    }
}

/// Chain i starts at i and adds one in each step; doubles of this size are exact,
/// whatever rounds.
fn known() -> u64 {
    (0..CHAINS as u64)
        .map(|chain| chain + u64::from(STEPS))
        .sum()
}

/// The sum of the chains of a lane. All lanes do the same, so their mean is that
/// sum, too.
fn turn(set: Set) -> u64 {
    match set {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: whoever has this set got it of `vector::sets`, which asked the
        // processor for these features.
        Set::Avx512 => unsafe { avx512() },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Set::Avx2 => unsafe { avx2() },
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        // SAFETY: every processor of the architecture has SSE2, or NEON.
        Set::Base => unsafe { base() },
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        Set::Base => base(),
    }
}

/// The chains in one set of instructions: its lanes, and how it spreads a number over
/// them, multiplies and adds, and sums them up.
macro_rules! chains {
    ($(#[$feature:meta])? $name:ident, $lanes:expr, $spread:expr, $step:expr, $sum:expr) => {
        $(#[$feature])?
        fn $name() -> u64 {
            let (factor, addend) = ($spread(black_box(1.0)), $spread(black_box(1.0)));
            let mut chains = [$spread(0.0); CHAINS];
            for (start, chain) in chains.iter_mut().enumerate() {
                *chain = $spread(start as f64);
            }
            for _ in 0..STEPS {
                for chain in &mut chains {
                    *chain = $step(*chain, factor, addend);
                }
            }
            let mut sum = 0.0;
            for chain in chains {
                sum += $sum(chain);
            }
            (sum / $lanes) as u64
        }
    };
}

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64 as x86;
#[cfg(target_arch = "x86_64")]
chains!(
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    avx512,
    8.0,
    x86::_mm512_set1_pd,
    x86::_mm512_fmadd_pd,
    x86::_mm512_reduce_add_pd
);
#[cfg(target_arch = "x86_64")]
chains!(
    #[target_feature(enable = "avx2,fma")]
    avx2,
    4.0,
    x86::_mm256_set1_pd,
    x86::_mm256_fmadd_pd,
    |chain| {
        let pairs = x86::_mm256_hadd_pd(chain, chain);
        let halves = x86::_mm256_permute2f128_pd::<1>(pairs, pairs);
        x86::_mm256_cvtsd_f64(x86::_mm256_add_pd(pairs, halves))
    }
);
#[cfg(target_arch = "x86_64")]
chains!(
    #[target_feature(enable = "sse2")]
    base,
    2.0,
    x86::_mm_set1_pd,
    |chain, factor, addend| x86::_mm_add_pd(x86::_mm_mul_pd(chain, factor), addend),
    |chain| x86::_mm_cvtsd_f64(chain) + x86::_mm_cvtsd_f64(x86::_mm_unpackhi_pd(chain, chain))
);
#[cfg(target_arch = "aarch64")]
use std::arch::aarch64 as arm;
#[cfg(target_arch = "aarch64")]
chains!(
    #[target_feature(enable = "neon")]
    base,
    2.0,
    arm::vdupq_n_f64,
    |chain, factor, addend| arm::vfmaq_f64(chain, addend, factor),
    arm::vaddvq_f64
);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
chains!(
    base,
    1.0,
    f64::from,
    |chain, factor, addend| chain * factor + addend,
    f64::from
);

#[cfg(test)]
mod tests {
    use super::{CHAINS, STEPS, known, turn};
    use crate::vector;

    #[test]
    fn every_set_of_instructions_counts_to_the_same() {
        let counted: u64 = (0..CHAINS as u64)
            .map(|chain| (0..STEPS).fold(chain, |at, _| at + 1))
            .sum();
        assert_eq!(known(), counted);
        for set in vector::sets() {
            assert_eq!(turn(set), counted, "{}", set.name());
        }
    }
}
