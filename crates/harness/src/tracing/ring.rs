//! Where a recording goes: an instance of its own, and for function tracers of
//! older kernels the machine's own ring.

use crate::error::HarnessError;
use crate::journal::Journal;
use probe::tracefs::functions::{Functions, Held, OWN_RING, Tracer, limits, own_ring};
use probe::tracefs::{Instance, Prepared, Selection, Settings, Tracefs, TracefsError};
use std::path::Path;

/// What is recorded, and how.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    pub selection: &'a Selection,
    pub functions: Option<&'a Functions>,
    pub settings: &'a Settings,
}

/// Why there is no ring.
#[derive(Debug, thiserror::Error)]
pub enum RingError {
    #[error(transparent)]
    Journal(#[from] HarnessError),
    #[error(transparent)]
    Tracefs(#[from] TracefsError),
}

/// A ring that is set up and off. The journal gives it back, and must outlive
/// all that holds its files open.
///
/// # Errors
/// What this kernel lacks, what another process uses, what cannot be written.
pub fn prepare(
    tracefs: &Tracefs,
    journal: &mut Journal,
    plan: Plan<'_>,
) -> Result<Prepared, RingError> {
    let Some(functions) = plan.functions else {
        let path = tracefs.instance_path();
        journal.make_instance(&path)?;
        return Ok(Instance::at(path).prepare(plan.settings, plan.selection)?);
    };
    let Some(tracer) = Tracer::for_functions(functions, tracefs.folder()) else {
        return Err(RingError::Tracefs(TracefsError::absent(
            "this kernel has no function_graph",
            "none: needs a kernel with CONFIG_FUNCTION_GRAPH_TRACER",
        )));
    };
    // Before the instance, so that they are let go after it.
    hold(journal, limits(tracefs, functions, tracer)?)?;
    let (instance, why) = place(tracefs, journal, plan.selection, tracer)?;
    let mut prepared = instance
        .prepare(plan.settings, plan.selection)?
        .trace_functions(tracefs, functions, tracer, &plan.settings.pids)?;
    prepared.notes.extend(why);
    Ok(prepared)
}

fn place(
    tracefs: &Tracefs,
    journal: &mut Journal,
    selection: &Selection,
    tracer: Tracer,
) -> Result<(Instance, Option<String>), RingError> {
    let path = tracefs.instance_path();
    journal.make_instance(&path)?;
    if tracer.is_offered(&path) {
        return Ok((Instance::at(path), None));
    }
    remove(&path)?;
    hold(journal, own_ring(tracefs, selection, tracer)?)?;
    let ring = Instance::at(tracefs.folder().to_owned());
    Ok((ring, Some(OWN_RING.to_owned())))
}

/// The journal then finds that it is gone.
fn remove(path: &Path) -> Result<(), RingError> {
    let removed = std::fs::remove_dir(path);
    Ok(removed.map_err(HarnessError::file("remove tracefs instance", path))?)
}

/// Enters each file in the journal; fails where another process has entered it.
pub fn hold(journal: &mut Journal, files: Vec<Held>) -> Result<(), HarnessError> {
    files
        .iter()
        .try_for_each(|file| journal.hold(&file.path, &file.old, &file.ours))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracing::testing::Kernel;
    use probe::tracefs::functions::FunctionWish;

    fn prepared(kernel: &Kernel, journal: &mut Journal) -> Result<Prepared, RingError> {
        let tracefs = Tracefs::find(kernel.root())?;
        let Ok(event) = "sched_switch".parse();
        let selection = Selection::resolve(&tracefs, &[event], None)?;
        let wish = FunctionWish {
            below: vec!["vfs_write".to_owned()],
            only: vec!["vfs_*".to_owned()],
            depth: 3,
        };
        let functions = Functions::resolve(&tracefs, &wish)?;
        let settings = Settings {
            clock: "mono".to_owned(),
            buffer_kib: 64,
            overwrite: true,
            pids: Vec::new(),
        };
        let plan = Plan {
            selection: &selection,
            functions: Some(&functions),
            settings: &settings,
        };
        prepare(&tracefs, journal, plan)
    }

    #[test]
    fn the_machines_own_ring_is_used_and_given_back() {
        let kernel = Kernel::new();
        let mut journal =
            Journal::unguarded(&kernel.root().join("journal")).of_machine(kernel.root());
        let prepared = prepared(&kernel, &mut journal).unwrap();
        assert!(prepared.instance.folder().ends_with("sys/kernel/tracing"));
        assert!(prepared.notes[0].contains("the top-level ring buffer is used"));
        assert_eq!(kernel.value("current_tracer"), "function_graph");
        assert_eq!(kernel.value("set_graph_function"), "vfs_write");
        assert_eq!(kernel.value("max_graph_depth"), "3");
        assert_eq!(kernel.value("events/sched/sched_switch/enable"), "1");
        let restored = journal.undo();
        assert!(restored[0].path.ends_with("current_tracer"), "{restored:?}");
        assert!(
            restored
                .last()
                .unwrap()
                .path
                .ends_with("set_graph_function")
        );
        assert!(
            !restored.iter().any(|r| r.outcome.is_trouble()),
            "{restored:?}"
        );
        for (name, value) in [
            ("current_tracer", "nop"),
            ("set_ftrace_filter", ""),
            ("set_graph_function", ""),
            ("max_graph_depth", "0"),
            ("tracing_on", "1"),
            ("trace_clock", "local"),
            ("buffer_size_kb", "1408"),
            ("events/sched/sched_switch/enable", "0"),
        ] {
            assert_eq!(kernel.value(name), value, "{name}");
        }
        let left = kernel.root().join("sys/kernel/tracing/instances");
        assert_eq!(std::fs::read_dir(left).unwrap().count(), 0);
    }

    #[test]
    fn another_tracer_is_named_and_nothing_is_written() {
        let kernel = Kernel::new();
        kernel.write("sys/kernel/tracing/current_tracer", "function\n");
        let mut journal =
            Journal::unguarded(&kernel.root().join("journal")).of_machine(kernel.root());
        let error = prepared(&kernel, &mut journal).unwrap_err().to_string();
        assert!(error.contains("tracer function is active in "), "{error}");
        drop(journal);
        assert_eq!(kernel.value("current_tracer"), "function");
        assert_eq!(kernel.value("tracing_on"), "1");
        assert_eq!(kernel.value("max_graph_depth"), "0");
    }
}
