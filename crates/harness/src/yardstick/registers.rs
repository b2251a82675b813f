//! Known work that needs nothing but registers, for each instruction set.
//!
//! A link is an addition of two registers that waits for the one before it: one cycle on every
//! core that these instruction sets have (an addition of a constant is not: some cores fold a
//! chain of them while they rename). A burst is the same additions in eight chains that wait for
//! nothing but themselves: as many in a cycle as the core has adders, or as another thread of the
//! core leaves.

/// Additions in one turn of either loop.
pub const TURN: u32 = 64;

/// Whether this instruction set has the loops.
pub const KNOWN: bool = cfg!(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "arm"
));

#[cfg_attr(target_arch = "x86_64", path = "registers/x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "registers/aarch64.rs")]
#[cfg_attr(target_arch = "arm", path = "registers/arm.rs")]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "arm"))]
mod set;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "arm")))]
mod set {
    /// There are none.
    pub fn links(_turns: u32) {}
    /// There are none.
    pub fn products(_turns: u32) {}
    /// There are none.
    pub fn burst(_turns: u32) {}
}

pub use set::{burst, links, products};
