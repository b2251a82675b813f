//! Starting, looking at and ending a capture.

use super::ring::RecordRing;
use super::{Slot, State};
use crate::abi;
use crate::device::Device;
use crate::error::Error;
use crate::flag;
use crate::ioctl;
use crate::kinds::{Engine, Operation, UnknownNumber};
use std::os::fd::AsFd;

const START: &str = "start recording copies";
const STATE: &str = "ask for the state of the recorder";
const STOP: &str = "stop recording copies";
const HISTOGRAM: &str = "read the recorder's histogram";

/// What to record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CaptureSettings {
    /// Every copy, in rings of this many for each CPU; 0: none.
    pub records_per_cpu: u32,
    /// Cells of the histogram for each CPU; 0: no histogram.
    pub slots_per_cpu: u32,
    /// All where empty.
    pub operations: Vec<Operation>,
    pub length_min_bytes: u64,
    /// No limit by default.
    pub length_max_bytes: Option<u64>,
    /// CPUs on which copies start; all where empty.
    pub cpus: Vec<u32>,
    /// Copies of this process are left out: the reader's.
    pub without_process: Option<u32>,
}

/// A capture of this open file; stopped on drop.
#[derive(Debug)]
pub struct Capture {
    device: Device,
    records_per_cpu: u32,
}

impl CaptureSettings {
    fn raw(&self, cpus: &[u64]) -> abi::TraceStart {
        abi::TraceStart {
            flags: flag(self.records_per_cpu > 0, abi::TRACE_RECORDS)
                | flag(self.slots_per_cpu > 0, abi::TRACE_HISTOGRAM),
            operations: self.operations.iter().fold(0, |m, o| m | 1 << o.number()),
            records_per_cpu: self.records_per_cpu,
            slots_per_cpu: self.slots_per_cpu,
            length_min_bytes: self.length_min_bytes,
            length_max_bytes: self.length_max_bytes.unwrap_or(0),
            cpus_addr: match cpus {
                [] => 0,
                cpus => cpus.as_ptr() as u64,
            },
            cpus_words: u32::try_from(cpus.len()).unwrap_or(u32::MAX),
            not_pid: self.without_process.unwrap_or(0),
            ..abi::TraceStart::default()
        }
    }
}

/// One bit a CPU, in words of 64.
fn cpu_mask(cpus: &[u32]) -> Vec<u64> {
    let words = cpus.iter().max().map_or(0, |last| *last as usize / 64 + 1);
    let mut mask = vec![0; words];
    for cpu in cpus {
        mask[*cpu as usize / 64] |= 1 << (cpu % 64);
    }
    mask
}

impl Capture {
    /// Attaches the probes and begins.
    ///
    /// # Errors
    /// Not permitted, another capture runs, or no routine could be probed: then
    /// [`Device::recorder`] reports what each probe met.
    pub fn start(device: &Device, recording: &CaptureSettings) -> Result<Capture, Error> {
        let cpus = cpu_mask(&recording.cpus);
        let mut argument = recording.raw(&cpus);
        // SAFETY: the mask lies at its address until the call has ended.
        unsafe { ioctl::call(device.file.as_fd(), abi::TRACE_START, &mut argument) }
            .map_err(|errno| Error::call(START, errno, argument.reason))?;
        Ok(Capture {
            device: device.clone(),
            records_per_cpu: argument.records_per_cpu,
        })
    }

    /// The ring of a possible CPU.
    ///
    /// # Errors
    /// Where the capture keeps no records or there is no such CPU.
    pub fn ring(&self, cpu: u32) -> Result<RecordRing, Error> {
        RecordRing::map(&self.device, cpu, self.records_per_cpu)
    }

    /// # Errors
    /// When the module refuses.
    pub fn state(&self) -> Result<State, Error> {
        self.device.recorder()
    }

    /// Ends it; rings and histogram stay to be read.
    ///
    /// # Errors
    /// When the module refuses.
    pub fn stop(&self) -> Result<State, Error> {
        let mut raw = abi::TraceState::default();
        self.device.ask(STOP, abi::TRACE_STOP, &mut raw, |_| 0)?;
        Ok(State::from(&raw))
    }

    /// The histogram of one CPU as far as it has come.
    ///
    /// # Errors
    /// Where the capture keeps none, or a cell is not understood.
    pub fn histogram(&self, cpu: u32) -> Result<Vec<Slot>, Error> {
        let mut slots = Vec::new();
        loop {
            let count = self.read_slots(cpu, &mut slots)?;
            if count <= slots.len() {
                slots.truncate(count);
                break;
            }
            // It may have grown once more when the next call comes.
            slots.resize(count + count / 4, abi::TraceSlot::default());
        }
        let cells: Result<_, UnknownNumber> = slots.iter().map(Slot::try_from).collect();
        cells.map_err(Error::unknown(HISTOGRAM))
    }

    fn read_slots(&self, cpu: u32, slots: &mut [abi::TraceSlot]) -> Result<usize, Error> {
        let mut argument = abi::TraceHistogram {
            cpu,
            slots_addr: slots.as_mut_ptr() as u64,
            capacity: u32::try_from(slots.len()).unwrap_or(u32::MAX),
            ..abi::TraceHistogram::default()
        };
        // SAFETY: there is room for `capacity` slots at the address.
        unsafe {
            ioctl::call(
                self.device.file.as_fd(),
                abi::TRACE_HISTOGRAM_READ,
                &mut argument,
            )
        }
        .map_err(|errno| Error::call(HISTOGRAM, errno, 0))?;
        Ok(argument.count as usize)
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        // Stopped already, or the file's end stops it.
        let _ = self.stop();
    }
}

impl Device {
    /// The recorder's state, with or without a capture; after a failed start it
    /// holds the reason.
    ///
    /// # Errors
    /// A module without the recorder.
    pub fn recorder(&self) -> Result<State, Error> {
        let mut raw = abi::TraceState::default();
        self.ask(STATE, abi::TRACE_STATE, &mut raw, |_| 0)?;
        Ok(State::from(&raw))
    }
}

impl TryFrom<&abi::TraceSlot> for Slot {
    type Error = UnknownNumber;

    fn try_from(raw: &abi::TraceSlot) -> Result<Slot, UnknownNumber> {
        Ok(Slot {
            operation: Operation::try_from(u32::from(raw.operation))?,
            engine: Engine::try_from(u32::from(raw.engine))?,
            caller: raw.caller,
            length_bucket: raw.length_bucket,
            latency_bucket: raw.latency_bucket,
            count: raw.count,
            bytes: raw.bytes,
            sum_ns: raw.sum_ns,
            max_ns: raw.max_ns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_of_cpus_reach_beyond_one_word() {
        assert_eq!(cpu_mask(&[]), Vec::<u64>::new());
        assert_eq!(cpu_mask(&[0, 3]), [0b1001]);
        assert_eq!(cpu_mask(&[64]), [0, 1]);
    }

    #[test]
    fn what_is_asked_for_becomes_flags() {
        let recording = CaptureSettings {
            slots_per_cpu: 64,
            operations: vec![Operation::CopyToUser, Operation::IterToUser],
            ..CaptureSettings::default()
        };
        let raw = recording.raw(&[]);
        assert_eq!(raw.flags, abi::TRACE_HISTOGRAM);
        assert_eq!(
            (raw.operations, raw.cpus_addr, raw.cpus_words),
            (0b10_0010, 0, 0)
        );
    }
}
