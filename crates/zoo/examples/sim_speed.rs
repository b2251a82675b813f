//! What a simulated load costs on the machine that simulates, by the size of the set that a
//! random chase walks: cargo run --release -p zoo --example `sim_speed` [core]
#![forbid(unsafe_code)]

use stats::Rng;
use std::time::Instant;
use zoo::{Memory, Surroundings, cores};

const LOADS: usize = 3_000_000;
const SETS_BYTES: [u64; 4] = [16 << 10, 512 << 10, 8 << 20, 64 << 20];

fn main() {
    let name = std::env::args().nth(1).unwrap_or_else(|| "zen3".to_owned());
    let Some(core) = cores::named(&name) else {
        eprintln!("no core {name}");
        return;
    };
    println!("{name}, random chase:");
    println!(
        "{:>10} {:>10} {:>10} {:>12}",
        "set", "pages", "host ns", "simulated ns"
    );
    for huge in [true, false] {
        for bytes in SETS_BYTES {
            let (host, simulated) = chase(&core, bytes, huge);
            let pages = if huge { "huge" } else { "base" };
            println!(
                "{:>6} KiB {pages:>10} {host:>10.1} {simulated:>12.2}",
                bytes >> 10
            );
        }
    }
}

/// Host time and simulated time of a load, in ns, after one round that fills the caches.
fn chase(core: &zoo::Core, bytes: u64, huge: bool) -> (f64, f64) {
    let mut memory = Memory::new(core.clone(), Surroundings::quiet(), 1);
    let base = memory.map(bytes, huge);
    let line_bytes = u64::from(core.line_bytes);
    let mut order: Vec<u64> = (0..bytes / line_bytes)
        .map(|l| base + l * line_bytes)
        .collect();
    let mut rng = Rng::new(2);
    for at in (1..order.len()).rev() {
        order.swap(at, rng.below(at + 1));
    }
    order.iter().for_each(|address| memory.load(0, 1, *address));
    let (begun, begun_ns) = (Instant::now(), memory.now_ns());
    for address in order.iter().cycle().take(LOADS) {
        memory.load(0, 1, *address);
    }
    let host = begun.elapsed().as_secs_f64() * 1e9;
    let simulated = memory.now_ns() - begun_ns;
    (host / LOADS as f64, simulated / LOADS as f64)
}
