//! Copies that the program makes itself.

use super::{Buffers, Way};
use crate::loops::{self, CopyFn};
use harness::{Fault, SetupError};
use record::axis::human_bytes;

/// Copies within the program.
pub struct Plain {
    method: String,
    copy: CopyFn,
    buffers: Buffers,
}

impl Plain {
    /// By this method, over `span` bytes.
    ///
    /// # Errors
    /// `Skip` without the memory.
    pub fn new(method: &str, span: usize) -> Result<Plain, SetupError> {
        let found = loops::find(method).map_err(|m| SetupError::skip(m.reason, m.remedy))?;
        let copy = found
            .copy
            .ok_or_else(|| SetupError::fail("copy", format!("{method} has no copy")))?;
        Ok(Plain {
            method: method.to_owned(),
            // The compiler knows what memcpy does.
            copy: std::hint::black_box(copy),
            buffers: Buffers::new(span)?,
        })
    }
}

impl Way for Plain {
    fn copy(&mut self, at: usize, len: usize) -> Result<(), Fault> {
        // SAFETY: both buffers hold `at + len` bytes and do not overlap.
        unsafe {
            (self.copy)(
                self.buffers.to.as_mut_ptr().add(at),
                self.buffers.from.as_ptr().add(at),
                len,
            )
        };
        Ok(())
    }

    fn check(&self, at: usize, len: usize) -> Result<(), Fault> {
        self.buffers.check(at, len)
    }

    fn note(&self) -> String {
        let span = human_bytes(self.buffers.from.bytes() as u64);
        format!("the program copies by {} within {span}", self.method)
    }
}
