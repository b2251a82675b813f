//! Switching a tracer on: its limits first.

use super::limits::{DEPTH, ROOTS};
use super::resolve::Functions;
use super::tracer::Tracer;
use crate::tracefs::absence::{Result, TracefsError};
use crate::tracefs::instance::{Instance, Prepared};
use crate::tracefs::mount::{Tracefs, store, write};
use std::io::ErrorKind;
use std::path::Path;

impl Prepared {
    /// Lets a tracer write into the ring, too. The ring stays off.
    ///
    /// # Errors
    /// A filter that the kernel does not take; a tracer that another reader
    /// of the ring holds back.
    pub fn trace_functions(
        mut self,
        tracefs: &Tracefs,
        functions: &Functions,
        tracer: Tracer,
        pids: &[u32],
    ) -> Result<Prepared> {
        let instance = &self.instance;
        if tracer == Tracer::Graph {
            if !functions.below.is_empty() {
                fill(&tracefs.folder().join(ROOTS), &functions.below)?;
            }
            let depth = tracefs.folder().join(DEPTH);
            if depth.exists() {
                write(&depth, &functions.depth.to_string())?;
            }
        }
        if !functions.only.is_empty() {
            fill(&instance.path("set_ftrace_filter"), &functions.only)?;
        }
        follow(instance, pids)?;
        switch(instance, tracer)?;
        let mut description = format!("{} by {}", functions.description(), tracer.name());
        if tracer == Tracer::Function {
            description += ": hits, no times";
        }
        self.functions = Some(description);
        Ok(self)
    }
}

fn follow(instance: &Instance, pids: &[u32]) -> Result<()> {
    if pids.is_empty() {
        return Ok(());
    }
    let fork = instance.path("options/function-fork");
    if fork.exists() {
        write(&fork, "1")?;
    }
    let pids: Vec<String> = pids.iter().map(u32::to_string).collect();
    fill(&instance.path("set_ftrace_pid"), &pids)
}

fn switch(instance: &Instance, tracer: Tracer) -> Result<()> {
    let path = instance.path("current_tracer");
    write(&path, tracer.name()).map_err(|error| match error {
        TracefsError::File { cause, .. } if cause.kind() == ErrorKind::ResourceBusy => {
            TracefsError::refused(
                format!("switch on {}", tracer.name()),
                "a process reads the ring buffer (trace_pipe); to see which: sudo fuser -v \
                 /sys/kernel/tracing/trace_pipe",
            )
        }
        other => other,
    })
}

/// A list with nothing but these. The newline has the kernel judge the last word
/// at once, and not when the file is closed.
pub fn fill(path: &Path, words: &[String]) -> Result<()> {
    let text = words.join(" ") + "\n";
    store(path, &text).map_err(|cause| match cause.kind() {
        ErrorKind::InvalidInput => TracefsError::refused(
            format!("write {} to {}", text.trim(), path.display()),
            cause,
        ),
        _ => TracefsError::file("write", path)(cause),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracefs::testing::Tree;
    use crate::tracefs::{Selection, Settings};

    fn traced(tree: &Tree, functions: &Functions, tracer: Tracer, pids: &[u32]) -> Prepared {
        let settings = Settings {
            clock: "mono".to_owned(),
            buffer_kib: 512,
            overwrite: true,
            pids: Vec::new(),
        };
        let prepared = tree.instance().prepare(&settings, &Selection::default());
        let prepared = prepared.unwrap();
        prepared
            .trace_functions(&tree.tracefs(), functions, tracer, pids)
            .unwrap()
    }

    #[test]
    fn limits_are_set_and_then_the_tracer() {
        let tree = Tree::new();
        let functions = Functions {
            below: vec!["vfs_write".to_owned(), "ksys_*".to_owned()],
            only: vec!["vfs_*".to_owned()],
            depth: 3,
            named: Some(2),
        };
        let prepared = traced(&tree, &functions, Tracer::Graph, &[7]);
        let top = |name: &str| tree.read(&format!("sys/kernel/tracing/{name}"));
        assert_eq!(top("set_graph_function"), "vfs_write ksys_*\n");
        assert_eq!(top("max_graph_depth"), "3");
        assert_eq!(tree.setting("set_ftrace_filter"), "vfs_*");
        assert_eq!(tree.setting("current_tracer"), "function_graph");
        assert_eq!(tree.setting("set_ftrace_pid"), "7");
        assert_eq!(tree.setting("options/function-fork"), "1");
        assert_eq!(tree.setting("tracing_on"), "0");
        assert_eq!(top("current_tracer"), "nop\n");
        assert_eq!(
            prepared.functions.as_deref(),
            Some("functions vfs_* below vfs_write, ksys_*, 3 levels by function_graph")
        );
    }

    #[test]
    fn hits_alone_leave_what_is_shared_as_it_is() {
        let tree = Tree::new();
        let functions = Functions {
            below: Vec::new(),
            only: vec!["vfs_write".to_owned()],
            depth: 0,
            named: Some(1),
        };
        let prepared = traced(&tree, &functions, Tracer::Function, &[]);
        assert_eq!(tree.setting("current_tracer"), "function");
        let top = tree.read("sys/kernel/tracing/set_graph_function");
        assert!(top.starts_with("####"));
        assert!(prepared.functions.unwrap().ends_with("hits, no times"));
    }
}
