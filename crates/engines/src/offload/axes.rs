//! Axes that the experiments share, and what their words mean to the module.

use catalogue::AxisSpec;
use harness::Point;
use record::{AxisValue, Unit};
use uapi::{Direction, Wait};

/// Bytes in a kibibyte.
pub const KIB: i64 = 1 << 10;
/// Bytes in a mebibyte.
pub const MIB: i64 = 1 << 20;

/// Whether the data is in the caches before a copy.
pub const CACHE: AxisSpec = AxisSpec::word(
    "cache",
    "warm: as the previous copy left it; flushed: no line of either side in any cache",
    &["warm", "flushed"],
);

/// Compared: the two are set up together and sampled in alternation.
pub const PAGES: AxisSpec = AxisSpec::word(
    "pages",
    "pinned: registered beforehand; pin_per_copy: the copy pins and unpins",
    &["pinned", "pin_per_copy"],
)
.compared();

/// How the caller waits for the engine.
pub const WAIT: AxisSpec = AxisSpec::word(
    "wait",
    "how the caller waits for the end of a DMA copy: sleeping until the interrupt, polling, or \
     polling shortly and then sleeping",
    &["irq", "poll", "hybrid"],
);

/// Whether user memory was pinned before.
pub const MEMORY: AxisSpec = AxisSpec::word(
    "memory",
    "pages of the user's buffer: base pages, or transparent huge pages",
    &["small", "thp"],
);

/// How the module's buffer is laid out.
pub const KERNEL_BUFFER: AxisSpec = AxisSpec::word(
    "kernel_buffer",
    "the kernel's buffer: pieces as large as possible, or single pages, no two of them adjacent",
    &["contiguous", "scattered"],
);

/// Bytes of one copy.
pub const SIZE: AxisSpec = AxisSpec::number("size", Unit::Bytes, "bytes of one copy");

/// `direction` of an experiment that knows these words.
pub const fn direction(words: &'static [&'static str]) -> AxisSpec {
    AxisSpec::word(
        "direction",
        "from_user: the kernel's buffer is the destination; to_user: the user's; both: alternating",
        words,
    )
}

/// `context` of an experiment that knows these words.
pub const fn context(words: &'static [&'static str]) -> AxisSpec {
    AxisSpec::word(
        "context",
        "what copies: the CPU, or DMA channels under a policy of the module (exclusive: one per \
         CPU; shared: any; priority: the high-priority one alone in the first part of each \
         window)",
        words,
    )
}

/// Most channels, and so workers, that an axis can name.
pub const CHANNELS_MOST: usize = 64;

macro_rules! numbered {
    ($($number:literal)+) => { &["total", $($number),+] };
}

/// `total`, then the numbers of the workers: compared, because they copy at the same
/// time.
pub const CHANNEL: AxisSpec = AxisSpec::word(
    "channel",
    "a worker, one per CPU: its DMA channel or core; total: all of them together",
    numbered!("0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11" "12" "13" "14" "15" "16" "17"
            "18" "19" "20" "21" "22" "23" "24" "25" "26" "27" "28" "29" "30" "31" "32" "33" "34"
            "35" "36" "37" "38" "39" "40" "41" "42" "43" "44" "45" "46" "47" "48" "49" "50" "51"
            "52" "53" "54" "55" "56" "57" "58" "59" "60" "61" "62" "63"),
)
.compared();

/// Channels of a machine with so many CPUs, and the total.
pub fn channels(cpus: u32) -> &'static [&'static str] {
    let workers = (cpus.max(1) as usize).min(CHANNELS_MOST);
    &CHANNEL.words[..=workers]
}

/// Whether the point has this word on this axis; not where it lacks the axis.
pub fn is(point: &Point, axis: &str, word: &str) -> bool {
    point.get(axis).and_then(AxisValue::as_word) == Some(word)
}

/// The direction of a point.
pub fn direction_of(point: &Point) -> Direction {
    match point.word("direction") {
        "to_user" => Direction::ToUser,
        "both" => Direction::Both,
        _ => Direction::FromUser,
    }
}

/// The way of waiting of a point.
pub fn wait_of(point: &Point) -> Wait {
    match point.word("wait") {
        "poll" => Wait::Poll,
        "hybrid" => Wait::Hybrid,
        _ => Wait::Interrupt,
    }
}
