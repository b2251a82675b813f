//! Numbers of the calls, and the one place that makes them.

use crate::abi;
use std::os::fd::{AsRawFd, BorrowedFd};

/// As the C library's ioctl takes it.
pub type Number = libc::Ioctl;

const READ_AND_WRITE: u32 = 3;

/// `_IOWR(CFTU_MAGIC, sequence, A)` of x86, arm and every architecture with the
/// generic layout: two bits of direction, 14 of size, 8 of type, 8 of number.
#[expect(
    clippy::cast_possible_truncation,
    reason = "14 bits by the format of the number"
)]
pub const fn iowr<A>(sequence: u8) -> Number {
    let size = size_of::<A>() as u32;
    let number = READ_AND_WRITE << 30 | size << 16 | (abi::MAGIC as u32) << 8 | sequence as u32;
    number as Number
}

/// A structure that a call takes: its first word is its size.
pub(crate) trait Argument: Sized {
    fn set_size(&mut self, size_bytes: u32);
}

macro_rules! arguments {
    ($($name:ident)*) => { $(
        impl Argument for abi::$name {
            fn set_size(&mut self, size_bytes: u32) {
                self.size = size_bytes;
            }
        }
    )* };
}

arguments! {
    Hello BufferAlloc Register Release Copy Measure Channels Policy PolicyState Stats
    TraceStart TraceState TraceConsume TraceHistogram
}

/// Makes the call. The structure holds what came back, also after a failure.
///
/// # Errors
/// The errno of the call.
///
/// # Safety
/// `number` takes an `A`, and every address in `argument` is good for what the
/// call does with it.
pub(crate) unsafe fn call<A: Argument>(
    file: BorrowedFd<'_>,
    number: Number,
    argument: &mut A,
) -> Result<(), i32> {
    #[expect(clippy::cast_possible_truncation, reason = "less than a page")]
    argument.set_size(size_of::<A>() as u32);
    let address: *mut A = argument;
    // SAFETY: the structure is as large as `number` says, and the caller vouches
    // for the addresses in it.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), number, address) };
    if result >= 0 {
        return Ok(());
    }
    Err(std::io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(libc::EIO))
}
