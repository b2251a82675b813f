//! How many tasks more than one want a CPU, from time to time: the part of the
//! run queue that waits.

use super::Crowd;
use crate::analyse::queue::Lengths;

/// By place of the CPU: changes only.
#[derive(Default)]
pub struct Crowds(pub Vec<Vec<Crowd>>);

impl Crowds {
    /// Of so many CPUs.
    pub fn new(cpus: usize) -> Crowds {
        Crowds(vec![Vec::new(); cpus])
    }
}

impl Lengths for Crowds {
    #[inline]
    fn length(&mut self, cpu: usize, at_ns: u64, length: u32) {
        let steps = &mut self.0[cpu];
        let waiting = length.saturating_sub(1);
        // Of several changes at one time the last one counts.
        if steps.last().is_some_and(|last| last.at_ns >= at_ns) {
            steps.pop();
        }
        let before = steps.last().map_or(0, |last| last.waiting);
        if before != waiting {
            // A gap's begin lies before what is known already.
            let least_ns = steps.last().map_or(0, |last| last.at_ns);
            steps.push(Crowd {
                at_ns: at_ns.max(least_ns),
                waiting,
            });
        }
    }
}
