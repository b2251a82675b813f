//! Each task's open calls, put together from entries and exits.

use crate::analyse::event::{Happening, What};
use crate::analyse::known::Known;
use crate::analyse::pass::Gap;
use crate::analyse::symbols::Symbols;
use crate::analyse::table::ByPid;
use std::ops::Range;

/// Deeper stacks than the kernel has are a damaged capture's.
const DEEPEST: usize = 512;
/// Where a capture without sched_switch shows sleeping.
const SLEEPERS: [&str; 2] = ["schedule", "__schedule"];

/// A call that was entered.
#[derive(Debug, Clone, Copy)]
struct Frame {
    function: u64,
    depth: u32,
    at_ns: u64,
    cpu: usize,
    children_ns: u64,
    /// The task's time off the CPU when the call was entered.
    off_ns: u64,
    /// What whoever watches the calls keeps with it.
    tag: u32,
}

#[derive(Debug, Clone, Default)]
struct Stack {
    frames: Vec<Frame>,
    /// Off the CPU in all, and since when it is.
    off_ns: u64,
    off_since_ns: Option<u64>,
}

/// A call that was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Address of the function.
    pub function: u64,
    /// From entry to exit.
    pub total_ns: u64,
    /// Without the calls that it made.
    pub self_ns: u64,
    /// The task was off the CPU for so long meanwhile.
    pub off_ns: u64,
    /// Where it was left: the CPU's place in `Known::cpus`.
    pub cpu: usize,
    /// What was kept with the call when it was entered.
    pub tag: u32,
}

/// The open calls of all tasks.
#[derive(Debug, Default)]
pub struct Stacks {
    tasks: ByPid<Stack>,
    /// Idle tasks share PID 0: one stack for each CPU.
    idle: Vec<Stack>,
    gap_until_ns: Vec<u64>,
    /// Formats may describe events that were not recorded.
    switch_seen: bool,
    sleepers: Vec<Range<u64>>,
    /// Calls whose entry or exit was not seen.
    pub dropped: u64,
}

impl Stacks {
    /// No stacks yet.
    pub fn new(known: &Known, symbols: &Symbols) -> Stacks {
        let sleepers = SLEEPERS.iter().flat_map(|name| symbols.ranges(name));
        Stacks {
            idle: vec![Stack::default(); known.cpus.len()],
            gap_until_ns: vec![0; known.cpus.len()],
            sleepers: sleepers.collect(),
            ..Stacks::default()
        }
    }

    /// Shows an event; the call that it ends. `tag` gives the tag of a call that is
    /// entered, by its function and the tag of its caller, if it has one.
    pub fn event(
        &mut self,
        h: &Happening<'_>,
        tag: impl FnOnce(u64, Option<u32>) -> u32,
    ) -> Option<Call> {
        match &h.what {
            What::GraphEntry { function, depth } => {
                self.enter(h, *function, *depth, tag);
                None
            }
            What::GraphExit {
                function,
                depth,
                took_ns,
            } => self.leave(h, *function, *depth, *took_ns),
            What::Switch(s) => {
                self.switch_seen = true;
                self.stack(s.prev_pid, h.cpu).off_since_ns = Some(h.at_ns);
                let next = self.stack(s.next_pid, h.cpu);
                if let Some(since) = next.off_since_ns.take() {
                    next.off_ns = next.off_ns.saturating_add(h.at_ns.saturating_sub(since));
                }
                None
            }
            _ => None,
        }
    }

    /// What was open on a CPU when its gap began cannot be known to be the call
    /// that is left later.
    pub fn lost(&mut self, gap: &Gap) {
        self.gap_until_ns[gap.cpu] = self.gap_until_ns[gap.cpu].max(gap.until_ns);
    }

    fn stack(&mut self, pid: i32, cpu: usize) -> &mut Stack {
        match pid {
            0 => &mut self.idle[cpu],
            _ => self.tasks.row(pid),
        }
    }

    fn enter(
        &mut self,
        h: &Happening<'_>,
        function: u64,
        depth: u32,
        tag: impl FnOnce(u64, Option<u32>) -> u32,
    ) {
        let stack = self.stack(h.pid, h.cpu);
        // Calls as deep or deeper have been left unseen.
        let keep = stack
            .frames
            .partition_point(|f| f.depth < depth)
            .min(DEEPEST);
        let unseen = stack.frames.len() - keep;
        stack.frames.truncate(keep);
        let caller = stack.frames.last().map(|f| f.tag);
        stack.frames.push(Frame {
            function,
            depth,
            at_ns: h.at_ns,
            cpu: h.cpu,
            children_ns: 0,
            off_ns: stack.off_ns,
            tag: tag(function, caller),
        });
        self.dropped += unseen as u64;
    }

    fn leave(
        &mut self,
        h: &Happening<'_>,
        function: u64,
        depth: u32,
        took_ns: Option<u64>,
    ) -> Option<Call> {
        let sleeps = !self.switch_seen && self.sleepers.iter().any(|r| r.contains(&function));
        let stack = self.stack(h.pid, h.cpu);
        let keep = stack.frames.partition_point(|f| f.depth < depth);
        let found = stack.frames.get(keep).copied();
        let found = found.filter(|f| f.depth == depth && f.function == function);
        let unseen = stack.frames.len() - keep - usize::from(found.is_some());
        stack.frames.truncate(keep);
        let total_ns = took_ns.or(found.map(|f| h.at_ns.saturating_sub(f.at_ns)));
        if let (true, Some(total)) = (sleeps, total_ns) {
            stack.off_ns = stack.off_ns.saturating_add(total);
        }
        let off_ns = stack.off_ns;
        self.dropped += unseen as u64;
        let (Some(frame), Some(total_ns)) = (found, total_ns) else {
            self.dropped += 1;
            return None;
        };
        // Entered before a gap: another call of the same depth may be the one that is left.
        if frame.at_ns < self.gap_until_ns[frame.cpu].max(self.gap_until_ns[h.cpu]) {
            self.dropped += 1;
            return None;
        }
        if let Some(caller) = self.stack(h.pid, h.cpu).frames.last_mut() {
            caller.children_ns = caller.children_ns.saturating_add(total_ns);
        }
        Some(Call {
            function,
            total_ns,
            self_ns: total_ns.saturating_sub(frame.children_ns),
            off_ns: off_ns.saturating_sub(frame.off_ns),
            cpu: h.cpu,
            tag: frame.tag,
        })
    }
}
