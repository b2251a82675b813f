//! What both sides see: how far the batch goes, how far it has come, what the
//! partner used up. Lives in memory that a fork shares.

use crate::crew::futex::{futex_wait, futex_wake};
use crate::crew::shared::Shared;
use harness::Deadline;
use harness::Fault;
use std::io;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering, fence};
use std::time::Duration;

/// The main side gives a batch up when the partner has not moved for so long.
pub const DEADLINE: Duration = Duration::from_secs(10);
/// Turns of a spin before a waiting side sleeps: some tens of microseconds.
const SPINS: u32 = 20_000;

/// A mapping of its own, unmapped on drop.
#[derive(Debug)]
pub struct Board(Shared<Slots>);

/// Words that one side writes stand on lines of their own.
#[derive(Debug)]
#[repr(C, align(128))]
struct Slots {
    /// Bytes that the partner shall have received when it says so.
    target: AtomicU64,
    /// 1: the partner checks what it receives.
    checking: AtomicU32,
    /// 1: the partner says when a message is there.
    timing: AtomicU32,
    /// 1: the partner asks again and again instead of sleeping.
    awake: AtomicU32,
    /// 1: the partner shall leave.
    leaving: AtomicU32,
    /// Id of the partner's process, 0: a thread.
    process: AtomicI32,
    main: Padding,
    /// Bytes that the partner has received, once they are `target`.
    arrived: AtomicU64,
    /// 1: the partner waits for nothing but bytes.
    ready: AtomicU32,
    /// Times that the partner has reported its use.
    reports: AtomicU32,
    /// 1: the main side sleeps; a futex to sleep on.
    sleeping: AtomicU32,
    wrong: AtomicU64,
    gone: AtomicU32,
    /// Number of the partner's task, gettid(2); 0 before it has begun.
    task: AtomicU32,
    usage: [AtomicU64; 5],
    /// When the last message was there, by the kernel's clock.
    there_at_ns: AtomicU64,
}

#[derive(Debug)]
#[repr(C, align(128))]
struct Padding;

/// What a task has used up so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub calls: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    pub user_ns: u64,
    pub system_ns: u64,
}

impl Board {
    /// # Errors
    /// What mmap says.
    pub fn map() -> io::Result<Board> {
        // SAFETY: only atomics are in it.
        unsafe { Shared::zeroed() }.map(Board)
    }

    #[inline]
    fn slots(&self) -> &Slots {
        &self.0
    }

    /// The partner shall say when it has received so many bytes in all.
    #[inline]
    pub fn aim(&self, bytes: u64) {
        self.slots().target.store(bytes, Ordering::Release);
    }

    #[inline]
    pub fn target(&self) -> u64 {
        self.slots().target.load(Ordering::Acquire)
    }

    /// The partner shall say when it has received each message, or not any more.
    pub fn ask_for_times(&self, on: bool) {
        self.slots().timing.store(on.into(), Ordering::Release);
    }

    #[inline]
    pub fn times_wanted(&self) -> bool {
        self.slots().timing.load(Ordering::Acquire) == 1
    }

    /// The last message was there at `now_ns` of the kernel's clock.
    pub fn say_there(&self, now_ns: u64) {
        self.slots().there_at_ns.store(now_ns, Ordering::Release);
    }

    pub fn there_at_ns(&self) -> u64 {
        self.slots().there_at_ns.load(Ordering::Acquire)
    }

    pub fn check_contents(&self, on: bool) {
        self.slots().checking.store(on.into(), Ordering::Release);
    }

    #[inline]
    pub fn checking(&self) -> bool {
        self.slots().checking.load(Ordering::Acquire) == 1
    }

    /// Ends in a full fence, so that what is read later is not older: a side
    /// that was about to sleep has seen the call, or its own sign is seen.
    pub fn keep_awake(&self, on: bool) {
        self.slots().awake.store(on.into(), Ordering::Release);
        fence(Ordering::SeqCst);
    }

    #[inline]
    pub fn awake(&self) -> bool {
        self.slots().awake.load(Ordering::Acquire) == 1
    }

    pub fn leave(&self) {
        self.slots().leaving.store(1, Ordering::Release);
    }

    #[inline]
    pub fn leaving(&self) -> bool {
        self.slots().leaving.load(Ordering::Acquire) == 1
    }

    /// The partner has gone for good.
    pub fn say_gone(&self) {
        self.slots().gone.store(1, Ordering::Release);
        self.wake();
    }

    pub fn gone(&self) -> bool {
        self.slots().gone.load(Ordering::Acquire) == 1
    }

    /// The calling task is the partner.
    pub fn enlist(&self) {
        // SAFETY: takes no arguments and cannot fail.
        let task = unsafe { libc::syscall(libc::SYS_gettid) };
        let task = u32::try_from(task).unwrap_or(0);
        self.slots().task.store(task, Ordering::Release);
    }

    /// Number of the partner's task, once it has begun.
    pub fn task(&self) -> Option<u32> {
        Some(self.slots().task.load(Ordering::Acquire)).filter(|task| *task != 0)
    }

    /// The partner is this process, which cannot say so when it is killed.
    pub fn watch(&self, process: libc::pid_t) {
        self.slots().process.store(process, Ordering::Release);
    }

    /// Whether the partner has gone, said so or not. A system call: for those
    /// who have waited for a while.
    pub fn lost(&self) -> bool {
        self.gone() || has_exited(self.slots().process.load(Ordering::Acquire))
    }

    pub fn say_ready(&self) {
        self.slots().ready.store(1, Ordering::SeqCst);
        self.wake();
    }

    pub fn ready(&self) -> bool {
        self.slots().ready.load(Ordering::Acquire) == 1
    }

    /// One more wrong message.
    pub fn say_wrong(&self) {
        self.slots().wrong.fetch_add(1, Ordering::AcqRel);
    }

    pub fn wrong(&self) -> u64 {
        self.slots().wrong.load(Ordering::Acquire)
    }

    /// All bytes of the batch are there.
    #[inline]
    pub fn say_arrived(&self, bytes: u64) {
        self.slots().arrived.store(bytes, Ordering::SeqCst);
        if self.slots().sleeping.load(Ordering::SeqCst) == 1 {
            self.wake();
        }
    }

    /// What the partner has used up so far; before `say_arrived`, which wakes who
    /// waits for either. A stream's batch waits for this too: one system call in
    /// milliseconds. A round trip does not, its answer is away.
    pub fn tell(&self, usage: Usage) {
        let values = [
            usage.calls,
            usage.voluntary_switches,
            usage.involuntary_switches,
            usage.user_ns,
            usage.system_ns,
        ];
        for (slot, value) in self.slots().usage.iter().zip(values) {
            slot.store(value, Ordering::Relaxed);
        }
        self.slots().reports.fetch_add(1, Ordering::Release);
    }

    /// How often the partner has reported its use.
    pub fn reports(&self) -> u32 {
        self.slots().reports.load(Ordering::Acquire)
    }

    /// What it reported last.
    pub fn usage(&self) -> Usage {
        let value = |i: usize| self.slots().usage[i].load(Ordering::Relaxed);
        Usage {
            calls: value(0),
            voluntary_switches: value(1),
            involuntary_switches: value(2),
            user_ns: value(3),
            system_ns: value(4),
        }
    }

    /// Waits until the partner has received `bytes` in all. `spin`: it runs on
    /// another CPU, so looking for a while is cheaper than sleeping.
    ///
    /// # Errors
    /// The partner has gone, or has not moved for ten seconds.
    #[inline]
    pub fn await_arrival(&self, bytes: u64, spin: bool) -> Result<(), Fault> {
        let there = || self.slots().arrived.load(Ordering::Acquire) >= bytes;
        self.wait_for(there, spin)
    }

    /// Waits until the partner has reported its use more than `times` times. Asleep,
    /// not by sched_yield: the scheduler holds a yield against its caller for
    /// milliseconds, and the partner then preempts it at every message.
    ///
    /// # Errors
    /// As `await_arrival`.
    pub fn await_usage(&self, times: u32, spin: bool) -> Result<(), Fault> {
        self.wait_for(|| self.reports() != times, spin)
    }

    /// # Errors
    /// As `await_arrival`.
    pub fn await_ready(&self) -> Result<(), Fault> {
        self.wait_for(|| self.ready(), false)
    }

    fn wait_for(&self, there: impl Fn() -> bool, spin: bool) -> Result<(), Fault> {
        if spin {
            for _ in 0..SPINS {
                if there() {
                    return Ok(());
                }
                std::hint::spin_loop();
            }
        }
        self.sleep_until(there)
    }

    #[cold]
    fn sleep_until(&self, there: impl Fn() -> bool) -> Result<(), Fault> {
        let slots = self.slots();
        let deadline = Deadline::after(DEADLINE);
        slots.sleeping.store(1, Ordering::SeqCst);
        let ended = loop {
            if there() {
                break Ok(());
            }
            if self.lost() {
                break Err(Fault::wrong("the partner has left"));
            }
            if deadline.passed() {
                break Err(Fault::wrong(format!(
                    "the partner has not moved for {} s",
                    DEADLINE.as_secs()
                )));
            }
            // Woken by `wake`, which changes the word; else by time.
            futex_wait(&slots.sleeping, 1);
            slots.sleeping.store(1, Ordering::SeqCst);
        };
        slots.sleeping.store(0, Ordering::SeqCst);
        ended
    }

    fn wake(&self) {
        self.slots().sleeping.store(0, Ordering::SeqCst);
        futex_wake(&self.slots().sleeping);
    }
}

/// Whether a child of this process has exited and is still to be reaped; in
/// other processes: no.
fn has_exited(child: libc::pid_t) -> bool {
    if child == 0 {
        return false;
    }
    let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: an all-zero structure is valid; the call fills it or leaves it,
    // and the field read is one that it always writes.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let asked = libc::waitid(libc::P_PID, child.cast_unsigned(), &raw mut info, how);
        asked == 0 && info.si_pid() == child
    }
}
