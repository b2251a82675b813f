//! Kernel buffers.

use crate::abi;
use crate::device::Device;
use crate::error::Error;
use crate::mapping::Mapping;

const ALLOCATE: &str = "allocate a kernel buffer";

/// A kernel buffer of this open file, charged to RLIMIT_MEMLOCK; freed on drop.
#[derive(Debug)]
pub struct Buffer {
    device: Device,
    id: u32,
    length_bytes: u64,
    mmap_offset: u64,
    extents: u32,
}

/// Where its pages come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Placement {
    /// NUMA node; the caller's by default.
    pub node: Option<u32>,
    /// Single pages, no two of them in a row.
    pub scattered: bool,
}

impl Buffer {
    /// # Errors
    /// No memory, above RLIMIT_MEMLOCK, or no such node.
    pub fn new(device: &Device, length_bytes: u64, placement: Placement) -> Result<Self, Error> {
        let mut argument = abi::BufferAlloc {
            flags: crate::flag(placement.scattered, abi::BUFFER_SCATTERED),
            length_bytes,
            node: node_number(ALLOCATE, placement.node)?,
            ..abi::BufferAlloc::default()
        };
        device.ask(ALLOCATE, abi::BUFFER_ALLOC, &mut argument, |a| a.reason)?;
        Ok(Buffer {
            device: device.clone(),
            id: argument.id,
            length_bytes,
            mmap_offset: argument.mmap_offset,
            extents: argument.extents,
        })
    }

    /// Its size.
    pub fn length_bytes(&self) -> u64 {
        self.length_bytes
    }

    /// Physically contiguous pieces.
    pub fn extents(&self) -> u32 {
        self.extents
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// The buffer's bytes, to be read by this process; outlives the buffer.
    ///
    /// # Errors
    /// When the address space has no room.
    pub fn map(&self) -> Result<Mapping, Error> {
        let length = usize::try_from(self.length_bytes).unwrap_or(usize::MAX);
        Mapping::new(
            &self.device,
            "map a kernel buffer",
            self.mmap_offset,
            length,
        )
    }
}

/// -1 stands for any.
pub(crate) fn node_number(doing: &'static str, node: Option<u32>) -> Result<i32, Error> {
    let Some(node) = node else { return Ok(-1) };
    i32::try_from(node).map_err(|_| Error::Argument {
        doing,
        cause: format!("there is no NUMA node {node}"),
    })
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut argument = abi::Release {
            id: self.id,
            ..abi::Release::default()
        };
        // A buffer that a lost channel may still write to stays until the file
        // is closed, and a destructor cannot return an error.
        let _ = self.device.ask(
            "free a kernel buffer",
            abi::BUFFER_FREE,
            &mut argument,
            |_| 0,
        );
    }
}
