//! Mirror of the kernel's headers (`kernel/uapi/`), field by field and with
//! their names. A test compiles the headers and compares; what the values mean
//! stands there.

mod copies;
mod describe;
mod trace;

pub use copies::*;
pub(crate) use describe::define_enumerations;
pub use describe::{Constant, Field, Structure, constants, structures};
pub use trace::*;
