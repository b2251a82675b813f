//! The kernel's function tracers: which functions, and in which ring.
//!
//! `function_graph` has entries and exits and so times and trees; `function` has
//! hits. Never without a filter: every function of the kernel would be traced.
//! An instance has a function_graph of its own since Linux 6.11; before, there
//! is only that of the machine's own ring ([`own_ring`]).

mod limits;
mod own_ring;
mod profile;
mod resolve;
mod set;
mod shared;
mod tracer;

pub use limits::limits;
pub use own_ring::{WHY as OWN_RING, own_ring};
pub use profile::{has_profile, profile_held, profile_start, profile_stop};
pub use resolve::{ALL, FunctionWish, Functions, names_to_probe};
pub use shared::Held;
pub use tracer::Tracer;
