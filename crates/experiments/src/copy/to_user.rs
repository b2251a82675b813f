//! # copy/to_user - The kernel copies into a program's memory
//!
//! What does it cost to receive bytes from the kernel, and how much of it is the
//! copy, how much the way to it?
//!
//! ## Counts
//! One system call after which `size` bytes are in the caller's buffer:
//! `pread` of a memory file (memfd) in base pages, in transparent huge pages
//! (`pread_thp`) or in pages of the huge page pool (`pread_hugetlb`); `read` of
//! a pipe that already holds the bytes (`pipe`); `process_vm_readv`, in which
//! the kernel writes the caller's buffer and reads memory that belongs to a
//! process, here the same one (`process_vm`). Entry and exit of the kernel, the
//! look-up of the file's pages, locks and the release of pipe pages are in the
//! figure. Next to each sample the same call for one byte is measured
//! (`empty_call`); `net` is the difference, sample by sample.
//!
//! ## Does not count
//! The other half: whatever put the bytes into the file or the pipe ran before
//! the clock started. Page faults: the user's buffer is touched first. The
//! flushing of *cold* points. The one-byte call is warm also at cold points, so
//! their `net` holds the whole cost of cold data. The pages of a pipe belong to
//! the kernel and have no address here: cold pipes are made by reading other
//! memory until nothing else is left in the caches. The kernel's copy routine by
//! itself, without a call around it, is in `offload/latency`.
//!
//! ## Origin
//! The `copy_to_user` benchmark of the I/OAT-CFTU documentation (A. Papa,
//! Universita di Roma Tor Vergata, 2013), which timed the routine inside the
//! kernel, with and without flushed caches; memfd_create(2), pipe(7),
//! process_vm_readv(2).
//!
//! ## Theory
//! A program never sees `copy_to_user` alone. It makes a system call, and the
//! call walks to the data before the routine copies them. So each line of the
//! figure has a flat part, the way, and a rising part, the copy. `memcpy` of the
//! same size is the bound that no way can undercut by much.
//!
//! The kernel rarely copies a large block at once. A pipe and a memory file in
//! base pages are walked page by page: look the page up, copy 4096 bytes, let it
//! go. The cost per page, perhaps a hundred nanoseconds next to the sixty of the
//! copy itself, is why these lines stay below `memcpy` however large the block
//! is, and why huge pages, which are walked 512 times less often, come close to
//! it. `process_vm_readv` pins the pages of the other side in groups before it
//! copies and unpins them after; pinning alone can cost as much as the copy.
//!
//! In a pipe the pages are freed as they are read, so reading it costs more than
//! the copy. On processors with fast string moves the routine is a single
//! `rep movsb`; there the difference to the C library is small. Entering user
//! memory also opens and closes a protection window (SMAP on x86, PAN on ARM),
//! which counts for short copies only.
//!
//! Cold, both sides miss: the source because it was flushed, the destination
//! because a store reads the line first. Reading data that a device has just
//! delivered is this case, and a loop over one small buffer is not.

use catalogue::Experiment;
use engines::crossing::{self, Direction, layout};

const PATHS: &[&str] = &["pread", "pread_thp", "pread_hugetlb", "pipe", "process_vm"];

pub static EXPERIMENT: Experiment = Experiment {
    axes: &layout::axes(PATHS),
    grids: |preset, _| layout::grids(preset, PATHS),
    setup: |point, context| crossing::setup(Direction::ToUser, point, context),
    toll: |_| layout::toll("copy_to_user", PATHS),
    ..super::CROSSING
};
