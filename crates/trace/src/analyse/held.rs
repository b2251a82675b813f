//! The longest waits, and who had the CPU meanwhile: from all slices of that CPU,
//! which are remembered as 12 bytes each.

use super::event::Comm;
use super::slices::{Slice, Wait};
use super::words::sum_ns;
use serde::Serialize;
use std::collections::{HashMap, VecDeque};

/// Longest waits that are kept.
const WAITS: usize = 20;
/// Slices that are remembered, of all CPUs together: 400 MB. Of a longer capture
/// the oldest are forgotten, and that time is called unknown.
const REMEMBERED: usize = 1 << 25;
/// Holders that are named; the time of the others is summed.
const HOLDERS: usize = 4;

/// A task on the CPU while another waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Holder {
    /// The thread; 0 is idle.
    pub pid: i32,
    /// Its name.
    pub comm: Comm,
    /// For how long.
    pub ns: u64,
}

/// A wait, and who had the CPU on which it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldWait {
    /// The thread that waited.
    pub pid: i32,
    /// Its name.
    pub comm: Comm,
    /// The CPU on which the wait ended.
    pub cpu: u32,
    #[serde(skip)]
    place: usize,
    /// When, and why it was runnable.
    #[serde(flatten)]
    pub wait: Wait,
    /// By time, most first; pid 0 is idle (the CPU was on its way out of sleep,
    /// or the task waited elsewhere first).
    pub holders: Vec<Holder>,
    /// Of those that are not named.
    pub others_ns: u64,
    /// Who had the CPU then is not known: switches are missing.
    pub unknown_ns: u64,
    #[serde(skip)]
    named: bool,
}

/// One CPU's slices since its last gap, one behind the other.
#[derive(Debug, Clone, Default)]
struct Past {
    /// What is known begins here.
    begin_ns: u64,
    ends_ns: VecDeque<u64>,
    /// None where a switch is missing.
    pids: VecDeque<Option<i32>>,
}

impl Past {
    fn push(&mut self, end_ns: u64, pid: Option<i32>, most: usize) {
        if self.ends_ns.len() >= most {
            self.begin_ns = self.ends_ns.pop_front().unwrap_or(self.begin_ns);
            self.pids.pop_front();
        }
        self.ends_ns.push_back(end_ns);
        self.pids.push_back(pid);
    }

    fn last_ns(&self) -> u64 {
        self.ends_ns.back().copied().unwrap_or(self.begin_ns)
    }
}

/// The longest waits of a capture.
#[derive(Debug, Default)]
pub struct Held {
    /// Longest first.
    pub waits: Vec<HeldWait>,
    past: Vec<Past>,
    remembered: usize,
}

impl Held {
    /// For so many CPUs.
    pub fn new(cpus: usize) -> Held {
        Held::remembering(cpus, REMEMBERED / cpus.max(1))
    }

    fn remembering(cpus: usize, each: usize) -> Held {
        Held {
            waits: Vec::new(),
            past: vec![Past::default(); cpus],
            remembered: each,
        }
    }

    /// Remembers a slice.
    #[inline]
    pub fn slice(&mut self, slice: &Slice) {
        let past = &mut self.past[slice.place];
        if past.ends_ns.is_empty() {
            past.begin_ns = slice.begin_ns;
        }
        if slice.begin_ns > past.last_ns() {
            past.push(slice.begin_ns, None, self.remembered);
        }
        past.push(slice.end_ns, Some(slice.pid), self.remembered);
    }

    /// Before its own slice is handed in.
    #[inline]
    pub fn waited(&mut self, slice: &Slice, wait: &Wait) {
        let length_ns = wait.length_ns();
        let shortest_ns = self.waits.last().map_or(0, |w| w.wait.length_ns());
        if self.waits.len() < WAITS || length_ns > shortest_ns {
            self.keep(slice, wait);
        }
    }

    #[cold]
    fn keep(&mut self, slice: &Slice, wait: &Wait) {
        let length_ns = wait.length_ns();
        let at = self
            .waits
            .partition_point(|w| w.wait.length_ns() >= length_ns);
        let held = HeldWait {
            pid: slice.pid,
            comm: slice.comm,
            cpu: slice.cpu,
            place: slice.place,
            wait: *wait,
            holders: Vec::new(),
            others_ns: 0,
            unknown_ns: 0,
            named: false,
        };
        self.waits.insert(at, held);
        self.waits.truncate(WAITS);
    }

    /// Nothing behind a gap belongs to a wait before it.
    pub fn gap(&mut self, place: usize) {
        self.name_holders(place);
        self.past[place] = Past::default();
    }

    /// The capture is over: `name` is what a task was called last.
    pub fn over(&mut self, name: impl Fn(i32) -> Comm) {
        for place in 0..self.past.len() {
            self.name_holders(place);
        }
        for holder in self.waits.iter_mut().flat_map(|w| &mut w.holders) {
            holder.comm = name(holder.pid);
        }
    }

    fn name_holders(&mut self, place: usize) {
        let past = &self.past[place];
        for held in &mut self.waits {
            if held.place == place && !held.named {
                past.name_holders(held);
            }
        }
    }
}

impl Past {
    fn name_holders(&self, held: &mut HeldWait) {
        let (from_ns, until_ns) = (held.wait.from_ns, held.wait.until_ns);
        let mut sums: HashMap<i32, u64> = HashMap::new();
        let first = self.ends_ns.partition_point(|end_ns| *end_ns <= from_ns);
        let mut begin_ns = match first.checked_sub(1) {
            Some(before) => self.ends_ns[before],
            None => self.begin_ns,
        };
        for (end_ns, pid) in self.ends_ns.range(first..).zip(self.pids.range(first..)) {
            if begin_ns >= until_ns {
                break;
            }
            let ns = end_ns.min(&until_ns).saturating_sub(begin_ns.max(from_ns));
            if let Some(pid) = pid.filter(|_| ns > 0) {
                let sum = sums.entry(pid).or_default();
                *sum = sum.saturating_add(ns);
            }
            begin_ns = *end_ns;
        }
        let known_ns = sum_ns(sums.values().copied());
        let comm = Comm::default();
        let holder = |(pid, ns)| Holder { pid, comm, ns };
        let mut holders: Vec<Holder> = sums.into_iter().map(holder).collect();
        holders.sort_by_key(|h| (std::cmp::Reverse(h.ns), h.pid));
        holders.truncate(HOLDERS);
        let named_ns = sum_ns(holders.iter().map(|h| h.ns));
        held.others_ns = known_ns.saturating_sub(named_ns);
        held.unknown_ns = held.wait.length_ns().saturating_sub(known_ns);
        held.holders = holders;
        held.named = true;
    }
}

#[cfg(test)]
pub mod tests {
    use super::Held;
    use crate::analyse::Comm;
    use crate::analyse::slices::{End, Ready, Slice, Wait};

    fn slice(pid: i32, begin_ns: u64, end_ns: u64) -> Slice {
        Slice {
            pid,
            comm: Comm::default(),
            cpu: 0,
            place: 0,
            begin_ns,
            end_ns,
            prio: None,
            end: End::Preempted,
            partial: false,
            begun_before: false,
            wait: None,
        }
    }

    /// 100 slices of 10 ns by tasks 1 to 4 in turn; 9 waited from 0 to 1000.
    pub fn wait_among_four(remembered: usize) -> super::HeldWait {
        let mut held = Held::remembering(1, remembered);
        for at in 0..100u64 {
            held.slice(&slice(1 + (at % 4) as i32, at * 10, at * 10 + 10));
        }
        let wait = Wait {
            from_ns: 0,
            until_ns: 1000,
            why: Ready::Preempted,
        };
        held.waited(&slice(9, 1000, 1010), &wait);
        held.over(|_| Comm::default());
        held.waits.remove(0)
    }

    #[test]
    fn what_was_forgotten_is_unknown() {
        let all = wait_among_four(1000);
        let ns: Vec<u64> = all.holders.iter().map(|h| h.ns).collect();
        assert_eq!((ns, all.unknown_ns), (vec![250; 4], 0));
        let part = wait_among_four(40);
        let ns: Vec<u64> = part.holders.iter().map(|h| h.ns).collect();
        assert_eq!((ns, part.unknown_ns), (vec![100; 4], 600));
    }
}
