//! A machine from its description.

use super::Memory;
use super::setting_up::Enough;
use crate::cores::Core;
use crate::hierarchy::caches::Caches;
use crate::hierarchy::counts::Counts;
use crate::hierarchy::cpu::Cpu;
use crate::hierarchy::events::Events;
use crate::hierarchy::noise::Noise;
use crate::hierarchy::owners::Owners;
use crate::hierarchy::paging::AddressSpace;
use crate::hierarchy::prices::Prices;
use crate::hierarchy::sharing::{CPUS, Sharing};
use crate::hierarchy::surroundings::Surroundings;
use crate::hierarchy::time::Time;
use stats::Rng;

/// Every part has a seed of its own, so that none changes what another does.
pub fn build(core: Core, around: Surroundings, seed: u64) -> Memory {
    if let Some(complaint) = core.complaint() {
        panic!("cannot build the core {}: {complaint}", core.name);
    }
    let mut rng = Rng::new(seed);
    let sharing = Sharing::new(&core, around.smt_sibling, around.partner_shares_llc);
    Memory {
        line_shift: core.line_bytes.trailing_zeros(),
        prices: Prices::new(&core),
        time: Time::new(core.clock_ghz),
        events: Events::new(&around, rng.next_u64()),
        noise: Noise::new(rng.next_u64()),
        space: AddressSpace::new(&core, around.guest, rng.next_u64()),
        caches: Caches::new(&core, sharing, rng.next_u64()),
        owners: Owners::new(&core),
        cpus: vec![Cpu::new(&core); CPUS],
        partner_is_used: false,
        counts: Counts::default(),
        disturbances: 0,
        enough: Enough::new(&core),
        rng,
        core,
        around,
    }
}
