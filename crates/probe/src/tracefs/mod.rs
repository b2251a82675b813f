//! Recording events of the running kernel, in an instance of our own: the
//! machine's own ring and its tracers are touched only where an instance has no
//! function tracer ([`mod@functions`]), and put back.
//!
//! The order of a recording: [`Tracefs::find`], [`Selection::resolve`], the
//! instance is made (by the journal of `harness`, which removes it again),
//! [`Instance::prepare`], [`Recording::start`], [`Recording::stop`],
//! [`Spool::write_file`]. Documentation/trace/ftrace.rst, events.rst.

mod absence;
mod drain;
mod folder;
pub mod functions;
mod head;
mod instance;
mod mount;
mod names;
mod recording;
mod rescue;
mod select;
mod sets;
mod specification;
mod spool;
mod symbols;
#[cfg(test)]
mod testing;
mod unfiltered;

pub use absence::TracefsError;
pub use instance::{Instance, Prepared, Settings, default_buffer_kib};
pub use mount::{Tracefs, read};
pub use recording::{Recording, Stopped};
pub use rescue::{Rescue, Untouched};
pub use select::{Selection, Switched};
pub use sets::DEFAULT;
pub use specification::Specification;
pub use spool::{Recovered, Spool};
pub use symbols::functions;
