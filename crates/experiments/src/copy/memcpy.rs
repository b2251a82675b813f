//! # copy/memcpy - The C library's memcpy, hot and cold
//!
//! What does it cost a program to copy a block of its own memory, when the block
//! is in the caches and when it is not?
//!
//! ## Counts
//! One call of `memcpy`: the call, the choice of a way by length, every byte
//! read from the source and written to the destination. Bytes are counted once.
//! *hot*: many copies of the same block in a row, one after the other. *cold*:
//! every line of source and destination is flushed from all cache levels before
//! each copy, and each copy is timed alone. *hot_single*: as hot, but each copy
//! is timed alone, 300 of them, the way older studies did.
//!
//! ## Does not count
//! The flushing, which ends before the clock starts. Page faults: all pages are
//! touched first. The code of memcpy and the page translations stay warm in all
//! three cases, so *cold* is cold data, not a cold program. In *hot_single* and
//! *cold* the clock's own cost is taken off as a constant, which leaves a few
//! nanoseconds of doubt: below some hundred bytes read *hot* instead.
//!
//! ## Origin
//! The latency benchmark of the I/OAT-CFTU documentation (A. Papa, Universita di
//! Roma Tor Vergata, 2013): block sizes from 1 byte to 32 MiB, 300 repetitions,
//! with and without flushed caches, reported as minimum, maximum, mean, sample
//! variance and median. The table has those five next to our interval.
//! There the copy crosses between kernel and user memory: that is
//! `copy/to_user` and `copy/from_user`; this experiment is their yardstick.
//!
//! ## Theory
//! The time of a copy has a fixed part and a part for each byte, so on double
//! logarithmic axes the curve starts flat and then rises along a straight line.
//! Where the fixed part equals the rest is the smallest block worth handing to
//! anybody else: a copy of 64 bytes takes a few nanoseconds, and no system call,
//! no other CPU and no DMA engine can even learn of it in that time.
//!
//! The hot curve bends where source and destination together no longer fit
//! into a cache level, that is at half of its capacity. Beyond the last level
//! hot and cold meet, because then every copy is cold.
//!
//! The cold curve starts high: two misses, one for the source and one for the
//! destination, which is read before it is overwritten. They overlap only
//! partly. For some tens of lines the hardware prefetchers have not yet seen a
//! pattern and each line is paid for; then they run ahead, and the cost per byte
//! falls to what the memory can deliver. So the ratio of cold to hot is largest
//! for small blocks, and it is the small blocks that programs copy most: a
//! figure measured hot says little about a copy whose data just came from a
//! device or from another CPU.
//!
//! Minimum, maximum, mean and variance describe one set of repetitions; one
//! interrupt in 300 moves the maximum and the variance at will and the median
//! not at all. Compare medians, look at the others to see what happened.

mod findings;

use catalogue::{AxisSpec, Experiment, Figure, Grid, Preset, doubling, toll_row};
use engines::loops::flush::Flusher;
use engines::loops::{self, CopyFn};
use engines::memory::buffer::Buffer;
use engines::verdict::must;
use harness::{Context, Fault, Point, SetupError, Shape, Subject};
use record::axis::human_bytes;
use record::{FigureHead, MachineCard, MarkKind, TollGroup, TollHead};
use std::hint::black_box;

/// Repetitions of a point whose copies are timed one by one.
const REPETITIONS: u32 = 300;
const LARGEST_BYTES: i64 = 32 << 20;

const AXES: &[AxisSpec] = &[
    AxisSpec::word(
        "cache",
        "where the data is before the copy",
        &["hot", "hot_single", "cold"],
    ),
    AxisSpec::bytes("size", "length of the block"),
];

struct Memcpy {
    copy: CopyFn,
    from: Buffer,
    to: Buffer,
    /// Present when each copy starts cold.
    flusher: Option<Flusher>,
}

impl Memcpy {
    fn copy_once(&mut self) {
        let (to, from) = (self.to.as_mut_ptr(), self.from.as_ptr());
        // SAFETY: two separate mappings of the same length.
        unsafe { (self.copy)(to, from, self.from.bytes()) };
    }
}

impl Subject for Memcpy {
    fn batch(&mut self, _part: u16, ops: u64) {
        for _ in 0..ops {
            self.copy_once();
        }
    }

    fn prepare(&mut self, _part: u16) {
        let Some(flusher) = &self.flusher else {
            return self.copy_once();
        };
        for block in [&self.from, &self.to] {
            // SAFETY: the block is mapped for as long as it is borrowed.
            unsafe { flusher.flush(block.as_ptr(), block.bytes()) };
        }
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let pairs = self.to.as_mut_slice().iter_mut();
        pairs
            .zip(self.from.as_slice())
            .for_each(|(to, from)| *to = !from);
        self.prepare(0);
        self.batch(0, 1);
        let same = self.to.as_slice() == self.from.as_slice();
        must(same, "the destination differs from the source")
    }

    fn notes(&self) -> Vec<String> {
        self.flusher.iter().map(Flusher::describe).collect()
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let size = point.size("size");
    let wanted = 2 * size as u64;
    if wanted > context.memory_available_bytes / 2 {
        return Err(SetupError::skip(
            format!(
                "the buffers take {}, which does not fit in memory",
                human_bytes(wanted)
            ),
            format!("--axis size=1..{}", context.memory_available_bytes / 4),
        ));
    }
    let map = |cause| SetupError::fail("map the buffers of copy/memcpy", cause);
    let flusher = (point.word("cache") == "cold")
        .then(|| Flusher::best(&context.card, context.memory_available_bytes))
        .transpose()
        .map_err(map)?;
    let libc = loops::find("libc").map_err(|m| SetupError::skip(m.reason, m.remedy))?;
    let copy = libc.copy;
    let copy = copy.ok_or_else(|| SetupError::fail("find memcpy", "none"))?;
    Ok(Box::new(Memcpy {
        // Hidden from the compiler, which knows what memcpy does and could
        // leave out a copy whose result is copied over.
        copy: black_box(copy),
        from: Buffer::touched(size).map_err(map)?,
        to: Buffer::touched(size).map_err(map)?,
        flusher,
    }))
}

fn shape(point: &Point) -> Shape {
    match point.word("cache") {
        "hot" => Shape::Batched,
        _ => Shape::Single {
            repetitions: REPETITIONS,
        },
    }
}

fn grids(preset: Preset, _: &MachineCard) -> Vec<Grid> {
    match preset {
        Preset::Quick => vec![
            Grid::new(40)
                .words("cache", &["hot"])
                .ints("size", [1].into_iter().chain(doubling(64, 16 << 20))),
            // Every second power holds the columns of the toll map; flushing
            // takes several times as long as the copies it is for.
            Grid::new(60)
                .words("cache", &["cold"])
                .ints("size", doubling(64, 16 << 20).step_by(2)),
        ],
        Preset::Full => vec![
            Grid::new(300)
                .words("cache", &["hot", "hot_single"])
                .ints("size", doubling(1, LARGEST_BYTES)),
            // 300 cold copies of the largest block, whatever they take.
            Grid::new(4000)
                .words("cache", &["cold"])
                .ints("size", doubling(1, LARGEST_BYTES)),
        ],
    }
}

fn figures() -> Vec<FigureHead> {
    let figure = |y: &str, title: &str, reading: &str| {
        let figure = Figure::of(title, "size", y).log_x().log_y();
        let marks = [MarkKind::CacheSizes, MarkKind::PageSize, MarkKind::Knees];
        figure.series(&["cache"]).marks(&marks).reading(reading)
    };
    vec![
        figure(
            "latency",
            "time of one copy",
            "Flat on the left: the call itself. Straight on the right: a fixed time per byte. The \
             gap between the lines is what the caches save; a block outgrows a cache at half the \
             marked size, because source and destination share it.",
        ),
        figure(
            "bandwidth",
            "bytes copied per second",
            "The same figures as GB/s = 10^9 bytes per second, bytes counted once (copied, not \
             read + written).",
        ),
    ]
}

fn toll() -> Vec<TollHead> {
    let row = |cache, way: &str, condition: &str| TollHead {
        group: Some(TollGroup::Process),
        way: way.to_owned(),
        condition: condition.to_owned(),
        usual: true,
        ..toll_row(format!("memcpy {cache}"), &[("cache", cache)])
    };
    vec![
        row("hot", "memcpy, cached", ""),
        row("cold", "memcpy, not cached", "data not cached"),
    ]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[("latency", "time of one copy")],
    shape,
    bytes_per_op: |point| Some(point.size("size") as u64),
    grids,
    setup,
    figures,
    toll: |_| toll(),
    claims: findings::CLAIMS,
    findings: findings::findings,
    singly: true,
    ..Experiment::EMPTY
};

#[cfg(test)]
mod tests {
    use super::EXPERIMENT;
    use catalogue::Preset;
    use harness::{SetupError, Shape};
    use record::AxisValue;
    use testbed::turn::{card, point, run};

    const TOLL_SIZES: [i64; 5] = [64, 4096, 65536, 1 << 20, 16 << 20];

    #[test]
    fn every_byte_arrives_hot_and_cold() {
        for cache in ["hot", "hot_single", "cold"] {
            for size in [0i64, 1, 63, 4097, 100_000] {
                run(
                    &EXPERIMENT,
                    &[("cache", cache.into()), ("size", size.into())],
                )
                .expect("small copies can be had anywhere");
            }
        }
    }

    #[test]
    fn cold_copies_are_timed_one_by_one() {
        let shape = |cache: &str| {
            (EXPERIMENT.shape)(&point(&[("cache", cache.into()), ("size", 64.into())]))
        };
        assert_eq!(shape("hot"), Shape::Batched);
        assert_eq!(shape("cold"), Shape::Single { repetitions: 300 });
        assert_eq!(shape("hot_single"), Shape::Single { repetitions: 300 });
    }

    #[test]
    fn a_block_beyond_memory_is_skipped() {
        let wanted = [("cache", "hot".into()), ("size", (1i64 << 50).into())];
        let refused = run(&EXPERIMENT, &wanted);
        assert!(
            matches!(refused, Err(SetupError::Skip { .. })),
            "{refused:?}"
        );
    }

    #[test]
    fn both_presets_fill_the_columns_of_the_toll_map() {
        for preset in [Preset::Quick, Preset::Full] {
            let grids = (EXPERIMENT.grids)(preset, &card("x86_64", 2));
            for cache in ["hot", "cold"] {
                for size in TOLL_SIZES {
                    let has = grids.iter().any(|g| {
                        g.values[0].1.contains(&AxisValue::from(cache))
                            && g.values[1].1.contains(&AxisValue::Int(size))
                    });
                    assert!(has, "{preset:?} {cache} {size}");
                }
            }
        }
    }

    #[test]
    fn the_full_grid_covers_each_power_of_two() {
        let grids = (EXPERIMENT.grids)(Preset::Full, &card("x86_64", 2));
        for grid in grids {
            assert_eq!(grid.values[1].1.len(), 26);
        }
    }
}
