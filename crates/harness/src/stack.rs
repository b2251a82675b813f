//! Room on the stack, whatever `ulimit -s` leaves to the first thread.

use rustix::process::{Resource, getrlimit};
use std::io;
use std::panic::resume_unwind;
use std::thread;

/// Less than this is too little for a whole command.
const NEEDED_BYTES: u64 = 2 << 20;
/// As the first thread usually has.
const OWN_BYTES: usize = 8 << 20;

/// The limit of the first thread's stack where it is too small, bytes.
pub fn too_small() -> Option<u64> {
    let bytes = getrlimit(Resource::Stack).current?;
    (bytes < NEEDED_BYTES).then_some(bytes)
}

/// Runs `work` on this thread; where its stack is too small, on one of its own. A
/// measuring process stays at one thread wherever it can: with a second one every
/// call on a descriptor costs more.
///
/// # Errors
/// When that thread cannot be started.
pub fn with_room<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    if too_small().is_none() {
        return Ok(work());
    }
    let thread = thread::Builder::new().stack_size(OWN_BYTES).spawn(work)?;
    Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
}
