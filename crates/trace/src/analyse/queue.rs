//! How many tasks each CPU had to run: the one that ran and those that waited.

use super::course::Course;
use super::event::{Happening, WakeKind, What};
use super::known::Known;
use super::pass::{Gap, Pass, Visitor};
use super::table::ByPid;
use super::words::sum_ns;
use serde::Serialize;

/// Lengths counted apart; the last class is this and more.
const CLASSES: usize = 17;

/// One CPU's queue, or all of them together. A task is in a queue from its first
/// sign (woken, running, left runnable) to going to sleep; those that were
/// runnable before the capture began and never ran in it are not known.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Queue {
    /// The longest.
    pub max: u32,
    /// ns by length: 0, 1 ... 15, 16 and more.
    pub by_length_ns: Vec<u64>,
    /// Length times ns, by window of time.
    pub course: Course,
    #[serde(skip)]
    length: u32,
    #[serde(skip)]
    since_ns: Option<u64>,
}

impl Queue {
    #[inline]
    fn pass(&mut self, at_ns: u64) {
        if let Some(since) = self.since_ns
            && since < at_ns
        {
            if self.by_length_ns.is_empty() {
                self.by_length_ns = vec![0; CLASSES];
            }
            let class = &mut self.by_length_ns[(self.length as usize).min(CLASSES - 1)];
            *class = class.saturating_add(at_ns - since);
            self.course.hold(since, at_ns, f64::from(self.length));
        }
        self.since_ns = Some(self.since_ns.map_or(at_ns, |s| s.max(at_ns)));
    }

    #[inline]
    fn change(&mut self, at_ns: u64, by: i32) {
        self.pass(at_ns);
        self.length = self.length.saturating_add_signed(by);
        self.max = self.max.max(self.length);
    }

    /// Time in which the length was known.
    pub fn known_ns(&self) -> u64 {
        sum_ns(self.by_length_ns.iter().copied())
    }

    /// Mean over time.
    pub fn mean(&self) -> f64 {
        let held: f64 = self.course.sums.iter().sum();
        held / self.known_ns().max(1) as f64
    }

    /// Share of the time in which more tasks were runnable than ran.
    pub fn waiting_share(&self) -> f64 {
        let above: u64 = sum_ns(self.by_length_ns.iter().skip(2).copied());
        above as f64 / self.known_ns().max(1) as f64
    }
}

/// Where a task is queued; valid while the CPU's epoch is the same.
#[derive(Debug, Clone, Copy)]
struct QueuePlace {
    cpu: usize,
    epoch: u32,
}

/// Receives the length of a queue whenever it changes.
pub trait Lengths {
    /// `cpu` is a place in `Known::cpus`. Several may come for one time.
    fn length(&mut self, cpu: usize, at_ns: u64, length: u32);
}

/// For whoever needs no lengths.
impl Lengths for () {
    #[inline]
    fn length(&mut self, _: usize, _: u64, _: u32) {}
}

/// All queues.
#[derive(Debug, Default)]
pub struct Queues<L = ()> {
    /// Receives each change.
    pub lengths: L,
    /// In the order of `Known::cpus`.
    pub cpus: Vec<Queue>,
    /// All CPUs together.
    pub machine: Queue,
    /// Time in which one CPU at least had nothing to run while another had two
    /// tasks or more.
    pub unbalanced_ns: u64,
    epochs: Vec<u32>,
    running: Vec<i32>,
    /// None: sleeping or unknown.
    tasks: ByPid<Option<QueuePlace>>,
    empty: usize,
    crowded: usize,
    since_ns: u64,
}

impl<L: Lengths + Default> Queues<L> {
    /// No task is known to be runnable.
    pub fn new(known: &Known, lengths: L) -> Queues<L> {
        let cpus = known.cpus.len();
        Queues {
            lengths,
            cpus: vec![Queue::default(); cpus],
            epochs: vec![0; cpus],
            running: vec![0; cpus],
            ..Queues::default()
        }
    }

    fn change(&mut self, at_ns: u64, cpu: usize, by: i32) {
        if self.empty > 0 && self.crowded > 0 {
            self.unbalanced_ns = self
                .unbalanced_ns
                .saturating_add(at_ns.saturating_sub(self.since_ns));
        }
        self.since_ns = at_ns;
        let queue = &mut self.cpus[cpu];
        let seen = queue.since_ns.is_some();
        let (was_empty, was_crowded) = (seen && queue.length == 0, queue.length > 1);
        queue.change(at_ns, by);
        self.lengths.length(cpu, at_ns, queue.length);
        self.empty = self.empty + usize::from(queue.length == 0) - usize::from(was_empty);
        self.crowded = self.crowded + usize::from(queue.length > 1) - usize::from(was_crowded);
        self.machine.change(at_ns, by);
    }

    #[inline]
    fn put(&mut self, at_ns: u64, pid: i32, cpu: usize) {
        if pid == 0 {
            return;
        }
        let before = self.queue_of(pid);
        if before == Some(cpu) {
            return;
        }
        if let Some(before) = before {
            self.change(at_ns, before, -1);
        }
        let epoch = self.epochs[cpu];
        *self.tasks.row(pid) = Some(QueuePlace { cpu, epoch });
        self.change(at_ns, cpu, 1);
    }

    /// To the CPU that an event's field names, if it names one.
    #[inline]
    fn send(&mut self, at_ns: u64, pid: i32, cpu: i32, known: &Known) {
        if let Some(place) = known.place_of_field(cpu) {
            self.put(at_ns, pid, place);
        }
    }

    #[inline]
    fn take(&mut self, at_ns: u64, pid: i32) {
        if let Some(cpu) = self.queue_of(pid) {
            *self.tasks.row(pid) = None;
            self.change(at_ns, cpu, -1);
        }
    }

    /// The CPU in whose queue the task is known to be; idle is in none.
    #[inline]
    fn queue_of(&mut self, pid: i32) -> Option<usize> {
        let QueuePlace { cpu, epoch } = (*self.tasks.row(pid))?;
        (self.epochs[cpu] == epoch).then_some(cpu)
    }

    fn queued(&mut self, pid: i32) -> bool {
        self.queue_of(pid).is_some()
    }
}

impl<L: Lengths + Default> Visitor for Queues<L> {
    #[inline]
    fn event(&mut self, happening: &Happening<'_>, known: &Known) {
        let (at_ns, cpu) = (happening.at_ns, happening.cpu);
        if self.cpus[cpu].since_ns.is_none() {
            // Known from here on; what runs is in the queue.
            self.change(at_ns, cpu, 0);
            self.put(at_ns, happening.pid, cpu);
        } else if self.running[cpu] != happening.pid && !happening.leaving {
            // Its switch is not in the capture; whether it sleeps is not known.
            self.take(at_ns, self.running[cpu]);
            self.put(at_ns, happening.pid, cpu);
        }
        if !happening.leaving {
            self.running[cpu] = happening.pid;
        }
        match &happening.what {
            What::Switch(s) => {
                match known.states.end(s.prev_state).wants_more() {
                    true => self.put(at_ns, s.prev_pid, cpu),
                    false => self.take(at_ns, s.prev_pid),
                }
                self.put(at_ns, s.next_pid, cpu);
                self.running[cpu] = s.next_pid;
            }
            What::Wake(wake) if wake.kind != WakeKind::Waking || !self.queued(wake.pid) => {
                self.send(at_ns, wake.pid, wake.target_cpu, known);
            }
            What::Migrate { pid, to_cpu, .. } if self.queued(*pid) => {
                self.send(at_ns, *pid, *to_cpu, known);
            }
            _ => {}
        }
    }

    fn lost(&mut self, gap: &Gap, _: &Known) {
        // Nothing was known of the CPU before the gap either.
        if self.cpus[gap.cpu].since_ns.is_none() {
            return;
        }
        let length = self.cpus[gap.cpu].length;
        // All of its tasks leave the machine's queue, as far as is known.
        self.change(gap.from_ns, gap.cpu, -length.cast_signed());
        // The tasks' places of before are void from here on, without a visit to each.
        self.epochs[gap.cpu] += 1;
        // `change` has just counted it as empty, and it is unknown.
        self.empty -= 1;
        // Not known until its next event.
        self.cpus[gap.cpu].since_ns = None;
    }

    fn end(&mut self, pass: &Pass, _: &Known) {
        for (queue, span) in self.cpus.iter_mut().zip(&pass.cpus) {
            if queue.since_ns.is_some() {
                queue.pass(span.until_ns);
            }
        }
        self.machine.pass(pass.end_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::{Queue, Queues};

    #[test]
    fn one_cpu_has_nothing_to_run_while_two_tasks_share_another() {
        let mut queues: Queues = Queues {
            cpus: vec![Queue::default(); 2],
            epochs: vec![0; 2],
            running: vec![0; 2],
            ..Queues::default()
        };
        queues.put(0, 1, 0);
        queues.put(0, 2, 0);
        // Not known to be empty until something was seen there.
        queues.put(10, 3, 1);
        queues.take(20, 3);
        queues.take(50, 2);
        queues.take(60, 1);
        assert_eq!(queues.unbalanced_ns, 30);
        let first = &queues.cpus[0];
        assert_eq!((first.max, first.known_ns()), (2, 60));
        assert!((first.waiting_share() - 50.0 / 60.0).abs() < 1e-12);
        assert!((first.mean() - 110.0 / 60.0).abs() < 1e-12);
        assert_eq!(queues.machine.max, 3);
        assert_eq!(queues.machine.by_length_ns[..4], [0, 10, 40, 10]);
        // Whoever is queued is queued once, and moves with its wake-up.
        queues.put(70, 4, 0);
        queues.put(71, 4, 0);
        queues.put(72, 4, 1);
        assert_eq!((queues.cpus[0].length, queues.cpus[1].length), (0, 1));
        assert!(queues.queued(4) && !queues.queued(3));
    }
}
