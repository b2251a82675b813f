//! Between processes, by every transport of the kernel and without it.

#[cfg(test)]
mod death;
pub mod eventfd;
pub mod futex;
pub mod io_uring;
pub mod memcpy;
pub mod mq_posix;
pub mod mq_sysv;
pub mod pipe;
pub mod process_vm;
pub mod shm_ring;
pub mod splice;
pub mod tcp;
pub mod tcp_zerocopy;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod trial;
pub mod udp;
pub mod unix_dgram;
pub mod unix_hot_potato;
pub mod unix_seqpacket;
pub mod unix_stream;
pub mod vmsplice;

use analysis::knees::Facts;
use catalogue::Experiment;
use engines::transport::{self, Transport, figures, findings, setup};

/// What every transport answers alike: a file adds its claims and its toll, and replaces what it
/// knows better, as the buffers worth asking for or the facts that explain its knees.
const fn through<T: Transport>() -> Experiment {
    Experiment {
        axes: transport::AXES,
        parts: transport::PARTS,
        tallies: transport::TALLIES,
        shape: setup::shape,
        bytes_per_op: setup::bytes_per_op,
        grids: |preset, card| transport::grids(preset, card, i64::MAX, &[]),
        setup: transport::setup::<T>,
        figures: figures::figures,
        findings: |table, card| findings::findings(table, card, |_| Facts::default()),
        ..Experiment::EMPTY
    }
}
