//! Reading one CPU's ring.

use super::{Record, Sequences};
use crate::abi;
use crate::device::Device;
use crate::error::Error;
use crate::kinds::{Engine, Operation, UnknownNumber};
use crate::mapping::Mapping;

const READ: &str = "read a ring of the recorder";
/// Leaves the tail where it is.
const LEAVE: u64 = u64::MAX;

/// The records of the copies that ended on one CPU. Unmapped on drop, which
/// must come before the device's last clone goes.
#[derive(Debug)]
pub struct RecordRing {
    device: Device,
    cpu: u32,
    mapping: Mapping,
    mask: u64,
    tail: u64,
    sequences: Sequences,
}

/// What one call of [`RecordRing::take`] gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Taken {
    pub records: u64,
    /// Since the capture began, on this CPU, as the module counts them.
    pub dropped: u64,
}

impl RecordRing {
    pub(super) fn map(
        device: &Device,
        cpu: u32,
        records_per_cpu: u32,
    ) -> Result<RecordRing, Error> {
        let length_bytes = records_per_cpu as usize * size_of::<abi::TraceRecord>();
        let mapping = Mapping::new(device, READ, abi::trace_mmap_offset(cpu), length_bytes)?;
        Ok(RecordRing {
            device: device.clone(),
            cpu,
            mapping,
            mask: u64::from(records_per_cpu).saturating_sub(1),
            tail: 0,
            sequences: Sequences::default(),
        })
    }

    /// The CPU whose records it holds.
    pub fn cpu(&self) -> u32 {
        self.cpu
    }

    /// Gaps so far.
    pub fn sequences(&self) -> &Sequences {
        &self.sequences
    }

    /// Gives every record up to the head and frees their places.
    ///
    /// # Errors
    /// A record that this program does not understand, or a ring that is gone.
    pub fn take(&mut self, each: &mut dyn FnMut(&Record)) -> Result<Taken, Error> {
        let head = self.consume(LEAVE)?.head;
        let records = head.wrapping_sub(self.tail);
        while self.tail != head {
            let record = self.record(self.tail)?;
            self.sequences.see(record.operation, record.sequence);
            each(&record);
            self.tail = self.tail.wrapping_add(1);
        }
        Ok(Taken {
            records,
            dropped: self.consume(self.tail)?.dropped,
        })
    }

    /// As [`RecordRing::take`], once the capture is stopped: what was dropped after
    /// the last record counts as lost, too. While it runs, the numbers may be
    /// ahead of records that are still being written.
    ///
    /// # Errors
    /// As [`RecordRing::take`].
    pub fn finish(&mut self, each: &mut dyn FnMut(&Record)) -> Result<Taken, Error> {
        let taken = self.take(each)?;
        self.sequences.end(&self.consume(LEAVE)?.sequence);
        Ok(taken)
    }

    fn consume(&self, tail: u64) -> Result<abi::TraceConsume, Error> {
        let mut argument = abi::TraceConsume {
            cpu: self.cpu,
            tail,
            ..abi::TraceConsume::default()
        };
        self.device
            .ask(READ, abi::TRACE_CONSUME, &mut argument, |_| 0)?;
        Ok(argument)
    }

    fn record(&self, position: u64) -> Result<Record, Error> {
        let index = usize::try_from(position & self.mask).unwrap_or(usize::MAX);
        let offset = index.saturating_mul(size_of::<abi::TraceRecord>());
        let raw: abi::TraceRecord = self.mapping.value(offset).ok_or_else(|| Error::Argument {
            doing: READ,
            cause: format!("position {position} lies outside of it"),
        })?;
        Record::try_from(&raw).map_err(Error::unknown(READ))
    }
}

impl TryFrom<&abi::TraceRecord> for Record {
    type Error = UnknownNumber;

    fn try_from(raw: &abi::TraceRecord) -> Result<Record, UnknownNumber> {
        Ok(Record {
            sequence: raw.sequence,
            operation: Operation::try_from(u32::from(raw.operation))?,
            engine: Engine::try_from(u32::from(raw.engine))?,
            start_ns: raw.start_ns,
            end_ns: raw.end_ns,
            caller: raw.caller,
            near_caller: raw.flags & abi::TRACE_RECORD_NEAR_CALLER != 0,
            length_bytes: raw.length_bytes,
            not_copied_bytes: raw.not_copied_bytes,
            cpu_start: raw.cpu_start,
            cpu_end: raw.cpu_end,
            process: raw.pid,
        })
    }
}
