//! Keeps CPUs from going idle while a batch runs: one process of the lowest
//! class (SCHED_IDLE) on each, spinning only from `rouse` to `rest`.
//!
//! A process that is woken always preempts such a spinner at once, so the CPU
//! does the same scheduling as before, but never enters and leaves an idle
//! state.

use super::child::{Child, Departure, not_started};
use super::demand::Demand;
use harness::{Fault, SetupError};

/// How long `rouse` waits for one more spinner. On a CPU that is busy with
/// something else a spinner may never run; such a CPU is awake without it.
const PATIENCE_NS: i64 = 2_000_000;

/// The spinners; dropping it ends and reaps them.
#[derive(Debug)]
pub struct Awake {
    spinners: Vec<Child>,
    demand: Demand,
}

impl Awake {
    /// # Errors
    /// `Skip` where this user may not have so many processes.
    pub fn on(cpus: &[u32]) -> Result<Awake, SetupError> {
        let demand = Demand::map().map_err(|e| SetupError::fail("map a shared page", e))?;
        let mut spinners = Vec::with_capacity(cpus.len());
        for cpu in cpus {
            harness::affinity::bindable(*cpu)?;
            let spinner = Child::fork(*cpu, &[], || spin_on_demand(&demand))
                .map_err(|e| not_started(&format!("start a spinner on CPU {cpu}"), &e))?;
            spinners.push(spinner);
        }
        Ok(Awake { spinners, demand })
    }

    /// Wakes the spinners and waits (some milliseconds at most) until all
    /// spin.
    pub fn rouse(&self) {
        self.demand.call();
        // Waiting gives up this CPU, which the spinner on it needs.
        let all = u32::try_from(self.spinners.len()).unwrap_or(u32::MAX);
        self.demand.await_at_work(all, PATIENCE_NS);
    }

    /// Sends the spinners to sleep. Costs one store.
    #[inline]
    pub fn rest(&self) {
        self.demand.rest();
    }

    /// # Errors
    /// Names a spinner that has left: then nothing kept its CPU awake.
    pub fn check(&mut self) -> Result<(), Fault> {
        let left = self.spinners.iter_mut().find_map(Child::departure);
        left.map_or(Ok(()), |how| {
            Err(Fault::Gone {
                who: "a spinner".to_owned(),
                how,
            })
        })
    }
}

/// Runs in the child.
fn spin_on_demand(demand: &Demand) -> Departure {
    let lowest = libc::sched_param { sched_priority: 0 };
    // SAFETY: lowers this process; the structure is read during the call.
    if unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const lowest) } != 0 {
        return Departure::NotLowered;
    }
    loop {
        demand.wait();
        demand.spin();
    }
}

#[cfg(test)]
mod tests {
    use super::Awake;
    use testbed::cpus;

    /// Tries far longer than it should take.
    fn soon(mut condition: impl FnMut() -> bool) -> bool {
        let limit = harness::Deadline::after(std::time::Duration::from_secs(60));
        while !limit.passed() {
            std::thread::yield_now();
            if condition() {
                return true;
            }
        }
        false
    }

    #[test]
    fn spinners_spin_only_between_rouse_and_rest() {
        let mut awake = Awake::on(&cpus()[..1]).unwrap();
        for _ in 0..3 {
            awake.rouse();
            assert!(soon(|| awake.demand.at_work() == 1), "never began to spin");
            awake.rest();
            assert!(soon(|| awake.demand.at_work() == 0), "did not stop");
        }
        assert_eq!(awake.check(), Ok(()));
    }

    #[test]
    fn a_dead_spinner_is_reported() {
        let mut awake = Awake::on(&cpus()[..1]).unwrap();
        awake.spinners[0].kill();
        assert!(soon(|| awake.check().is_err()));
    }
}
