//! One file for each reader.

pub mod axis_text;
pub mod cftu_dat;
pub mod cpu_list;
pub mod ipc_benchmark;
pub mod journal;
pub mod ktap;
pub mod machine_tree;
pub mod recipe;
pub mod run_folder;
pub mod stream;
pub mod trace_dat;
pub mod trace_events;
pub mod trace_format;
pub mod trace_print;

/// A reader and how it is fuzzed.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Of its module, of the program in `fuzz/src/bin` and of the folder in
    /// `fuzz/corpus`.
    pub name: &'static str,
    pub body: fn(&[u8]),
    /// Longer inputs are not tried.
    pub most_bytes: u32,
    /// Of `make fuzz` unless TIME says otherwise.
    pub minutes: u32,
}

const fn target(name: &'static str, body: fn(&[u8]), most_bytes: u32, minutes: u32) -> Target {
    Target {
        name,
        body,
        most_bytes,
        minutes,
    }
}

/// Every parser that reads bytes of others.
pub const TARGETS: &[Target] = &[
    target("axis_text", axis_text::body, 256, 10),
    target("cftu_dat", cftu_dat::body, 4096, 10),
    target("cpu_list", cpu_list::body, 256, 10),
    target("ipc_benchmark", ipc_benchmark::body, 8192, 10),
    target("journal", journal::body, 4096, 10),
    target("ktap", ktap::body, 8192, 10),
    target("machine_tree", machine_tree::body, 32768, 10),
    target("recipe", recipe::body, 4096, 10),
    target("run_folder", run_folder::body, 32768, 60),
    target("stream", stream::body, 16384, 10),
    target("trace_dat", trace_dat::body, 32768, 60),
    target("trace_events", trace_events::body, 4096, 10),
    target("trace_format", trace_format::body, 4096, 10),
    target("trace_print", trace_print::body, 4096, 10),
];
