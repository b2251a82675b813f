//! The list of all experiments: one word each, in the order of the report.
//!
//! Explicit on purpose. Link-time registration loses entries silently under
//! some linkers, and an experiment that vanishes is the worst bug of a
//! laboratory.

use crate::experiment::Listed;
use crate::prose;

macro_rules! experiments {
    ($($area:ident: $($name:ident)+;)+) => {
        $(pub mod $area { $(pub mod $name;)+ })+

        /// Every experiment, in the order of the report.
        #[must_use]
        pub fn all() -> Vec<Listed> {
            vec![$($(Listed {
                experiment: &$area::$name::EXPERIMENT,
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
    mem: latency line line_transfer associativity bandwidth;
    copy: memcpy to_user from_user;
    offload: latency bandwidth priority;
    syscall: getppid read write stat fstat open;
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

/// The experiment with this id.
#[must_use]
pub fn find(id: &str) -> Option<Listed> {
    all().into_iter().find(|l| l.experiment.id == id)
}

#[cfg(test)]
mod tests {
    use super::all;
    use crate::experiment::Preset;
    use crate::trial::card;
    use std::collections::BTreeSet;

    #[test]
    fn every_grid_sets_every_axis_once() {
        for listed in all() {
            let e = listed.experiment;
            let axes: BTreeSet<&str> = e.axes.iter().map(|a| a.name).collect();
            for preset in [Preset::Quick, Preset::Full] {
                for cpus in [1, 2, 64] {
                    for grid in (e.grids)(preset, &card("x86_64", cpus)) {
                        let set: Vec<&str> = grid.values.iter().map(|(axis, _)| *axis).collect();
                        let once: BTreeSet<&str> = set.iter().copied().collect();
                        assert_eq!(once, axes, "{}", e.id);
                        assert_eq!(set.len(), once.len(), "{}: {set:?}", e.id);
                    }
                }
            }
        }
    }
}
