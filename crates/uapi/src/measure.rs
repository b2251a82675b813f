//! Copies repeated and timed inside the kernel.

use crate::abi;
use crate::copy::{Copying, channel_number};
use crate::device::Device;
use crate::error::Error;
use crate::flag;
use crate::ioctl;
use crate::reason::Reason;
use std::os::fd::AsFd;

const MEASURE: &str = "measure copies";

/// How often, and what is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measuring {
    pub repetitions: u32,
    /// Copies back to back inside one sample, at least 1.
    pub copies_per_sample: u32,
    /// CLOCK_MONOTONIC to begin at, so that several CPUs begin together.
    pub begin_at_ns: Option<u64>,
    /// Flush the lines of both sides before each sample.
    pub flush: bool,
    /// Time the phases too, which lengthens the copy.
    pub phases: bool,
}

/// One timed repetition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// CLOCK_MONOTONIC, as the end.
    pub start_ns: u64,
    pub end_ns: u64,
    pub cpu_start: u32,
    pub cpu_end: u32,
    pub channel: Option<u32>,
    pub reason: Reason,
    pub dma_bytes: u64,
    pub phases: abi::Phases,
}

/// All repetitions, and where they lie in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    pub samples: Vec<Sample>,
    pub begin_ns: u64,
    pub end_ns: u64,
    pub begin_realtime_ns: u64,
    pub end_realtime_ns: u64,
    pub dma_bytes: u64,
    pub cpu_bytes: u64,
    /// CPU time of the calling thread over the whole call, what surrounds the
    /// copies in it included. Interrupts and threads of the engine are not in it.
    pub thread_cpu_ns: u64,
}

/// The moment in `lead_ns` from now, to begin at together.
pub fn begin_in(lead_ns: u64) -> u64 {
    now_ns(libc::CLOCK_MONOTONIC).saturating_add(lead_ns)
}

fn now_ns(clock: libc::clockid_t) -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call fills the structure.
    unsafe { libc::clock_gettime(clock, &raw mut now) };
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    seconds * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}

impl Device {
    /// Repeats one copy in the kernel and times it there.
    ///
    /// # Errors
    /// As [`Device::copy`], and where the user memory did not take or give all
    /// bytes: samples before that are lost with it.
    pub fn measure(
        &self,
        copying: &mut Copying<'_>,
        measuring: Measuring,
    ) -> Result<Measured, Error> {
        let mut samples = vec![abi::Sample::default(); measuring.repetitions as usize];
        let mut argument = arguments(copying, measuring)?;
        argument.samples_addr = samples.as_mut_ptr() as u64;
        let used_ns = now_ns(libc::CLOCK_THREAD_CPUTIME_ID);
        // SAFETY: as for a copy; there is room for every repetition's sample.
        unsafe { ioctl::call(self.file.as_fd(), abi::MEASURE, &mut argument) }
            .map_err(|errno| Error::call(MEASURE, errno, argument.reason))?;
        let used_ns = now_ns(libc::CLOCK_THREAD_CPUTIME_ID).saturating_sub(used_ns);
        samples.truncate(argument.done as usize);
        Ok(Measured {
            samples: samples.iter().map(sample).collect::<Result<_, _>>()?,
            begin_ns: argument.begin_ns,
            end_ns: argument.end_ns,
            begin_realtime_ns: argument.begin_realtime_ns,
            end_realtime_ns: argument.end_realtime_ns,
            dma_bytes: argument.dma_bytes,
            cpu_bytes: argument.cpu_bytes,
            thread_cpu_ns: used_ns,
        })
    }
}

fn arguments(copying: &Copying<'_>, measuring: Measuring) -> Result<abi::Measure, Error> {
    Ok(abi::Measure {
        flags: flag(measuring.flush, abi::MEASURE_FLUSH)
            | flag(measuring.phases, abi::MEASURE_PHASES),
        direction: copying.user.direction().number(),
        engine: copying.engine.number(),
        wait: copying.wait.number(),
        class_: copying.class.number(),
        buffer: copying.buffer.id(),
        registration: copying.registration_id(MEASURE)?,
        user_addr: copying.user.address(),
        kernel_offset: copying.kernel_offset,
        length_bytes: copying.user.length_bytes(),
        repetitions: measuring.repetitions,
        copies_per_sample: measuring.copies_per_sample,
        begin_at_ns: measuring.begin_at_ns.unwrap_or(0),
        ..abi::Measure::default()
    })
}

fn sample(raw: &abi::Sample) -> Result<Sample, Error> {
    Ok(Sample {
        start_ns: raw.start_ns,
        end_ns: raw.end_ns,
        cpu_start: raw.cpu_start,
        cpu_end: raw.cpu_end,
        channel: channel_number(raw.channel),
        reason: Reason::try_from(raw.reason).map_err(Error::unknown(MEASURE))?,
        dma_bytes: raw.dma_bytes,
        phases: raw.phases,
    })
}
