//! getppid through a whole session: three measuring processes, results as
//! they come. `cargo run --release -p harness --example session`

use harness::affinity;
use harness::session::Patience;
use harness::worker::{self, WORKER_ARGUMENT};
use harness::{
    Block, ClockSpec, Context, Launcher, PlannedExperiment, PlannedPoint, Point, Progress,
    Sampling, Scheduling, Session, SetupError, Shape, Sink, Status, Subject,
};
use record::{MachineCard, PointHead, Sample};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

struct Getppid;

impl Subject for Getppid {
    fn batch(&mut self, _part: u16, ops: u64) {
        for _ in 0..ops {
            // SAFETY: getppid takes no arguments and cannot fail.
            unsafe { libc::syscall(libc::SYS_getppid) };
        }
    }
}

fn set_up(_: &Point, _: &Context) -> Result<Box<dyn Subject>, SetupError> {
    Ok(Box::new(Getppid))
}

struct Printer;

impl Sink for Printer {
    fn point(
        &mut self,
        process: u16,
        head: &PointHead,
        samples: &[Sample],
        notes: &[String],
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let mut values: Vec<f64> = samples.iter().map(|s| s.value).collect();
        values.sort_by(f64::total_cmp);
        let median = values.get(values.len() / 2).copied().unwrap_or(f64::NAN);
        println!(
            "process {process} {} {:?} n {} median {median:.2} ns {notes:?}",
            head.experiment,
            head.state,
            values.len()
        );
        Ok(())
    }
}

impl Progress for Printer {
    fn update(&mut self, _status: &Status) {}
}

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(WORKER_ARGUMENT) {
        return worker::main(&set_up);
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let root = Path::new("/");
    let stop = harness::signals::stop_flag()?;
    let cpus = affinity::allowed_cpus()?;
    let chosen = affinity::choose(&cpus, root);
    println!("{chosen:?}");
    let session = Session {
        launcher: Launcher::this_executable(),
        clock: ClockSpec::choose(root),
        scheduling: Scheduling {
            fifo: std::env::args().any(|a| a == "--fifo"),
            lock_memory: false,
        },
        counters: None,
        interrupts: false,
        context: Context {
            card: MachineCard::default(),
            test_cpu: chosen.test_cpu,
            partner_cpu: chosen.partner_cpu,
            cpus,
            memory_available_bytes: 1 << 30,
            scratch: std::env::temp_dir().join(format!("harness-{}", std::process::id())),
            traces: None,
        },
        processes: 3,
        patience: Patience::default(),
        stop: &stop,
    };
    let began = std::time::Instant::now();
    let ending = session.run(&plan(), &mut Printer, &mut Printer)?;
    println!("{ending:?} in {:?}", began.elapsed());
    Ok(())
}

fn plan() -> Vec<PlannedExperiment> {
    let sampling = Sampling {
        shape: Shape::Batched,
        batch_ns: 1_000_000,
        budget_ns: 200_000_000,
        deadline_ns: 2_000_000_000,
        min_samples: 20,
        max_samples: 1000,
        target_width: 0.005,
    };
    let point = |index| PlannedPoint {
        point: Point {
            index,
            experiment: "syscall/getppid".to_owned(),
            settings: Vec::new(),
        },
        sampling,
        parts: 1,
        bytes_per_op: None,
    };
    vec![PlannedExperiment {
        id: "syscall/getppid".to_owned(),
        blocks: vec![
            Block {
                points: vec![point(0)],
            },
            Block {
                points: vec![point(1), point(2)],
            },
        ],
    }]
}
