//! System calls, and kernel functions on their path in kernels from 6.1 on.
//! Where a compiler has put one into its caller, the point says so and is skipped.

use harness::{Context, SetupError};
use mapped::Map;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// What getppid calls, by this name everywhere: it looks a number up. The system
/// call's own function goes by several names, of which a kernel lists one.
pub const LEAF: &str = "__task_pid_nr_ns";

/// Words of the axis `function`: the functions that a point may trace.
pub const FUNCTIONS: &[&str] = &[
    LEAF,
    "vfs_write",
    "vfs_read",
    "vfs_fsync_range",
    "handle_mm_fault",
    "do_mmap",
    "unmap_vmas",
];

/// Makes the call once; dropping it takes away what it needs.
pub type Work = Box<dyn FnMut()>;

/// A system call and the traced kernel functions on its path.
pub struct Way {
    pub call: &'static str,
    pub functions: &'static [&'static str],
    pub work: fn(&Context) -> Result<Work, SetupError>,
}

/// All calls, in the order of the axis `call`.
pub const WAYS: &[Way] = &[
    Way {
        call: "getppid",
        functions: &[LEAF],
        work: |_| Ok(Box::new(getppid)),
    },
    Way {
        call: "pipe",
        functions: &["vfs_write", "vfs_read"],
        work: pipe,
    },
    Way {
        call: "fsync",
        functions: &["vfs_write", "vfs_fsync_range"],
        work: fsync,
    },
    Way {
        call: "msync",
        functions: &["handle_mm_fault", "vfs_fsync_range"],
        work: msync,
    },
    Way {
        call: "mmap",
        functions: &["do_mmap", "handle_mm_fault", "unmap_vmas"],
        work: |_| Ok(Box::new(mmap)),
    },
];

/// The way of this call.
pub fn of(call: &str) -> Option<&'static Way> {
    WAYS.iter().find(|way| way.call == call)
}

/// Number of the calling thread, as the tracer filters by it.
pub fn this_thread() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::gettid() }.unsigned_abs()
}

const BLOCK_BYTES: usize = 4096;

fn getppid() {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::getppid() };
}

fn pipe(_: &Context) -> Result<Work, SetupError> {
    let (mut reader, mut writer) =
        std::io::pipe().map_err(|e| SetupError::fail("create a pipe", e))?;
    let mut block = vec![0; BLOCK_BYTES];
    Ok(Box::new(move || {
        writer
            .write_all(&block)
            .expect("an empty pipe takes a block");
        reader
            .read_exact(&mut block)
            .expect("what was written can be read");
    }))
}

/// A file of one block, gone when it is dropped.
struct Block {
    file: File,
    path: PathBuf,
}

impl Block {
    fn create(context: &Context, call: &str) -> Result<Block, SetupError> {
        let path = context
            .scratch
            .join(format!("profile-{call}-{}", std::process::id()));
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .and_then(|file| file.write_all_at(&[0; BLOCK_BYTES], 0).map(|()| file))
            .map_err(|e| SetupError::fail(&format!("write {}", path.display()), e))?;
        Ok(Block { file, path })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // A scratch file; the folder goes as well.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn fsync(context: &Context) -> Result<Work, SetupError> {
    let block = Block::create(context, "fsync")?;
    let mut value = 0u8;
    Ok(Box::new(move || {
        value = value.wrapping_add(1);
        block
            .file
            .write_all_at(&[value; BLOCK_BYTES], 0)
            .and_then(|()| block.file.sync_all())
            .expect("a file that was written can be written again");
    }))
}

fn msync(context: &Context) -> Result<Work, SetupError> {
    let block = Block::create(context, "msync")?;
    let map = Map::of_file(BLOCK_BYTES, block.file.as_fd())
        .map_err(|cause| SetupError::fail("map a file", cause))?;
    Ok(Box::new(move || {
        let (_block, byte) = (&block, map.as_ptr());
        // SAFETY: the first byte of a live mapping, which has no other owner.
        unsafe { byte.write_volatile(byte.read_volatile().wrapping_add(1)) };
        // SAFETY: the whole of that mapping.
        unsafe { libc::msync(byte.cast(), BLOCK_BYTES, libc::MS_SYNC) };
    }))
}

/// Pages of the mapping, each touched once.
const PAGES: usize = 4;

fn mmap() {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let null = std::ptr::null_mut();
    // SAFETY: new memory, which replaces nothing.
    let address = unsafe { libc::mmap(null, PAGES * BLOCK_BYTES, protection, flags, -1, 0) };
    if address == libc::MAP_FAILED {
        return;
    }
    for page in 0..PAGES {
        // SAFETY: inside of the mapping.
        unsafe {
            address
                .cast::<u8>()
                .add(page * BLOCK_BYTES)
                .write_volatile(1)
        };
    }
    // SAFETY: the whole of that mapping, and there is no reference.
    unsafe { libc::munmap(address, PAGES * BLOCK_BYTES) };
}
