//! Writers that bring what they write to memory, or to the medium behind a file.

use super::Built;
use crate::loops::writeback::{Fence, Instruction, Writeback, holds};
use crate::memory::buffer::page_bytes;
use crate::persistence::method::Place;
use crate::persistence::region::{Promise, Region};
use crate::persistence::walk::Walk;
use harness::{Context, Point, SetupError};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU32, Ordering};
use workload::{Workload, WrongResult};

/// A line, as the writers of the literature have it.
const BLOCK: usize = 64;
/// Blocks in a unit.
pub const LINES: (&str, u64, &str) = ("line", 128, "lines/s");
const SEED: u64 = 0x7772_6974;

/// Writes lines all over a region.
struct Writer {
    region: Region,
    walk: Walk,
    way: Way,
    written: u64,
    last: Option<usize>,
    failed: Option<std::io::Error>,
}

enum Way {
    Lines(Writeback),
    /// msync(2) of the line's page.
    Pages,
}

/// Each line by `instruction`, on DAX where the scratch folder is, else in a file
/// that is memory.
pub fn by(context: &Context, instruction: Instruction) -> Result<Built, SetupError> {
    let way = Writeback::find(instruction)
        .map_err(|missing| SetupError::skip(missing.reason, "pontage colocate --list"))?;
    let region = open(Place::Dax, context).or_else(|_| open(Place::Tmpfs, context))?;
    Ok(built(instruction.word(), region, Way::Lines(way)))
}

/// Each line's page by msync, on DAX where the scratch folder is, else in a file.
pub fn synchronising(context: &Context) -> Result<Built, SetupError> {
    let file = || open(Place::File, context).or_else(|_| open(Place::Tmpfs, context));
    let region = open(Place::Dax, context).or_else(|_| file())?;
    Ok(built("msync", region, Way::Pages))
}

fn open(place: Place, context: &Context) -> Result<Region, SetupError> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    // Its file is named after the point.
    let point = Point {
        index: NUMBER.fetch_add(1, Ordering::Relaxed),
        experiment: "colocate/writer".to_owned(),
        settings: Vec::new(),
    };
    Region::open(place, Promise::Sync, BLOCK, &point, context)
}

fn built(name: &str, region: Region, way: Way) -> Built {
    let note = format!("{name} on {}", region.note());
    let writer = Writer {
        walk: Walk::new(region.bytes(), BLOCK, page_bytes(), SEED),
        region,
        way,
        written: 0,
        last: None,
        failed: None,
    };
    Built::steps(writer, note)
}

impl Writer {
    fn write(&mut self, at: usize) {
        self.written += 1;
        // SAFETY: a block of the region, which is ours and writable; its page too.
        unsafe {
            let to = self.region.base().add(at);
            match self.way {
                Way::Lines(way) => way.write(to, self.written, BLOCK, Fence::Block),
                Way::Pages => {
                    to.cast::<u64>().write_volatile(self.written.to_le());
                    let page = self.region.base().add(at / page_bytes() * page_bytes());
                    if libc::msync(page.cast(), page_bytes(), libc::MS_SYNC) != 0 {
                        self.failed = Some(std::io::Error::last_os_error());
                    }
                }
            }
        }
        self.last = Some(at);
    }
}

impl Workload for Writer {
    fn run(&mut self, units: u64) {
        let blocks = match self.way {
            Way::Lines(_) => LINES.1,
            Way::Pages => 1,
        };
        for _ in 0..units * blocks {
            let at = self.walk.advance();
            self.write(at);
        }
    }

    fn verify(&self) -> Result<(), WrongResult> {
        if let Some(cause) = &self.failed {
            return Err(WrongResult::new(format!("msync: {cause}")));
        }
        let Some(at) = self.last else { return Ok(()) };
        let mut block = [0; BLOCK];
        match self.region.file() {
            Some(file) => file
                .read_exact_at(&mut block, at as u64)
                .map_err(|e| WrongResult::new(format!("cannot read the file back: {e}")))?,
            // SAFETY: a block of the region.
            None => block.copy_from_slice(unsafe {
                std::slice::from_raw_parts(self.region.base().add(at), BLOCK)
            }),
        }
        let length = match self.way {
            Way::Lines(_) => BLOCK,
            Way::Pages => 8,
        };
        match holds(&block[..length], self.written) {
            true => Ok(()),
            false => Err(WrongResult::new("the last data written is missing")),
        }
    }

    fn working_set_bytes(&self) -> u64 {
        self.region.bytes() as u64
    }
}
