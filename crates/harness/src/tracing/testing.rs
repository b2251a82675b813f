//! Plain files in the place of tracefs.

use std::path::Path;

/// A kernel of before 6.11: instances, which are made empty here, have no
/// function_graph.
pub struct Kernel(tempfile::TempDir);

impl Kernel {
    pub fn new() -> Kernel {
        let kernel = Kernel(tempfile::tempdir().unwrap());
        let mounts = "nodev /sys/kernel/tracing tracefs rw 0 0\n";
        kernel.write("proc/self/mounts", mounts);
        for (name, text) in [
            ("available_events", "sched:sched_switch\n"),
            ("available_tracers", "function_graph function nop\n"),
            ("available_filter_functions", "vfs_read\nvfs_write\n"),
            ("current_tracer", "nop\n"),
            ("set_ftrace_filter", "#### all functions enabled ####\n"),
            ("set_graph_function", "#### all functions enabled ####\n"),
            ("max_graph_depth", "0\n"),
            ("tracing_on", "1\n"),
            ("trace_clock", "[local] mono\n"),
            ("buffer_size_kb", "7 (expanded: 1408)\n"),
            ("options/overwrite", "1\n"),
            ("events/sched/sched_switch/enable", "0\n"),
            ("events/enable", "0\n"),
            (
                "events/header_page",
                "\tfield: char data;\toffset:16;\tsize:4080;\n",
            ),
            ("per_cpu/cpu0/stats", "entries: 0\n"),
        ] {
            kernel.write(&format!("sys/kernel/tracing/{name}"), text);
        }
        std::fs::create_dir(kernel.0.path().join("sys/kernel/tracing/instances")).unwrap();
        kernel
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn value(&self, name: &str) -> String {
        let path = self.0.path().join("sys/kernel/tracing").join(name);
        std::fs::read_to_string(path).unwrap().trim().to_owned()
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    pub fn tracing(&self, name: &str, text: &str) {
        self.write(&format!("sys/kernel/tracing/{name}"), text);
    }
}
