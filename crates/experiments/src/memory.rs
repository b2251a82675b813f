//! Memory to be measured: mappings whose page size is known, and chains of
//! dependent loads through them.

pub mod buffer;
pub mod chain;
#[cfg(test)]
pub mod fixture;
pub mod mapping;
pub mod smaps;

pub use chain::{Chain, Layout};
pub use mapping::{Mapping, Pages};

use record::MachineCard;

/// The line size that the card gives the first data cache.
#[must_use]
pub fn card_line(card: &MachineCard) -> Option<usize> {
    let line = card.data_caches().first()?.line_bytes?;
    usize::try_from(line).ok().filter(|l| l.is_power_of_two())
}
