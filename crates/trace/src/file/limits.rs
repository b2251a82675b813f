//! What a file may ask for. Sizes in a file are claims: a few bytes can say that
//! gigabytes follow, or decompress to them.

use crate::error::{Result, ensure};
use std::cell::Cell;

/// What describes a trace (formats, symbols, names, options), decompressed and
/// altogether. A kernel with 3,000 events and 200,000 symbols has 25 MB of it.
pub const DESCRIPTION_BYTES: u64 = 128 << 20;

/// Each part of a description, and each line of a list, costs so much of that too.
const PART_BYTES: u64 = 64;

/// A single name: of a version, a clock, an instance.
pub const NAME_BYTES: usize = 4096;

/// A page of the ring. Kernels have up to 1 MiB.
pub const PAGE_BYTES: u32 = 16 << 20;

/// Twice as many CPUs as a kernel can be built for; numbers of CPUs are below it.
pub const CPUS: u32 = 16384;

/// All CPUs' pages are read side by side, at least one page of each.
pub const PAGES_AT_ONCE_BYTES: u64 = 1 << 30;

/// How many times its size compressed data may become. Pages of events come to 5
/// to 30 times; zlib's best on zeros is 1032, zstd's has no bound.
pub const RATIO: u64 = 200;

/// So much may come out whatever the ratio: pages that are almost empty.
pub const FREE_BYTES: u64 = 64 << 20;

/// Pages of one ring, decompressed into a temporary file.
pub const UNPACKED_BYTES: u64 = 64 << 30;

/// What is left of a limit.
#[derive(Debug)]
pub struct Budget {
    all: u64,
    left: Cell<u64>,
}

impl Budget {
    /// For the parts that describe a file, in bytes.
    pub fn description() -> Budget {
        Budget::bytes(DESCRIPTION_BYTES)
    }

    fn bytes(bytes: u64) -> Budget {
        Budget {
            all: bytes,
            left: Cell::new(bytes),
        }
    }

    /// For a ring's pages, of which `packed` bytes are in the file.
    pub fn unpacked(packed: u64) -> Budget {
        let ratio = packed.saturating_mul(RATIO).max(FREE_BYTES);
        Budget::bytes(ratio.min(UNPACKED_BYTES))
    }

    /// So many entries come of `what`, which has few bytes for each.
    pub fn parts(&self, what: &str, count: u64) -> Result<()> {
        self.spend(what, count.saturating_mul(PART_BYTES), || {
            format!("it makes {count} entries, which count as {PART_BYTES} bytes each")
        })
    }

    /// `what` says that it has so many bytes.
    pub fn take(&self, what: &str, bytes: u64) -> Result<()> {
        self.spend(what, bytes.saturating_add(PART_BYTES), || {
            format!("it says {bytes} bytes")
        })
    }

    fn spend(&self, what: &str, bytes: u64, claim: impl FnOnce() -> String) -> Result<()> {
        let left = self.left.get();
        let rest = left.checked_sub(bytes);
        self.left.set(rest.unwrap_or(left));
        ensure(rest.is_some(), what, || {
            let (claim, all) = (claim(), self.all);
            format!("{claim}; {all} are allowed altogether, and {left} are left")
        })
    }
}
