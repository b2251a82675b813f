use super::*;
use report::document::terminal;
use uapi::{Chooser, Counters, Reason};

fn text(shown: &Shown<'_>) -> String {
    terminal::plain(&document(shown))
}

fn priority() -> Policy {
    Policy {
        channels: Some(4),
        high_channels: 1,
        quantum_ns: 30_000,
        window_ns: 90_000,
        chunk_bytes: Some(64 << 10),
        threshold_bytes: Some(4096),
        timeout_ns: Some(10_000_000_000),
        driver: Some("ioatdma".to_owned()),
        hardware_pause: true,
        ..Policy::new(PolicyKind::Priority)
    }
}

fn state() -> PolicyState {
    let mut windows = Windows {
        high_count: 1000,
        high_ns: 31_500_000,
        high_max_ns: 80_000,
        low_count: 1000,
        low_ns: 60_000_000,
        low_max_ns: 140_000,
        missed: 2,
        gate_waits: 10,
        gate_wait_ns: 200_000,
        gate_wait_max_ns: 31_000,
        bleeds: 3,
        bleed_max_ns: 4_500,
        ..Windows::default()
    };
    (windows.high_log2[14], windows.high_log2[16]) = (998, 2);
    (windows.low_log2[15], windows.low_log2[17]) = (999, 1);
    PolicyState {
        policy: priority(),
        channels_held: 4,
        channels_seen: 8,
        channels_dead: 1,
        switches: 3,
        started_ns: 123_400_000_000,
        windows,
    }
}

fn stats() -> Stats {
    Stats {
        copies: 500,
        dma_bytes: 1 << 30,
        cpu_bytes: 3 << 20,
        not_copied_bytes: 17,
        dma_chunks: 16_384,
        cpu_chunks: vec![(Reason::BelowThreshold, 400), (Reason::ReadFailed, 2)],
    }
}

#[test]
fn a_priority_policy_tells_its_windows_and_why_the_cpu_copied() {
    let (state, stats) = (state(), stats());
    let mut channel = crate::dma::channels::tests::described("dma0chan0", true);
    channel.high = true;
    let shown = Shown {
        state: &state,
        stats: &stats,
        channels: &[channel],
        emulated: false,
    };
    let expected = "\
policy priority, started 123.4 s after boot: 4 of 8 channels held, 1 dead
  chooser round-robin; chunks of 64 KiB; CPU below 4 KiB; time limit 10.0 s
  1 high-priority; 30.0 µs of each 90.0 µs; paused in hardware
  only driver ioatdma
  dma0chan0  ioatdma high  3 GiB in 49152 chunks, 1 error, 0 B outstanding
windows, actual against nominal
  high nominal 30.0 µs; mean 31.5 µs (+5.0 %), longest 80.0 µs, 1000 windows
  low  nominal 60.0 µs; mean 60.0 µs (+0 %), longest 140 µs, 1000 windows
  missed 2 (periods without a switch)
  gate waits 10: mean 20.0 µs, longest 31.0 µs
  bleeds 3 (low-priority chunks that ended inside a high-priority window): up to 4.50 µs late
        from  high                                low
     16.4 µs  ######################## 998
     32.8 µs                                      ######################## 999
     65.5 µs  # 2
      131 µs                                      # 1
since the module was loaded
  500 copies: 1 GiB by DMA in 16384 chunks, 3 MiB by CPU, 17 B not copied; 3 policies started
           400 by CPU: the copy is smaller than the threshold
             2 by CPU: the engine could not read the source
";
    assert_eq!(text(&shown), expected);
}

#[test]
fn no_policy_still_has_counters() {
    let state = PolicyState {
        policy: Policy::new(PolicyKind::None),
        channels_held: 0,
        channels_dead: 0,
        ..state()
    };
    let shown = Shown {
        state: &state,
        stats: &Stats::default(),
        channels: &[],
        emulated: false,
    };
    let text = text(&shown);
    assert!(
        text.starts_with("no policy is running: the CPU does every copy; 8 channels found\nsince"),
        "{text}"
    );
    assert!(!text.contains("windows"), "{text}");
}

#[test]
fn windows_that_never_came_divide_by_nothing() {
    let state = PolicyState {
        windows: Windows::default(),
        ..state()
    };
    let shown = Shown {
        state: &state,
        stats: &stats(),
        channels: &[],
        emulated: false,
    };
    let text = text(&shown);
    assert!(text.contains("high nominal 30.0 µs; none yet\n"), "{text}");
    assert!(text.contains("gate waits 0\n"), "{text}");
    let guest = Shown {
        emulated: true,
        ..shown
    };
    assert!(self::text(&guest).contains("\nemulated: times are meaningless"));
}

#[test]
fn a_start_says_what_the_module_made_of_it() {
    let shared = Policy {
        channels: Some(1),
        chooser: Chooser::LeastOutstanding,
        fold: true,
        ..Policy::new(PolicyKind::Shared)
    };
    let expected = "\
policy shared started on 1 channel
  chooser least-outstanding; chunks of default; CPU below default; time limit default
  CPUs may share a channel
";
    assert_eq!(terminal::plain(&started(&shared)), expected);
}

#[test]
fn pipes_get_numbers_and_sentences() {
    let (state, stats) = (state(), stats());
    let channel = crate::dma::channels::tests::described("dma0chan0", true);
    assert!(matches!(channel.counters, Some(Counters { errors: 1, .. })));
    let value = json(&Shown {
        state: &state,
        stats: &stats,
        channels: &[channel],
        emulated: false,
    });
    assert_eq!(value["policy"]["kind"], "priority");
    assert_eq!(value["windows"]["high_log2"][14], 998);
    let first = &value["counters"]["cpu_chunks"][0];
    assert_eq!(
        (first["number"].as_u64(), first["chunks"].as_u64()),
        (Some(4), Some(400))
    );
    assert_eq!(first["reason"], "the copy is smaller than the threshold");
    assert_eq!(value["channels"][0], "dma0chan0");
}
