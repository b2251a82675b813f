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
