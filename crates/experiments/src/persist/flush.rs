//! # persist/flush - What it costs to make a block persistent
//!
//! What does a program pay for each block that has to outlive the power, by
//! instructions and by system calls, and from which size on is another way cheaper?
//!
//! ## Counts
//! Writing a block and making it persistent, one block after the other.
//! *store*: plain stores, nothing flushed; the reference. *clflush*, *clflushopt*,
//! *clwb*, *dc_cvac*, *dc_cvap*, *dc_civac*: plain stores, the instruction on
//! each line, a fence. *ntstore*: stores that pass the caches by, and a fence.
//! *map_sync*: the best of these instructions on a mapping made with MAP_SYNC.
//! *msync*: plain stores into a mapping, then `msync(MS_SYNC)` of its pages.
//! *fdatasync*: `pwrite`, then `fdatasync`. *odirect*: one `pwrite` through
//! O_DIRECT and O_DSYNC, one call that returns when the medium has it.
//! The fence follows the whole block (*per_block*) or each line
//! (*per_line*): `mfence` after clflush, `sfence` after the other instructions
//! of x86, `dsb sy` on ARM. In addition `write` is measured: the same block written
//! by the same means and not made persistent; `net` is the difference.
//!
//! ## Does not count
//! Allocating blocks: the file is written and synchronised first. What other
//! blocks left dirty: before each batch of a call, all of the file is
//! synchronised. Whether the medium keeps its word (a disk with a volatile cache
//! that ignores flushes). *anonymous* and *tmpfs* are memory: there the way to
//! memory is measured and nothing persists.
//!
//! ## Origin
//! Comparisons of clflush, msync and others on persistent memory in a study of
//! two tasks on one core, 2022; mmap(2), msync(2), pwrite(2); the kernel's
//! Documentation/filesystems/dax.rst. Order of magnitude of the instructions:
//! a fence waits some 100 to 200 ns for memory on servers.
//!
//! ## Theory
//! A store ends in a cache. To bring it to memory the line has to be named to an
//! instruction, and the instruction has to be waited for. CLFLUSH also drops the
//! line and goes one line after the other; CLFLUSHOPT drops it and lets lines
//! overtake each other; CLWB writes it back and may keep it, so that the next
//! access hits. Non-temporal stores never enter the cache: they need no reading of
//! the line first, and so move about twice the bytes for the same traffic.
//!
//! For one line nearly all of the time is the fence waiting for memory. Behind a
//! block the waits of its lines overlap; behind each line they add up, and the
//! time per byte stays what it was for one line, however large the block.
//!
//! A call pays for more. msync finds the dirty pages, protects them against
//! writing, has the medium written and waits; so the next store to that page
//! faults, and `write` shows what of the cost is that fault. A file system may have
//! to write its journal as well, once the file's times or blocks change
//! (`persist/journal`). All that is a fixed cost, so calls win back on large
//! blocks what they lose on small ones, and the figures cross.
//!
//! On DAX a file's pages are the medium itself, and instructions are enough, if
//! the file system knows of the blocks: that is what MAP_SYNC promises. It costs
//! at the first write to a page and nothing afterwards. On the page cache no
//! instruction helps: a line that reaches memory is no nearer to the disk, and
//! these points are not planned. *tmpfs* takes msync and fdatasync and has nothing to
//! do: their figure is the system call, and a program that relies on it loses
//! everything with the power.

use catalogue::{AxisSpec, Experiment, Figure, Grid, KIB, MIB, Preset, toll_row};
use engines::loops::writeback::{Fence, Instruction};
use engines::persistence::method::{METHODS, PLACES};
use harness::Point;
use record::{FigureHead, MachineCard, MarkKind, TollGroup, TollHead};

mod findings;
mod subject;

/// Sizes of blocks; the columns of the toll map are among them.
const SIZES: [i64; 8] = [64, 256, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB];

const AXES: &[AxisSpec] = &[
    AxisSpec::word("method", "what makes the block persistent", METHODS).compared(),
    AxisSpec::word(
        "place",
        "where the block is: memory, a memory file, the scratch folder behind the page cache \
              or on DAX",
        PLACES,
    ),
    AxisSpec::word(
        "fence",
        "fence once after the block, or after each of its lines",
        &["per_block", "per_line"],
    ),
    AxisSpec::bytes(
        "size",
        "length of the block: a part of a page, or whole pages",
    ),
];

/// The fence that a point asks for.
fn fence(point: &Point) -> Fence {
    match point.word("fence") {
        "per_line" => Fence::Line,
        _ => Fence::Block,
    }
}

fn grids(preset: Preset, card: &MachineCard) -> Vec<Grid> {
    let instructions = Instruction::of(&card.arch).into_iter();
    let lines: Vec<&str> = instructions.map(|i| i.word()).collect();
    let grid = |ms, methods: &[&str], place, fence, sizes: &[i64]| {
        Grid::new(ms)
            .words("method", methods)
            .words("place", &[place])
            .words("fence", &[fence])
            .ints("size", sizes.iter().copied())
    };
    let of_those = |wanted: &[&'static str]| -> Vec<&'static str> {
        let here = wanted.iter().filter(|i| lines.contains(i));
        here.copied().collect()
    };
    if preset == Preset::Quick {
        let few = of_those(&["store", "clwb", "ntstore", "dc_cvac"]);
        return vec![
            grid(20, &few, "anonymous", "per_block", &[64, 4 << 10]),
            // For the toll map; skipped without a pause where there is none.
            grid(20, &["map_sync"], "dax", "per_block", &[64, 4 << 10]),
        ];
    }
    let flushing: Vec<&str> = lines.iter().copied().filter(|i| *i != "store").collect();
    let on_dax = [&lines[..], &["map_sync", "msync", "fdatasync"]].concat();
    let plain = of_those(&["store", "clwb", "dc_cvac"]);
    let on_tmpfs = [&plain[..], &["msync", "fdatasync"]].concat();
    let by_calls = ["store", "msync", "fdatasync"];
    let whole_blocks = &SIZES[3..];
    vec![
        grid(150, &lines, "anonymous", "per_block", &SIZES),
        grid(150, &flushing, "anonymous", "per_line", &SIZES[1..]),
        grid(150, &on_tmpfs, "tmpfs", "per_block", &SIZES),
        grid(400, &by_calls, "file", "per_block", &SIZES),
        grid(400, &["odirect"], "file", "per_block", whole_blocks),
        grid(200, &on_dax, "dax", "per_block", &SIZES),
        grid(200, &["odirect"], "dax", "per_block", whole_blocks),
        grid(200, &["map_sync"], "dax", "per_line", &SIZES[1..]),
    ]
}

fn figures() -> Vec<FigureHead> {
    let of = |title: &str, y| Figure::of(title, "size", y).log_x().log_y();
    let figure = |title, place, reading| {
        let figure = of(title, "latency").series(&["method"]);
        let figure = figure.only(&[("place", place), ("fence", "per_block")]);
        figure.marks(&[MarkKind::PageSize]).reading(reading)
    };
    let fences = of("One fence per block against one per line", "bandwidth")
        .series(&["method", "fence"])
        .only(&[("place", "anonymous")])
        .reading("With a fence after each line the rate stays that of a single line.");
    vec![
        figure(
            "Writing a block back to memory",
            "anonymous",
            "Flat on the left: the fence waits for memory. store flushes nothing.",
        ),
        fences,
        figure(
            "Making a block of a file persistent",
            "file",
            "The flat part is the call, the journal and the response of the medium.",
        ),
        figure(
            "Making a block persistent on DAX",
            "dax",
            "From the size where a call's line crosses that of an instruction, the call is \
             cheaper.",
        ),
        figure(
            "Requesting persistence on tmpfs",
            "tmpfs",
            "No persistence: msync and fdatasync flush nothing here.",
        ),
    ]
}

/// Ways to memory, to a file and to persistent memory: three media, which do not compete.
fn toll() -> Vec<TollHead> {
    let row = |method: &str, place, label: &str, medium: &str| TollHead {
        group: Some(TollGroup::Persistence),
        condition: medium.to_owned(),
        ..toll_row(
            label,
            &[("method", method), ("place", place), ("fence", "per_block")],
        )
    };
    let memory = |method, label| row(method, "anonymous", label, "memory");
    let file = |method, label| row(method, "file", label, "file");
    vec![
        memory("ntstore", "ntstore, to memory"),
        memory("clwb", "clwb, to memory"),
        memory("clflushopt", "clflushopt, to memory"),
        memory("dc_cvac", "dc cvac, to memory"),
        file("msync", "msync of a file"),
        file("fdatasync", "fdatasync of a file"),
        file("odirect", "O_DIRECT write of a file"),
        row("map_sync", "dax", "flush to persistent memory", "dax"),
    ]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[
        ("latency", "time to write a block and make it persistent"),
        ("write", "the same block written, and not made persistent"),
    ],
    bytes_per_op: |point| Some(point.size("size") as u64),
    grids,
    setup: subject::setup,
    figures,
    toll: |_| toll(),
    claims: findings::CLAIMS,
    findings: |table, _| findings::findings(table),
    ..Experiment::EMPTY
};

#[cfg(test)]
mod tests;
