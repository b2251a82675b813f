//! One copy between user memory and a kernel buffer.

use crate::abi;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::Error;
use crate::ioctl;
use crate::kinds::{Class, Direction, Engine, Wait};
use crate::reason::Reason;
use crate::registration::Registration;
use std::os::fd::AsFd;

const COPY: &str = "copy";

/// The user's side, which says the direction.
#[derive(Debug)]
pub enum User<'a> {
    /// copy_from_user.
    Source(&'a [u8]),
    /// copy_to_user.
    Destination(&'a mut [u8]),
    /// Out and back again as one operation; only measured.
    Both(&'a mut [u8]),
}

/// What to copy, and how.
#[derive(Debug)]
pub struct Copying<'a> {
    pub user: User<'a>,
    pub buffer: &'a Buffer,
    /// Where in the kernel buffer.
    pub kernel_offset: u64,
    /// Pinned beforehand; otherwise the copy pins.
    pub registration: Option<&'a Registration>,
    pub engine: Engine,
    pub wait: Wait,
    pub class: Class,
}

/// What a copy did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// As copy_from_user() and copy_to_user() return it.
    pub not_copied_bytes: u64,
    pub dma_bytes: u64,
    pub cpu_bytes: u64,
    pub dma_chunks: u32,
    pub cpu_chunks: u32,
    /// Why the last part that the CPU did was not done by DMA.
    pub reason: Reason,
    /// Channel of the last DMA chunk.
    pub channel: Option<u32>,
    pub cpu_start: u32,
    pub cpu_end: u32,
    pub phases: abi::Phases,
}

impl User<'_> {
    pub(crate) fn address(&self) -> u64 {
        self.bytes().as_ptr() as u64
    }

    pub(crate) fn length_bytes(&self) -> u64 {
        self.bytes().len() as u64
    }

    pub(crate) fn direction(&self) -> Direction {
        match self {
            User::Source(_) => Direction::FromUser,
            User::Destination(_) => Direction::ToUser,
            User::Both(_) => Direction::Both,
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            User::Source(bytes) => bytes,
            User::Destination(bytes) | User::Both(bytes) => bytes,
        }
    }
}

impl Copying<'_> {
    /// Number of the registration, or 0; it must cover the user's side, or the
    /// module would write to pages that this call was not given.
    pub(crate) fn registration_id(&self, doing: &'static str) -> Result<u32, Error> {
        let Some(registration) = self.registration else {
            return Ok(0);
        };
        match registration.covers(self.user.address(), self.user.length_bytes()) {
            true => Ok(registration.id()),
            false => Err(Error::Argument {
                doing,
                cause: "the registration does not cover the user memory".to_owned(),
            }),
        }
    }
}

pub(crate) fn channel_number(channel: i32) -> Option<u32> {
    u32::try_from(channel).ok()
}

impl Device {
    /// Copies once. Bytes that the user side's pages did not take or give are
    /// counted in the result.
    ///
    /// # Errors
    /// A buffer of another file, a place outside of it, or a lost channel.
    pub fn copy(&self, copying: &mut Copying<'_>) -> Result<Copied, Error> {
        let mut argument = abi::Copy {
            direction: copying.user.direction().number(),
            engine: copying.engine.number(),
            wait: copying.wait.number(),
            class_: copying.class.number(),
            buffer: copying.buffer.id(),
            registration: copying.registration_id(COPY)?,
            user_addr: copying.user.address(),
            kernel_offset: copying.kernel_offset,
            length_bytes: copying.user.length_bytes(),
            ..abi::Copy::default()
        };
        // SAFETY: the address is that of a slice of this length, exclusive where
        // it is written to, and borrowed until the call has ended.
        unsafe { ioctl::call(self.file.as_fd(), abi::COPY, &mut argument) }
            .map_err(|errno| Error::call(COPY, errno, argument.reason))?;
        Ok(Copied {
            not_copied_bytes: argument.not_copied_bytes,
            dma_bytes: argument.dma_bytes,
            cpu_bytes: argument.cpu_bytes,
            dma_chunks: argument.dma_chunks,
            cpu_chunks: argument.cpu_chunks,
            reason: Reason::try_from(argument.reason).map_err(Error::unknown(COPY))?,
            channel: channel_number(argument.channel),
            cpu_start: argument.cpu_start,
            cpu_end: argument.cpu_end,
            phases: argument.phases,
        })
    }
}
