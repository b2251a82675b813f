//! `--placement auto`: as near as all tasks find seats.

use experiments::neighbour::seats::seats;
use experiments::neighbour::task::Host;
use experiments::transport::PLACEMENTS;
use harness::Context;
use harness::affinity::format_list;

/// Two that take turns on a CPU.
pub const SHARED: &str = "same_cpu";

/// The word on the axis.
pub fn nearest(tasks: usize, host: Host, context: &Context) -> &'static str {
    let mut near = PLACEMENTS.iter().copied().filter(|word| *word != SHARED);
    near.find(|word| seats(word, tasks, host, context).is_ok())
        .unwrap_or(SHARED)
}

/// That tasks have to share CPUs is said: it is another question.
pub fn say_shared(tasks: usize, context: &Context) {
    harness::message!(
        "note: --placement auto: {tasks} tasks have no CPUs of their own among {}: two share \
         each (same), and their time is CPU time",
        format_list(&context.cpus)
    );
}
