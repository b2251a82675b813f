//! What both headers of the kernel name, for a test that holds them against us.

use crate::abi::{self, Constant};
use crate::{kinds, reason};

/// Every constant, enumerator and ioctl number of both headers.
pub fn constants() -> Vec<Constant> {
    let mut all = abi::plain_constants();
    all.extend(kinds::enumerators());
    all.extend(reason::enumerators());
    all
}
