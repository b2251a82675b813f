//! Times SUSAN smoothing, for the comparison with C (`cargo xtask bench --only susan`).
//!
//!     time_smoothing large|huge BUDGET_MS
//!
//! prints the digest of the smoothed image and the median time of an image, in ns.

use std::process::ExitCode;
use std::time::{Duration, Instant};
use workload::susan::{Size, Task, build, known};

const FEWEST_IMAGES: usize = 3;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let asked = match words.as_slice() {
        [size, budget] => Size::ALL
            .into_iter()
            .find(|known| known.name() == size)
            .zip(budget.parse().ok()),
        _ => None,
    };
    let Some((size, budget_ms)) = asked else {
        eprintln!("usage: time_smoothing small|large|huge BUDGET_MS");
        return ExitCode::from(2);
    };
    match image_ns(size, Duration::from_millis(budget_ms)) {
        Ok(ns) => {
            println!("{:016x} {ns}", known(Task::Smooth, size));
            ExitCode::SUCCESS
        }
        Err(cause) => {
            eprintln!("{cause}");
            ExitCode::FAILURE
        }
    }
}

fn image_ns(size: Size, budget: Duration) -> Result<u128, workload::WrongResult> {
    let mut program = build(Task::Smooth, size);
    program.run(1);
    let mut times = Vec::new();
    let began = Instant::now();
    while times.len() < FEWEST_IMAGES || began.elapsed() < budget {
        let image = Instant::now();
        program.run(1);
        times.push(image.elapsed().as_nanos());
    }
    program.verify()?;
    times.sort_unstable();
    Ok(times[times.len() / 2])
}
