//! /dev/cftu: the mirror of its header and the calls.
//!
//! The only crate that speaks to the module, and a leaf. [`Device::open`] says
//! in words why there is no module to speak to; [`abi`] is the header, held
//! against it by a test.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
// With 64 bits: on armv7 types of the C library are narrower than elsewhere.
#![cfg_attr(
    all(not(test), target_pointer_width = "64"),
    deny(clippy::cast_possible_truncation)
)]

pub mod abi;
mod buffer;
mod channel;
mod copy;
mod device;
mod error;
pub mod facts;
pub mod header;
mod ioctl;
pub mod kinds;
mod mapping;
mod measure;
mod policy;
mod reason;
mod registration;
pub mod trace;

pub use buffer::{Buffer, Placement};
pub use channel::{Channel, Counters};
pub use copy::{Copied, Copying, User};
pub use device::{Device, Features};
pub use error::{Absence, Error};
pub use kinds::{Chooser, Class, Direction, Engine, Operation, PolicyKind, Wait};
pub use measure::{Measured, Measuring, Sample, begin_in};
pub use policy::{Policy, PolicyState, Stats, Windows};
pub use reason::Reason;
pub use registration::Registration;

/// The flag where it is wanted.
fn flag(wanted: bool, bit: u32) -> u32 {
    if wanted { bit } else { 0 }
}

/// Text of a name field: up to its first NUL.
fn name_text(bytes: &abi::Name) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// A name field; `None` where the text does not fit with its NUL.
fn name_bytes(text: &str) -> Option<abi::Name> {
    let mut name = abi::Name::default();
    let place = name.get_mut(..text.len())?;
    if text.len() == abi::NAME_BYTES || text.contains('\0') {
        return None;
    }
    place.copy_from_slice(text.as_bytes());
    Some(name)
}
