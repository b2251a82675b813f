//! What both headers of the kernel name, for a test that holds them against us.

use crate::abi::{self, Constant};
use crate::kinds::{Chooser, Class, Direction, Engine, Operation, PolicyKind, Wait};
use crate::reason::Reason;

/// Every constant, enumerator and ioctl number of both headers.
pub fn constants() -> Vec<Constant> {
    let enumerators = [
        Direction::NAMED,
        Engine::NAMED,
        Wait::NAMED,
        Class::NAMED,
        PolicyKind::NAMED,
        Chooser::NAMED,
        Operation::NAMED,
        Reason::NAMED,
    ];
    [abi::plain_constants(), enumerators.concat()].concat()
}
