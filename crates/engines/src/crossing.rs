//! System calls that copy between kernel and user memory, as subjects.
//!
//! A way is one pair of calls (pread and pwrite, the two ends of a pipe, ...).
//! This module has what all ways share: the user's buffer, flushing, the one-byte
//! call that shows the fixed cost of a way, and the check that the bytes arrived.

pub mod findings;
pub mod layout;
pub mod memfd;
pub mod pipe;
pub mod process_vm;

use crate::loops::flush::Flusher;
use crate::memory::buffer::{Buffer, scatter};
use crate::memory::mapping::leaves_half;
use harness::{Context, Fault, Point, SetupError, Shape, Subject};
use std::hint::black_box;
use std::io;

/// Repetitions of a point whose calls are timed one by one, as in the latency
/// benchmark of the I/OAT-CFTU documentation.
const REPETITIONS: u32 = 300;

/// Metrics of an experiment made of crossings.
pub const PARTS: &[(&str, &str)] = &[
    ("latency", "time of one call that moves `size` bytes"),
    (
        "empty_call",
        "time of the same call for one byte: entry, look-up, exit",
    ),
];

/// Which way the bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The kernel writes into user memory.
    ToUser,
    /// The kernel reads from user memory.
    FromUser,
}

/// A pair of system calls that can move bytes in one direction.
pub trait Way {
    /// The timed half: one call that moves `len` bytes between `user` and the
    /// other side. Returns what the call returned.
    ///
    /// # Safety
    /// `user` is valid for reading and writing `len` bytes.
    unsafe fn cross(&mut self, user: *mut u8, len: usize) -> isize;

    /// The other half, not timed: after it one `cross` of `len` bytes can run
    /// without waiting.
    ///
    /// # Errors
    /// What went wrong.
    fn ready(&mut self, len: usize) -> Result<(), Fault> {
        let _ = len;
        Ok(())
    }

    /// Makes the first `len` bytes of the other side cold.
    fn chill(&self, flusher: &Flusher, len: usize) {
        let _ = (flusher, len);
    }

    /// The contents of the other side: the source, or what has arrived there.
    ///
    /// # Errors
    /// What went wrong.
    fn other_side(&mut self, len: usize) -> Result<Vec<u8>, Fault>;

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// One way with the user's buffer.
pub struct Crossing<W: Way> {
    way: W,
    direction: Direction,
    user: Buffer,
    /// Present when each call starts cold.
    flusher: Option<Flusher>,
    /// The first fault, in a timed part or between two.
    fault: Option<Fault>,
    checks: u64,
}

impl<W: Way> Crossing<W> {
    /// # Errors
    /// The user's buffer cannot be mapped.
    pub fn new(
        way: W,
        direction: Direction,
        bytes: usize,
        flusher: Option<Flusher>,
    ) -> Result<Self, SetupError> {
        let user = Buffer::touched(bytes)
            .map_err(|cause| SetupError::fail("map the user's buffer", cause))?;
        Ok(Crossing {
            way,
            direction,
            user,
            flusher,
            fault: None,
            checks: 0,
        })
    }

    fn length(&self, part: u16) -> usize {
        if part == 0 {
            self.user.bytes()
        } else {
            self.user.bytes().min(1)
        }
    }

    #[cold]
    fn note_fault(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    fn chill(&self, flusher: &Flusher) {
        let bytes = self.user.bytes();
        // SAFETY: the buffer is mapped for as long as it is borrowed.
        unsafe { flusher.flush(self.user.as_ptr(), bytes) };
        self.way.chill(flusher, bytes);
    }

    /// The user's buffer with contents that differ from the other side's.
    fn spoil(&mut self) -> Result<(), Fault> {
        self.checks += 1;
        let seed = self.checks;
        scatter(self.user.as_mut_slice(), !seed);
        if self.direction == Direction::ToUser {
            let source = self.way.other_side(self.user.bytes())?;
            let pairs = self.user.as_mut_slice().iter_mut().zip(source);
            pairs.for_each(|(user, source)| *user = !source);
        }
        Ok(())
    }
}

impl<W: Way> Subject for Crossing<W> {
    fn batch(&mut self, part: u16, ops: u64) {
        let len = self.length(part);
        let user = self.user.as_mut_ptr();
        for _ in 0..ops {
            // SAFETY: the buffer holds at least `len` bytes.
            let moved = unsafe { self.way.cross(user, len) };
            if moved != len as isize {
                self.note_fault(shortfall(moved, len));
            }
        }
    }

    /// The one-byte call is left warm, so that the difference holds the whole cost of
    /// cold data.
    fn prepare(&mut self, part: u16) {
        let len = self.length(part);
        if let Err(fault) = self.way.ready(len) {
            self.note_fault(fault);
        }
        match &self.flusher {
            Some(flusher) if part == 0 => self.chill(flusher),
            _ => touch(self.user.as_slice()),
        }
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.spoil()?;
        self.prepare(0);
        self.batch(0, 1);
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let other = self.way.other_side(self.user.bytes())?;
        if other == self.user.as_slice() {
            Ok(())
        } else {
            Err(Fault::wrong(
                "the bytes that arrived are not those that were sent",
            ))
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.way.notes();
        notes.extend(self.flusher.iter().map(Flusher::describe));
        notes
    }
}

fn shortfall(moved: isize, len: usize) -> Fault {
    if moved < 0 {
        Fault::refused(&format!("move {len} bytes"), io::Error::last_os_error())
    } else {
        Fault::wrong(format!("the call moved {moved} of {len} bytes"))
    }
}

/// Brings a buffer back into the caches after the other half ran over them.
fn touch(bytes: &[u8]) {
    let sum = bytes.iter().step_by(64).fold(0, |sum, byte| sum ^ byte);
    black_box(sum);
}

/// Cold calls and pipes are timed one by one: a flush or the other half of the
/// pipe has to run between two of them.
pub fn shape(point: &Point) -> Shape {
    if point.word("path") == "pipe" || point.word("cache") == "cold" {
        Shape::Single {
            repetitions: REPETITIONS,
        }
    } else {
        Shape::Batched
    }
}

/// The subject of a point on the axes `path`, `cache` and `size`.
///
/// # Errors
/// `Skip` where the way is not open on this machine.
pub fn setup(
    direction: Direction,
    point: &Point,
    context: &Context,
) -> Result<Box<dyn Subject>, SetupError> {
    let bytes = point.size("size");
    leaves_half(bytes, 3, "on both sides", context)?;
    let cold = point.word("cache") == "cold";
    let flusher = |evict: bool| -> Result<Option<Flusher>, SetupError> {
        let available = context.memory_available_bytes;
        let made = match (cold, evict) {
            (false, _) => return Ok(None),
            (true, false) => Flusher::best(&context.card, available),
            (true, true) => Flusher::eviction(&context.card, available),
        };
        made.map(Some)
            .map_err(|cause| SetupError::fail("map the eviction buffer", cause))
    };
    Ok(match point.word("path") {
        "pipe" => {
            let way = pipe::Pipe::new(direction, bytes)?;
            Box::new(Crossing::new(way, direction, bytes, flusher(true)?)?)
        }
        "process_vm" => {
            let way = process_vm::ProcessVm::new(direction, bytes)?;
            Box::new(Crossing::new(way, direction, bytes, flusher(false)?)?)
        }
        file => {
            let way = memfd::Memfd::new(direction, bytes, memfd::PageBacking::from_word(file))?;
            Box::new(Crossing::new(way, direction, bytes, flusher(false)?)?)
        }
    })
}
