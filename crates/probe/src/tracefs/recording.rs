//! A recording from its first event to the files that hold it.

use super::absence::{Result, TracefsError};
use super::drain::{self, Rings, Shared};
use super::head::{merged_names, read_head, task_names};
use super::instance::Prepared;
use super::mount::{Tracefs, read};
use super::rescue::Source;
use super::select::Selection;
use super::spool::{Spool, stat_of};
use super::symbols::{boot_note, name_functions};
use crate::process_time::ProcessTime;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use trace::Head;
use trace::format::PageLayout;

/// While it lives every CPU's ring is emptied by a thread.
#[derive(Debug)]
pub struct Recording {
    tracefs: Tracefs,
    prepared: Prepared,
    head: Head,
    /// Whether an event mentions addresses of code.
    with_symbols: bool,
    spool: Option<Spool>,
    shared: Arc<Shared>,
    threads: Vec<(u32, JoinHandle<io::Result<u64>>)>,
    before: ProcessTime,
}

/// A recording whose rings are empty. The instance may go.
#[derive(Debug)]
pub struct Stopped {
    pub head: Head,
    pub spool: Spool,
    /// Bytes of pages, by CPU.
    pub bytes: Vec<(u32, u64)>,
    /// What this process itself took while it recorded.
    pub own_time: ProcessTime,
    /// A CPU whose pages could not be kept whole, and why.
    pub trouble: Option<String>,
}

impl Recording {
    /// Switches the instance on.
    ///
    /// # Errors
    /// A spool that cannot be made, a ring that cannot be read.
    pub fn start(
        tracefs: &Tracefs,
        prepared: Prepared,
        selection: &Selection,
        output: &Path,
    ) -> Result<Recording> {
        let mut head = read_head(tracefs, &prepared, selection)?;
        head.notes
            .push(format!("events: {}", selection.names().join(", ")));
        head.notes
            .push(format!("buffer: {} KiB per CPU", prepared.buffer_kib));
        let with_symbols = prepared.functions.is_some() || mentions_code(&head, selection);
        if with_symbols {
            head.notes.extend(boot_note(tracefs.root()));
        }
        let spool = spooled(tracefs, &prepared, output, &head)?;
        let shared = Shared::new().map_err(|e| TracefsError::refused("create an eventfd", e))?;
        let mut recording = Recording {
            tracefs: tracefs.clone(),
            prepared,
            head,
            with_symbols,
            spool: Some(spool),
            shared,
            threads: Vec::new(),
            before: ProcessTime::now(),
        };
        recording.open_rings()?;
        recording.prepared.instance.switch(true)?;
        Ok(recording)
    }

    fn open_rings(&mut self) -> Result<()> {
        for cpu in self.prepared.instance.cpus(self.tracefs.root())? {
            self.open_ring(cpu)?;
        }
        Ok(())
    }

    fn open_ring(&mut self, cpu: u32) -> Result<()> {
        let Some(spool) = &self.spool else {
            return Ok(());
        };
        let layout = PageLayout::parse(&self.head.header_page)
            .map_err(|e| TracefsError::refused("read events/header_page", e))?;
        let rings = Rings {
            page_bytes: self.prepared.page_bytes,
            layout,
        };
        let instance = &self.prepared.instance;
        let ring = instance.path(&format!("per_cpu/cpu{cpu}/trace_pipe_raw"));
        let thread = spool
            .create_pages(cpu)
            .and_then(|file| drain::start(&ring, file, rings, &self.shared))
            .map_err(TracefsError::file("drain", &ring))?;
        self.threads.push((cpu, thread));
        Ok(())
    }

    /// CPUs that came online meanwhile were recorded by the kernel and read by
    /// nobody: what their rings still hold is taken now. Notes of what is not.
    fn open_late(&mut self) -> Vec<String> {
        let known: Vec<u32> = self.threads.iter().map(|(cpu, _)| *cpu).collect();
        let mut notes = Vec::new();
        for cpu in self.prepared.instance.late_cpus(&known) {
            notes.push(match self.open_ring(cpu) {
                Ok(()) => format!("CPU {cpu} came online during the recording"),
                Err(cause) => {
                    format!("events of CPU {cpu}, which came online, are left out: {cause}")
                }
            });
        }
        notes
    }

    /// Bytes that have left the rings so far.
    pub fn bytes(&self) -> u64 {
        self.shared.bytes.load(Ordering::Relaxed)
    }

    /// Whether it cannot go on: `stop` returns the cause.
    pub fn has_failed(&self) -> bool {
        self.shared.failed.load(Ordering::Acquire)
    }

    /// Switches off, empties the rings, asks the kernel what was lost.
    ///
    /// # Errors
    /// As writing `tracing_on` and reading the statistics.
    pub fn stop(mut self) -> Result<Stopped> {
        self.prepared.instance.switch(false)?;
        let left_out = self.open_late();
        let (bytes, trouble) = self.join();
        let own_time = ProcessTime::now().since(&self.before);
        let mut head = self.head.clone();
        for (cpu, _) in &bytes {
            let name = format!("per_cpu/cpu{cpu}/stats");
            let text = read(&self.prepared.instance.path(&name))?;
            head.cpu_stats.push(stat_of(*cpu, &text));
        }
        head.comms = merged_names(&head.comms, &task_names(&self.tracefs));
        let Some(spool) = self.spool.take() else {
            return Err(TracefsError::refused("stop", "it has no spool"));
        };
        if self.with_symbols {
            let cpus: Vec<u32> = bytes.iter().map(|(cpu, _)| *cpu).collect();
            name_functions(
                &mut head,
                self.tracefs.root(),
                |cpu| spool.pages(cpu),
                &cpus,
            );
        }
        head.notes.extend(left_out);
        head.notes.push(lost_note(&head));
        head.notes.push(format!(
            "recorder's own CPU time: user {} us, system {} us",
            own_time.user_ns / 1000,
            own_time.system_ns / 1000
        ));
        Ok(Stopped {
            head,
            spool,
            bytes,
            own_time,
            trouble,
        })
    }

    fn join(&mut self) -> (Vec<(u32, u64)>, Option<String>) {
        self.shared.stop();
        let mut bytes = Vec::new();
        let mut trouble = None;
        for (cpu, thread) in self.threads.drain(..) {
            match thread.join() {
                Ok(Ok(count)) => bytes.push((cpu, count)),
                Ok(Err(cause)) => {
                    trouble = Some(format!("cannot keep the events of CPU {cpu}: {cause}"));
                    bytes.push((cpu, 0));
                }
                Err(_) => trouble = Some(format!("the reader of CPU {cpu} ended unexpectedly")),
            }
        }
        (bytes, trouble)
    }
}

impl Drop for Recording {
    /// Given up: the rings are let go, so that the instance can be removed.
    fn drop(&mut self) {
        let Some(spool) = self.spool.take() else {
            return;
        };
        // It is removed in any case.
        let _ = self.prepared.instance.switch(false);
        self.join();
        spool.remove();
    }
}

/// A spool that knows its rings.
fn spooled(tracefs: &Tracefs, prepared: &Prepared, output: &Path, head: &Head) -> Result<Spool> {
    let mut spool = Spool::create(output, head)?;
    let ring = prepared.instance.folder();
    match spool.note_source(&Source::of(tracefs.root(), ring, prepared.page_bytes)) {
        Ok(()) => Ok(spool),
        Err(error) => {
            spool.remove();
            Err(error)
        }
    }
}

/// Functions are printed by %ps and its like; stacks are addresses.
fn mentions_code(head: &Head, selection: &Selection) -> bool {
    selection.switched.iter().any(|switched| {
        let stacks = switched.triggers.iter().any(|t| t.contains("stacktrace"));
        let system = head.systems.iter().find(|s| s.name == switched.system);
        let formats = system.map_or(&[][..], |s| &s.formats);
        let name = switched.event.as_ref().map(|e| format!("name: {e}\n"));
        let asked = |format: &&String| name.as_ref().is_none_or(|n| format.starts_with(n));
        let prints_code = |format: &String| {
            ["%ps", "%pS", "%pf", "%pF"]
                .iter()
                .any(|f| format.contains(f))
        };
        stacks || formats.iter().filter(asked).any(prints_code)
    })
}

fn lost_note(head: &Head) -> String {
    let lost: Vec<String> = head
        .cpu_stats
        .iter()
        .filter(|stat| stat.lost() > 0)
        .map(|stat| format!("CPU {}: {}", stat.cpu, stat.lost()))
        .collect();
    match lost.is_empty() {
        true => "lost events: none".to_owned(),
        false => format!("lost events: {}", lost.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Tree, spool_folder};
    use super::super::{Settings, Specification};
    use super::*;

    fn started(tree: &Tree, wish: &str) -> Result<Recording> {
        let Ok(wish) = wish.parse::<Specification>();
        let tracefs = tree.tracefs();
        let selection = Selection::resolve(&tracefs, &[wish], None)?;
        let settings = Settings {
            clock: "mono".to_owned(),
            buffer_kib: 512,
            overwrite: true,
            pids: Vec::new(),
        };
        let prepared = tree.instance().prepare(&settings, &selection)?;
        std::fs::create_dir_all(spool_folder(tree).parent().unwrap()).unwrap();
        Recording::start(&tracefs, prepared, &selection, &spool_folder(tree))
    }

    #[test]
    fn from_the_rings_to_a_file_that_reads_the_same() {
        let tree = Tree::new();
        let recording = started(&tree, "sched").unwrap();
        assert_eq!(tree.setting("tracing_on"), "1");
        let stopped = recording.stop().unwrap();
        assert_eq!(tree.setting("tracing_on"), "0");
        assert_eq!(stopped.trouble, None);
        assert_eq!(stopped.bytes.len(), 2);
        assert!(stopped.bytes.iter().all(|(_, bytes)| *bytes >= 8192));
        let size = stopped.spool.write_file(&stopped.head).unwrap();
        assert!(size > 16384);
        let capture = trace::file::open(&spool_folder(&tree)).unwrap();
        assert_eq!(capture.merged().count(), 6);
        assert_eq!(capture.head.cpu_stats[1].lost(), 1);
        assert_eq!(capture.head.clock.as_deref(), Some("mono"));
        let notes = capture.head.notes.join("\n");
        assert!(notes.contains("events: sched:sched_switch,"), "{notes}");
        assert!(notes.contains("lost events: CPU 1: 1"), "{notes}");
        assert!(notes.contains("own CPU time: user "), "{notes}");
        let left: Vec<_> = std::fs::read_dir(tree.root().join("out"))
            .unwrap()
            .collect();
        assert_eq!(left.len(), 1, "only the output stays");
    }

    #[test]
    fn functions_that_events_name_come_with_their_symbols() {
        let tree = Tree::new();
        let format = "sys/kernel/tracing/events/irq/softirq_raise/format";
        tree.write(format, "name: softirq_raise\nID: 12\nprint fmt: \"%ps\"\n");
        // The payloads of the tree's events begin so.
        tree.write(
            "proc/kallsyms",
            "000000000000000f T mentioned\n0000000000100000 T far\n",
        );
        let stopped = started(&tree, "irq").unwrap().stop().unwrap();
        assert!(stopped.head.kallsyms.contains("mentioned"));
        assert!(!stopped.head.kallsyms.contains("far"));
        stopped.spool.remove();
        tree.write("proc/kallsyms", "0000000000000000 T hidden\n");
        let stopped = started(&tree, "irq").unwrap().stop().unwrap();
        assert!(
            stopped
                .head
                .notes
                .iter()
                .any(|n| n.contains("kptr_restrict"))
        );
        stopped.spool.remove();
        let stopped = started(&tree, "sched").unwrap().stop().unwrap();
        assert!(stopped.head.kallsyms.is_empty());
    }

    #[test]
    fn a_cpu_that_comes_online_meanwhile_is_in_the_file() {
        let tree = Tree::new();
        let recording = started(&tree, "sched").unwrap();
        let below = |name: &str| {
            let path = tree.tracefs().instance_path().join("per_cpu").join(name);
            let inside = path.strip_prefix(tree.root()).unwrap();
            inside.to_str().unwrap().to_owned()
        };
        let online = "entries: 3\noverrun: 0\ndropped events: 0\n";
        tree.write(
            &below("cpu5/trace_pipe_raw"),
            super::super::testing::pages(5),
        );
        tree.write(&below("cpu5/stats"), online);
        // One that is possible and never came, and one whose ring cannot be read.
        tree.write(&below("cpu6/stats"), "entries: 0\n");
        tree.write(&below("cpu7/stats"), online);
        let stopped = recording.stop().unwrap();
        let cpus: Vec<u32> = stopped.bytes.iter().map(|(cpu, _)| *cpu).collect();
        assert_eq!((cpus, stopped.trouble), (vec![0, 1, 5], None));
        let notes = stopped.head.notes.join("\n");
        assert!(
            notes.contains("CPU 5 came online during the recording"),
            "{notes}"
        );
        assert!(
            notes.contains("events of CPU 7, which came online, are left out: "),
            "{notes}"
        );
        stopped.spool.write_file(&stopped.head).unwrap();
        let capture = trace::file::open(&spool_folder(&tree)).unwrap();
        assert_eq!(capture.cpu(5).unwrap().count(), 3);
        assert_eq!(capture.merged().count(), 9);
    }

    #[test]
    fn a_recording_that_is_given_up_is_switched_off() {
        let tree = Tree::new();
        drop(started(&tree, "sched").unwrap());
        assert_eq!(tree.setting("tracing_on"), "0");
        let left = std::fs::read_dir(tree.root().join("out")).unwrap();
        assert_eq!(left.count(), 0);
    }
}
