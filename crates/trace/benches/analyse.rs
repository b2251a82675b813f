//! Speed and memory of the analyses over a file of 10 million events, from the
//! page cache, on one core: `cargo bench -p pontage-trace`. Prints events a second of CPU
//! time (the machine may be busy) and the peak of resident memory.

#[path = "../src/testing.rs"]
#[allow(dead_code)]
mod testing;

use std::fs::File;
use std::io::{BufWriter, Read};
use std::path::Path;
use std::process::Command;
use testing::{Making, V};
use trace::analyse::interrupts::Interrupts;
use trace::analyse::queue::Queues;
use trace::analyse::slices::{Slice, Slices};
use trace::analyse::tasks::Tasks;
use trace::analyse::ticks::TickCount;
use trace::analyse::timers::{Chains, Wheel};
use trace::analyse::{Known, Pass, Visitor};

const EVENTS: u64 = 10_000_000;
const CPUS: u32 = 4;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, what, file] = &arguments[..]
        && Path::new(file).exists()
    {
        measure(what, Path::new(file));
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("trace.dat");
    build(&path);
    let size = path.metadata().map_or(0, |m| m.len());
    println!("{EVENTS} events, {CPUS} CPUs, {} MB", size / 1_000_000);
    for what in ["decode", "slices", "all"] {
        for _ in 0..3 {
            let status = Command::new(&arguments[0]).arg(what).arg(&path).status();
            assert!(status.expect("this program again").success());
        }
    }
}

/// Pairs of tasks that hand each other the CPU, with ticks between.
fn build(path: &Path) {
    let mut making = Making::new();
    for cpu in 0..CPUS {
        let (mut at, mut running) = (1_000 + u64::from(cpu), 0i32);
        let mut left = EVENTS / u64::from(CPUS);
        while left >= 10 {
            let next = 1000 + cpu.cast_signed() * 500 + ((at / 7) % 400) as i32;
            making.wake("sched_waking", cpu, at, running, next, cpu);
            making.wake("sched_wakeup", cpu, at + 300, running, next, cpu);
            making.switch(
                cpu,
                at + 900,
                running,
                if at % 3 == 0 { 0x100 } else { 1 },
                next,
            );
            making.switch(cpu, at + 5_000, next, 1, 0);
            making.push(cpu, at + 7_000, 0, "local_timer_entry", &[V::N(236)]);
            making.push(
                cpu,
                at + 7_100,
                0,
                "hrtimer_expire_entry",
                &[V::N(1), V::N(0), V::N(0x2000)],
            );
            making.push(cpu, at + 7_200, 0, "softirq_raise", &[V::N(1)]);
            making.push(cpu, at + 7_300, 0, "local_timer_exit", &[V::N(236)]);
            making.push(cpu, at + 7_400, 0, "softirq_entry", &[V::N(1)]);
            making.push(cpu, at + 7_500, 0, "softirq_exit", &[V::N(1)]);
            left -= 10;
            running = 0;
            at += 9_001;
        }
    }
    let (head, pages) = making.pages();
    let mut sources: Vec<(u32, &[u8])> = pages.iter().map(|(cpu, p)| (*cpu, &p[..])).collect();
    let sources = sources
        .iter_mut()
        .map(|(cpu, p)| (*cpu, p as &mut dyn Read))
        .collect();
    let mut out = BufWriter::new(File::create(path).expect("a file"));
    trace::file::write(&mut out, &head, sources).expect("a trace");
}

/// Nanoseconds that this thread was on a CPU.
fn on_cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .unwrap_or(0)
}

fn measure(what: &str, path: &Path) {
    let capture = trace::file::open(path).expect("the file");
    let known = Known::of(&capture);
    // Into the page cache.
    let bytes: u64 = capture
        .cpus
        .iter()
        .map(|c| {
            let pages = c.to_vec().expect("its pages");
            pages
                .iter()
                .step_by(4096)
                .map(|b| u64::from(*b))
                .sum::<u64>()
        })
        .sum();
    std::hint::black_box(bytes);
    let mut slices = Slices::new(&known, Tasks::new(&known.cpus));
    let (mut queues, mut chains, mut wheel) = (
        Queues::new(&known, ()),
        Chains::new(&known),
        Wheel::new(&known),
    );
    let (mut ticks, mut interrupts) = (TickCount::new(&known), Interrupts::new(&known));
    let mut count = 0u64;
    let begin = on_cpu_ns();
    let events = match what {
        "decode" => capture.merged().count() as u64,
        "slices" => {
            let mut plain = Slices::new(&known, |slice: &Slice| count += slice.length_ns());
            Pass::over(&capture, &known, &mut [&mut plain]).events
        }
        _ => {
            let mut all: [&mut dyn Visitor; 6] = [
                &mut slices,
                &mut queues,
                &mut chains,
                &mut wheel,
                &mut ticks,
                &mut interrupts,
            ];
            Pass::over(&capture, &known, &mut all).events
        }
    };
    let took = on_cpu_ns().saturating_sub(begin).max(1);
    std::hint::black_box(count);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        status
            .lines()
            .find_map(|l| Some(l.strip_prefix(name)?.trim().to_owned()))
    };
    println!(
        "{what:<8} {:6.1} M events/s of CPU time, peak {} (of the process's own {})",
        events as f64 * 1e3 / took as f64,
        field("VmHWM:").unwrap_or_default(),
        field("RssAnon:").unwrap_or_default(),
    );
}
