//! One worker: its ends, and the copies that it makes for a turn.

use super::crew::Job;
use super::ends::{Ends, Manner};
use harness::{Context, SetupError};
use uapi::{Class, Device, Direction, Measured, Measuring};

/// Copies of a worker in a turn, as in the I/OAT-CFTU study.
pub const COPIES: u32 = 300;

/// Small copies are timed so many together, so that reading the clock between
/// them is not in the rate; a divisor of [`COPIES`] and its half.
const TOGETHER: u32 = 30;
const TOGETHER_BYTES: usize = 64 << 10;

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

/// What a worker is told.
#[derive(Debug, Clone, Copy)]
pub enum Order {
    Check,
    Copy { begin_at_ns: u64 },
}

/// None after a check; else its part of the turn.
pub type Answer = Result<Option<Stretch>, String>;

/// One worker's ends, and what it does with them.
pub struct Lane {
    cpu: u32,
    pub ends: Ends,
    manner: Manner,
}

impl Lane {
    /// # Errors
    /// As [`Ends::new`].
    pub fn new(
        device: &Device,
        job: &Job,
        index: usize,
        cpu: u32,
        context: &Context,
    ) -> Result<Lane, SetupError> {
        let class = match index == 0 && job.first_is_high {
            true => Class::High,
            false => Class::Low,
        };
        Ok(Lane {
            cpu,
            ends: Ends::new(device, job.material, context)?,
            manner: Manner {
                class,
                ..job.manner
            },
        })
    }

    /// What was asked, done on the calling thread's CPU.
    pub fn obey(&mut self, order: Order) -> Answer {
        match order {
            Order::Check => self.ends.check(self.manner).map(|_| None),
            Order::Copy { begin_at_ns } => self.copy(begin_at_ns).map(Some),
        }
    }

    fn copy(&mut self, begin_at_ns: u64) -> Result<Stretch, String> {
        let both = self.manner.direction == Direction::Both;
        // Out and back are two copies.
        let operations = if both { COPIES / 2 } else { COPIES };
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
        let measured = measured.map_err(|error| error.to_string())?;
        stretch(&measured, self.cpu).ok_or_else(|| "the module took no sample".to_owned())
    }
}

/// From the start of the first sample to the end of the last.
fn stretch(measured: &Measured, cpu: u32) -> Option<Stretch> {
    let (first, last) = (measured.samples.first()?, measured.samples.last()?);
    // The wall clock was read together with `begin_ns`.
    let began_ns = measured.begin_realtime_ns + first.start_ns.saturating_sub(measured.begin_ns);
    Some(Stretch {
        cpu: u16::try_from(cpu).unwrap_or(u16::MAX),
        copies: COPIES,
        elapsed_ns: last.end_ns.saturating_sub(first.start_ns),
        began_ns,
        dma_bytes: measured.dma_bytes,
        channel: last.channel,
    })
}

#[cfg(test)]
mod tests {
    use super::{COPIES, TOGETHER, stretch};
    use uapi::{Measured, Reason, Sample};

    #[test]
    fn small_copies_are_timed_together_in_both_directions() {
        assert_eq!(COPIES % TOGETHER, 0);
        assert_eq!(COPIES / 2 % TOGETHER, 0);
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
        let s = stretch(&measured, 5).expect("there are samples");
        assert_eq!((s.elapsed_ns, s.cpu, s.channel), (400, 5, Some(3)));
        assert_eq!(s.began_ns, 1_700_000_000_000_000_050);
    }
}
