//! Getting Debian's packages into the cache: found by a private configuration
//! of apt, unpacked by dpkg, the host left as it is.

pub mod apt;
pub mod busybox;
pub mod kernel;
mod package;
pub mod programs;
pub mod source;
pub mod sources;
pub mod tree;
