//! A window of one task while others work at the same time, and what interrupted the
//! two CPUs meanwhile.

use super::occupancy::{Footprint, Look};
use super::task::Task;
use crate::interrupts::Counts;
use harness::Fault;
use harness::interrupts::Moment;
use harness::windows::Window;
use std::path::Path;

/// What interrupted two CPUs, and what switched.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Met {
    pub over_ns: u64,
    /// Of the measured CPU and of its neighbour.
    pub here: Counts,
    pub there: Counts,
}

/// What a task did with its neighbour at work.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stay {
    pub window: Window,
    /// Nothing over no time where /proc/interrupts cannot be read.
    pub met: Met,
    /// Of the measured task and of its neighbour; empty where it is not counted.
    pub here: Footprint,
    pub there: Footprint,
}

/// Who is measured and who is there, by their places in the crew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoRun {
    pub measured: usize,
    pub others: Vec<usize>,
    /// CPUs of the measured task and of its neighbour.
    pub cpus: (u32, u32),
}

impl Stay {
    /// Time of an operation, ns, with so many in a unit: of the clock, or of the CPU
    /// where tasks share one.
    pub fn op_ns(&self, ops_per_unit: u64, of_cpu: bool) -> f64 {
        let ns = match of_cpu {
            true => self.window.cpu_ns,
            false => self.window.elapsed_ns,
        };
        ns as f64 / (self.window.units * ops_per_unit).max(1) as f64
    }

    /// Operations of the window and of those right before it, which whoever counts events sees
    /// too; one at least.
    pub fn ops(&self, ops_per_unit: u64) -> u64 {
        let units = self.window.units_before + self.window.units;
        (units * ops_per_unit).max(1)
    }
}

impl CoRun {
    /// A window of the measured task while the others work; they rest afterwards.
    ///
    /// # Errors
    /// A task that is gone or does not answer.
    pub fn stay(&self, crew: &mut [Task], window_ns: u64) -> Result<Stay, Fault> {
        let begun = self.others.iter().try_for_each(|at| crew[*at].accompany());
        let filled = self.look(crew);
        let before = Moment::now(Path::new("/")).ok();
        let window = begun.and_then(|()| crew[self.measured].window(window_ns));
        let after = Moment::now(Path::new("/")).ok();
        let filled_after = self.look(crew);
        let rested: Result<Vec<()>, Fault> =
            self.others.iter().map(|at| crew[*at].rest()).collect();
        let window = window?;
        rested?;
        let met = before.zip(after).map(|(b, a)| self.met(&b, &a));
        let mut stay = Stay {
            window,
            met: met.unwrap_or_default(),
            ..Stay::default()
        };
        let worked_ns = Some(window.elapsed_ns);
        stay.here.add(filled[0], filled_after[0], worked_ns);
        stay.there.add(filled[1], filled_after[1], None);
        Ok(stay)
    }

    /// The measured task and its neighbour.
    fn look(&self, crew: &mut [Task]) -> [Option<Look>; 2] {
        [Some(&self.measured), self.others.first()].map(|at| crew[*at?].watched.look())
    }

    fn met(&self, before: &Moment, after: &Moment) -> Met {
        let here = before.until(after, self.cpus.0);
        Met {
            over_ns: here.over_ns,
            here: Counts::of(&here),
            there: Counts::of(&before.until(after, self.cpus.1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CoRun, Stay};
    use crate::crew::body::Host;
    use crate::tasks::kinds::find;
    use crate::tasks::occupancy::occupancy;
    use crate::tasks::occupancy::tests::{Fake, says};
    use crate::tasks::task::{Seat, Task};
    use testbed::context;

    #[test]
    fn two_that_want_one_cpu_have_it_for_half_of_the_time() {
        let (context, _keep) = context();
        let seat = Seat {
            number: 0,
            cpu: context.test_cpu,
            host: Host::Process,
            shared: true,
        };
        let start = |word: &str| Task::start(&find(word).unwrap(), seat, &context).unwrap();
        let mut crew = vec![start("alu"), start("spin")];
        for task in &mut crew {
            task.ready().unwrap();
        }
        // The counters of their groups.
        let fakes = [Fake::stand_in(), Fake::stand_in()];
        for ((task, fake), filled) in crew.iter_mut().zip(&fakes).zip(["4096", "8192"]) {
            let (watched, folder) = fake.watched();
            says(&folder, "mon_L3_00", filled, "100");
            task.watched = watched;
        }
        let corun = |others| CoRun {
            measured: 0,
            others,
            cpus: (context.test_cpu, context.test_cpu),
        };
        let alone = corun(vec![]).stay(&mut crew, 20_000_000).unwrap();
        assert!(alone.window.units > 0 && alone.window.elapsed_ns >= 20_000_000);
        let mixed = corun(vec![1]).stay(&mut crew, 40_000_000).unwrap();
        assert!(mixed.window.cpu_ns < mixed.window.elapsed_ns);
        assert!(mixed.met.over_ns >= 40_000_000);
        let values = occupancy(&alone.here, &alone.there);
        assert_eq!([values[0], values[2]], [4096.0, 0.0]);
        assert!(values[1].is_nan() && values[3].is_nan(), "no neighbour");
        let values = occupancy(&mixed.here, &mixed.there);
        assert_eq!(values, [4096.0, 8192.0, 0.0, 0.0]);
        assert!(mixed.op_ns(10, true) < mixed.op_ns(10, false));
        let of = |units_before| {
            let mut stay = Stay::default();
            let window = &mut stay.window;
            (window.units, window.elapsed_ns, window.units_before) = (2, 60, units_before);
            (stay.op_ns(10, false), stay.ops(10))
        };
        assert_eq!([of(0), of(1)], [(3.0, 20), (3.0, 30)]);
        assert!(crew.iter_mut().all(|task| task.verify().is_ok()));
    }
}
