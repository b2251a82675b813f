//! The instrument on this machine: its self-test, then three subjects through
//! the whole sampler. `cargo run --release -p harness --example instrument`

use harness::{Bench, ClockSpec, Member, Sampling, Shape, Subject, SystemWatch};
use std::path::Path;
use std::sync::atomic::AtomicBool;

struct Loop;

impl Subject for Loop {
    fn batch(&mut self, _part: u16, ops: u64) {
        for turn in 0..ops {
            std::hint::black_box(turn);
        }
    }
}

struct Getppid;

impl Subject for Getppid {
    fn batch(&mut self, _part: u16, ops: u64) {
        for _ in 0..ops {
            // SAFETY: getppid takes no arguments and cannot fail.
            unsafe { libc::syscall(libc::SYS_getppid) };
        }
    }
}

struct ColdLine(Vec<u8>);

impl Subject for ColdLine {
    fn batch(&mut self, _part: u16, ops: u64) {
        for op in 0..ops as usize {
            std::hint::black_box(self.0[(op * 4096) % self.0.len()]);
        }
    }

    fn prepare(&mut self, _part: u16) {
        for line in self.0.chunks(64) {
            std::hint::black_box(line[0]);
        }
    }
}

fn main() {
    let root = Path::new("/");
    let spec = ClockSpec::choose(root);
    println!("{:#?}", harness::self_test(&spec));
    let clock = spec.build();
    let cpu = harness::watch::current_cpu().unwrap_or(0);
    let mut watch = SystemWatch::open(root, cpu);
    println!(
        "reading steal and interrupts costs {:.0} ns",
        watch.expensive_cost_ns()
    );
    let floor_ns = harness::self_test::floor_ns(&*clock);
    let stop = AtomicBool::new(false);
    let single = Shape::Single { repetitions: 300 };
    show(
        "loop",
        &mut Loop,
        Shape::Batched,
        &mut bench(&*clock, &mut watch, floor_ns, &stop),
    );
    show(
        "getppid",
        &mut Getppid,
        Shape::Batched,
        &mut bench(&*clock, &mut watch, floor_ns, &stop),
    );
    let mut cold = ColdLine(vec![1; 8 << 20]);
    show(
        "cold",
        &mut cold,
        single,
        &mut bench(&*clock, &mut watch, floor_ns, &stop),
    );
}

fn bench<'a>(
    clock: &'a dyn harness::Clock,
    watch: &'a mut SystemWatch,
    floor_ns: f64,
    stop: &'a AtomicBool,
) -> Bench<'a> {
    Bench {
        clock,
        watch,
        counters: None,
        floor_ns,
        process: 0,
        next_index: 0,
        stop,
    }
}

fn show(name: &str, subject: &mut dyn Subject, shape: Shape, bench: &mut Bench<'_>) {
    let sampling = Sampling {
        shape,
        batch_ns: 1_000_000,
        budget_ns: 200_000_000,
        deadline_ns: 1_000_000_000,
        min_samples: 20,
        max_samples: 1000,
        target_width: 0.01,
    };
    let mut members = [Member {
        subject,
        parts: 1,
        sampling,
    }];
    let result = harness::sample_block(&mut members, bench).remove(0);
    let mut values: Vec<f64> = result.samples.iter().map(|s| s.value).collect();
    values.sort_by(f64::total_cmp);
    let read = result
        .samples
        .iter()
        .filter(|s| s.disturbance.interrupts.is_some());
    let (ops, read) = (result.samples[0].ops, read.count());
    println!(
        "{name}: n {} ops {ops} min {:.4} median {:.4} max {:.4} ns, {read} read around, {:?} {:?}",
        values.len(),
        values[0],
        values[values.len() / 2],
        values[values.len() - 1],
        result.ended,
        result.notes,
    );
}
