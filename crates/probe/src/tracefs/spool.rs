//! Where a recording lies while it runs: a folder beside the output, with the
//! head and each CPU's pages. A recording that was killed is completed from it.

use super::absence::{Result, TracefsError};
use super::head::merged_names;
use super::mount::read;
use super::rescue::{DRAINED, NAMES, Rescue, Source, Untouched};
use super::symbols::{boot_note, name_functions};
use files::output::{self, Output};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use trace::{CpuStat, Head, file};

/// The head as it was when the recording began: a trace.dat without pages.
const HEAD: &str = "head.dat";

#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
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
}

impl Spool {
    /// `OUTPUT.spool`
    #[must_use]
    pub fn folder_of(output: &Path) -> PathBuf {
        with_ending(output, "spool")
    }

    /// Makes `OUTPUT.spool` and keeps the head there.
    ///
    /// # Errors
    /// As making and writing; a spool of that name that is already there holds
    /// a killed recording, which is not overwritten.
    pub fn create(output: &Path, head: &Head) -> Result<Spool> {
        let folder = Spool::folder_of(output);
        output::check_file(output).map_err(TracefsError::file("write", output))?;
        // What tasks did is for who recorded it.
        let make = || std::fs::DirBuilder::new().mode(0o700).create(&folder);
        let made = match make() {
            Err(_) if forgotten(&folder) => make(),
            made => made,
        };
        match made {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                return Err(TracefsError::refused(
                    format!("make {}", folder.display()),
                    format!(
                        "it holds a recording that was killed, or one that still runs; \
                         complete it: pontage trace record --recover {0}, or rm -r {0}",
                        folder.display()
                    ),
                ));
            }
            made => made.map_err(TracefsError::file("make folder", &folder))?,
        }
        let path = folder.join(HEAD);
        // Whole or not there: a spool without it has nothing to be recovered.
        let written = Output::create_file(&path).and_then(|mut out| {
            file::write(&mut out, head, Vec::new())?;
            out.finish()
        });
        let spool = Spool {
            folder,
            output: output.to_owned(),
            source: None,
        };
        match written.map_err(TracefsError::file("write", &path)) {
            Ok(_) => Ok(spool),
            Err(error) => {
                spool.remove();
                Err(error)
            }
        }
    }

    /// Of a recording that was killed.
    ///
    /// # Errors
    /// A folder that is no spool.
    pub fn open(folder: &Path) -> Result<(Spool, Head)> {
        let path = folder.join(HEAD);
        let capture = file::open(&path).map_err(|e| {
            TracefsError::refused(
                format!("recover {}", folder.display()),
                format!("{e}; a spool is named like its recording: trace.dat.spool"),
            )
        })?;
        let spool = Spool {
            folder: folder.to_owned(),
            output: folder.with_extension(""),
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

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    #[must_use]
    pub fn pages_of(&self, cpu: u32) -> PathBuf {
        self.folder.join(format!("cpu{cpu}.raw"))
    }

    /// New, and through no link: the folder may lie where others write.
    ///
    /// # Errors
    /// As open(2).
    pub fn create_pages(&self, cpu: u32) -> io::Result<File> {
        let mut options = output::options();
        options.write(true).create_new(true).mode(0o600);
        options.open(self.pages_of(cpu))
    }

    /// CPUs that have a file of pages.
    fn cpus(&self) -> Vec<u32> {
        let listed = std::fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten();
        let mut cpus: Vec<u32> = listed
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                name.strip_prefix("cpu")?.strip_suffix(".raw")?.parse().ok()
            })
            .collect();
        cpus.sort_unstable();
        cpus
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
        for cpu in self.cpus() {
            let file = files::input::open(&self.pages_of(cpu))?;
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
        spool.late(&mut head);
        let drained = spool.folder.join(DRAINED).exists();
        let size = |cpu: u32| spool.pages_of(cpu).metadata().map_or(0, |m| m.len());
        let bytes = spool.cpus().into_iter().map(size).sum();
        head.notes.push(match drained {
            true => "recovered: the rings were emptied after it was killed".to_owned(),
            false => "recovered: the recording was killed; what was still in the rings is missing"
                .to_owned(),
        });
        head.notes.extend(left);
        if boot_note(root).is_some_and(|boot| head.notes.contains(&boot)) {
            name_functions(&mut head, root, &spool, &spool.cpus());
        }
        let output = spool.output.clone();
        spool.write_file(&head)?;
        Ok(Some(Recovered {
            output,
            bytes,
            drained,
        }))
    }

    /// What a rescuer has kept beside the pages.
    fn late(&self, head: &mut Head) {
        for cpu in self.cpus() {
            if let Ok(text) = read(&self.folder.join(format!("cpu{cpu}.stats"))) {
                head.cpu_stats.push(CpuStat {
                    cpu,
                    text: format!("CPU: {cpu}\n{text}"),
                });
            }
        }
        if let Ok(names) = read(&self.folder.join(NAMES)) {
            head.comms = merged_names(&head.comms, &names);
        }
    }

    /// Nothing that was recorded is worth to be kept.
    pub fn remove(self) {
        // A folder that stays is seen, and named by the next recording.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Removes a spool whose recording was killed before its head was whole. Whether it
/// was one: nothing else lies in it, and nobody writes it.
fn forgotten(folder: &Path) -> bool {
    let head = folder.join(HEAD);
    let is_folder = std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
    is_folder
        && folder.extension().is_some_and(|e| e == "spool")
        && std::fs::symlink_metadata(&head).is_err()
        && output::clear(&head)
        && std::fs::remove_dir(folder).is_ok()
}

/// Empties rings that are still there; what stands in the way.
fn emptied(root: &Path, folder: &Path) -> Result<Option<String>> {
    match Rescue::find(root, folder, None) {
        Ok(None) => Ok(None),
        Ok(Some(rescue)) => Ok(rescue
            .drain()
            .err()
            .map(|cause| format!("the rings were not emptied to their end: {cause}"))),
        Err(untouched @ Untouched::InUse) => Err(TracefsError::refused(
            format!("recover {}", folder.display()),
            untouched,
        )),
        Err(Untouched::Refused(cause)) => Ok(Some(format!("the rings were not read: {cause}"))),
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HEADER_PAGE, pages};
    use super::*;
    use trace::Order;

    fn head() -> Head {
        let mut head = Head::empty(Order::Little, 8, 4096);
        head.header_page = HEADER_PAGE.to_owned();
        head.comms = "7 seven\n".to_owned();
        head.clock = Some("mono".to_owned());
        head.notes = vec!["command: x".to_owned()];
        head
    }

    #[test]
    fn a_killed_recording_is_completed_from_its_spool() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("trace.dat");
        let spool = Spool::create(&output, &head()).unwrap();
        let mut cut = pages(2);
        cut.extend([1; 100]);
        std::fs::write(spool.pages_of(2), cut).unwrap();
        let path = spool.folder().to_owned();
        drop(spool);
        assert!(matches!(
            Spool::create(&output, &head()),
            Err(TracefsError::Refused { .. })
        ));
        let recovered = Spool::recover(folder.path(), &path).unwrap().unwrap();
        assert_eq!(recovered.output, output);
        assert!(!path.exists());
        let capture = file::open(&output).unwrap();
        assert_eq!(capture.cpu(2).unwrap().count(), 3);
        assert_eq!(capture.task_name(7), Some("seven"));
        assert!(capture.head.notes[1].starts_with("recovered: "));
    }

    /// Killed while it wrote its head: there is nothing to recover, and nothing in the
    /// way of the next recording.
    #[test]
    fn a_spool_without_a_head_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("trace.dat");
        let path = Spool::folder_of(&output);
        let part = path.join(".head.dat.part");
        let begun = || {
            std::fs::create_dir(&path).unwrap();
            std::fs::write(&part, "tra").unwrap();
        };
        begun();
        assert_eq!(Spool::recover(folder.path(), &path).unwrap(), None);
        assert!(!path.exists());
        begun();
        Spool::create(&output, &head()).unwrap().remove();
        // One that is being written, and one that holds something else.
        begun();
        let writer = File::open(&part).unwrap();
        writer.lock().unwrap();
        assert!(Spool::recover(folder.path(), &path).is_err());
        assert!(Spool::create(&output, &head()).is_err());
        drop(writer);
        std::fs::write(path.join("mine"), "x").unwrap();
        assert!(Spool::recover(folder.path(), &path).is_err());
        assert!(path.join("mine").exists());
    }

    #[test]
    fn functions_get_their_names_on_the_boot_that_called_them() {
        let folder = tempfile::tempdir().unwrap();
        let proc = folder.path().join("proc/sys/kernel/random");
        std::fs::create_dir_all(&proc).unwrap();
        // The payloads begin so.
        std::fs::write(
            folder.path().join("proc/kallsyms"),
            "000000000000000f T called\n",
        )
        .unwrap();
        let recovered = |of: &str, now: &str| {
            std::fs::write(proc.join("boot_id"), format!("{of}\n")).unwrap();
            let mut head = head();
            head.notes.extend(boot_note(folder.path()));
            let output = folder.path().join("trace.dat");
            let spool = Spool::create(&output, &head).unwrap();
            std::fs::write(spool.pages_of(0), pages(0)).unwrap();
            std::fs::write(proc.join("boot_id"), format!("{now}\n")).unwrap();
            Spool::recover(folder.path(), spool.folder()).unwrap();
            file::open(&output).unwrap().head.kallsyms.clone()
        };
        assert!(recovered("a", "a").contains("called"));
        assert_eq!(recovered("a", "b"), "");
    }

    #[test]
    fn pages_are_written_through_no_link_and_over_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        std::fs::write(&victim, "kept").unwrap();
        let spool = Spool::create(&folder.path().join("trace.dat"), &head()).unwrap();
        std::os::unix::fs::symlink(&victim, spool.pages_of(0)).unwrap();
        std::fs::hard_link(&victim, spool.pages_of(1)).unwrap();
        assert!(spool.create_pages(0).is_err() && spool.create_pages(1).is_err());
        assert_eq!(std::fs::read(&victim).unwrap(), b"kept");
        spool.create_pages(2).unwrap();
    }

    #[test]
    fn another_folder_is_no_spool() {
        let folder = tempfile::tempdir().unwrap();
        let error = Spool::recover(folder.path(), folder.path()).unwrap_err();
        assert!(error.to_string().starts_with("cannot recover "), "{error}");
        assert!(folder.path().exists());
    }

    #[test]
    fn what_stood_there_stays_until_the_new_file_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("trace.dat");
        let spool = Spool::create(&output, &head()).unwrap();
        // Refused at once where it stands there before.
        std::fs::create_dir(&output).unwrap();
        let path = spool.folder().to_owned();
        assert!(spool.write_file(&head()).is_err());
        assert!(path.exists() && output.exists());
        assert!(!with_ending(&output, "part").exists());
    }
}
