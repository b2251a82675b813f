//! Mirror of the kernel's headers (`kernel/uapi/`), field by field and with
//! their names. A test compiles the headers and compares; what the values mean
//! stands there.

mod copies;
mod describe;
mod trace;

pub use copies::*;
pub(crate) use describe::define_enumeration;
pub use describe::{Constant, Field, Structure};
pub use trace::*;

/// Every structure of both headers, in their order.
pub fn structures() -> Vec<Structure> {
    [copies::STRUCTURES, trace::STRUCTURES].concat()
}

/// Every constant of both headers that is no enumerator.
pub(crate) fn plain_constants() -> Vec<Constant> {
    [copies::CONSTANTS, trace::CONSTANTS].concat()
}
