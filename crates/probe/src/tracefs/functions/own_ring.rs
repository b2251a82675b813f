//! The machine's own ring: taken only where nobody else uses it, and only where
//! an instance has no tracer of the kind.

use super::shared::{Held, in_use, is_free, taken};
use super::tracer::Tracer;
use crate::tracefs::absence::{Result, TracefsError};
use crate::tracefs::mount::{Tracefs, ring_cpus, ring_entries, tracer_of};
use crate::tracefs::select::Selection;

const WHAT: &str = "use the top-level ring buffer";

/// Why it is used, for notes.
pub const WHY: &str = "this kernel has no function_graph in instances (before Linux 6.11): the \
                       top-level ring buffer is used, and restored afterwards";

/// Lists that are empty in a ring that nobody uses.
const LISTS: [&str; 5] = [
    "set_ftrace_filter",
    "set_ftrace_notrace",
    "set_ftrace_pid",
    "set_event_pid",
    "set_graph_notrace",
];

/// Everything that a recording writes there, the tracer last: what is held last
/// is let go first.
///
/// # Errors
/// `Refused`: a tracer or events are on, or a filter is set, or the ring holds
/// events of another process.
pub fn own_ring(tracefs: &Tracefs, selection: &Selection, tracer: Tracer) -> Result<Vec<Held>> {
    is_unused(tracefs)?;
    no_conditions(selection)?;
    let folder = tracefs.folder();
    let mut held = Vec::new();
    let settings = [
        "tracing_on",
        "trace_clock",
        "buffer_size_kb",
        "buffer_percent",
        "options/overwrite",
        "options/event-fork",
        "options/function-fork",
    ];
    for name in settings {
        if let Ok(text) = tracefs.read(name) {
            held.push(Held::setting(folder.join(name), in_force(&text), &[]));
        }
    }
    for name in LISTS.iter().take(4) {
        if folder.join(name).exists() {
            held.push(Held::list(folder.join(name)));
        }
    }
    for switched in &selection.switched {
        let enable = folder.join(switched.folder()).join("enable");
        held.push(Held::setting(enable, "0", &[]));
    }
    let path = folder.join("current_tracer");
    held.push(Held::setting(path, "nop", &[tracer.name()]));
    Ok(held)
}

fn is_unused(tracefs: &Tracefs) -> Result<()> {
    if let Some(tracer) = tracer_of(tracefs.folder()) {
        return Err(taken(WHAT, &tracer, tracefs.folder()));
    }
    for list in LISTS {
        is_free(tracefs, WHAT, list)?;
    }
    let refused = |cause: &str, it_is: &str, value: &str, file: &str| {
        Err(in_use(
            WHAT,
            cause,
            it_is,
            value,
            &tracefs.folder().join(file),
        ))
    };
    let (events, profile) = ("events/enable", "function_profile_enabled");
    if tracefs.read(events).is_ok_and(|t| t.trim() != "0") {
        let cause = "events are on in it (set_event lists them)";
        return refused(cause, "they are", "0 ", events);
    }
    if tracefs.read(profile).is_ok_and(|t| t.trim() == "1") {
        return refused("the function profile is on", "it is", "0 ", profile);
    }
    match entries(tracefs) {
        0 => Ok(()),
        n => {
            let cause = format!("it holds {n} events of another process");
            refused(&cause, "they are", "", "trace")
        }
    }
}

fn entries(tracefs: &Tracefs) -> u64 {
    let cpus = ring_cpus(tracefs.folder()).unwrap_or_default();
    cpus.iter()
        .map(|cpu| ring_entries(tracefs.folder(), *cpu))
        .sum()
}

/// Filters and triggers have no old text that could be written back.
fn no_conditions(selection: &Selection) -> Result<()> {
    let conditional =
        |s: &&crate::tracefs::select::Switched| s.filter.is_some() || !s.triggers.is_empty();
    match selection.switched.iter().find(conditional) {
        None => Ok(()),
        Some(_) => Err(TracefsError::refused(
            WHAT,
            "filters and triggers of events are set in instances only; \
             record those events by a second pontage trace record",
        )),
    }
}

/// `[local] global`: local. `7 (expanded: 1408)`: what it will be from its first
/// use on.
fn in_force(text: &str) -> String {
    let text = text.trim();
    let between = |open: &str, close: char| {
        let (_, rest) = text.split_once(open)?;
        rest.split_once(close).map(|(word, _)| word.trim())
    };
    between("expanded:", ')')
        .or_else(|| between("[", ']'))
        .unwrap_or(text)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracefs::specification::Specification;
    use crate::tracefs::testing::Tree;

    fn held(tree: &Tree, wish: &str) -> Result<Vec<Held>> {
        let Ok(wish) = wish.parse::<Specification>();
        let tracefs = tree.tracefs();
        let selection = Selection::resolve(&tracefs, &[wish], None)?;
        own_ring(&tracefs, &selection, Tracer::Graph)
    }

    #[test]
    fn an_unused_ring_is_held_whole_and_its_tracer_last() {
        let tree = Tree::new();
        let found = held(&tree, "sched_switch").unwrap();
        let old = |name: &str| {
            let of = |h: &&Held| h.path.ends_with(name);
            found.iter().find(of).unwrap().old.clone()
        };
        assert_eq!(old("buffer_size_kb"), "1408");
        assert_eq!(old("trace_clock"), "local");
        assert_eq!(old("tracing_on"), "1");
        assert_eq!(old("set_ftrace_filter"), "");
        assert_eq!(old("sched_switch/enable"), "0");
        let last = found.last().unwrap();
        assert!(last.path.ends_with("tracing/current_tracer"));
        assert_eq!(
            (last.old.as_str(), last.ours[0].as_str()),
            ("nop", "function_graph")
        );
    }

    #[test]
    fn a_ring_that_another_process_uses_is_refused_with_what_is_on() {
        for (path, text, expected) in [
            ("current_tracer", "function\n", "tracer function is active"),
            ("events/enable", "X\n", "events are on"),
            (
                "set_ftrace_filter",
                "vfs_read\n",
                "another process has set set_ftrace_filter",
            ),
            (
                "set_ftrace_pid",
                "17\n",
                "another process has set set_ftrace_pid",
            ),
            (
                "function_profile_enabled",
                "1\n",
                "the function profile is on",
            ),
            ("per_cpu/cpu0/stats", "entries: 3\n", "it holds 3 events"),
        ] {
            let tree = Tree::new();
            tree.write(&format!("sys/kernel/tracing/{path}"), text);
            let error = held(&tree, "sched_switch").unwrap_err().to_string();
            assert!(
                error.starts_with("cannot use the top-level ring buffer: "),
                "{error}"
            );
            assert!(
                error.contains(expected) && error.contains("sudo sh -c"),
                "{error}"
            );
        }
    }

    #[test]
    fn conditions_of_events_need_an_instance() {
        let error = held(&Tree::new(), "sched_switch if prev_pid == 1").unwrap_err();
        assert!(error.to_string().contains("in instances only"));
    }
}
