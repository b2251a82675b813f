//! A ring of processes that pass a token through pipes.
//!
//! The caller is member 0, the others are its children. Each member reads the
//! token from the pipe behind it, reads through its footprint, adds one to the
//! token and writes it to the pipe before it. Each expects exactly the number
//! that visiting every member in order gives; a member that sees another one
//! leaves, its pipes close, and the end of file travels round to the caller: a
//! broken ring ends, it does not hang.

use super::footprint::Footprint;
use super::token;
use engines::crew::child::{Child, Departure, NoPipeSignal};
use engines::crew::demand::Demand;
use harness::{Fault, SetupError};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// Members of a ring, where they run, and how much each touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// CPU of each member; the first is the caller's, who is pinned already.
    pub cpus: Vec<u32>,
    pub footprint_bytes: usize,
    pub line_bytes: usize,
    /// Members ask their pipe again and again instead of sleeping in it, from
    /// `rouse` to `rest`. Needs a CPU for each.
    pub polling: bool,
}

impl Plan {
    fn pipe(&self) -> Result<(OwnedFd, OwnedFd), SetupError> {
        let (read, write) = token::pipe()?;
        if self.polling {
            token::poll_instead_of_sleeping(&read)?;
        }
        Ok((read, write))
    }

    fn demand(&self) -> Result<Option<Demand>, SetupError> {
        let map = || Demand::map().map_err(|e| SetupError::fail("map a shared page", e));
        self.polling.then(map).transpose()
    }
}

/// A running ring; dropping it ends and reaps every child.
#[derive(Debug)]
pub struct Ring {
    to_first: OwnedFd,
    from_last: OwnedFd,
    children: Vec<Child>,
    members: u64,
    /// The token as the caller sends it next.
    token: u64,
    footprint: Footprint,
    /// Where members poll: whether they do so now.
    demand: Option<Demand>,
    broken: Option<Fault>,
    _no_pipe_signal: NoPipeSignal,
}

impl Ring {
    /// Forks the children, pins each, lets each touch its footprint, and sends
    /// the token round once.
    ///
    /// # Errors
    /// `Skip` where the machine's limits on processes or descriptors are too
    /// low; `Fail` otherwise.
    pub fn start(plan: &Plan) -> Result<Ring, SetupError> {
        let no_pipe_signal = NoPipeSignal::hold();
        let footprint = Footprint::map(plan.footprint_bytes, plan.line_bytes)
            .map_err(|e| SetupError::fail("map the footprint", e))?;
        let demand = plan.demand()?;
        let members = plan.cpus.len();
        let (mut behind, to_first) = plan.pipe()?;
        let mut children = Vec::with_capacity(members);
        for (member, cpu) in plan.cpus.iter().enumerate().skip(1) {
            let (next_behind, before) = plan.pipe()?;
            let station = Station {
                behind: behind.as_raw_fd(),
                before: before.as_raw_fd(),
                first_token: member as u64,
                step: members as u64,
                demand: demand.as_ref(),
            };
            children.push(station.staff(*cpu, &footprint, members)?);
            // Only the child keeps its ends, so that its death is seen as the
            // end of file by the next.
            behind = next_behind;
        }
        footprint.touch();
        let mut ring = Ring {
            to_first,
            from_last: behind,
            children,
            members: members as u64,
            token: 1,
            footprint,
            demand,
            broken: None,
            _no_pipe_signal: no_pipe_signal,
        };
        ring.laps(1);
        let whole = ring.check();
        whole.map_err(|cause| SetupError::fail("pass the token round the ring", cause))?;
        Ok(ring)
    }

    /// Sends the token round `laps` times: `laps * members` hops. Stops at the
    /// first lap that fails; `check` says why.
    pub fn laps(&mut self, laps: u64) {
        for _ in 0..laps {
            if let Err(cause) = self.lap() {
                self.broken.get_or_insert(cause);
                return;
            }
        }
    }

    fn lap(&mut self) -> Result<(), Fault> {
        token::send(self.to_first.as_raw_fd(), self.token)
            .map_err(|e| Fault::refused("send the token", e))?;
        let back = receive(self.from_last.as_raw_fd(), self.demand.as_ref())
            .map_err(|e| Fault::refused("receive the token", e))?
            .ok_or_else(|| Fault::wrong("the ring broke: a member left"))?;
        self.footprint.read();
        // Every child adds one.
        let expected = self.token + self.members - 1;
        if back != expected {
            return Err(Fault::wrong(format!(
                "the token came back as {back}, not as {expected}"
            )));
        }
        self.token = back + 1;
        Ok(())
    }

    /// Has polling members poll from now on: the lap wakes those that sleep.
    pub fn rouse(&mut self) {
        if let Some(demand) = &self.demand {
            demand.call();
            self.laps(1);
        }
    }

    /// Lets polling members sleep. Costs one store.
    #[inline]
    pub fn rest(&self) {
        if let Some(demand) = &self.demand {
            demand.rest();
        }
    }

    /// Hops made so far: the token counts them.
    pub fn hops(&self) -> u64 {
        self.token - 1
    }

    /// Whether every lap so far was whole; names the children that left.
    ///
    /// # Errors
    /// A sentence with the first thing that went wrong.
    pub fn check(&mut self) -> Result<(), Fault> {
        let Some(cause) = &self.broken else {
            return Ok(());
        };
        let left: Vec<String> = self
            .children
            .iter_mut()
            .filter_map(Child::departure)
            .collect();
        if !left.is_empty() {
            self.broken = Some(Fault::wrong(format!("{cause} ({})", left.join("; "))));
        }
        self.broken.clone().map_or(Ok(()), Err)
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // All at once; each is reaped when its own object goes.
        self.children.iter().for_each(Child::kill);
    }
}

/// One child's place in the ring.
struct Station<'a> {
    behind: RawFd,
    before: RawFd,
    /// Token value at its first visit.
    first_token: u64,
    /// By how much the token grows between two visits.
    step: u64,
    demand: Option<&'a Demand>,
}

impl Station<'_> {
    fn staff(&self, cpu: u32, footprint: &Footprint, members: usize) -> Result<Child, SetupError> {
        harness::affinity::bindable(cpu)?;
        Child::fork(cpu, &[self.behind, self.before], || {
            footprint.touch();
            self.serve(footprint)
        })
        .map_err(|e| fork_error(&e, members))
    }

    /// Passes tokens on until the pipe behind ends. Runs in the child.
    fn serve(&self, footprint: &Footprint) -> Departure {
        let mut expected = self.first_token;
        loop {
            match receive(self.behind, self.demand) {
                Ok(Some(token)) if token == expected => {}
                Ok(Some(_)) => return Departure::WrongToken,
                Ok(None) => return Departure::NeighbourGone,
                Err(_) => return Departure::PipeFailed,
            }
            footprint.read();
            if token::send(self.before, expected + 1).is_err() {
                return Departure::PipeFailed;
            }
            expected += self.step;
        }
    }
}

#[inline]
fn receive(fd: RawFd, demand: Option<&Demand>) -> io::Result<Option<u64>> {
    match demand {
        None => token::receive(fd),
        Some(demand) => token::receive_polling(fd, demand),
    }
}

fn fork_error(error: &io::Error, members: usize) -> SetupError {
    match error.raw_os_error() {
        Some(libc::EAGAIN) => SetupError::skip(
            format!("this user may not have {members} more processes: {error}"),
            "ulimit -u 4096 (in a container: raise pids.max of its cgroup)",
        ),
        _ => SetupError::fail(&format!("start a ring of {members} processes"), error),
    }
}

#[cfg(test)]
mod tests;
