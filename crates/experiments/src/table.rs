//! The list of all experiments: one word each, in the order of the report.
//!
//! Explicit on purpose. Link-time registration loses entries silently under
//! some linkers, and an experiment that vanishes is the worst bug of a
//! laboratory.

use catalogue::{Catalogue, Listed, prose};
use std::sync::OnceLock;

/// Each with its id, which is its file's place, and the prose at the file's head.
macro_rules! experiments {
    ($($area:ident: $($name:ident)+;)+) => {
        fn listed() -> Vec<Listed> {
            vec![$($(Listed {
                id: concat!(stringify!($area), "/", stringify!($name)),
                experiment: &crate::$area::$name::EXPERIMENT,
                prose: {
                    const SOURCE: &str = include_str!(concat!(
                        stringify!($area), "/", stringify!($name), ".rs"
                    ));
                    static HEAD: [u8; prose::head_bytes(SOURCE)] = prose::first(SOURCE);
                    prose::parse(&String::from_utf8_lossy(&HEAD))
                },
            },)+)+]
        }
    };
}

experiments! {
    cpu: clock;
    mem: latency line line_transfer associativity prefetch bandwidth;
    copy: memcpy to_user from_user;
    offload: latency bandwidth priority;
    syscall: getppid clock read write stat fstat open;
    task: create;
    switch: context;
    sched: slice wakeup;
    irq: tick timer delta;
    trace: profile;
    pollute: probe victim;
    colocate: pair matrix;
    persist: flush line journal;
    ipc: memcpy shm_ring futex eventfd pipe unix_stream unix_dgram unix_seqpacket tcp udp tcp_zerocopy
        unix_hot_potato process_vm vmsplice splice mq_posix mq_sysv io_uring;
}

/// Every experiment, in the order of the report.
pub fn all() -> &'static Catalogue {
    static ALL: OnceLock<Catalogue> = OnceLock::new();
    ALL.get_or_init(|| Catalogue::new(listed(), crate::quantities::QUANTITIES))
}

#[cfg(test)]
mod tests {
    use super::all;
    use catalogue::Preset;
    use std::collections::BTreeSet;
    use testbed::turn::card;

    #[test]
    fn every_grid_sets_every_axis_once() {
        for listed in all().iter() {
            let (id, e) = (listed.id, listed.experiment);
            let axes: BTreeSet<&str> = e.axes.iter().map(|a| a.name).collect();
            for preset in [Preset::Quick, Preset::Full] {
                for cpus in [1, 2, 64] {
                    for grid in (e.grids)(preset, &card("x86_64", cpus)) {
                        let set: Vec<&str> = grid.values.iter().map(|(axis, _)| *axis).collect();
                        let once: BTreeSet<&str> = set.iter().copied().collect();
                        assert_eq!(once, axes, "{id}");
                        assert_eq!(set.len(), once.len(), "{id}: {set:?}");
                    }
                }
            }
        }
    }
}
