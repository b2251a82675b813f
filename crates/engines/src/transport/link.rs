//! Two ends and what is done with them, as a subject.
//!
//! *stream*: the main side sends `ops` messages one after the other; the batch
//! ends when the partner has received the last byte. *round_trip*: each message
//! comes back whole before the next is sent. With one thread a message is sent
//! and then received by the same thread.

use super::control::ControlBlock;
use super::end::{End, Wait};
use super::partner::Partner;
use super::serve::fill;
use super::still::Still;
use super::tally::{self, Usage};
use crate::crew::awake::Awake;
use crate::crew::child::NoPipeSignal;
use crate::memory::buffer::Buffer;
use harness::clock::raw_now_ns;
use harness::{Fault, Subject};
use std::io;
use std::sync::Arc;

/// Messages of a verification pass: this many bytes, but not fewer than a few.
const CHECKED_BYTES: usize = 1 << 20;
const CHECKED_MESSAGES: std::ops::RangeInclusive<usize> = 2..=64;

/// A trip's way there is taken by itself after so many.
const ONE_WAY_EVERY: u64 = 8;

/// Who is on the other side.
pub enum Other<E: End> {
    /// The same thread.
    Own(E),
    Partner(Partner),
}

/// The main side of a transport, and the way to the other one.
pub struct Link<E: End> {
    /// Closed first: that lets the partner leave.
    pub end: Option<E>,
    pub other: Other<E>,
    pub control: Arc<ControlBlock>,
    pub echoing: bool,
    /// Messages that are sent and received before the next ones; 0: any number.
    pub portion: u64,
    /// The main side looks for the partner's answer instead of sleeping.
    pub polling: bool,
    /// The partner runs on another CPU.
    pub apart: bool,
    pub awake: Option<Awake>,
    pub message: Buffer,
    pub answer: Buffer,
    /// Bytes sent so far.
    pub sent: u64,
    pub fault: Option<Fault>,
    /// Round trips timed one by one so far.
    pub trips: u64,
    /// Messages that the verification has sent so far.
    pub checked: u64,
    pub before: Before,
    /// What the set-up chose, behind what the end obtained.
    pub notes: Vec<String>,
    pub _no_pipe_signal: NoPipeSignal,
}

/// What both sides had used up before the batch.
#[derive(Debug, Clone, Copy, Default)]
pub struct Before {
    own: Usage,
    partner: Usage,
    /// How often the partner had reported its use.
    reports: u32,
}

impl<E: End> Link<E> {
    fn exchange(&mut self, ops: u64) -> Result<(), Fault> {
        match &self.other {
            Other::Own(_) => (0..ops).try_for_each(|_| self.alone()),
            Other::Partner(_) if self.echoing => self.messages::<true>(ops),
            Other::Partner(_) => self.portions(ops),
        }
    }

    fn portions(&mut self, ops: u64) -> Result<(), Fault> {
        let most = if self.portion > 0 { self.portion } else { ops };
        let mut left = ops;
        while left > 0 {
            let now = left.min(most);
            self.messages::<false>(now)?;
            left -= now;
        }
        Ok(())
    }

    /// Messages that come back one by one, or a stream of them.
    fn messages<const BACK: bool>(&mut self, ops: u64) -> Result<(), Fault> {
        let size = self.message.bytes() as u64;
        let goal = self.sent + ops * size;
        self.control.aim(goal);
        let end = self.end.as_mut().ok_or_else(closed)?;
        let wait = Wait::by(self.polling, &self.control);
        for _ in 0..ops {
            end.send(self.message.as_slice(), wait)
                .map_err(|e| ended("send a message", e))?;
            if BACK {
                receive_whole(end, self.answer.as_mut_slice(), wait)?;
                end.reclaim(wait).map_err(not_returned)?;
            }
        }
        self.sent = goal;
        if BACK {
            return Ok(());
        }
        self.control.await_arrival(goal, self.apart)?;
        end.reclaim(wait).map_err(not_returned)
    }

    /// One message out of one end and into the other, by turns where it does
    /// not fit in between.
    fn alone(&mut self) -> Result<(), Fault> {
        let Other::Own(other) = &mut self.other else {
            return Ok(());
        };
        let end = self.end.as_mut().ok_or_else(closed)?;
        let (message, answer) = (self.message.as_slice(), self.answer.as_mut_slice());
        let (mut out, mut back) = (0, 0);
        let mut still: Option<Still> = None;
        while back < message.len() {
            let mut moved = false;
            if out < message.len() {
                moved |= some(end.send(&message[out..], Wait::Never), &mut out)
                    .map_err(|e| Fault::refused("send a message", e))?;
            }
            moved |= some(other.receive(&mut answer[back..], Wait::Never), &mut back)
                .map_err(|e| Fault::refused("receive a message", e))?;
            if moved {
                still = None;
            } else if still.get_or_insert_with(Still::begin).is_over() {
                return Err(Fault::wrong(
                    "neither end can proceed: the message does not fit",
                ));
            } else {
                // A network may deliver later, by a task of the kernel.
                std::thread::yield_now();
            }
        }
        end.reclaim(Wait::Asleep(&self.control))
            .map_err(not_returned)
    }

    /// Sends messages that all differ and has every byte looked at.
    fn check(&mut self) -> Result<(), Fault> {
        let size = self.message.bytes();
        let count =
            (CHECKED_BYTES / size).clamp(*CHECKED_MESSAGES.start(), *CHECKED_MESSAGES.end());
        let wrong_before = self.control.wrong();
        self.control.checking.set(true);
        let done = (0..count as u64).try_for_each(|_| {
            fill(self.message.as_mut_slice(), self.checked);
            if let Some(end) = &mut self.end {
                end.changed();
            }
            self.answer.as_mut_slice().fill(0);
            let reports = self.control.reports();
            self.exchange(1)?;
            if !matches!(self.other, Other::Own(_)) {
                self.control.await_usage(reports, self.apart)?;
            }
            let answered = self.echoing || matches!(self.other, Other::Own(_));
            if answered && self.answer.as_slice() != self.message.as_slice() {
                return Err(Fault::wrong(
                    "the bytes that came back are not those that were sent",
                ));
            }
            self.checked += 1;
            Ok(())
        });
        self.control.checking.set(false);
        done?;
        match self.control.wrong() - wrong_before {
            0 => Ok(()),
            wrong => Err(Fault::wrong(format!(
                "{wrong} of {count} messages arrived with wrong bytes"
            ))),
        }
    }

    /// After every eighth round trip that was timed by itself: how long a message
    /// takes one way, of a trip of its own, so that the two readings of the clock
    /// are in no other figure.
    fn one_way_ns(&mut self) -> Option<f64> {
        if !self.echoing || self.portion > 0 || self.fault.is_some() {
            return None;
        }
        self.trips += 1;
        if !self.trips.is_multiple_of(ONE_WAY_EVERY) {
            return None;
        }
        self.prepare(0);
        self.control.timing.set(true);
        let reports = self.control.reports();
        let began_ns = raw_now_ns();
        self.batch(0, 1);
        self.control.timing.set(false);
        let there_ns = self.control.there_at_ns();
        self.control.await_usage(reports, self.apart).ok()?;
        (there_ns > began_ns).then(|| (there_ns - began_ns) as f64)
    }

    fn own_usage(&self) -> Usage {
        tally::of_this_thread(self.end.as_ref().map_or(0, End::calls))
    }

    /// What the other side has used up: all of it, or of one thread only the
    /// calls of its other end.
    fn other_usage(&self) -> Usage {
        match &self.other {
            Other::Own(end) => Usage::of_calls(end.calls()),
            Other::Partner(_) => self.control.usage(),
        }
    }

    fn note_fault(&mut self, fault: &Fault) {
        if self.fault.is_some() {
            return;
        }
        let complaint = self.end.as_mut().and_then(End::complaint);
        let slow = fault.is_slow() && complaint.is_none();
        let cause = match complaint {
            Some(complaint) => format!("{fault}: {complaint}"),
            None => fault.to_string(),
        };
        let cause = match &mut self.other {
            Other::Partner(partner) => partner.why(&cause),
            Other::Own(_) => cause,
        };
        self.fault = Some(match slow && !self.control.lost() {
            true => Fault::Slow(cause),
            false => Fault::wrong(cause),
        });
    }
}

impl<E: End> Subject for Link<E> {
    fn batch(&mut self, _part: u16, ops: u64) {
        if self.fault.is_none()
            && let Err(cause) = self.exchange(ops)
        {
            self.note_fault(&cause);
        }
        if let Some(awake) = &self.awake {
            awake.rest();
        }
        self.control.keep_awake(false);
    }

    fn prepare(&mut self, _part: u16) {
        if let Some(awake) = &self.awake {
            awake.rouse();
        }
        if self.polling {
            self.control.keep_awake(true);
            // The partner sleeps until the next byte: bring it back first.
            let reports = self.control.reports();
            let roused = self.exchange(1);
            // What this one used is reported before the next is counted.
            if let Err(cause) = roused.and_then(|()| self.control.await_usage(reports, self.apart))
            {
                self.note_fault(&cause);
            }
        }
        if let Other::Partner(partner) = &mut self.other {
            partner.look();
        }
        self.before = Before {
            own: self.own_usage(),
            partner: self.other_usage(),
            reports: self.control.reports(),
        };
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let checked = self.check();
        match (self.fault.clone(), checked) {
            (Some(fault), _) => Err(fault),
            (None, Err(cause)) => {
                self.note_fault(&cause);
                Err(self.fault.clone().unwrap_or(cause))
            }
            (None, Ok(())) => Ok(()),
        }
    }

    fn tally(&mut self, _part: u16) -> Vec<f64> {
        let own = self.own_usage().since(self.before.own);
        if matches!(self.other, Other::Partner(_))
            && self.fault.is_none()
            && let Err(cause) = self.control.await_usage(self.before.reports, self.apart)
        {
            self.note_fault(&cause);
        }
        let other = self.other_usage().since(self.before.partner);
        let one_way_ns = self.one_way_ns().unwrap_or(f64::NAN);
        own.tallied_with(other, one_way_ns)
    }

    fn quantum(&self) -> u64 {
        self.portion.max(1)
    }

    fn counted_threads(&self) -> Vec<u32> {
        self.control.task().into_iter().collect()
    }

    fn notes(&self) -> Vec<String> {
        let end = self.end.as_ref().map(End::notes).unwrap_or_default();
        end.into_iter().chain(self.notes.iter().cloned()).collect()
    }
}

impl<E: End> Drop for Link<E> {
    fn drop(&mut self) {
        self.control.leave.set(true);
        // Closed before the partner is waited for: it may sleep in a receive.
        self.end = None;
    }
}

fn closed() -> Fault {
    Fault::wrong("the end is closed")
}

fn not_returned(cause: io::Error) -> Fault {
    ended("get a message back", cause)
}

/// What a call on an end came to: it was refused, or waited for too long.
fn ended(doing: &str, cause: io::Error) -> Fault {
    match cause.kind() {
        io::ErrorKind::TimedOut => Fault::Slow(format!("cannot {doing}: {cause}")),
        _ => Fault::refused(doing, cause),
    }
}

/// Adds what was moved; false where nothing can be moved now.
fn some(moved: io::Result<usize>, to: &mut usize) -> io::Result<bool> {
    match moved {
        Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
        Ok(n) => {
            *to += n;
            Ok(true)
        }
        Err(e) if e.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(e) => Err(e),
    }
}

#[inline]
fn receive_whole<E: End>(end: &mut E, into: &mut [u8], wait: Wait<'_>) -> Result<(), Fault> {
    let mut got = 0;
    while got < into.len() {
        match end.receive(&mut into[got..], wait) {
            Ok(0) => return Err(Fault::wrong("the partner has left")),
            Ok(more) => got += more,
            Err(e) => return Err(ended("receive a message", e)),
        }
    }
    Ok(())
}
