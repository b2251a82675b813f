//! Gaps in the numbers of one CPU are the records that its full ring dropped.

use crate::abi::TRACE_OPERATIONS;
use crate::kinds::Operation;

/// Where each operation's numbers have come to, on one CPU.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sequences {
    next: [u64; TRACE_OPERATIONS],
    lost: [u64; TRACE_OPERATIONS],
    /// Numbers that ran backwards, which no drop explains.
    backwards: u64,
}

impl Sequences {
    /// Notes a record's number.
    pub fn see(&mut self, operation: Operation, number: u64) {
        self.come_to(operation.number() as usize, number);
        self.next[operation.number() as usize] = number.wrapping_add(1);
    }

    /// The module's next numbers, once nothing is recorded any more and the
    /// ring is read: what lies between is lost, too.
    pub fn end(&mut self, next: &[u64; TRACE_OPERATIONS]) {
        for (index, number) in next.iter().enumerate() {
            self.come_to(index, *number);
            self.next[index] = *number;
        }
    }

    fn come_to(&mut self, index: usize, number: u64) {
        match number.checked_sub(self.next[index]) {
            Some(gap) => self.lost[index] += gap,
            None => self.backwards += 1,
        }
    }

    /// Copies of an operation that left no record.
    pub fn lost(&self, operation: Operation) -> u64 {
        self.lost[operation.number() as usize]
    }

    /// Lost records of all operations together.
    pub fn lost_in_all(&self) -> u64 {
        self.lost.iter().sum()
    }

    /// Above 0 only where the module is broken.
    pub fn backwards(&self) -> u64 {
        self.backwards
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Operation::{CopyFromUser, CopyToUser};

    #[test]
    fn gaps_are_counted_for_each_operation() {
        let mut seen = Sequences::default();
        for number in [0, 1, 5, 6] {
            seen.see(CopyFromUser, number);
        }
        seen.see(CopyToUser, 0);
        assert_eq!((seen.lost(CopyFromUser), seen.lost(CopyToUser)), (3, 0));
        seen.end(&[9, 1, 0, 0, 0, 4]);
        assert_eq!(seen.lost(CopyFromUser), 5);
        assert_eq!(seen.lost_in_all(), 5 + 4);
        assert_eq!(seen.backwards(), 0);
    }

    #[test]
    fn a_number_that_comes_twice_is_no_loss() {
        let mut seen = Sequences::default();
        seen.see(CopyToUser, 0);
        seen.see(CopyToUser, 0);
        assert_eq!((seen.lost_in_all(), seen.backwards()), (0, 1));
    }
}
