//! Where the kernel spent its time, from the entries and exits of function_graph:
//! a profile by function, and the tree of calls below a function.

mod calls;
mod each;
mod profile;
mod stacks;

pub use calls::{CallTree, Line};
pub use each::EachCall;
pub use profile::{FunctionRow, Profile};
pub use stacks::Call;
