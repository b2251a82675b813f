//! User memory that is pinned beforehand.

use crate::abi;
use crate::device::Device;
use crate::error::Error;

const UNREGISTER: &str = "unregister user memory";

/// Pages of this process that stay pinned until drop, charged to
/// RLIMIT_MEMLOCK. Copies that name it do not pin again.
///
/// The pages are pinned, not the addresses: memory that was unmapped since and
/// mapped anew has other pages, and a registered copy does not see them.
#[derive(Debug)]
pub struct Registration {
    device: Device,
    id: u32,
    start: u64,
    length_bytes: u64,
    extents: u32,
    pin_ns: u64,
}

impl Registration {
    /// Pins memory that may be source and destination.
    ///
    /// # Errors
    /// Pages that cannot be pinned, or RLIMIT_MEMLOCK.
    pub fn writable(device: &Device, memory: &mut [u8]) -> Result<Self, Error> {
        let mut argument = abi::Register {
            flags: abi::REGISTER_WRITABLE,
            user_addr: memory.as_ptr() as u64,
            length_bytes: memory.len() as u64,
            ..abi::Register::default()
        };
        // The call pins and counts; nothing is written through the address.
        device.ask("register user memory", abi::REGISTER, &mut argument, |a| {
            a.reason
        })?;
        Ok(Registration {
            device: device.clone(),
            id: argument.id,
            start: argument.user_addr,
            length_bytes: argument.length_bytes,
            extents: argument.extents,
            pin_ns: argument.pin_ns,
        })
    }

    /// Physically contiguous pieces.
    pub fn extents(&self) -> u32 {
        self.extents
    }

    /// What pinning took.
    pub fn pin_ns(&self) -> u64 {
        self.pin_ns
    }

    /// Unpins and says what it took.
    ///
    /// # Errors
    /// While a copy uses it.
    pub fn end(mut self) -> Result<u64, Error> {
        let ended = self.unregister();
        self.id = 0;
        ended
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    pub(crate) fn covers(&self, start: u64, length_bytes: u64) -> bool {
        let before = start.wrapping_sub(self.start);
        start >= self.start
            && before <= self.length_bytes
            && length_bytes <= self.length_bytes - before
    }

    fn unregister(&self) -> Result<u64, Error> {
        let mut argument = abi::Release {
            id: self.id,
            ..abi::Release::default()
        };
        self.device
            .ask(UNREGISTER, abi::UNREGISTER, &mut argument, |_| 0)?;
        Ok(argument.unpin_ns)
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if self.id != 0 {
            // What is still in use goes when the file is closed.
            let _ = self.unregister();
        }
    }
}
