//! # syscall/getppid - The cheapest system call
//!
//! What does it cost to enter the kernel and come back, when the kernel does
//! next to nothing there?
//!
//! ## Counts
//! One `getppid` system call: the user/kernel crossing, the system call table,
//! reading the parent's id, and the way back with its mitigations.
//!
//! ## Does not count
//! The C library's wrapper (the call is made directly), seccomp filters that
//! this process does not have, and any data that is copied: there is none.
//!
//! ## Origin
//! lmbench `lat_syscall null` (McVoy and Staelin, USENIX 1996); getppid(2),
//! which no C library caches.
//!
//! ## Theory
//! A lower bound for everything that has to interact with the operating
//! system. The figure depends on the processor's SYSCALL/SVC instruction and,
//! on many machines more, on the mitigations that run at kernel entry and exit
//! (page table isolation, branch predictor barriers): compare it only between
//! machines whose cards list the same mitigations.

use crate::experiment::Experiment;
use crate::grid::Grid;
use harness::{Context, Point, SetupError, Shape, Subject};

struct Getppid;

impl Subject for Getppid {
    fn batch(&mut self, _part: u16, ops: u64) {
        for _ in 0..ops {
            // SAFETY: getppid takes no arguments and cannot fail.
            unsafe { libc::syscall(libc::SYS_getppid) };
        }
    }
}

fn setup(_: &Point, _: &Context) -> Result<Box<dyn Subject>, SetupError> {
    Ok(Box::new(Getppid))
}

pub static EXPERIMENT: Experiment = Experiment {
    id: "syscall/getppid",
    axes: &[],
    parts: &[("latency", "time of one call")],
    shape: |_| Shape::Batched,
    bytes_per_op: |_| None,
    grids: |_, _| vec![Grid::new(200)],
    setup,
    figures: Vec::new,
    toll: Vec::new,
    claims: &[],
    findings: |_, _| Vec::new(),
};
