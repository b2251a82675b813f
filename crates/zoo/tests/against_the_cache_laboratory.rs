//! The simulator against the laboratory's cache model, which is other code in another
//! language: equal addresses, equal levels, for every single load.

mod machines;

use stats::Rng;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use zoo::cores::{Inclusion, Level, Policy};
use zoo::{Core, Memory};

/// Mapped in place, so that both see the same physical addresses.
const MAPPED_BYTES: u64 = 16 << 20;
const LOADS: usize = 20_000;

/// Line size, then size and ways of both levels.
const SHAPES: [[u64; 5]; 5] = [
    [64, 32 << 10, 8, 256 << 10, 8],
    [64, 4 << 10, 4, 8 << 10, 2],
    [32, 16 << 10, 1, 64 << 10, 16],
    [128, 64 << 10, 2, 128 << 10, 1],
    [64, 64 << 10, 4, 1 << 20, 16],
];

fn built(shape: &[u64; 5]) -> Core {
    let [line_bytes, rest @ ..] = *shape;
    let level = |name, at: usize, inclusion| -> Level {
        let ways = u32::try_from(rest[at + 1]).unwrap();
        machines::level(name, rest[at], ways, Policy::Lru, inclusion)
    };
    Core {
        line_bytes: u32::try_from(line_bytes).unwrap(),
        ..machines::core(vec![
            level("L1d", 0, Inclusion::NonInclusive),
            level("L2", 2, Inclusion::Inclusive),
        ])
    }
}

/// Random ones, strides and returns to what was used before, over more and more memory.
fn addresses(seed: u64) -> Vec<u64> {
    let mut rng = Rng::new(seed);
    let mut addresses: Vec<u64> = Vec::with_capacity(LOADS);
    let mut here = 0;
    for at in 0..LOADS {
        let reach = 8192 << (at * 12 / LOADS);
        here = match rng.below(4) {
            0 => rng.next_u64() % reach,
            1 => here + 64,
            2 => here + 4096,
            _ => addresses
                .get(at.saturating_sub(1 + rng.below(300)))
                .map_or(0, |a| *a),
        } % MAPPED_BYTES;
        addresses.push(here);
    }
    addresses
}

/// 1, 2, or 3 for memory.
fn level_of(memory: &mut Memory, address: u64) -> u64 {
    let before = memory.counts();
    memory.load(0, 1, address);
    let after = memory.counts();
    1 + (after.l1_refills - before.l1_refills) + (after.memory_reads - before.memory_reads)
}

fn compiled(compilers: &[&str], folder: &Path) -> Option<PathBuf> {
    let compiler = compilers.iter().find(|c| {
        let asked = Command::new(c).arg("--version").output();
        asked.is_ok_and(|o| o.status.success())
    })?;
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let model = here.join("../../lab/plugins/cache");
    let program = folder.join("model");
    let built = Command::new(compiler)
        .args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(&model)
        .arg("-o")
        .arg(&program)
        .arg(here.join("tests/against_the_cache_laboratory.c"))
        .args(["model.c", "sets.c"].map(|file| model.join(file)))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    Some(program)
}

/// What the model says, a level for each address.
fn model(program: &Path, shape: &[u64; 5], addresses: &[u64]) -> Vec<u64> {
    let input = program.with_extension("addresses");
    let mut text = String::new();
    addresses
        .iter()
        .for_each(|a| writeln!(text, "{a:x}").unwrap());
    std::fs::write(&input, text).unwrap();
    let ran = Command::new(program)
        .args(shape.map(|number| number.to_string()))
        .stdin(Stdio::from(std::fs::File::open(&input).unwrap()))
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let said = String::from_utf8(ran.stdout).unwrap();
    said.lines().map(|line| line.parse().unwrap()).collect()
}

#[test]
fn every_load_is_served_by_the_same_level() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compiled(&["cc", "gcc", "clang"], folder.path()) else {
        eprintln!(
            "SKIP the simulator against the laboratory's cache model: there is no C compiler\n\
             enable: sudo apt-get install gcc"
        );
        return;
    };
    for (shape, seed) in SHAPES.iter().zip(1..) {
        let addresses = addresses(seed);
        let expected = model(&program, shape, &addresses);
        assert_eq!(expected.len(), LOADS);
        let mut memory = machines::still(built(shape));
        let mut seen = [0; 4];
        for (at, address) in addresses.iter().enumerate() {
            let level = level_of(&mut memory, *address);
            assert_eq!(level, expected[at], "{shape:?}: load {at} of {address:#x}");
            seen[usize::try_from(level).unwrap()] += 1;
        }
        assert!(
            seen[1..].iter().all(|loads| *loads > 500),
            "{shape:?}: {seen:?}"
        );
    }
}
