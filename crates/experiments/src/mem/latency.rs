//! # mem/latency - Dependent loads, from the first cache to memory
//!
//! How long does a load take when the next address depends on it, and what do
//! the steps of that curve say about caches, translation buffers and memory?
//!
//! ## Counts
//! One load whose address is the value of the load before it: the way through
//! every cache that misses, the translation of the address, and for large sets
//! the way to memory and back.
//!
//! ## Does not count
//! Page faults (every page is touched first), the building of the chain, eight
//! rounds through it that bring the caches to rest (a million loads at most),
//! address arithmetic (the chain holds ready addresses), and whatever loads
//! that do not depend on each other could overlap: this is latency, the
//! reverse of bandwidth only for a program that waits for each load.
//!
//! ## Origin
//! lmbench `lat_mem_rd` (McVoy and Staelin, USENIX 1996) for the chain of
//! loads; Saavedra and Smith, IEEE Transactions on Computers 44(10), 1995, for
//! reading sizes, lines and translation buffers off such curves; the NCKU 2015
//! ARM-Linux lab for the sweep over strides. The code is our own.
//!
//! ## Theory
//! A set of S bytes that fits into a cache of capacity C is loaded once and
//! then hits for ever: the time of a step is the latency of that cache, and
//! the curve over S is flat. Beyond C, a chain that goes round and round is the
//! worst customer of a least-recently-used cache, since each element is thrown
//! out shortly before its turn comes again; the curve climbs to the latency of
//! the next level. So the curve is a staircase: **each tread is a latency,
//! each riser a capacity**, and the number of treads before the last is the
//! number of caches.
//!
//! Within one line the accesses share a miss. With a stride s below the line
//! size b only one step in b/s misses, and the average is T_hit + D s/b, where
//! D is the extra time of a miss: doubling the stride doubles the climb until
//! s reaches b, and then no more. That is how the strided curves show the line.
//! On machines with prefetchers (all but the smallest of today) a constant
//! stride also tells the hardware what comes next, and the "memory latency" of
//! a strided chain is ten times too good. Compare `stride_64` with
//! `random_line` at the same size: the gap is what the prefetchers are worth to
//! a program that walks in order.
//!
//! A riser is seldom a wall. We call capacity the size at which **half of the
//! loads miss**, half-way up from one tread to the next, and give the sizes
//! where the first load misses and the last hits next to it. Other users of a
//! cache only ever make it slower, so treads and risers are sought in the
//! fastest quarter of the samples, while the latencies given are medians.
//!
//! The capacity seen here is the **effective** one, and it may honestly differ
//! from the one in sysfs:
//!
//! - *Sharing.* The last level serves other cores, on a virtual machine also
//!   neighbours who are not on the card, and the owner of the host may have
//!   given this guest only some of its ways. What is left is what counts.
//! - *Page placement.* Beyond the first level, caches are indexed by physical
//!   address. Base pages fall on sets at random, so some sets overflow while
//!   others stay empty, and the riser begins well below C. Huge pages lie in
//!   one piece and make it steep.
//! - *Translation.* A translation buffer is one more cache, of page numbers:
//!   N entries reach N pages. With 4 KiB pages, 2048 entries end at 8 MiB,
//!   amid the sizes of last-level caches, and two risers merge into one.
//!   Therefore cache levels are read off the `thp` curve where there is one.
//! - *Instructions and others' data* live in unified caches too.
//! - *Exclusive caches* add up: the second riser is then at L1 + L2.
//!
//! `random_page` turns the tables: one line in each page. S bytes then need
//! only S/page lines, which stay in near caches, but S/page translations. The
//! same number of lines packed densely costs the caches the same and the
//! translation buffers nothing, so **the difference of the two curves is the
//! cost of translation alone**: its risers are the reaches of the translation
//! buffers, its last tread the price of a page walk. On a virtual machine a
//! walk goes through two sets of tables, and a huge page of the guest helps
//! only as far as the host also backs it with one.
//!
//! Every finding is compared with the machine card. *Disagree* is not
//! an error: it says that a program here will not get what the card promises.

mod figures;
mod findings;

use super::Chased;
use catalogue::{AxisSpec, Experiment, Grid, KIB, MIB, Preset, doubling, geometric};
use engines::memory::card::card_line;
use engines::memory::mapping::{base_page_bytes, fits};
use engines::memory::{Chain, Layout, Mapping, Pages};
use harness::{Context, Point, SetupError, Subject};
use record::MachineCard;
use std::num::NonZeroUsize;
use std::rc::Rc;

pub(crate) const RANDOM_LINE: &str = "random_line";
pub(crate) const RANDOM_PAGE: &str = "random_page";
pub(crate) const RANDOM_PAGE_APART: &str = "random_page_apart";

const PATTERNS: &[&str] = &[
    "stride_16",
    "stride_32",
    "stride_64",
    "stride_128",
    "stride_256",
    "stride_512",
    "stride_1024",
    "stride_2048",
    "stride_4096",
    RANDOM_LINE,
    RANDOM_PAGE,
    RANDOM_PAGE_APART,
];

/// Patterns that are strides.
const STRIDES: usize = PATTERNS.len() - 3;

/// Of `random_page_apart`: one page in so many is used. Odd, so that all sets of a
/// translation buffer are used, and more than any buffer holds in one entry.
const APART: usize = 5;

/// Line to place elements by where the machine does not tell its own.
const USUAL_LINE: usize = 64;

const AXES: &[AxisSpec] = &[
    AxisSpec::bytes("size", "working set that the chain covers"),
    AxisSpec::word(
        "pattern",
        "ascending by a constant stride in bytes, or one element in each cache line, page or \
         fifth page in random order",
        PATTERNS,
    ),
    AxisSpec::word(
        "pages",
        "base pages of the kernel (4 KiB on most machines; the point's \
              notes say) or transparent huge pages",
        Pages::WORDS,
    ),
];

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let pattern = point.word("pattern");
    let layout = layout(pattern, context)?;
    // Pages apart take more memory, and as many translations.
    let size = match pattern {
        RANDOM_PAGE_APART => point.size("size").saturating_mul(APART),
        _ => point.size("size"),
    };
    // A random chain takes 12 B for each element while it is built: its successor, and its
    // place in the order, once in a part and once in the whole.
    let building = layout.count(size).saturating_mul(12);
    fits(size.saturating_add(building), context)?;
    let pages = Pages::from_word(point.word("pages"));
    let mapping = match pattern {
        RANDOM_PAGE_APART => Mapping::untouched(size, pages, context)?,
        _ => Mapping::new(size, pages, context)?,
    };
    let chain = Chain::new(Rc::new(mapping), size, layout, u64::from(point.index) + 1)?;
    Ok(Box::new(Chased(chain)))
}

/// How the elements of a pattern lie.
fn layout(pattern: &str, context: &Context) -> Result<Layout, SetupError> {
    let unknown = || SetupError::fail("read a pattern", pattern);
    let bytes = |n: usize| NonZeroUsize::new(n).ok_or_else(unknown);
    let line = bytes(card_line(&context.card).unwrap_or(USUAL_LINE))?;
    let page = base_page_bytes(context);
    match pattern {
        RANDOM_LINE => Ok(Layout::RandomLines { line }),
        RANDOM_PAGE => Ok(Layout::RandomPages {
            page: bytes(page)?,
            line,
        }),
        RANDOM_PAGE_APART => Ok(Layout::RandomPages {
            page: bytes(APART * page)?,
            line,
        }),
        _ => {
            let step = pattern.strip_prefix("stride_").ok_or_else(unknown)?;
            Ok(Layout::Stride(bytes(step.parse().map_err(|_| unknown())?)?))
        }
    }
}

fn grids(preset: Preset, card: &MachineCard) -> Vec<Grid> {
    match preset {
        Preset::Quick => quick(card),
        Preset::Full => full(card),
    }
}

/// The staircase, fine where first and second levels end and coarse where
/// building a set takes longer than measuring it; enough of the other curves
/// to tell translation and prefetching from it. It is measured with huge pages
/// where the card knows of them.
fn quick(card: &MachineCard) -> Vec<Grid> {
    let (stairs, other) = match card.transparent_hugepages.as_deref() {
        Some("always" | "madvise") => ("thp", "base"),
        _ => ("base", "thp"),
    };
    let top = quick_top(card);
    let fine_top = top.min(64 * MIB);
    let mut fine = vec![KIB, 2 * KIB, 4 * KIB];
    fine.extend(geometric(8 * KIB, fine_top, 3, KIB));
    fine.extend(doubling(2 * fine_top, top));
    let page = page_of(card);
    let pages = geometric(16, 16384, 2, 1).into_iter().map(|n| n * page);
    let coarse = geometric(16 * KIB, top.min(128 * MIB), 2, KIB);
    vec![
        curve(50, fine, &[RANDOM_LINE], &[stairs]),
        curve(30, coarse, &[RANDOM_LINE], &[other]),
        curve(30, pages, &[RANDOM_PAGE, RANDOM_PAGE_APART], &["base"]),
        curve(34, [32 * MIB], &PATTERNS[..STRIDES], &["base"]),
    ]
}

/// Bytes of a base page.
fn page_of(card: &MachineCard) -> i64 {
    match i64::try_from(card.page_bytes) {
        Ok(bytes) if bytes > 0 => bytes,
        _ => 4 * KIB,
    }
}

fn full(card: &MachineCard) -> Vec<Grid> {
    let top = card.last_level().map_or(512 * MIB, |c| {
        let size = i64::try_from(c.size_bytes).unwrap_or(i64::MAX / 8);
        (8 * size).max(64 * MIB)
    });
    let page = page_of(card);
    let of = |ms, sizes: Vec<i64>, patterns: &[&str]| curve(ms, sizes, patterns, Pages::WORDS);
    vec![
        of(400, geometric(KIB, top, 4, 256), &[RANDOM_LINE]),
        of(400, geometric(4 * page, top, 2, page), &[RANDOM_PAGE]),
        curve(
            400,
            geometric(4 * page, top / 4, 2, page),
            &[RANDOM_PAGE_APART],
            &["base"],
        ),
        of(
            250,
            geometric(16 * KIB, top, 1, 16 * KIB),
            &PATTERNS[..STRIDES],
        ),
    ]
}

fn curve(
    budget_ms: u64,
    sizes: impl IntoIterator<Item = i64>,
    patterns: &[&str],
    pages: &[&str],
) -> Grid {
    Grid::new(budget_ms)
        .ints("size", sizes)
        .words("pattern", patterns)
        .words("pages", pages)
}

/// Four times the last level, where memory's own latency begins to show, within what takes no
/// second to set up; else twice as much; where that is not enough, no more than shows the part of
/// it that a guest gets.
fn quick_top(card: &MachineCard) -> i64 {
    let last = card.last_level().map_or(0, |c| c.size_bytes);
    let times = |n: u64| i64::try_from(last.saturating_mul(n)).unwrap_or(i64::MAX);
    let least = |wanted: i64, most: i64| doubling(64 * MIB, most).find(|s| *s >= wanted);
    let four = least(times(4), 128 * MIB);
    let two = || least(times(2), 512 * MIB);
    four.or_else(two).unwrap_or(256 * MIB)
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[("latency", "time of one dependent load")],
    grids,
    setup,
    figures: figures::figures,
    claims: figures::CLAIMS,
    findings: findings::findings,
    answers: findings::answers,
    in_cycles: true,
    ..Experiment::EMPTY
};
