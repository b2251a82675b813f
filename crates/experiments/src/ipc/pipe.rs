//! # ipc/pipe - Handing bytes over through a pipe
//!
//! What does a message through a pipe cost, and from which size on does the
//! pipe's capacity make every message wait?
//!
//! ## Counts
//! *stream*: writing one message whole, by as many calls as the pipe demands,
//! until the reader has read its last byte; the batch's time divided by its
//! messages. Both copies (into the kernel's pages and out of them), the sleeps
//! and wake-ups where the pipe is full or empty. *round_trip*: a message there
//! through one pipe and, whole, back through another.
//!
//! ## Does not count
//! Making the pipes and starting the partner; the first touch of the buffers,
//! which each side makes in its own task before the first message. Bytes are
//! counted once, not once for each copy.
//!
//! ## Origin
//! The pipe of `ipc-benchmark` (Advanced Operating Systems, Lab 2, Cambridge,
//! 2022-23), of lmbench `bw_pipe` and `lat_pipe`, and of `perf bench sched
//! pipe`, which is the round trip of four bytes. pipe(7), fcntl(2).
//!
//! ## Theory
//! A pipe is a ring of pages in the kernel, sixteen of them by default: 64 KiB.
//! While a message fits, the writer copies it in and goes on; it does not meet
//! the reader. From the capacity on every write fills the pipe and sleeps until
//! the reader has made room, and every read empties it and sleeps until there is
//! more. Then each 64 KiB cost two changes of task, and the curve falls off a
//! cliff whose height is the price of a wake-up: small on one CPU, large across
//! two, largest where the other CPU has gone idle. A larger pipe (`buffer`) moves
//! the cliff, not its height.
//!
//! Below 4 KiB the price is that of two system calls and does not depend on the
//! size. A write of up to `PIPE_BUF` (4096 bytes) is atomic: it is not
//! interleaved with those of others.

use analysis::PointView;
use analysis::knees::Facts;
use catalogue::{Claim, Experiment};
use engines::transport::fds::{never_block, patiently, whole};
use engines::transport::{self, End, Options, Transport, Wait, claims, figures, findings};
use harness::SetupError;
use machine::tunable::PIPE_MAX_SIZE;
use record::axis::human_bytes;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Before the capacity in bytes.
const CAPACITY_NOTE: &str = "pipe capacity in bytes: ";

/// Two pipes, one for each direction, and this side's ends of them.
#[derive(Debug)]
pub struct PipeEnd {
    reader: OwnedFd,
    writer: OwnedFd,
    capacity: usize,
    calls: u64,
}

impl End for PipeEnd {
    #[inline]
    fn send(&mut self, message: &[u8], wait: Wait<'_>) -> io::Result<usize> {
        let fd = self.writer.as_raw_fd();
        whole(message, wait, |rest, wait| {
            patiently(fd, libc::POLLOUT, wait, &mut self.calls, || {
                // SAFETY: the slice is readable for its length.
                unsafe { libc::write(fd, rest.as_ptr().cast(), rest.len()) }
            })
        })
    }

    #[inline]
    fn receive(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<usize> {
        read(&self.reader, into, wait, &mut self.calls)
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn fds(&self) -> Vec<RawFd> {
        vec![self.reader.as_raw_fd(), self.writer.as_raw_fd()]
    }

    fn notes(&self) -> Vec<String> {
        vec![format!("{CAPACITY_NOTE}{}", self.capacity)]
    }
}

/// One pipe for each direction.
pub struct Pipe;

impl Transport for Pipe {
    type End = PipeEnd;

    fn pair(options: &Options) -> Result<(PipeEnd, PipeEnd), SetupError> {
        two_ways(options, |reader, writer, capacity| {
            Ok(PipeEnd {
                reader,
                writer,
                capacity,
                calls: 0,
            })
        })
    }
}

/// Two ends made of the read end of one pipe and the write end of another, and of
/// their capacity.
///
/// # Errors
/// As `one_way`, and as `end`.
pub(super) fn two_ways<E>(
    options: &Options,
    end: impl Fn(OwnedFd, OwnedFd, usize) -> Result<E, SetupError>,
) -> Result<(E, E), SetupError> {
    let (there_out, there_in, capacity) = one_way(options)?;
    let (back_out, back_in, _) = one_way(options)?;
    let main = end(back_out, there_in, capacity)?;
    Ok((main, end(there_out, back_in, capacity)?))
}

/// Reads what a pipe holds, up to the length of `into`, once something is there.
///
/// # Errors
/// What the kernel says.
#[inline]
pub(super) fn read(
    reader: &OwnedFd,
    into: &mut [u8],
    wait: Wait<'_>,
    calls: &mut u64,
) -> io::Result<usize> {
    let fd = reader.as_raw_fd();
    let (at, len) = (into.as_mut_ptr(), into.len());
    patiently(fd, libc::POLLIN, wait, calls, || {
        // SAFETY: the slice is writable for its length.
        unsafe { libc::read(fd, at.cast(), len) }
    })
}

/// Read end, write end and effective capacity.
pub(super) fn one_way(options: &Options) -> Result<(OwnedFd, OwnedFd, usize), SetupError> {
    let mut ends = [-1; 2];
    // SAFETY: the array holds the two descriptors that the call writes.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(SetupError::fail(
            "create a pipe",
            io::Error::last_os_error(),
        ));
    }
    // SAFETY: both were just made and have no other owner.
    let (reader, writer) =
        unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
    if options.alone || options.polling {
        for end in [&reader, &writer] {
            never_block(end.as_raw_fd())
                .map_err(|e| SetupError::fail("make a pipe non-blocking", e))?;
        }
    }
    if let Some(bytes) = options.buffer_bytes {
        resize(&writer, bytes)?;
    }
    // SAFETY: reads a property of our own pipe.
    let capacity = unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_GETPIPE_SZ) };
    Ok((reader, writer, capacity.unsigned_abs() as usize))
}

/// What the kernel answered to a call with descriptors that do not exist: a kernel that has
/// `call` says `EBADF`. `what` begins the sentence of a skip.
///
/// # Errors
/// `Skip` where the kernel or a sandbox refuses the call itself.
pub(super) fn supported(answer: &io::Error, what: &str, call: &str) -> Result<(), SetupError> {
    match answer.raw_os_error() {
        Some(libc::ENOSYS | libc::EPERM) => Err(SetupError::skip(
            format!("{what}: {answer}"),
            format!("a kernel with {call}, outside a sandbox that forbids it"),
        )),
        _ => Ok(()),
    }
}

fn resize(pipe: &OwnedFd, bytes: usize) -> Result<(), SetupError> {
    let wanted = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
    // SAFETY: sets a property of our own pipe.
    if unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETPIPE_SZ, wanted) } >= 0 {
        return Ok(());
    }
    let (size, cause) = (human_bytes(bytes as u64), io::Error::last_os_error());
    let reason = format!("this user cannot have a pipe of {size}: {cause}");
    Err(SetupError::skip(reason, PIPE_MAX_SIZE.set(bytes)))
}

/// The capacity in use is in the point's notes, as the kernel gave it.
fn facts(point: &PointView) -> Facts {
    let mut notes = point.head.notes.iter();
    Facts {
        pipe_bytes: notes.find_map(|note| note.strip_prefix(CAPACITY_NOTE)?.parse().ok()),
        ..Facts::default()
    }
}

pub static EXPERIMENT: Experiment = Experiment {
    grids: |preset, card| transport::grids(preset, card, i64::MAX, &[4 << 10, 1 << 20]),
    toll: |card| figures::usual_toll(card, "pipe", "pipe"),
    claims: &[
        claims::FLAT,
        Claim {
            text: "A message larger than the pipe blocks one side at least once",
            check: |table| claims::sleeps_beyond(table, |p| facts(p).pipe_bytes),
        },
        claims::WAKING,
    ],
    findings: |table, card| findings::findings(table, card, facts),
    ..super::through::<Pipe>()
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, Pipe};
    use crate::ipc::{death, trial};

    #[test]
    fn a_sleeping_partner_is_let_go_at_once() {
        death::is_let_go::<Pipe>(5001);
    }

    #[test]
    fn a_killed_partner_hangs_nobody() {
        death::of_the_partner::<Pipe>(5001);
    }

    #[test]
    fn a_portion_has_arrived_before_the_next_is_sent() {
        let words = ["stream", "2processes", "same_cpu", "idle"];
        let switches = |total: i64| {
            let mut subject = trial::set_up_with(&EXPERIMENT, 64, words, 0, total).unwrap();
            assert_eq!(subject.quantum(), (total / 64).max(1) as u64);
            subject.prepare(0);
            subject.batch(0, 512);
            subject.tally(0)[2]
        };
        // One message at a time: a side sleeps for each. All at once: the pipe takes the
        // lot before anybody has to, unless the receiver gets its CPU after each write.
        assert!(switches(64) >= 512.0);
        assert!((0..100).any(|_| switches(0) < 128.0));
    }

    #[test]
    fn a_portion_is_a_whole_number_of_messages() {
        let words = ["stream", "2processes", "same_cpu", "idle"];
        match trial::set_up_with(&EXPERIMENT, 64, words, 0, 100) {
            Err(harness::SetupError::Skip { remedy, .. }) => {
                assert!(remedy.contains("total=128"), "{remedy}");
            }
            other => panic!("{:?}", other.err()),
        }
    }

    #[test]
    fn round_trips_of_a_portion_are_timed_together() {
        let shape = |total: i64| {
            let settings = [("pattern", "round_trip".into()), ("total", total.into())];
            (EXPERIMENT.shape)(&testbed::turn::point(&settings))
        };
        assert_eq!(shape(6400), harness::Shape::Batched);
        assert!(matches!(shape(0), harness::Shape::Single { .. }));
        let words = ["round_trip", "2processes", "same_cpu", "idle"];
        let mut subject = trial::set_up_with(&EXPERIMENT, 64, words, 0, 640).unwrap();
        assert_eq!(subject.quantum(), 10);
        subject.batch(0, 20);
        assert_eq!(subject.verify(), Ok(()));
    }

    #[test]
    fn one_way_is_a_part_of_a_round_trip() {
        let words = ["round_trip", "2processes", "same_cpu", "idle"];
        let mut subject = trial::set_up(&EXPERIMENT, 64, words, 0).unwrap();
        let mut ways = Vec::new();
        for _ in 0..80 {
            subject.prepare(0);
            subject.batch(0, 1);
            ways.extend(subject.tally(0).last().filter(|way| !way.is_nan()));
        }
        assert_eq!(ways.len(), 10, "every eighth");
        // No batch of this machine takes a second.
        assert!(ways.iter().all(|way| (1.0..1e9).contains(way)), "{ways:?}");
        assert_eq!(subject.verify(), Ok(()));
        let streaming = ["stream", "2processes", "same_cpu", "idle"];
        let mut subject = trial::set_up(&EXPERIMENT, 64, streaming, 0).unwrap();
        subject.batch(0, 8);
        assert!(subject.tally(0).last().unwrap().is_nan());
    }

    #[test]
    fn a_pipe_beyond_the_limit_is_skipped_with_the_limit_named() {
        trial::skipped(&EXPERIMENT, 64, 1 << 40, super::PIPE_MAX_SIZE.path());
    }
}
