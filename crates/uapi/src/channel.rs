//! The DMA_MEMCPY channels that the module sees: its own and the free ones.

use crate::abi;
use crate::device::Device;
use crate::error::Error;
use crate::ioctl;
use std::os::fd::AsFd;

const LIST: &str = "list DMA channels";

/// One channel, as the module describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// `dma0chan0`.
    pub name: String,
    pub driver: String,
    pub device: String,
    pub node: Option<u32>,
    /// Part of the started policy.
    pub ours: bool,
    /// By another client.
    pub taken: bool,
    /// Gave no answer and is not used any more.
    pub dead: bool,
    /// High-priority under the policy.
    pub high: bool,
    /// The hardware pauses and resumes.
    pub can_pause: bool,
    pub can_terminate: bool,
    /// Ends copies in the order of their submission.
    pub keeps_order: bool,
    /// Can be polled without interrupts; known of our own only.
    pub polls_without_interrupt: bool,
    /// Cache injection, where that is known.
    pub cache_injection: Option<bool>,
    pub coherent: bool,
    pub iommu: bool,
    /// Not shared with async_tx.
    pub private: bool,
    pub copy_align_bytes: u32,
    /// Lengths must be multiples of it.
    pub length_granule_bytes: u32,
    pub segment_max_bytes: u64,
    /// What it did under the policy; of our own only.
    pub counters: Option<Counters>,
}

/// What the channel did under the policy of this file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counters {
    pub dma_bytes: u64,
    pub dma_chunks: u64,
    pub descriptors: u64,
    pub errors: u64,
    pub outstanding_bytes: u64,
}

impl From<&abi::Channel> for Channel {
    fn from(raw: &abi::Channel) -> Channel {
        let has = |flag: u32| raw.flags & flag != 0;
        let ours = has(abi::CHANNEL_OURS);
        Channel {
            name: crate::name_text(&raw.name),
            driver: crate::name_text(&raw.driver),
            device: crate::name_text(&raw.device),
            node: u32::try_from(raw.node).ok(),
            ours,
            taken: has(abi::CHANNEL_TAKEN),
            dead: has(abi::CHANNEL_DEAD),
            high: has(abi::CHANNEL_HIGH),
            can_pause: has(abi::CHANNEL_PAUSE),
            can_terminate: has(abi::CHANNEL_TERMINATE),
            keeps_order: !has(abi::CHANNEL_NO_ORDER),
            polls_without_interrupt: has(abi::CHANNEL_REAPABLE),
            cache_injection: match (has(abi::CHANNEL_DCA_ON), has(abi::CHANNEL_DCA_OFF)) {
                (true, _) => Some(true),
                (false, true) => Some(false),
                (false, false) => None,
            },
            coherent: has(abi::CHANNEL_COHERENT),
            iommu: has(abi::CHANNEL_IOMMU),
            private: has(abi::CHANNEL_PRIVATE),
            copy_align_bytes: raw.copy_align_bytes,
            length_granule_bytes: raw.length_granule_bytes,
            segment_max_bytes: raw.segment_max_bytes,
            counters: ours.then_some(Counters {
                dma_bytes: raw.dma_bytes,
                dma_chunks: raw.dma_chunks,
                descriptors: raw.descriptors,
                errors: raw.errors,
                outstanding_bytes: raw.outstanding_bytes,
            }),
        }
    }
}

impl Device {
    /// Channels of the policy first, then the free ones. Those that another
    /// client has taken are not seen by the module; sysfs lists them.
    ///
    /// # Errors
    /// When the kernel has no memory for the list.
    pub fn channels(&self) -> Result<Vec<Channel>, Error> {
        let mut room = vec![abi::Channel::default(); abi::CHANNELS_MAX];
        loop {
            let mut argument = abi::Channels {
                capacity: u32::try_from(room.len()).unwrap_or(u32::MAX),
                channels_addr: room.as_mut_ptr() as u64,
                ..abi::Channels::default()
            };
            // SAFETY: there is room for `capacity` entries at the address.
            unsafe { ioctl::call(self.file.as_fd(), abi::CHANNELS, &mut argument) }
                .map_err(|errno| Error::call(LIST, errno, argument.reason))?;
            let count = argument.count as usize;
            // The module fills four times the maximum at most.
            if count <= room.len() || room.len() >= 4 * abi::CHANNELS_MAX {
                room.truncate(count);
                return Ok(room.iter().map(Channel::from).collect());
            }
            room.resize(4 * abi::CHANNELS_MAX, abi::Channel::default());
        }
    }
}
