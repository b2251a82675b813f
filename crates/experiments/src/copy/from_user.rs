//! # copy/from_user - The kernel copies out of a program's memory
//!
//! What does it cost to hand bytes to the kernel, and how much of it is the
//! copy, how much the way to it?
//!
//! ## Counts
//! One system call after which the kernel has taken `size` bytes from the
//! caller's buffer: `pwrite` to a memory file (memfd) whose pages exist, in base
//! pages or in transparent huge pages (`pwrite_thp`); `write` to an empty pipe
//! that is large enough for all of them (`pipe`); `process_vm_writev`, in which
//! the kernel reads the caller's buffer and writes memory that belongs to a
//! process, here the same one (`process_vm`). Entry and exit of the kernel, the
//! look-up of the file's pages, locks, the allocation of pipe pages and the
//! marking of pages as dirty are in the figure. Next to each sample the same call
//! for one byte is measured (`empty_call`); `net` is the difference, sample by
//! sample.
//!
//! ## Does not count
//! The other half: the pipe is drained outside the timed part. Page faults: the
//! file's pages exist and the user's buffer is touched. The flushing of *cold*
//! points; the one-byte call is warm also there, so their `net` holds the whole
//! cost of cold data. Files in the huge page pool are missing because the kernel
//! has no write call for them, only mappings. The kernel's copy routine by itself,
//! without a call around it, is in `offload/latency`.
//!
//! ## Origin
//! The `copy_from_user` benchmark of the I/OAT-CFTU documentation (A. Papa,
//! Universita di Roma Tor Vergata, 2013), which timed the routine inside the
//! kernel, with and without flushed caches; memfd_create(2), pipe(7),
//! process_vm_writev(2).
//!
//! ## Theory
//! The mirror image of `copy/to_user`, and the two seldom cost the same. Taking
//! bytes in, the kernel has to have somewhere to put them: a pipe takes a new
//! page for every 4096 bytes, a file has its page looked up, locked, marked dirty
//! and unlocked. Giving bytes out, it only has to find them. So the way is longer
//! for a write than for a read, page by page, while the copy is the same
//! instruction with source and destination exchanged.
//!
//! A file write copies with page faults switched off and first makes sure that
//! the source page is present: a lock on the file's page must not be held while
//! another page is fetched from disk. That is one more touch of each source page,
//! invisible when the page is there.
//!
//! Whether a copy runs from user to kernel or back makes no difference to the
//! memory. It does to the protection: a wrong user address must become an error
//! and not a crash, so each access is listed in a table of instructions that may
//! fault. That costs nothing until one does. For what the bytes themselves cost,
//! compare `net` with `copy/memcpy` at the same size and cache state.

use catalogue::Experiment;
use engines::crossing::{self, Direction, layout};

const PATHS: &[&str] = &["pwrite", "pwrite_thp", "pipe", "process_vm"];

pub static EXPERIMENT: Experiment = Experiment {
    axes: &layout::axes(PATHS),
    grids: |preset, _| layout::grids(preset, PATHS),
    setup: |point, context| crossing::setup(Direction::FromUser, point, context),
    toll: |_| layout::toll("copy_from_user", PATHS),
    ..super::CROSSING
};
