//! Copies that the program makes itself.

use super::{Way, differ, fill};
use crate::loops::{self, CopyFn};
use crate::memory::buffer::Buffer;
use harness::{Context, Fault, SetupError};
use record::axis::human_bytes;

pub struct Plain {
    method: String,
    copy: CopyFn,
    from: Buffer,
    to: Buffer,
}

impl Plain {
    pub fn new(method: &str, span: usize, _context: &Context) -> Result<Plain, SetupError> {
        let found = loops::find(method).map_err(|m| SetupError::skip(m.reason, m.remedy))?;
        let copy = found
            .copy
            .ok_or_else(|| SetupError::fail("copy", format!("{method} has no copy")))?;
        let map = |cause| SetupError::fail("map a buffer", cause);
        let mut from = Buffer::touched(span).map_err(map)?;
        fill(from.as_mut_slice(), span as u64 + 1);
        Ok(Plain {
            method: method.to_owned(),
            // The compiler knows what memcpy does.
            copy: std::hint::black_box(copy),
            from,
            to: Buffer::touched(span).map_err(map)?,
        })
    }
}

impl Way for Plain {
    fn copy(&mut self, at: usize, len: usize) -> Result<(), Fault> {
        // SAFETY: both buffers hold `at + len` bytes and do not overlap.
        unsafe {
            (self.copy)(
                self.to.as_mut_ptr().add(at),
                self.from.as_ptr().add(at),
                len,
            )
        };
        Ok(())
    }

    fn check(&self, at: usize, len: usize) -> Result<(), Fault> {
        let (from, to) = (self.from.as_slice(), self.to.as_slice());
        match from[at..at + len] == to[at..at + len] {
            true => Ok(()),
            false => Err(differ(at, len)),
        }
    }

    fn note(&self) -> String {
        let span = human_bytes(self.from.bytes() as u64);
        format!("the program copies by {} within {span}", self.method)
    }
}
