//! # persist/journal - What the file system's journal adds to a write
//!
//! A program overwrites a block of a file, or appends one, and waits until it is on
//! the medium. How much of the time is the journal's, by the way it works and the
//! device it is on?
//!
//! ## Counts
//! One `pwrite` of a block and one `fdatasync` or `fsync`; or stores into a mapping
//! and one `msync`. *overwrite*: the block exists, on the medium as well; only its
//! contents and the file's times change. *append*: the file grows by the block, so
//! its size and the blocks of the file system change too. When an appended file
//! has reached its limit it is cut to nothing between two batches, or in the timed
//! part where a batch is longer than that.
//!
//! ## Does not count
//! Opening and making the file. What the medium does after it has answered.
//! Several mounts side by side share the machine and, as loop devices, the disk.
//!
//! ## Origin
//! A question that a study of msync on persistent memory left open (2022): what
//! part has the journal, and does it matter where it is; pmem-rocksdb's users ask
//! the same of MAP_SYNC. The kernel's Documentation/filesystems/ext4/journal.rst.
//!
//! ## Theory
//! What a file system has to know of a file (its size, its blocks, its times) is
//! written twice: first into the journal, as a transaction that counts as a whole
//! or not at all, later to its place. A sync that finds nothing but contents to
//! write leaves the journal alone: that is `fdatasync` after an overwrite, since
//! times may be stale. `fsync` wants the times, and an append wants the size: then
//! the sync waits for a transaction, which is at least two more writes, each behind a
//! flush of the device's cache.
//!
//! *ordered* writes the contents before the transaction commits, so that no file
//! shows what a deleted one left; *writeback* lets them come later (a sync of this
//! very file still waits for them: the difference shows where others write as well);
//! *journal* puts the contents into the journal too. A journal on another device
//! saves the way back and forth on a disk, and on a fast medium it moves the
//! journal's traffic to where it does not meet the data: to another NUMA node, if
//! that is where the device hangs.

use catalogue::{AxisSpec, Experiment, Figure, Grid, KIB, Preset};
use record::{FigureHead, MachineCard, MarkKind};

mod findings;
mod mounts;
mod subject;

const WRITES: &[&str] = &["overwrite", "append"];
const SYNCS: &[&str] = &["fdatasync", "fsync", "msync"];

const AXES: &[AxisSpec] = &[
    AxisSpec::word(
        "mount",
        "the scratch folder's file system; or the one mounted at /mnt/pontage-ordered, \
              -writeback, -journal (ext4, data= that), -external (its journal on another device)",
        mounts::MOUNTS,
    )
    .compared(),
    AxisSpec::word(
        "write",
        "overwrite an existing block, or append a new one",
        WRITES,
    ),
    AxisSpec::word("sync", "call that waits for the medium", SYNCS),
    AxisSpec::bytes("size", "length of the block, whole pages"),
];

/// Nothing in the quick preset: a sync takes milliseconds on many disks.
fn grids(preset: Preset, _card: &MachineCard) -> Vec<Grid> {
    let grid = |writes: &[&str], syncs: &[&str]| {
        Grid::new(500)
            .words("mount", mounts::MOUNTS)
            .words("write", writes)
            .words("sync", syncs)
            .ints("size", [4 * KIB, 64 * KIB])
    };
    match preset {
        Preset::Quick => Vec::new(),
        Preset::Full => vec![
            grid(WRITES, &["fdatasync", "fsync"]),
            grid(&["overwrite"], &["msync"]),
        ],
    }
}

fn figures() -> Vec<FigureHead> {
    let title = "Making a block persistent, by the work of the journal";
    let figure = Figure::of(title, "size", "latency").log_x().log_y();
    let figure = figure.series(&["mount", "write", "sync"]);
    vec![figure.marks(&[MarkKind::PageSize]).reading(
        "Overwriting with fdatasync does not use the journal; whatever exceeds that line is the \
         cost of the journal.",
    )]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[("latency", "time to write a block and have it on the medium")],
    bytes_per_op: |point| Some(point.size("size") as u64),
    grids,
    setup: subject::setup,
    figures,
    claims: findings::CLAIMS,
    findings: |table, _| findings::findings(table),
    ..Experiment::EMPTY
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, SYNCS, WRITES, mounts};
    use harness::SetupError;
    use testbed::turn::run;

    #[test]
    fn blocks_arrive_by_every_call_or_the_mount_is_missing() {
        let mut ran = 0;
        for mount in mounts::MOUNTS {
            for write in WRITES {
                for sync in SYNCS {
                    let settings = [
                        ("mount", (*mount).into()),
                        ("write", (*write).into()),
                        ("sync", (*sync).into()),
                        ("size", 8192i64.into()),
                    ];
                    match run(&EXPERIMENT, &settings) {
                        Ok(()) => ran += 1,
                        Err(SetupError::Skip { reason, remedy }) => {
                            assert!(!reason.is_empty() && !remedy.is_empty(), "{mount}");
                        }
                        Err(other) => panic!("{mount} {write} {sync}: {other}"),
                    }
                }
            }
        }
        // Where temporary files are in memory there is nothing to run on.
        assert_eq!(ran % 5, 0, "{ran}");
    }

    #[test]
    fn odd_blocks_are_refused() {
        for size in [0i64, 64, 5000, 1 << 40] {
            let settings = [
                ("mount", "scratch".into()),
                ("write", "append".into()),
                ("sync", "fsync".into()),
                ("size", size.into()),
            ];
            let refused = run(&EXPERIMENT, &settings);
            assert!(matches!(refused, Err(SetupError::Skip { .. })), "{size}");
        }
    }
}
