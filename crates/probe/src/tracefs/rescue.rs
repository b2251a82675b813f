//! What the rings of a killed recording still hold: it goes to the spool before
//! the instance is removed, or when the spool is completed.

use super::absence::{Result, TracefsError};
use super::folder::Folder;
use super::head::task_names;
use super::mount::{Tracefs, read, ring_cpus};
use machine::tunable::BOOT_ID;
use rustix::fs::OFlags;
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// In a spool: which rings it is read from. Locked while the recording lives.
pub const RING: &str = "ring";
/// In a spool: its rings were emptied after its recording's end.
pub const DRAINED: &str = "drained";
/// In a spool: names of tasks that began after the recording.
pub const NAMES: &str = "comms";
const NOTE_BYTES: u64 = 8192;
/// Above the ring's own size, for the page that is being written.
const SPARE_PAGES: u64 = 16;
/// Assumed where the size of a ring cannot be read.
const MOST_KIB: u64 = 1 << 20;

/// Where the pages of a spool come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// An instance, or tracefs itself.
    pub ring: PathBuf,
    /// Identity of the boot; empty where /proc does not say.
    pub boot: String,
    pub page_bytes: u32,
    /// What is on in the ring: a tracer, or `nop`.
    pub tracer: String,
}

/// A spool whose recording is dead, and whose rings are still there.
#[derive(Debug)]
pub struct Rescue {
    root: PathBuf,
    spool: Folder,
    source: Source,
    /// Locked: one rescuer at a time.
    _note: File,
}

/// Why a spool is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Untouched {
    /// Its recording, or another rescuer, still writes it.
    #[error("it is still being written")]
    InUse,
    /// It is not a folder that this user alone can write to, or belongs to other
    /// rings.
    #[error("{0}")]
    Refused(String),
}

impl Source {
    /// What is left in `ring`, a folder of tracefs under `root`.
    pub fn of(root: &Path, ring: &Path, page_bytes: u32) -> Source {
        let tracer = read(&ring.join("current_tracer")).unwrap_or_default();
        Source {
            ring: ring.to_owned(),
            boot: boot(root),
            page_bytes,
            tracer: tracer.trim().to_owned(),
        }
    }

    /// Writes the note and keeps it locked as long as it is open.
    ///
    /// # Errors
    /// As writing.
    pub fn note_in(&self, spool: &Folder) -> Result<File> {
        let text = format!(
            "{}\n{}\n{}\n{}\n",
            self.ring.display(),
            self.boot,
            self.page_bytes,
            self.tracer
        );
        let written = spool.create(RING).and_then(|mut file| {
            // On a file system without locks a rescuer cannot see that this process lives;
            // the failure is harmless, as no ring is emptied by this.
            let _ = file.try_lock();
            file.write_all(text.as_bytes()).map(|()| file)
        });
        written.map_err(TracefsError::file("write", &spool.path().join(RING)))
    }

    fn parse(text: &str) -> Option<Source> {
        let mut lines = text.lines();
        Some(Source {
            ring: PathBuf::from(lines.next()?),
            boot: lines.next()?.to_owned(),
            page_bytes: lines
                .next()?
                .parse()
                .ok()
                .filter(|n| *n >= 64 && *n <= 1 << 20)?,
            tracer: lines.next()?.to_owned(),
        })
    }

    /// Whether these rings still hold what was recorded.
    fn is_there(&self, root: &Path) -> bool {
        let Ok(tracefs) = Tracefs::find(root) else {
            return false;
        };
        if self.boot.is_empty() || self.boot != boot(root) || !self.ring.is_dir() {
            return false;
        }
        if self.ring == tracefs.folder() {
            // The machine's own: others may have it meanwhile.
            let now = read(&self.ring.join("current_tracer")).unwrap_or_default();
            return self.tracer != "nop" && self.tracer == now.trim();
        }
        let name = self.ring.file_name().and_then(|n| n.to_str());
        let number = name.and_then(|n| n.strip_prefix("pontage-"));
        let ours = number.is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
        ours && self.ring.parent() == Some(&tracefs.folder().join("instances"))
    }
}

impl Rescue {
    /// `None` where nothing is to be had: no spool, one without a note, rings that
    /// are gone. `ring`: what the journal says of it.
    ///
    /// # Errors
    /// A spool that must be left as it is.
    pub fn find(
        root: &Path,
        spool: &Path,
        ring: Option<&Path>,
    ) -> std::result::Result<Option<Rescue>, Untouched> {
        let refused = |cause: &str| Untouched::Refused(cause.to_owned());
        let spool = match Folder::open(spool) {
            Ok(folder) => folder,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(refused(&format!("the spool is left unchanged: {cause}"))),
        };
        let note = spool.open_file(RING, OFlags::RDWR);
        let Some(note) = note.map_err(|e| refused(&e.to_string()))? else {
            return Ok(None);
        };
        if matches!(note.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(Untouched::InUse);
        }
        let text = files::input::read_from(&note, NOTE_BYTES).unwrap_or_default();
        let source = std::str::from_utf8(&text).ok().and_then(Source::parse);
        let source =
            source.ok_or_else(|| refused("its note of the ring buffers cannot be read"))?;
        if ring.is_some_and(|ring| ring != source.ring) {
            return Err(refused("the spool belongs to other ring buffers"));
        }
        Ok(source.is_there(root).then(|| Rescue {
            root: root.to_owned(),
            spool,
            source,
            _note: note,
        }))
    }

    /// Switches the rings off and appends all that they hold. Returns the bytes.
    ///
    /// # Errors
    /// As reading the rings and writing the spool; what was read is kept.
    pub fn drain(self) -> Result<u64> {
        let ring = &self.source.ring;
        let switch = ring.join("tracing_on");
        // It is emptied in any case, up to its size.
        let _ = File::options()
            .write(true)
            .open(&switch)
            .and_then(|mut file| file.write_all(b"0"));
        let mut total = 0;
        for cpu in ring_cpus(ring)? {
            let failed = TracefsError::file("write", self.spool.path());
            total += self.drain_cpu(cpu).map_err(failed)?;
        }
        if let Ok(tracefs) = Tracefs::find(&self.root) {
            self.keep(NAMES, &task_names(&tracefs))?;
        }
        self.keep(DRAINED, &format!("{total}\n"))?;
        Ok(total)
    }

    fn drain_cpu(&self, cpu: u32) -> io::Result<u64> {
        let folder = self.source.ring.join(format!("per_cpu/cpu{cpu}"));
        let opened = File::options()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(folder.join("trace_pipe_raw"));
        // Of a CPU that never was online.
        let Ok(mut from) = opened else {
            return Ok(0);
        };
        let mut to = self.whole_pages(cpu)?;
        let mut page = vec![0; self.source.page_bytes as usize];
        let mut total = 0;
        for _ in 0..self.most_pages(&folder) {
            let count = match from.read(&mut page) {
                Ok(0) => break,
                Ok(count) => count,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            page[count..].fill(0);
            to.write_all(&page)?;
            total += count as u64;
        }
        to.sync_all()?;
        if let Ok(stats) = read(&folder.join("stats")) {
            self.keep(&format!("cpu{cpu}.stats"), &stats)
                .map_err(io::Error::other)?;
        }
        Ok(total)
    }

    /// What a killed write has left of a page would shift all that comes behind.
    fn whole_pages(&self, cpu: u32) -> io::Result<File> {
        let name = format!("cpu{cpu}.raw");
        let file = match self
            .spool
            .open_file(&name, OFlags::WRONLY | OFlags::APPEND)?
        {
            Some(file) => file,
            None => self.spool.create(&name)?,
        };
        let size = file.metadata()?.len();
        file.set_len(size / u64::from(self.source.page_bytes) * u64::from(self.source.page_bytes))?;
        Ok(file)
    }

    fn most_pages(&self, folder: &Path) -> u64 {
        let text = read(&folder.join("buffer_size_kb")).unwrap_or_default();
        let kib = text.split_whitespace().next().and_then(|n| n.parse().ok());
        let kib: u64 = kib.unwrap_or(MOST_KIB);
        kib.saturating_mul(1024) / u64::from(self.source.page_bytes) + SPARE_PAGES
    }

    /// A small file, in the place of an earlier one.
    fn keep(&self, name: &str, text: &str) -> Result<()> {
        let _ = self.spool.unlink(name);
        let written = self
            .spool
            .create(name)
            .and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(TracefsError::file("write", &self.spool.path().join(name)))
    }
}

fn boot(root: &Path) -> String {
    BOOT_ID.word_below(root).unwrap_or_default()
}

#[cfg(test)]
mod tests;
