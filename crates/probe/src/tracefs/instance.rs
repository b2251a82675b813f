//! Setting up an instance: a ring of its own, and exactly the events that were
//! asked for.

use super::absence::{Result, TracefsError};
use super::mount::{Tracefs, read, ring_cpus, ring_entries, write};
use super::select::{Selection, Switched};
use super::unfiltered;
use machine::{CpuList, Source};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A folder below `instances`, which who made it removes; or tracefs itself, the
/// machine's own ring, which who holds it puts back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    folder: PathBuf,
}

/// How an instance is to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// One of `trace_clock`.
    pub clock: String,
    /// Of each CPU's ring.
    pub buffer_kib: u64,
    /// A full ring loses its oldest events, and the kernel marks where;
    /// otherwise the newest, and only their number is known.
    pub overwrite: bool,
    /// Only what these tasks, and the children they will have, do; empty: all.
    pub pids: Vec<u32>,
}

/// An instance as the kernel took it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    pub instance: Instance,
    pub clock: String,
    pub buffer_kib: u64,
    pub page_bytes: u32,
    /// What is not as asked.
    pub notes: Vec<String>,
    /// Which functions are traced, and by what.
    pub functions: Option<String>,
}

/// Clocks to take in the place of one that the kernel does not have.
const CLOCKS: [&str; 3] = ["mono", "global", "local"];
/// A reader wakes when its ring is so full: late enough to be rare, early
/// enough to be scheduled before it overflows.
const WAKE_PERCENT: &str = "25";

impl Instance {
    /// The instance that `folder` is; nothing is made.
    pub fn at(folder: PathBuf) -> Instance {
        Instance { folder }
    }

    /// A file of the instance.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Sets everything but does not start.
    ///
    /// # Errors
    /// A setting, a filter or a trigger that the kernel does not take.
    pub fn prepare(self, settings: &Settings, selection: &Selection) -> Result<Prepared> {
        let mut notes = Vec::new();
        self.switch(false)?;
        let clock = self.set_clock(&settings.clock, &mut notes)?;
        let buffer_kib = self.set_buffer(settings.buffer_kib)?;
        self.write(
            "options/overwrite",
            if settings.overwrite { "1" } else { "0" },
        )?;
        if self.path("buffer_percent").exists() {
            self.write("buffer_percent", WAKE_PERCENT)?;
        }
        if !settings.pids.is_empty() {
            self.follow(&settings.pids)?;
        }
        for switched in &selection.switched {
            self.switch_on(switched)?;
        }
        notes.extend(unfiltered::notes(&self.folder, selection)?);
        Ok(Prepared {
            page_bytes: self.page_bytes()?,
            instance: self,
            clock,
            buffer_kib,
            notes,
            functions: None,
        })
    }

    /// Its folder below `instances/`, or tracefs itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts or stops writing to the rings (`tracing_on`).
    pub fn switch(&self, on: bool) -> Result<()> {
        self.write("tracing_on", if on { "1" } else { "0" })
    }

    fn set_clock(&self, wanted: &str, notes: &mut Vec<String>) -> Result<String> {
        let text = read(&self.path("trace_clock"))?;
        let known: Vec<&str> = text
            .split_whitespace()
            .map(|word| word.trim_matches(['[', ']']))
            .collect();
        let mut order = [wanted].into_iter().chain(CLOCKS);
        let Some(clock) = order.find(|c| known.contains(c)) else {
            return Err(TracefsError::refused(
                format!("set the clock {wanted}"),
                format!("the kernel has {}", known.join(" ")),
            ));
        };
        if clock != wanted {
            notes.push(format!(
                "this kernel has no trace clock {wanted}: {clock} is used; it has {}",
                known.join(" ")
            ));
        }
        self.write("trace_clock", clock)?;
        Ok(clock.to_owned())
    }

    /// The size as the kernel rounded it.
    fn set_buffer(&self, kib: u64) -> Result<u64> {
        self.write("buffer_size_kb", &kib.to_string())
            .map_err(|error| match error {
                TracefsError::File { cause, .. } => TracefsError::refused(
                    format!("create ring buffers of {kib} KiB per CPU"),
                    format!("{cause}; try --buffer-kib {}", kib / 4),
                ),
                other => other,
            })?;
        let text = read(&self.path("buffer_size_kb"))?;
        // `7 (expanded: 1410)` before the first use.
        let number = text.split_whitespace().next();
        Ok(number.and_then(|n| n.parse().ok()).unwrap_or(kib))
    }

    fn follow(&self, pids: &[u32]) -> Result<()> {
        let list: Vec<String> = pids.iter().map(u32::to_string).collect();
        if self.path("options/event-fork").exists() {
            self.write("options/event-fork", "1")?;
        }
        self.write("set_event_pid", &list.join(" "))
    }

    fn switch_on(&self, switched: &Switched) -> Result<()> {
        let folder = switched.folder();
        if let Some(filter) = &switched.filter {
            self.describe(switched, "filter", filter)?;
        }
        for trigger in &switched.triggers {
            self.describe(switched, "trigger", trigger)?;
        }
        self.write(&format!("{folder}/enable"), "1")
    }

    /// A filter or a trigger; what the kernel says of a bad one is passed on.
    fn describe(&self, switched: &Switched, what: &str, text: &str) -> Result<()> {
        let folder = switched.folder();
        if what == "trigger" && switched.event.is_none() {
            return Err(TracefsError::refused(
                format!("set a trigger on {}", switched.system),
                "a trigger belongs to an event: -e 'SYSTEM:EVENT trigger ...'",
            ));
        }
        let path = self.path(&format!("{folder}/{what}"));
        append(&path, text).map_err(|cause| match cause.raw_os_error() {
            Some(libc::EINVAL | libc::ENODEV | libc::ENOENT) => TracefsError::refused(
                format!("set the {what} {text:?} of {}", switched.name()),
                self.explanation(&path).unwrap_or(cause.to_string()),
            ),
            _ => TracefsError::file("write", &path)(cause),
        })
    }

    /// A bad filter stands in its file, with the cause below; for triggers there
    /// is a log.
    fn explanation(&self, path: &Path) -> Option<String> {
        let of_filter = read(path).ok().filter(|t| t.contains("parse_error"));
        let text = of_filter.or_else(|| read(&self.path("error_log")).ok())?;
        let line = text
            .lines()
            .rev()
            .find(|l| l.contains("error"))?
            .trim()
            .to_owned();
        Some(line)
    }

    /// Bytes of a sub-buffer, the unit that raw files are read in.
    fn page_bytes(&self) -> Result<u32> {
        if let Ok(text) = read(&self.path("buffer_subbuf_size_kb"))
            && let Ok(kib) = text.trim().parse::<u32>()
        {
            return Ok(kib * 1024);
        }
        // Before Linux 6.8 it is a page of memory, which the events' folder describes.
        let own = self.path("events/header_page");
        let text = match own.exists() {
            true => read(&own)?,
            false => read(&self.path("../../events/header_page"))?,
        };
        let data = text.lines().find(|line| line.contains("char data;"));
        let number = |name: &str| -> Option<u32> {
            let (_, rest) = data?.split_once(name)?;
            rest.split(';').next()?.trim().parse().ok()
        };
        number("offset:")
            .zip(number("size:"))
            .map(|(offset, size)| offset + size)
            .ok_or_else(|| {
                TracefsError::refused("read the size of sub-buffers", "header_page has none")
            })
    }

    /// CPUs whose rings exist: those that are online.
    ///
    /// # Errors
    /// As listing `per_cpu`.
    pub fn cpus(&self, root: &Path) -> Result<Vec<u32>> {
        let mut cpus = ring_cpus(&self.folder)?;
        let online: Option<CpuList> = Source::new(root).cpus("/sys/devices/system/cpu/online");
        if let Some(online) = online {
            cpus.retain(|cpu| online.contains(*cpu));
        }
        Ok(cpus)
    }

    /// CPUs besides those `known` whose rings hold events: they came online since,
    /// and may have gone again.
    pub fn late_cpus(&self, known: &[u32]) -> Vec<u32> {
        let mut cpus = ring_cpus(&self.folder).unwrap_or_default();
        cpus.retain(|cpu| !known.contains(cpu) && ring_entries(&self.folder, *cpu) > 0);
        cpus
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        write(&self.path(name), text)
    }
}

impl Prepared {
    /// A tracer of the machine's own ring that is not ours.
    pub fn other_tracer(&self, tracefs: &Tracefs) -> Option<String> {
        let ours = self.instance.folder == tracefs.folder();
        (!ours).then(|| tracefs.other_tracer()).flatten()
    }
}

/// Truncating a file of triggers would remove the earlier ones.
fn append(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).open(path)?;
    file.write_all(text.as_bytes())
}

/// 8 MiB for each CPU's ring; less where all of them would take more than an
/// eighth of the memory that is available.
pub fn default_buffer_kib(root: &Path) -> u64 {
    const USUAL: u64 = 8192;
    const LEAST: u64 = 256;
    let source = Source::new(root);
    let cpus = source
        .cpus("/sys/devices/system/cpu/online")
        .map_or(1, |list| list.len().max(1)) as u64;
    let available = machine::memory::read(&source).available_bytes;
    available.map_or(USUAL, |bytes| (bytes / 1024 / 8 / cpus).clamp(LEAST, USUAL))
}

impl Switched {
    fn name(&self) -> String {
        self.folder()["events/".len()..].replace('/', ":")
    }
}

#[cfg(test)]
mod tests;
