//! From the start of QEMU to its end: by itself, at the END marker, at the
//! deadline, or because the user interrupts.

use super::qemu::{Boot, CONSOLE};
use crate::data::Ends;
use crate::stop::{Stop, cannot};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks at QEMU and its log.
const LOOK: Duration = Duration::from_millis(50);
/// What a guest may take from the END marker to the end of QEMU.
const GRACE: Duration = Duration::from_secs(15);
const END: &str = "pontage-lab: END";
/// The first line of init.
const READY: &str = "pontage-lab: ready";
/// A console that says nothing for so long before init belongs to a guest that will not come:
/// a boot prints several lines a second, and even a busy host leaves gaps of seconds only.
pub const SILENCE: Duration = Duration::from_secs(120);
/// From here on the guest may be killed.
const KILL: &str = "pontage-lab: KILL";
/// Output of QEMU itself.
pub const QEMU_LOG: &str = "qemu.log";

/// How a guest's life ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It printed END and ended, or was then ended.
    Done,
    /// QEMU ended and the guest had not printed END.
    Gone,
    /// It was killed at the deadline.
    Deadline,
    /// It was killed because its console fell silent before init.
    Silent,
    /// It was killed at the moment that was asked for.
    Killed,
}

/// How long a guest is waited for.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// From power-on to the END marker.
    pub deadline: Duration,
    /// Between two lines of the console before init.
    pub silence: Duration,
}

/// Boots and waits. With `kill` the guest is killed so long after it printed KILL.
///
/// # Errors
/// Where QEMU cannot be started, or the user interrupts.
pub fn run(
    boot: &Boot,
    patience: Patience,
    kill: Option<Duration>,
    stop: &AtomicBool,
) -> Result<End, Stop> {
    let path = boot.folder.join(QEMU_LOG);
    let log = File::create(&path).map_err(cannot("make", &path))?;
    let out = log.try_clone().map_err(cannot("open", &path))?;
    let mut qemu = boot.command();
    qemu.stdin(Stdio::null()).stdout(out).stderr(log);
    let mut guest = Guest(qemu.spawn().map_err(cannot_run("start", boot))?);
    let mut marker = Marker::new(boot.folder.join(CONSOLE), END);
    let mut mortal = Marker::new(boot.folder.join(CONSOLE), KILL);
    let mut coming = Coming::new(boot.folder.join(CONSOLE));
    let until = Instant::now() + patience.deadline;
    let mut leaving: Option<Instant> = None;
    loop {
        let gone = guest.gone();
        if let Some(after) = kill.filter(|_| mortal.seen()) {
            thread::sleep(after);
            // Ended by its drop, at once and without a word to the guest.
            return Ok(if guest.gone() { End::Gone } else { End::Killed });
        }
        if leaving.is_none() && marker.seen() {
            leaving = Some(Instant::now() + GRACE);
        }
        match leaving {
            Some(by) if gone || boot.machine.ends == Ends::Marker || Instant::now() > by => {
                return Ok(End::Done);
            }
            None if gone => return Ok(End::Gone),
            None if Instant::now() > until => return Ok(End::Deadline),
            None if coming.silent() > patience.silence => return Ok(End::Silent),
            _ => {}
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted);
        }
        thread::sleep(LOOK);
    }
}

/// Boots with a person at the console.
///
/// # Errors
/// Where QEMU cannot be started.
pub fn attend(boot: &Boot) -> Result<(), Stop> {
    let mut qemu = boot.command().spawn().map_err(cannot_run("start", boot))?;
    qemu.wait().map(drop).map_err(cannot_run("wait for", boot))
}

fn cannot_run(doing: &str, boot: &Boot) -> impl FnOnce(std::io::Error) -> Stop {
    cannot(doing, Path::new(&boot.machine.qemu))
}

/// QEMU, which does not outlive this.
struct Guest(Child);

impl Guest {
    fn gone(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A guest on its way to init.
struct Coming {
    ready: Marker,
    grew: Instant,
}

impl Coming {
    fn new(console: PathBuf) -> Coming {
        Coming {
            ready: Marker::new(console, READY),
            grew: Instant::now(),
        }
    }

    /// Time since the console last grew; none once init has spoken.
    fn silent(&mut self) -> Duration {
        let before = self.ready.read_bytes;
        if self.ready.seen() || self.ready.read_bytes > before {
            self.grew = Instant::now();
        }
        self.grew.elapsed()
    }
}

/// Looks for a marker in a log that grows.
struct Marker {
    mark: &'static str,
    path: PathBuf,
    read_bytes: u64,
    /// The end of what was read: the marker may come in two pieces.
    rest: Vec<u8>,
    seen: bool,
}

impl Marker {
    fn new(path: PathBuf, mark: &'static str) -> Marker {
        Marker {
            mark,
            path,
            read_bytes: 0,
            rest: Vec::new(),
            seen: false,
        }
    }

    fn seen(&mut self) -> bool {
        if let (false, Ok(more)) = (self.seen, from(&self.path, self.read_bytes)) {
            self.read_bytes += more.len() as u64;
            self.rest.extend(more);
            let mark = self.mark.as_bytes();
            self.seen = self.rest.windows(mark.len()).any(|w| w == mark);
            let keep = self.rest.len().saturating_sub(mark.len());
            self.rest.drain(..keep);
        }
        self.seen
    }
}

fn from(path: &Path, offset: u64) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What stands in a log, whatever bytes a serial port made of it.
pub fn text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

#[cfg(test)]
#[path = "life_tests.rs"]
mod tests;
