//! Where a recording lies while it runs: a folder next to the output, with the
//! head and each CPU's pages. A recording that was killed is completed from it.

use super::absence::{Result, TracefsError};
use super::folder::Folder;
use super::head::merged_names;
use super::rescue::{DRAINED, NAMES, RING, Rescue, Source, Untouched};
use super::symbols::{boot_note, name_functions};
use files::output::{self, Output};
use rustix::fs::OFlags;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use trace::{CpuStat, Head, file};

/// The head as it was when the recording began: a trace.dat without pages.
const HEAD: &str = "head.dat";
/// It while it is written; locked.
const PART: &str = "head.part";
const ENDING: &str = "spool";
/// Of what a rescuer keeps with the pages: names of as many tasks as a kernel can
/// have (PID_MAX_LIMIT, 4 million), 24 bytes each.
const NAMES_BYTES: u64 = 96 << 20;
/// Of one CPU's statistics: ten lines.
const STATS_BYTES: u64 = 1 << 16;

/// The folder that holds the pages of a recording until it is written out.
#[derive(Debug)]
pub struct Spool {
    folder: Folder,
    output: PathBuf,
    /// Says which rings it is read from; locked while the recording lives.
    source: Option<File>,
}

/// What became of a killed recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    pub output: PathBuf,
    /// Of pages, each CPU's.
    pub bytes: u64,
    /// Whether the rings were emptied after its end.
    pub drained: bool,
    /// The folder, where it holds files that are none of ours.
    pub left: Option<PathBuf>,
}

impl Spool {
    /// `OUTPUT.spool`
    pub fn folder_of(output: &Path) -> PathBuf {
        with_ending(output, ENDING)
    }

    /// Makes `OUTPUT.spool` and keeps the head there.
    ///
    /// # Errors
    /// As making and writing; a spool of that name that is already there holds
    /// a killed recording, which is not overwritten.
    pub fn create(output: &Path, head: &Head) -> Result<Spool> {
        let path = Spool::folder_of(output);
        output::check_file(output).map_err(TracefsError::file("write", output))?;
        let made = match Folder::make(&path) {
            Err(_) if forgotten(&path) => Folder::make(&path),
            made => made,
        };
        let folder = match made {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                return Err(TracefsError::refused(
                    format!("create {}", path.display()),
                    format!(
                        "it holds a recording that was killed, or one still running; to complete \
                         it: pontage trace record --recover {0}, or rm -r {0}",
                        path.display()
                    ),
                ));
            }
            made => made.map_err(TracefsError::file("create folder", &path))?,
        };
        let spool = Spool {
            folder,
            output: output.to_owned(),
            source: None,
        };
        match spool.keep_head(head) {
            Ok(()) => Ok(spool),
            Err(cause) => {
                spool.remove();
                Err(TracefsError::file("write", &path.join(HEAD))(cause))
            }
        }
    }

    /// Whole or not there: a spool without it has nothing to be recovered.
    fn keep_head(&self, head: &Head) -> io::Result<()> {
        let file = self.folder.create(PART)?;
        // Without locks another recording of that name may take it for a dead one's,
        // and then one of the two fails.
        let _ = file.try_lock();
        let mut out = BufWriter::new(&file);
        file::write(&mut out, head, Vec::new())?;
        out.flush()?;
        drop(out);
        self.folder.rename(PART, HEAD)
    }

    /// Of a recording that was killed.
    ///
    /// # Errors
    /// A folder that is no spool, or none of ours alone.
    pub fn open(path: &Path) -> Result<(Spool, Head)> {
        let refused = |cause: String| {
            let cause = format!("{cause}; a spool has the name of its recording: trace.dat.spool");
            TracefsError::refused(format!("recover {}", path.display()), cause)
        };
        if !is_named(path) {
            return Err(refused(format!("its name does not end with .{ENDING}")));
        }
        let folder = Folder::open(path).map_err(|e| refused(e.to_string()))?;
        let head = folder
            .open_file(HEAD, OFlags::RDONLY)
            .and_then(|found| found.ok_or_else(|| ErrorKind::NotFound.into()))
            .map_err(|e| refused(format!("{HEAD}: {e}")))?;
        let capture =
            file::open_file(head, &path.join(HEAD)).map_err(|e| refused(e.to_string()))?;
        let spool = Spool {
            output: folder.path().with_extension(""),
            folder,
            source: None,
        };
        Ok((spool, capture.head))
    }

    /// Keeps which rings the pages come from, so that they are emptied when the
    /// recording is killed.
    ///
    /// # Errors
    /// As writing.
    pub fn note_source(&mut self, source: &Source) -> Result<()> {
        self.source = Some(source.note_in(&self.folder)?);
        Ok(())
    }

    /// Its path.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// New, and through no link.
    ///
    /// # Errors
    /// As open(2).
    pub fn create_pages(&self, cpu: u32) -> io::Result<File> {
        self.folder.create(&pages_name(cpu))
    }

    /// What was read of a CPU's ring.
    ///
    /// # Errors
    /// As open(2); a file that is none of ours alone.
    pub fn pages(&self, cpu: u32) -> io::Result<File> {
        let name = pages_name(cpu);
        let found = self.folder.open_file(&name, OFlags::RDONLY)?;
        found.ok_or_else(|| io::Error::new(ErrorKind::NotFound, format!("{name} is missing")))
    }

    /// CPUs that have a file of pages.
    fn cpus(&self) -> io::Result<Vec<u32>> {
        let names = self.folder.names()?;
        let mut cpus: Vec<u32> = names.iter().filter_map(|name| cpu_of(name)).collect();
        cpus.sort_unstable();
        Ok(cpus)
    }

    /// Writes the trace.dat in one step (what stood there stays until it is
    /// whole) and removes the folder. Returns the bytes of the file.
    ///
    /// # Errors
    /// As reading and writing; the folder then stays.
    pub fn write_file(self, head: &Head) -> Result<u64> {
        let bytes = self
            .write(head)
            .map_err(TracefsError::file("write", &self.output))?;
        self.remove();
        Ok(bytes)
    }

    fn write(&self, head: &Head) -> io::Result<u64> {
        let page_bytes = u64::from(head.page_bytes.max(1));
        let mut pages = Vec::new();
        for cpu in self.cpus()? {
            let file = self.pages(cpu)?;
            // A killed recording may have a part of a page at its end.
            let whole = file.metadata()?.len() / page_bytes * page_bytes;
            pages.push((cpu, file.take(whole)));
        }
        let mut out = BufWriter::with_capacity(1 << 20, Output::create_file(&self.output)?);
        let sources = pages
            .iter_mut()
            .map(|(cpu, file)| (*cpu, file as &mut dyn Read));
        file::write(&mut out, head, sources.collect())?;
        let whole = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        whole.finish()
    }

    /// Completes a killed recording. Functions get their names from the machine
    /// at `root` (`/`), if it has not been started anew since. `None` for one that was
    /// killed before it recorded anything: it is removed.
    ///
    /// # Errors
    /// As `open` and `write_file`.
    pub fn recover(root: &Path, folder: &Path) -> Result<Option<Recovered>> {
        if forgotten(folder) {
            return Ok(None);
        }
        let (spool, mut head) = Spool::open(folder)?;
        let left = emptied(root, folder)?;
        let read = TracefsError::file("read", folder);
        let bytes = spool.late(&mut head).map_err(read)?;
        let drained = spool.folder.has(DRAINED);
        head.notes.push(match drained {
            true => "recovered: the ring buffers were emptied after it was killed".to_owned(),
            false => "recovered: the recording was killed; what was still in the ring buffers is \
                      missing"
                .to_owned(),
        });
        head.notes.extend(left);
        if boot_note(root).is_some_and(|boot| head.notes.contains(&boot)) {
            let cpus = spool.cpus().map_err(TracefsError::file("read", folder))?;
            name_functions(&mut head, root, |cpu| spool.pages(cpu), &cpus);
        }
        let (output, path) = (spool.output.clone(), spool.folder().to_owned());
        spool.write_file(&head)?;
        Ok(Some(Recovered {
            output,
            bytes,
            drained,
            left: path.exists().then_some(path),
        }))
    }

    /// What a rescuer has kept with the pages. Returns the bytes of those.
    fn late(&self, head: &mut Head) -> io::Result<u64> {
        let mut bytes: u64 = 0;
        for cpu in self.cpus()? {
            bytes = bytes.saturating_add(self.pages(cpu)?.metadata()?.len());
            let stats = self.folder.text(&format!("cpu{cpu}.stats"), STATS_BYTES)?;
            head.cpu_stats.extend(stats.map(|text| stat_of(cpu, &text)));
        }
        if let Some(names) = self.folder.text(NAMES, NAMES_BYTES)? {
            head.comms = merged_names(&head.comms, &names);
        }
        Ok(bytes)
    }

    /// Nothing that was recorded is worth to be kept.
    pub fn remove(self) {
        // What stays is seen, and named by the next recording.
        for name in self.folder.names().unwrap_or_default() {
            if is_ours(&name) {
                let _ = self.folder.unlink(&name);
            }
        }
        let _ = self.folder.remove_empty();
    }
}

fn is_named(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == ENDING)
}

fn is_ours(name: &str) -> bool {
    let stats = || name.strip_suffix(".stats").map(|n| format!("{n}.raw"));
    let of_cpu = |name: &str| cpu_of(name).is_some();
    matches!(name, HEAD | PART | RING | DRAINED | NAMES)
        || of_cpu(name)
        || stats().is_some_and(|name| of_cpu(&name))
}

fn pages_name(cpu: u32) -> String {
    format!("cpu{cpu}.raw")
}

/// What the kernel says of a CPU's ring, as trace.dat has it.
pub fn stat_of(cpu: u32, text: &str) -> CpuStat {
    let text = format!("CPU: {cpu}\n{text}");
    CpuStat { cpu, text }
}

/// The CPU whose pages a file of this name holds. A folder may come from elsewhere.
fn cpu_of(name: &str) -> Option<u32> {
    let cpu = name.strip_prefix("cpu")?.strip_suffix(".raw")?;
    let cpu = cpu.parse().ok().filter(|cpu| *cpu < file::CPUS)?;
    (name == pages_name(cpu)).then_some(cpu)
}

/// Removes a spool whose recording was killed before its head was whole. Whether it
/// was one: nothing else lies in it, and nobody writes it.
fn forgotten(path: &Path) -> bool {
    let Ok(folder) = Folder::open(path) else {
        return false;
    };
    let names = folder.names();
    if !is_named(path) || !names.is_ok_and(|names| names.iter().all(|name| name == PART)) {
        return false;
    }
    // Who writes it has it locked.
    let free = match folder.open_file(PART, OFlags::RDWR) {
        Ok(None) => true,
        Ok(Some(part)) => part.try_lock().is_ok() && folder.unlink(PART).is_ok(),
        Err(_) => false,
    };
    free && folder.remove_empty().is_ok()
}

/// Empties rings that are still there; what stands in the way.
fn emptied(root: &Path, folder: &Path) -> Result<Option<String>> {
    match Rescue::find(root, folder, None) {
        Ok(None) => Ok(None),
        Ok(Some(rescue)) => Ok(rescue
            .drain()
            .err()
            .map(|cause| format!("the ring buffers were not emptied completely: {cause}"))),
        Err(untouched @ Untouched::InUse) => Err(TracefsError::refused(
            format!("recover {}", folder.display()),
            untouched,
        )),
        Err(Untouched::Refused(cause)) => Ok(Some(format!(
            "the ring buffers were not read: \
                                                           {cause}"
        ))),
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests;
