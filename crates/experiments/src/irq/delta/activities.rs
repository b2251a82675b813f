//! What a CPU is occupied with while its interrupts are counted.

use engines::crew::body::{Body, Host};
use engines::crew::child::Departure;
use engines::memory::buffer::{Buffer, page_bytes};
use harness::affinity::bindable;
use harness::ticks::pass_time;
use harness::wakeups::Alarm;
use harness::{Context, Deadline, SetupError};
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Something to do; dropping it ends its helpers.
pub trait Activity {
    /// Does it for a time; how many turns that were.
    fn work(&mut self, ns: u64) -> io::Result<u64>;
}

/// The activity of this word.
///
/// # Errors
/// `Skip` where the machine has not what it needs, `Fail` otherwise.
pub fn begin(word: &str, context: &Context) -> Result<Box<dyn Activity>, SetupError> {
    let other_cpu = context.partner_cpu.unwrap_or(context.test_cpu);
    let fail = |cause| SetupError::fail(&format!("begin {word}"), cause);
    if !matches!(word, "rest" | "compute" | "sleep" | "files") {
        bindable(other_cpu)?;
    }
    Ok(match word {
        "rest" => Box::new(Passing { busy: false }),
        "compute" => Box::new(Passing { busy: true }),
        "sleep" => Box::new(Sleeping(Alarm::new(1_000_000))),
        "pipe" => Box::new(Turns::over_pipes(other_cpu).map_err(fail)?),
        "loopback" => Box::new(Turns::over_loopback(other_cpu).map_err(no_loopback)?),
        "files" => Box::new(Files::create(context).map_err(fail)?),
        _ => match context.partner_cpu {
            Some(cpu) => Box::new(Unmapping::begin(cpu).map_err(fail)?),
            None => {
                return Err(SetupError::skip(
                    "a TLB shootdown needs a second CPU, and only one may be used",
                    "none: it needs two CPUs",
                ));
            }
        },
    })
}

/// An interface that is down, or sockets that are refused.
fn no_loopback(cause: io::Error) -> SetupError {
    match cause.raw_os_error() {
        Some(libc::ENETUNREACH | libc::EADDRNOTAVAIL | libc::ENETDOWN) => {
            SetupError::skip(format!("no loopback network: {cause}"), "ip link set lo up")
        }
        _ => SetupError::fail("use sockets on the loopback network", cause),
    }
}

fn turns(ns: u64, mut one: impl FnMut() -> io::Result<()>) -> io::Result<u64> {
    let until = Deadline::after(Duration::from_nanos(ns));
    let mut count = 0;
    while !until.passed() {
        one()?;
        count += 1;
    }
    Ok(count)
}

struct Passing {
    busy: bool,
}

impl Activity for Passing {
    fn work(&mut self, ns: u64) -> io::Result<u64> {
        pass_time(self.busy, ns);
        Ok(0)
    }
}

struct Sleeping(Alarm);

impl Activity for Sleeping {
    fn work(&mut self, ns: u64) -> io::Result<u64> {
        self.0.begin();
        turns(ns, || {
            self.0.sleep();
            Ok(())
        })
    }
}

/// A byte to another thread and back.
struct Turns {
    /// Both ends of this side; closed before the other is waited for.
    to: Box<dyn Write>,
    from: Box<dyn Read>,
    _other: Body,
}

impl Turns {
    fn over_pipes(cpu: u32) -> io::Result<Turns> {
        let (there, back) = (io::pipe()?, io::pipe()?);
        let other = answer(cpu, there.0, back.1)?;
        Ok(Turns {
            to: Box::new(there.1),
            from: Box::new(back.0),
            _other: other,
        })
    }

    fn over_loopback(cpu: u32) -> io::Result<Turns> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let ours = TcpStream::connect(listener.local_addr()?)?;
        let (theirs, _) = listener.accept()?;
        for end in [&ours, &theirs] {
            end.set_nodelay(true)?;
        }
        let other = answer(cpu, theirs.try_clone()?, theirs)?;
        Ok(Turns {
            to: Box::new(ours.try_clone()?),
            from: Box::new(ours),
            _other: other,
        })
    }
}

/// A thread on `cpu` that sends back what comes, until nothing does any more.
fn answer(
    cpu: u32,
    mut from: impl Read + Send + 'static,
    mut to: impl Write + Send + 'static,
) -> io::Result<Body> {
    on(cpu, move || {
        let mut byte = [0];
        while from.read_exact(&mut byte).is_ok() && to.write_all(&byte).is_ok() {}
    })
}

/// A thread on `cpu`, or where it may run: what it does to this CPU is the same.
fn on(cpu: u32, mut work: impl FnMut() + Send + 'static) -> io::Result<Body> {
    Body::start(Host::Thread, "other", cpu, &[], move |_| {
        work();
        Departure::Done
    })
}

impl Activity for Turns {
    fn work(&mut self, ns: u64) -> io::Result<u64> {
        let mut byte = [1];
        turns(ns, || {
            self.to.write_all(&byte)?;
            self.from.read_exact(&mut byte)
        })
    }
}

/// Writes that wait for the storage.
struct Files {
    path: PathBuf,
    file: File,
}

impl Files {
    fn create(context: &Context) -> io::Result<Files> {
        let path = context.scratch.join("interrupts");
        let file = File::create(&path)?;
        Ok(Files { path, file })
    }
}

impl Activity for Files {
    fn work(&mut self, ns: u64) -> io::Result<u64> {
        turns(ns, || {
            self.file.write_all_at(&[0xA5; 4096], 0)?;
            self.file.sync_data()
        })
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

const PAGES: usize = 16;

/// Mappings that come and go on two CPUs at once.
struct Unmapping {
    stop: Arc<AtomicBool>,
    _other: Body,
}

impl Unmapping {
    fn begin(cpu: u32) -> io::Result<Unmapping> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let other = on(cpu, move || {
            while !stopped.load(Ordering::Relaxed) && come_and_go().is_ok() {}
        })?;
        Ok(Unmapping {
            stop,
            _other: other,
        })
    }
}

fn come_and_go() -> io::Result<()> {
    Buffer::touched(PAGES * page_bytes()).map(drop)
}

impl Activity for Unmapping {
    fn work(&mut self, ns: u64) -> io::Result<u64> {
        turns(ns, come_and_go)
    }
}

impl Drop for Unmapping {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
