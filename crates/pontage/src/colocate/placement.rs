//! `--placement auto`: as near as all tasks find seats.

use engines::crew::body::Host;
use engines::tasks::seats::seats;
use harness::affinity::format_list;
use harness::{Context, SetupError};
use record::Placement;

/// Two that take turns on a CPU.
pub const SHARED: &str = "same_cpu";

/// The word on the axis.
pub fn nearest(tasks: usize, host: Host, context: &Context) -> &'static str {
    let mut near = Placement::WORDS
        .iter()
        .copied()
        .filter(|word| *word != SHARED);
    near.find(|word| seats(word, tasks, host, context).is_ok())
        .unwrap_or(SHARED)
}

/// A placement that was asked for where none of them can be had: one SKIP before
/// anything is measured, instead of one for each point.
///
/// # Errors
/// `Skip` of the first of them; None may be missing where one is there.
pub fn any(words: &[&str], tasks: usize, host: Host, context: &Context) -> Result<(), SetupError> {
    let mut refused = None;
    for word in words {
        match seats(word, tasks, host, context) {
            Ok(_) => return Ok(()),
            Err(why) => refused = refused.or(Some(why)),
        }
    }
    refused.map_or(Ok(()), Err)
}

/// That tasks have to share CPUs is said: it is another question.
pub fn say_shared(tasks: usize, context: &Context) {
    harness::message!(
        "note: --placement auto: CPUs {} are too few for {tasks} tasks: two share each CPU \
         (same_cpu), and their time is CPU time",
        format_list(&context.cpus)
    );
}
