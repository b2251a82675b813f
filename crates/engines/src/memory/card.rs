//! What the machine card says of caches, under the names that findings use.

use record::{Cache, CacheKind, MachineCard};

/// The line size of the first data cache, bytes.
pub fn card_line(card: &MachineCard) -> Option<usize> {
    let line = card.data_caches().first()?.line_bytes?;
    usize::try_from(line).ok().filter(|l| l.is_power_of_two())
}

/// The cache that holds data on this level, counted from 1.
pub fn card_cache(card: &MachineCard, level: usize) -> Option<&Cache> {
    card.data_caches()
        .into_iter()
        .find(|c| usize::try_from(c.level) == Ok(level))
}

/// `l1d`, `l2`, `l3`: the first part of a finding's key.
pub fn level_key(level: usize) -> String {
    match level {
        1 => "l1d".to_owned(),
        n => format!("l{n}"),
    }
}

/// `L1d`, `L2`: as texts write it.
pub fn level_name(level: usize) -> String {
    match level {
        1 => "L1d".to_owned(),
        n => format!("L{n}"),
    }
}

/// `L2 size on the machine card`, with the kind where the level is split.
pub fn source_of(cache: Option<&Cache>, what: &str) -> String {
    match cache {
        Some(c) if c.kind == CacheKind::Data => format!("machine card, L{}d {what}", c.level),
        Some(c) => format!("machine card, L{} {what}", c.level),
        None => format!("machine card, {what}"),
    }
}
