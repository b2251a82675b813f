//! How a block gets from one place to another.

mod by_kernel;
mod by_module;
mod by_program;

use crate::memory::buffer::{Buffer, scatter};
use harness::{Context, Fault, SetupError};

/// One kind of copy between two places of the same length.
pub trait Way {
    /// Copies `len` bytes at `at`.
    ///
    /// # Errors
    /// A sentence that says what was not copied.
    fn copy(&mut self, at: usize, len: usize) -> Result<(), Fault>;

    /// Whether both sides hold the same at `at`.
    ///
    /// # Errors
    /// A sentence that says where they do not.
    fn check(&self, at: usize, len: usize) -> Result<(), Fault>;

    fn note(&self) -> String;
}

const MIB: usize = 1 << 20;

/// The longest walk: more than the caches of most machines. Kernel buffers of the
/// module are locked memory, and less.
pub fn most_bytes(method: &str) -> usize {
    match method.starts_with("dma_") {
        true => 16 * MIB,
        false => 64 * MIB,
    }
}

/// The way of this method through `span` bytes on both sides.
///
/// # Errors
/// `Skip` where it does not exist here.
pub fn find(method: &str, span: usize, context: &Context) -> Result<Box<dyn Way>, SetupError> {
    let way: Box<dyn Way> = match method {
        "from_user" | "to_user" | "both" | "read_file" => {
            Box::new(by_kernel::Calls::new(method, span, context)?)
        }
        "process_vm" => Box::new(by_kernel::ProcessVm::new(span)?),
        other => match other.strip_prefix("dma_") {
            Some(direction) => Box::new(by_module::Module::new(direction, span, context)?),
            None => Box::new(by_program::Plain::new(other, span)?),
        },
    };
    Ok(way)
}

/// Period of the contents, bytes; no block size divides it.
const PERIOD: usize = 999_992;

/// Fills with contents by which a byte from the wrong place is recognised. Fast even under
/// emulation: all but the first piece are copies.
fn fill(bytes: &mut [u8], seed: u64) {
    let mut filled = bytes.len().min(PERIOD);
    scatter(&mut bytes[..filled], seed);
    while filled < bytes.len() {
        let (done, rest) = bytes.split_at_mut(filled);
        let next = done.len().min(rest.len());
        rest[..next].copy_from_slice(&done[..next]);
        filled += next;
    }
}

/// Whether both sides hold the same at `at`.
fn same(here: &[u8], there: &[u8], at: usize) -> Result<(), Fault> {
    let len = here.len();
    match here == there {
        true => Ok(()),
        false => Err(Fault::wrong(format!(
            "the {len} bytes at {at} are not what was copied there"
        ))),
    }
}

/// Two buffers of the program: the one to copy from is filled.
struct Buffers {
    from: Buffer,
    to: Buffer,
}

impl Buffers {
    fn new(span: usize) -> Result<Buffers, SetupError> {
        let map = |cause| SetupError::fail("map a buffer", cause);
        let mut from = Buffer::touched(span).map_err(map)?;
        fill(from.as_mut_slice(), span as u64 + 1);
        let to = Buffer::touched(span).map_err(map)?;
        Ok(Buffers { from, to })
    }

    fn check(&self, at: usize, len: usize) -> Result<(), Fault> {
        let (from, to) = (self.from.as_slice(), self.to.as_slice());
        same(&from[at..at + len], &to[at..at + len], at)
    }
}

#[cfg(test)]
mod tests {
    use super::{PERIOD, fill};
    use crate::memory::buffer::scatter;

    #[test]
    fn contents_come_again_after_their_period_and_not_before() {
        let mut bytes = vec![0; 3 * PERIOD + 77];
        fill(&mut bytes, 5);
        let mut first = vec![0; PERIOD];
        scatter(&mut first, 5);
        for piece in bytes.chunks(PERIOD) {
            assert!(piece == &first[..piece.len()]);
        }
        let block = &bytes[..16];
        let again = bytes.windows(16).skip(1).position(|w| w == block);
        assert_eq!(again, Some(PERIOD - 1));
    }
}
