//! Every prefetcher: what it foresees gets faster, what it cannot foresee does not.

mod machines;

use machines::{L1_NS, L2_NS, MEMORY_NS, load_ns, mean_ns, small, still, with};
use stats::Rng;
use zoo::Memory;
use zoo::cores::{Core, Prefetcher};

const FAST: f64 = 0.7 * MEMORY_NS;
/// How much later than one line memory has another that is asked for at the same time.
const LINE_NS: f64 = MEMORY_NS / 32.0;

/// Blocks of 4 KiB in random order, each once, from the second on.
fn blocks(seed: u64, count: usize) -> Vec<u64> {
    let mut rng = Rng::new(seed);
    let mut blocks: Vec<u64> = (1..4000).map(|block| block * 4096).collect();
    for at in (1..blocks.len()).rev() {
        blocks.swap(at, rng.below(at + 1));
    }
    blocks.truncate(count);
    blocks
}

/// Random lines of random blocks, one of each.
fn scattered(seed: u64) -> Vec<u64> {
    let mut rng = Rng::new(seed);
    let line = |block: u64| block + 64 * rng.below(64) as u64;
    blocks(seed, 2000).into_iter().map(line).collect()
}

#[track_caller]
fn is_not_foreseen(prefetcher: Prefetcher) {
    let mean = mean_ns(&mut still(with(prefetcher)), &scattered(3));
    assert!(mean > 0.97 * MEMORY_NS, "{mean}");
}

/// Lines at these offsets of every block: what each load takes on average, in ns.
fn by_offset(prefetcher: Prefetcher, offsets: &[u64]) -> Vec<f64> {
    let mut memory = still(with(prefetcher));
    let mut sums = vec![0.0; offsets.len()];
    let blocks = blocks(5, 600);
    for block in &blocks {
        for (sum, offset) in sums.iter_mut().zip(offsets) {
            *sum += load_ns(&mut memory, block + offset);
        }
    }
    sums.iter().map(|sum| sum / blocks.len() as f64).collect()
}

#[test]
fn adjacent_line_brings_the_other_of_a_pair() {
    let found = by_offset(Prefetcher::AdjacentLine, &[64, 0]);
    // Asked for when the first load began, it comes just after that.
    assert_eq!(found, [MEMORY_NS, L2_NS + LINE_NS]);
    assert_eq!(
        by_offset(Prefetcher::AdjacentLine, &[64, 128])[1],
        MEMORY_NS
    );
    is_not_foreseen(Prefetcher::AdjacentLine);
}

#[test]
fn up_down_learns_a_direction() {
    let up = by_offset(Prefetcher::UpDown, &[640, 704]);
    assert!(up[1] < FAST, "{up:?}");
    let down = by_offset(Prefetcher::UpDown, &[704, 640]);
    assert!(down[1] < FAST, "{down:?}");
    let far = by_offset(Prefetcher::UpDown, &[640, 1280]);
    assert_eq!(far[1], MEMORY_NS);
    is_not_foreseen(Prefetcher::UpDown);
}

#[test]
fn next_line_follows_ascending_accesses_only() {
    let up = by_offset(Prefetcher::NextLine, &[0, 64, 128]);
    assert_eq!(up, [MEMORY_NS, MEMORY_NS, L1_NS + LINE_NS]);
    let down = by_offset(Prefetcher::NextLine, &[128, 64, 0]);
    assert_eq!(down, [MEMORY_NS; 3]);
    is_not_foreseen(Prefetcher::NextLine);
}

#[test]
fn ip_stride_follows_equal_strides_of_one_instruction() {
    let stride = || Prefetcher::IpStride {
        strides: 2,
        ahead: 1,
        max_stride_bytes: 512,
    };
    let found = by_offset(stride(), &[0, 320, 640, 960, 1280]);
    // The fifth line is asked for by the fourth load, which hits once its line has come.
    let late = MEMORY_NS - LINE_NS;
    assert_eq!(
        found,
        [MEMORY_NS, MEMORY_NS, MEMORY_NS, L1_NS + LINE_NS, late]
    );
    let long = by_offset(stride(), &[0, 1024, 2048, 3072]);
    assert_eq!(long, [MEMORY_NS; 4]);
    is_not_foreseen(stride());

    // Each step by another instruction: no stride is seen.
    let mut memory = still(with(stride()));
    for (code, step) in (0..8).zip(0..) {
        let before = memory.now_ns();
        memory.load(0, code, step * 320);
        assert_eq!(memory.now_ns() - before, MEMORY_NS);
    }
}

#[test]
fn a_stream_ends_with_its_block() {
    let stream = || Prefetcher::Stream {
        accesses: 2,
        ahead: 8,
    };
    let lines: Vec<u64> = (0..64).map(|line| line * 64).collect();
    let found = by_offset(stream(), &lines);
    assert_eq!(found[..2], [MEMORY_NS; 2]);
    let mean = found[2..].iter().sum::<f64>() / 62.0;
    assert!(mean < 0.2 * MEMORY_NS, "{found:?}");
    is_not_foreseen(stream());
}

/// The first level asks for the next line with each load, so that loads hit it: what it asks
/// for is seen by the second all the same.
#[test]
fn a_stream_goes_on_where_the_first_level_runs_ahead_of_the_loads() {
    let stream = Prefetcher::Stream {
        accesses: 2,
        ahead: 8,
    };
    let stride = Prefetcher::IpStride {
        strides: 2,
        ahead: 1,
        max_stride_bytes: 2048,
    };
    let walk_ns = |prefetchers: &[Prefetcher]| {
        let mut memory = still(Core {
            prefetchers: prefetchers.to_vec(),
            ..small()
        });
        let lines: Vec<u64> = (0..6400).map(|line| line * 64).collect();
        mean_ns(&mut memory, &lines)
    };
    let alone = walk_ns(std::slice::from_ref(&stream));
    for first in [stride, Prefetcher::NextLine] {
        let without = walk_ns(std::slice::from_ref(&first));
        let both = walk_ns(&[first, stream.clone()]);
        assert!(without > 3.0 * alone, "{without} {alone}");
        assert!(both < 1.2 * alone, "{both} {alone}");
    }
}

#[test]
fn a_stream_is_as_fast_as_memory_at_most() {
    let mut memory = still(with(Prefetcher::Stream {
        accesses: 2,
        ahead: 16,
    }));
    let lines = 4000;
    for line in 0..lines {
        memory.store(0, 0, line * 64);
    }
    let each_ns = memory.now_ns() / lines as f64;
    assert!((LINE_NS..2.0 * LINE_NS).contains(&each_ns), "{each_ns}");
}

#[test]
fn a_region_is_replayed_by_its_trigger() {
    let region = || Prefetcher::Region { region_bytes: 4096 };
    let found = by_offset(region(), &[192, 2560]);
    assert!(
        found[0] == MEMORY_NS && found[1] < 0.3 * MEMORY_NS,
        "{found:?}"
    );

    // The second line is another one each time.
    let mut memory = still(with(region()));
    let mut rng = Rng::new(9);
    let mut sum = 0.0;
    for block in blocks(5, 600) {
        load_ns(&mut memory, block + 192);
        sum += load_ns(&mut memory, block + 256 + 64 * rng.below(60) as u64);
    }
    assert!(sum / 600.0 > 0.9 * MEMORY_NS, "{sum}");
    is_not_foreseen(region());
}

#[test]
fn a_chain_walked_twice_is_foreseen_by_a_temporal_one() {
    let temporal = |entries| with(Prefetcher::Temporal { entries });
    let mut memory: Memory = still(temporal(65_536));
    let chain = scattered(3);
    assert!(mean_ns(&mut memory, &chain) > 0.97 * MEMORY_NS);
    let again = mean_ns(&mut memory, &chain);
    assert!(again < 0.5 * MEMORY_NS, "{again}");

    // Another order of the same lines is not, nor is what has been forgotten. The last
    // lines are left out: the second level still has them.
    let mut other = chain[..1300].to_vec();
    other.reverse();
    let mean = mean_ns(&mut memory, &other);
    assert!(mean > 0.8 * MEMORY_NS, "{mean}");
    let mut forgetful = still(temporal(64));
    mean_ns(&mut forgetful, &chain);
    let again = mean_ns(&mut forgetful, &chain);
    assert!(again > 0.9 * MEMORY_NS, "{again}");
}
