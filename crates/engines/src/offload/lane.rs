//! One worker: its ends, and the copies that it makes for a turn.

use super::ends::{Ends, Manner, Material};
use crate::crew::threads::Member;
use harness::{Context, Fault, SetupError};
use uapi::{Device, Direction, Measured, Measuring};

/// Copies of a worker in a turn, as in the I/OAT-CFTU study.
pub const COPIES: u32 = 300;

/// Longest turn, ns: under load each copy waits for a CPU, and a turn, which cannot
/// be interrupted, must end well within the harness's time limit.
const TURN_NS: u64 = 2_000_000_000;

/// Small copies are timed so many together, so that reading the clock between
/// them is not in the rate; a divisor of [`COPIES`] and its half.
const TOGETHER: u32 = 30;
const TOGETHER_BYTES: usize = 64 << 10;

/// Copies in a turn come in steps: whole groups of those timed together, and as
/// many out as back.
pub fn step(bytes: usize) -> u32 {
    match bytes <= TOGETHER_BYTES {
        true => 2 * TOGETHER,
        false => 2,
    }
}

/// Copies in a turn when `trial` of them took the slowest worker `elapsed_ns`:
/// as many as the study made, or as a turn may last.
pub fn copies_in_turn(bytes: usize, trial: u32, elapsed_ns: u64) -> u32 {
    let step = step(bytes);
    let allowed = TURN_NS.saturating_mul(u64::from(trial)) / elapsed_ns.max(1);
    let allowed = u32::try_from(allowed).unwrap_or(u32::MAX);
    (allowed / step * step).clamp(step, COPIES)
}

/// One worker's part of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    pub cpu: u16,
    pub copies: u32,
    pub elapsed_ns: u64,
    /// CLOCK_REALTIME.
    pub began_ns: u64,
    pub dma_bytes: u64,
    /// DMA channel of the last chunk.
    pub channel: Option<u32>,
}

/// What a worker is asked for.
#[derive(Debug, Clone, Copy)]
pub enum Order {
    Check,
    Copy { begin_at_ns: u64, copies: u32 },
}

/// None after a check; else its part of the turn.
pub type Answer = Result<Option<Stretch>, Fault>;

/// One worker's ends, and what it does with them.
pub struct Lane {
    cpu: u32,
    pub ends: Ends,
    manner: Manner,
}

impl Member for Lane {
    type Order = Order;
    type Answer = Answer;

    fn obey(&mut self, order: Order) -> Answer {
        match order {
            Order::Check => self.ends.check(self.manner).map(|_| None),
            Order::Copy {
                begin_at_ns,
                copies,
            } => self.copy(begin_at_ns, copies).map(Some),
        }
    }
}

impl Lane {
    /// # Errors
    /// As [`Ends::new`].
    pub fn new(
        device: &Device,
        manner: Manner,
        material: Material,
        cpu: u32,
        context: &Context,
    ) -> Result<Lane, SetupError> {
        Ok(Lane {
            cpu,
            ends: Ends::new(device, material, context)?,
            manner,
        })
    }

    fn copy(&mut self, begin_at_ns: u64, copies: u32) -> Result<Stretch, Fault> {
        let both = self.manner.direction == Direction::Both;
        // Out and back are two copies.
        let operations = if both { copies / 2 } else { copies };
        let small = self.ends.bytes() <= TOGETHER_BYTES;
        let copies_per_sample = if small { TOGETHER } else { 1 };
        let measuring = Measuring {
            repetitions: operations / copies_per_sample,
            copies_per_sample,
            begin_at_ns: Some(begin_at_ns),
            flush: false,
            phases: false,
        };
        let measured = self.ends.measure(self.manner, measuring);
        let measured = measured.map_err(|error| Fault::wrong(error.to_string()))?;
        stretch(&measured, copies, self.cpu)
            .ok_or_else(|| Fault::wrong("the module took no sample"))
    }
}

/// From the start of the first sample to the end of the last.
fn stretch(measured: &Measured, copies: u32, cpu: u32) -> Option<Stretch> {
    let (first, last) = (measured.samples.first()?, measured.samples.last()?);
    // The wall clock was read together with `begin_ns`.
    let began_ns = measured.begin_realtime_ns + first.start_ns.saturating_sub(measured.begin_ns);
    Some(Stretch {
        cpu: u16::try_from(cpu).unwrap_or(u16::MAX),
        copies,
        elapsed_ns: last.end_ns.saturating_sub(first.start_ns),
        began_ns,
        dma_bytes: measured.dma_bytes,
        channel: last.channel,
    })
}

#[cfg(test)]
mod tests {
    use super::{COPIES, TOGETHER, TURN_NS, copies_in_turn, step, stretch};
    use uapi::{Measured, Reason, Sample};

    #[test]
    fn small_copies_are_timed_together_in_both_directions() {
        assert_eq!(COPIES % TOGETHER, 0);
        assert_eq!(COPIES / 2 % TOGETHER, 0);
    }

    #[test]
    fn a_turn_has_fewer_copies_where_it_would_last_too_long() {
        let (small, large) = (4 << 10, 1 << 20);
        assert_eq!(copies_in_turn(large, 2, 20_000), COPIES);
        assert_eq!(copies_in_turn(large, 2, 40_000_000), 100);
        assert_eq!(copies_in_turn(large, 2, 43_000_000), 92);
        assert_eq!(copies_in_turn(small, 60, 600_000_000), 180);
        // At least one step, however long: nothing else could be timed.
        assert_eq!(copies_in_turn(small, 60, 10 * TURN_NS), step(small));
        assert_eq!(copies_in_turn(large, 2, 10 * TURN_NS), step(large));
    }

    #[test]
    fn a_stretch_begins_with_its_first_copy() {
        let sample = |start_ns, end_ns| Sample {
            start_ns,
            end_ns,
            cpu_start: 0,
            cpu_end: 0,
            channel: Some(3),
            reason: Reason::None,
            dma_bytes: 64,
            phases: uapi::abi::Phases::default(),
        };
        let measured = Measured {
            samples: vec![sample(1_050, 1_150), sample(1_200, 1_450)],
            begin_ns: 1_000,
            end_ns: 1_500,
            begin_realtime_ns: 1_700_000_000_000_000_000,
            end_realtime_ns: 0,
            dma_bytes: 128,
            cpu_bytes: 0,
            thread_cpu_ns: 0,
        };
        let s = stretch(&measured, 2, 5).expect("there are samples");
        assert_eq!((s.elapsed_ns, s.copies, s.cpu), (400, 2, 5));
        assert_eq!(s.channel, Some(3));
        assert_eq!(s.began_ns, 1_700_000_000_000_000_050);
    }
}
