//! What both sides see: how far the batch goes, how far it has come, what the
//! partner used up. Lives in memory that a fork shares.

use super::tally::Usage;
use crate::crew::futex::{futex_wait, futex_wake};
use crate::crew::shared::Shared;
use crate::crew::waiting::{Missed, asleep, spin};
use crate::crew::words::{Flag, Row};
use harness::Fault;
use harness::long_wait::LongWait;
use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering, fence};
use std::time::Duration;

/// The main side gives a batch up when the partner has not answered for so long, and neither
/// works nor waits for a CPU.
pub const DEADLINE: Duration = Duration::from_secs(10);
/// Turns of a spin before a waiting side sleeps: some tens of microseconds.
const SPINS: u32 = 20_000;

/// A mapping of its own, unmapped on drop.
#[derive(Debug)]
pub struct ControlBlock(Shared<Words>);

/// Words that one side writes are on lines of their own.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct Words {
    /// Bytes that the partner shall have received when it says so.
    target: AtomicU64,
    /// The partner checks what it receives.
    pub checking: Flag,
    /// The partner says when a message is there.
    pub timing: Flag,
    /// The partner polls instead of sleeping.
    awake: Flag,
    /// The partner shall leave.
    pub leave: Flag,
    /// Id of the partner's process, 0: a thread.
    process: AtomicI32,
    main: Padding,
    /// Bytes that the partner has received, once they are `target`.
    arrived: AtomicU64,
    /// The partner waits for nothing but bytes.
    ready: Flag,
    /// Times that the partner has reported its use.
    reports: AtomicU32,
    /// 1: the main side sleeps; a futex to sleep on.
    sleeping: AtomicU32,
    wrong: AtomicU64,
    gone: Flag,
    /// Number of the partner's task, gettid(2); 0 before it has begun.
    task: AtomicU32,
    usage: Row<5>,
    /// When the last message was there, by the kernel's clock.
    there_at_ns: AtomicU64,
}

#[derive(Debug)]
#[repr(C, align(128))]
struct Padding;

impl Deref for ControlBlock {
    type Target = Words;

    #[inline]
    fn deref(&self) -> &Words {
        &self.0
    }
}

impl ControlBlock {
    /// # Errors
    /// What mmap says.
    pub fn map() -> io::Result<ControlBlock> {
        // SAFETY: only atomics are in it.
        unsafe { Shared::zeroed() }.map(ControlBlock)
    }
}

impl Words {
    /// The partner shall say when it has received so many bytes in all.
    #[inline]
    pub fn aim(&self, bytes: u64) {
        self.target.store(bytes, Ordering::Release);
    }

    /// Bytes that the partner shall have received when it reports.
    #[inline]
    pub fn target(&self) -> u64 {
        self.target.load(Ordering::Acquire)
    }

    /// The last message was there at `now_ns` of the kernel's clock.
    pub fn say_there(&self, now_ns: u64) {
        self.there_at_ns.store(now_ns, Ordering::Release);
    }

    /// When the last message was there, ns of the kernel's clock.
    pub fn there_at_ns(&self) -> u64 {
        self.there_at_ns.load(Ordering::Acquire)
    }

    /// Ends in a full fence, so that what is read later is not older: a side
    /// that was about to sleep has seen the call, or its own sign is seen.
    pub fn keep_awake(&self, on: bool) {
        self.awake.set(on);
        fence(Ordering::SeqCst);
    }

    /// Whether the partner polls instead of sleeping.
    #[inline]
    pub fn awake(&self) -> bool {
        self.awake.is_set()
    }

    /// Whether the partner shall leave.
    #[inline]
    pub fn leaving(&self) -> bool {
        self.leave.is_set()
    }

    /// The partner has gone for good.
    pub fn say_gone(&self) {
        self.gone.set(true);
        self.wake();
    }

    /// The calling task is the partner.
    pub fn enlist(&self) {
        // SAFETY: takes no arguments and cannot fail.
        let task = unsafe { libc::gettid() };
        self.task.store(task.unsigned_abs(), Ordering::Release);
    }

    /// Number of the partner's task, once it has begun.
    pub fn task(&self) -> Option<u32> {
        Some(self.task.load(Ordering::Acquire)).filter(|task| *task != 0)
    }

    /// The partner is this process, which cannot say so when it is killed.
    pub fn watch(&self, process: libc::pid_t) {
        self.process.store(process, Ordering::Release);
    }

    /// Whether the partner has gone, reported or not. A system call: for sides that
    /// have waited for a while.
    pub fn lost(&self) -> bool {
        self.gone.is_set() || has_exited(self.process.load(Ordering::Acquire))
    }

    /// The partner waits for nothing but bytes.
    pub fn say_ready(&self) {
        self.ready.0.store(1, Ordering::SeqCst);
        self.wake();
    }

    /// One more wrong message.
    pub fn say_wrong(&self) {
        self.wrong.fetch_add(1, Ordering::AcqRel);
    }

    /// How many messages were wrong.
    pub fn wrong(&self) -> u64 {
        self.wrong.load(Ordering::Acquire)
    }

    /// All bytes of the batch are there.
    #[inline]
    pub fn say_arrived(&self, bytes: u64) {
        self.arrived.store(bytes, Ordering::SeqCst);
        if self.sleeping.load(Ordering::SeqCst) == 1 {
            self.wake();
        }
    }

    /// What the partner has used up so far; before `say_arrived`, which wakes who
    /// waits for either. A stream's batch waits for this too: one system call in
    /// milliseconds. A round trip does not, its answer is already sent.
    pub fn tell(&self, usage: Usage) {
        self.usage.leave(usage.0);
        self.reports.fetch_add(1, Ordering::Release);
    }

    /// How often the partner has reported its use.
    pub fn reports(&self) -> u32 {
        self.reports.load(Ordering::Acquire)
    }

    /// What it reported last.
    pub fn usage(&self) -> Usage {
        Usage(self.usage.read())
    }

    /// Waits until the partner has received `bytes` in all. `spin`: it runs on
    /// another CPU, so looking for a while is cheaper than sleeping.
    ///
    /// # Errors
    /// The partner has gone, or does not answer.
    #[inline]
    pub fn await_arrival(&self, bytes: u64, spin: bool) -> Result<(), Fault> {
        let there = || self.arrived.load(Ordering::Acquire) >= bytes;
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
        self.wait_for(|| self.ready.is_set(), false)
    }

    fn wait_for(&self, there: impl Fn() -> bool, spins: bool) -> Result<(), Fault> {
        if spins && spin(SPINS, &there) {
            return Ok(());
        }
        self.sleep_until(there)
    }

    #[cold]
    fn sleep_until(&self, there: impl Fn() -> bool) -> Result<(), Fault> {
        self.sleeping.store(1, Ordering::SeqCst);
        let lost = || self.lost().then_some(());
        let ended = asleep(LongWait::new(DEADLINE, self.task()), there, lost, || {
            // Woken by `wake`, which changes the word; else by time.
            futex_wait(&self.sleeping, 1);
            self.sleeping.store(1, Ordering::SeqCst);
        });
        self.sleeping.store(0, Ordering::SeqCst);
        ended.map_err(|missed| match missed {
            Missed::Lost(()) => Fault::wrong("the partner has left"),
            Missed::Late => Fault::Silent {
                who: "the partner".to_owned(),
                seconds: DEADLINE.as_secs(),
            },
        })
    }

    fn wake(&self) {
        self.sleeping.store(0, Ordering::SeqCst);
        futex_wake(&self.sleeping);
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
