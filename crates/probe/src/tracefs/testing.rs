//! A tree of plain files in the place of /proc and tracefs.

use super::instance::Instance;
use super::mount::Tracefs;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use trace::format::PageLayout;
use trace::page::PageWriter;

pub const PAGE_BYTES: usize = 4096;

const EVENTS: &[&str] = &[
    "irq:irq_handler_entry",
    "irq:irq_handler_exit",
    "irq:softirq_raise",
    "irq:softirq_entry",
    "irq:softirq_exit",
    "sched:sched_switch",
    "sched:sched_waking",
    "sched:sched_process_exit",
    "syscalls:sys_enter_read",
];

pub const HEADER_PAGE: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
    \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
    \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\
    \tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

pub struct Tree(tempfile::TempDir);

impl Tree {
    pub fn new() -> Tree {
        let tree = Tree(tempfile::tempdir().unwrap());
        let tracing = |name: &str, text: &str| {
            tree.write(&format!("sys/kernel/tracing/{name}"), text);
        };
        tree.write(
            "proc/self/mounts",
            "nodev /sys/kernel/tracing tracefs rw 0 0\n",
        );
        tree.write("proc/filesystems", "nodev\ttracefs\n");
        tree.write("proc/meminfo", "MemAvailable: 16777216 kB\n");
        tree.write("proc/7/task/7/comm", "seven\n");
        tree.write("proc/7/task/8/comm", "eight of seven\n");
        tree.write("sys/devices/system/cpu/online", "0-1\n");
        tracing("available_events", &(EVENTS.join("\n") + "\n"));
        tracing("current_tracer", "nop\n");
        tracing("available_tracers", "function_graph function nop\n");
        tracing("tracing_on", "1\n");
        tracing("trace_clock", "[local] global mono\n");
        tracing("buffer_size_kb", "7 (expanded: 1408)\n");
        tracing("set_ftrace_filter", "#### all functions enabled ####\n");
        tracing("set_graph_function", "#### all functions enabled ####\n");
        tracing("max_graph_depth", "0\n");
        tracing("tracing_thresh", "0\n");
        tracing("set_ftrace_pid", "no pid\n");
        tracing("available_filter_functions", &functions());
        tracing("saved_cmdlines", "8 old name\n5 five\n");
        tracing("printk_formats", "0x1 : \"text\"\n");
        tracing("events/header_page", HEADER_PAGE);
        tracing("events/header_event", "# compressed entry header\n");
        tracing("events/enable", "0\n");
        for (id, event) in EVENTS.iter().enumerate() {
            let (system, name) = event.split_once(':').unwrap();
            tracing(
                &format!("events/{system}/{name}/format"),
                &format!("name: {name}\nID: {}\nformat:\n", id + 10),
            );
            tracing(&format!("events/{system}/enable"), "0\n");
        }
        tracing("instances/other/tracing_on", "1\n");
        tree
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub fn tracefs(&self) -> Tracefs {
        Tracefs::find(self.root()).unwrap()
    }

    /// As the kernel fills a new folder of `instances`.
    pub fn instance(&self) -> Instance {
        let path = self.tracefs().instance_path();
        let below = |name: &str| {
            let path = path.join(name);
            path.strip_prefix(self.root())
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        };
        self.write(&below("tracing_on"), "1\n");
        self.write(&below("available_tracers"), "function nop\n");
        self.write(&below("current_tracer"), "nop\n");
        self.write(&below("set_ftrace_filter"), "");
        self.write(&below("set_ftrace_pid"), "no pid\n");
        self.write(&below("options/function-fork"), "0\n");
        self.write(&below("trace_clock"), "[local] global mono\n");
        self.write(&below("buffer_size_kb"), "1410\n");
        self.write(&below("buffer_subbuf_size_kb"), "4\n");
        self.write(&below("buffer_percent"), "50\n");
        self.write(&below("options/overwrite"), "1\n");
        self.write(&below("options/event-fork"), "0\n");
        self.write(&below("set_event_pid"), "\n");
        for event in EVENTS {
            let (system, name) = event.split_once(':').unwrap();
            self.write(&below(&format!("events/{system}/enable")), "0\n");
            for file in ["enable", "filter", "trigger"] {
                self.write(&below(&format!("events/{system}/{name}/{file}")), "");
            }
        }
        for cpu in 0..2 {
            let file = |name: &str| below(&format!("per_cpu/cpu{cpu}/{name}"));
            self.write(&file("trace_pipe_raw"), pages(cpu));
            self.write(
                &file("stats"),
                format!("entries: 0\noverrun: {cpu}\ndropped events: 0\n"),
            );
        }
        Instance::at(path)
    }

    /// Of the instance.
    pub fn setting(&self, name: &str) -> String {
        let path = self.tracefs().instance_path().join(name);
        std::fs::read_to_string(path).unwrap().trim().to_owned()
    }
}

/// A few of the kernel's functions, and as many others as make it a kernel.
fn functions() -> String {
    let mut text = "vfs_read\nvfs_write\nksys_read\next4_sync_file [ext4]\n".to_owned();
    for number in 0..5000 {
        let _ = writeln!(text, "function_{number}");
    }
    text
}

/// Three events on each CPU, one of them as long as to need a page of its own.
pub fn pages(cpu: u32) -> Vec<u8> {
    let mut writer = PageWriter::new(PAGE_BYTES, PageLayout::usual(8), trace::Order::Little);
    for (stamp, bytes) in [(10, 8), (20, 4064), (30, 8)] {
        let mut payload = vec![0; bytes];
        payload[0] = 15;
        assert!(writer.push(stamp + u64::from(cpu), &payload));
    }
    writer.finish()
}

pub fn spool_folder(tree: &Tree) -> PathBuf {
    tree.root().join("out/trace.dat")
}
