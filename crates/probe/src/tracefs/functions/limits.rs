//! What makes function_graph small. The files are the machine's: they hold for
//! the tracer of every instance.

use super::resolve::Functions;
use super::shared::{Held, active, in_use, is_free, taken};
use super::tracer::Tracer;
use crate::tracefs::absence::{Result, TracefsError};
use crate::tracefs::mount::Tracefs;

/// List of functions below which function_graph records; empty: all.
pub const ROOTS: &str = "set_graph_function";
/// Levels of calls that function_graph records; 0: all.
pub const DEPTH: &str = "max_graph_depth";
const WHAT: &str = "trace functions";

/// Files that are shared even where the tracer is an instance's own.
///
/// # Errors
/// `Refused`: another process has them, or a tracer that follows them is active.
/// `Absent`: function tracing is switched off.
pub fn limits(tracefs: &Tracefs, functions: &Functions, tracer: Tracer) -> Result<Vec<Held>> {
    is_enabled(tracefs)?;
    if tracer == Tracer::Function {
        return Ok(Vec::new());
    }
    for list in [ROOTS, "set_graph_notrace"] {
        is_free(tracefs, WHAT, list)?;
    }
    let depth = number(tracefs, DEPTH);
    if number(tracefs, "tracing_thresh") != 0 {
        let cause = "another process has set tracing_thresh, which hides short calls";
        let path = tracefs.folder().join("tracing_thresh");
        return Err(in_use(WHAT, cause, "it is", "0 ", &path));
    }
    let mut held = Vec::new();
    if !functions.below.is_empty() {
        held.push(Held::list(tracefs.folder().join(ROOTS)));
    }
    if u64::from(functions.depth) != depth {
        let path = tracefs.folder().join(DEPTH);
        let ours = functions.depth.to_string();
        held.push(Held::setting(path, depth.to_string(), &[&ours]));
    }
    let graph = |(name, _): &&(String, _)| name == Tracer::Graph.name();
    let active = active(tracefs);
    match active.iter().find(graph).filter(|_| !held.is_empty()) {
        Some((name, folder)) => Err(taken(WHAT, name, folder)),
        None => Ok(held),
    }
}

fn number(tracefs: &Tracefs, name: &str) -> u64 {
    let text = tracefs.read(name).unwrap_or_default();
    text.trim().parse().unwrap_or(0)
}

fn is_enabled(tracefs: &Tracefs) -> Result<()> {
    let path = tracefs.root().join("proc/sys/kernel/ftrace_enabled");
    match std::fs::read_to_string(path) {
        Ok(text) if text.trim() == "0" => Err(TracefsError::absent(
            "function tracing is switched off (kernel.ftrace_enabled is 0)",
            "sudo sysctl kernel.ftrace_enabled=1",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracefs::testing::Tree;

    fn functions(depth: u32) -> Functions {
        Functions {
            below: vec!["vfs_write".to_owned()],
            only: Vec::new(),
            depth,
            named: Some(1),
        }
    }

    fn held(tree: &Tree, depth: u32) -> Result<Vec<Held>> {
        limits(&tree.tracefs(), &functions(depth), Tracer::Graph)
    }

    #[test]
    fn the_shared_limits_are_held_with_what_they_were() {
        let tree = Tree::new();
        let found = held(&tree, 5).unwrap();
        assert!(found[0].path.ends_with(ROOTS) && found[0].old.is_empty());
        assert_eq!(
            (found[1].old.as_str(), found[1].ours[0].as_str()),
            ("0", "5")
        );
        assert_eq!(held(&tree, 0).unwrap().len(), 1);
        let hits = limits(&tree.tracefs(), &functions(0), Tracer::Function).unwrap();
        assert_eq!(hits, []);
    }

    #[test]
    fn anybody_elses_limits_and_tracers_are_left_alone() {
        let refusal = |path: &str, text: &str| {
            let tree = Tree::new();
            tree.write(&format!("sys/kernel/tracing/{path}"), text);
            held(&tree, 5).unwrap_err().to_string()
        };
        let text = refusal(ROOTS, "vfs_read\n");
        assert!(
            text.contains("another process has set set_graph_function"),
            "{text}"
        );
        assert!(refusal("tracing_thresh", "100\n").contains("tracing_thresh"));
        let text = refusal("instances/other/current_tracer", "function_graph\n");
        assert!(text.contains("tracer function_graph is active in ") && text.contains("other"));
        let tree = Tree::new();
        tree.write(
            "sys/kernel/tracing/instances/other/current_tracer",
            "function\n",
        );
        assert!(held(&tree, 5).is_ok(), "it does not follow these limits");
    }

    #[test]
    fn tracing_that_is_switched_off_is_an_absence() {
        let tree = Tree::new();
        tree.write("proc/sys/kernel/ftrace_enabled", "0\n");
        let Err(TracefsError::Absent { remedy, .. }) = held(&tree, 5) else {
            panic!()
        };
        assert_eq!(remedy, "sudo sysctl kernel.ftrace_enabled=1");
    }
}
