//! What was counted: by operation and size, by caller, by latency.

use analysis::whole;
use std::collections::BTreeMap;
use uapi::trace::{Record, Slot, bucket_of};
use uapi::{Engine, Operation};

/// Of one cell, or of several added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sum {
    pub copies: u64,
    /// Really copied.
    pub bytes: u64,
    pub sum_ns: u64,
    pub max_ns: u64,
}

impl Sum {
    fn add(&mut self, other: &Sum) {
        self.copies += other.copies;
        self.bytes += other.bytes;
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    pub fn mean_ns(&self) -> f64 {
        self.sum_ns as f64 / self.copies.max(1) as f64
    }
}

#[derive(Debug, Default)]
pub struct Profile {
    /// By operation and the power of two of its length; 0 and 1 B together.
    pub sizes: BTreeMap<(Operation, u32), Sum>,
    pub callers: BTreeMap<(u64, Operation), Sum>,
    /// By operation and bucket of the recorder.
    pub latencies: BTreeMap<(Operation, u16), u64>,
    pub by_dma: u64,
    pub total: Sum,
}

impl Profile {
    pub fn add_slot(&mut self, slot: &Slot) {
        let length = uapi::trace::bucket_floor(slot.length_bucket).unwrap_or(0);
        self.add(slot, length);
    }

    pub fn add_record(&mut self, record: &Record) {
        let latency_ns = record.end_ns.saturating_sub(record.start_ns);
        let slot = Slot {
            operation: record.operation,
            engine: record.engine,
            caller: record.caller,
            count: 1,
            bytes: record.length_bytes.saturating_sub(record.not_copied_bytes),
            sum_ns: latency_ns,
            max_ns: latency_ns,
            length_bucket: bucket_of(record.length_bytes),
            latency_bucket: bucket_of(latency_ns),
        };
        self.add(&slot, record.length_bytes);
    }

    /// Copies of so many bytes each.
    fn add(&mut self, slot: &Slot, length: u64) {
        let sum = Sum {
            copies: slot.count,
            bytes: slot.bytes,
            sum_ns: slot.sum_ns,
            max_ns: slot.max_ns,
        };
        let (operation, log2) = (slot.operation, length.max(1).ilog2());
        self.sizes.entry((operation, log2)).or_default().add(&sum);
        let caller = self.callers.entry((slot.caller, operation));
        caller.or_default().add(&sum);
        let latency = self.latencies.entry((operation, slot.latency_bucket));
        *latency.or_default() += sum.copies;
        if slot.engine == Engine::Policy {
            self.by_dma += sum.copies;
        }
        self.total.add(&sum);
    }

    /// Lower edge of the bucket below which this share of an operation's copies
    /// lies; `None` where there is none.
    pub fn quantile_ns(&self, operation: Operation, share: f64) -> Option<u64> {
        let of = || {
            let range = (operation, 0)..=(operation, u16::MAX);
            self.latencies.range(range).map(|((_, b), n)| (*b, *n))
        };
        let total: u64 = of().map(|(_, n)| n).sum();
        let wanted = whole((share * total as f64).ceil().max(1.0));
        let mut seen = 0;
        of().find(|(_, n)| {
            seen += n;
            seen >= wanted
        })
        .and_then(|(bucket, _)| uapi::trace::bucket_floor(bucket))
    }

    /// The callers with most copies first.
    pub fn top_callers(&self, limit: usize) -> Vec<(u64, Operation, Sum)> {
        let all = self.callers.iter().map(|((a, o), s)| (*a, *o, *s));
        let mut all: Vec<_> = all.collect();
        all.sort_by_key(|(_, _, sum)| std::cmp::Reverse(sum.copies));
        all.truncate(limit);
        all
    }

    /// Operations that occurred.
    pub fn operations(&self) -> Vec<Operation> {
        let mut found: Vec<Operation> = self.sizes.keys().map(|(o, _)| *o).collect();
        found.dedup();
        found
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn slot(operation: Operation, length: u64, latency_ns: u64, count: u64) -> Slot {
        Slot {
            operation,
            engine: Engine::Cpu,
            caller: 0xffff_ffff_8100_0010,
            length_bucket: bucket_of(length),
            latency_bucket: bucket_of(latency_ns),
            count,
            bytes: length * count,
            sum_ns: latency_ns * count,
            max_ns: latency_ns,
        }
    }

    #[test]
    fn records_and_slots_of_the_same_copies_make_the_same_profile() {
        let record = Record {
            sequence: 0,
            operation: Operation::CopyToUser,
            engine: Engine::Cpu,
            start_ns: 1000,
            end_ns: 1096,
            caller: 0xffff_ffff_8100_0010,
            near_caller: false,
            length_bytes: 4096,
            not_copied_bytes: 0,
            cpu_start: 0,
            cpu_end: 0,
            process: 1,
        };
        let (mut by_record, mut by_slot) = (Profile::default(), Profile::default());
        by_record.add_record(&record);
        by_record.add_record(&record);
        by_slot.add_slot(&slot(Operation::CopyToUser, 4096, 96, 2));
        assert_eq!(by_record.total, by_slot.total);
        assert_eq!(by_record.sizes, by_slot.sizes);
        assert_eq!(by_record.latencies, by_slot.latencies);
    }

    #[test]
    fn quantiles_are_of_one_operation() {
        let mut profile = Profile::default();
        profile.add_slot(&slot(Operation::CopyToUser, 64, 100, 90));
        profile.add_slot(&slot(Operation::CopyToUser, 64, 1000, 10));
        profile.add_slot(&slot(Operation::CopyFromUser, 64, 9, 1000));
        assert_eq!(profile.quantile_ns(Operation::CopyToUser, 0.5), Some(96));
        assert_eq!(profile.quantile_ns(Operation::CopyToUser, 0.99), Some(960));
        assert_eq!(profile.quantile_ns(Operation::IterToUser, 0.5), None);
    }
}
