//! Which of the tracers a folder of tracing offers.

use super::resolve::Functions;
use crate::tracefs::mount::read;
use std::path::Path;

/// The kernel's tracers of functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracer {
    /// Entries and exits.
    Graph,
    /// Entries.
    Function,
}

impl Tracer {
    /// As in `available_tracers`.
    pub fn name(self) -> &'static str {
        match self {
            Tracer::Graph => "function_graph",
            Tracer::Function => "function",
        }
    }

    /// Whether `available_tracers` of the folder lists it.
    pub fn is_offered(self, folder: &Path) -> bool {
        let text = read(&folder.join("available_tracers")).unwrap_or_default();
        text.split_whitespace().any(|name| name == self.name())
    }

    /// What serves the wish: times where there are any; trees need them.
    pub fn for_functions(functions: &Functions, top: &Path) -> Option<Tracer> {
        if Tracer::Graph.is_offered(top) {
            return Some(Tracer::Graph);
        }
        let hits_do = functions.below.is_empty() && functions.depth == 0;
        (hits_do && Tracer::Function.is_offered(top)).then_some(Tracer::Function)
    }
}
