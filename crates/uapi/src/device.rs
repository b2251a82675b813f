//! An open /dev/cftu whose module speaks our version.

use crate::abi;
use crate::error::{Absence, Error};
use crate::facts::{Facts, Obstacle};
use crate::ioctl::{self, Argument, Number};
use std::fs::{File, OpenOptions};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;

/// Cheap to clone: all clones are one open file, which is closed with the last
/// of them, buffers and registrations included.
#[derive(Debug, Clone)]
pub struct Device {
    pub(crate) file: Arc<File>,
    features: Features,
}

/// What the module says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Features {
    pub module_version: String,
    /// Cache lines can be flushed before a measured copy.
    pub flush: bool,
    /// The recorder is built in.
    pub trace: bool,
}

impl Device {
    /// Opens the module's device on this machine.
    ///
    /// # Errors
    /// [`Error::Absent`] says what stands in between, with its remedy.
    pub fn open() -> Result<Device, Error> {
        Device::open_below(Path::new("/"))
    }

    /// As [`Device::open`]; below another root than `/`, a stored tree, there is
    /// never a device, and the error says what the tree shows.
    ///
    /// # Errors
    /// As [`Device::open`].
    pub fn open_below(root: &Path) -> Result<Device, Error> {
        let facts = Facts::read(root);
        if root != Path::new("/") {
            return Err(absent(facts.obstacle().unwrap_or(Obstacle::StoredTree)));
        }
        let opened = OpenOptions::new().read(true).write(true).open("/dev/cftu");
        let file = opened.map_err(|error| not_opened(&error, &facts))?;
        let mut hello = abi::Hello {
            abi_version: abi::ABI_VERSION,
            ..abi::Hello::default()
        };
        // SAFETY: HELLO takes this structure, which holds no address.
        let answer = unsafe { ioctl::call(file.as_fd(), abi::HELLO, &mut hello) };
        check_version(answer, &hello, facts.module_version)?;
        Ok(Device {
            file: Arc::new(file),
            features: Features::of(&hello),
        })
    }

    /// What the loaded module can do.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// A call whose structure holds no address.
    pub(crate) fn ask<A: Argument>(
        &self,
        doing: &'static str,
        number: Number,
        argument: &mut A,
        reason: impl Fn(&A) -> u32,
    ) -> Result<(), Error> {
        // SAFETY: every caller pairs the number with its structure, and those
        // structures hold no address.
        unsafe { ioctl::call(self.file.as_fd(), number, argument) }
            .map_err(|errno| Error::call(doing, errno, reason(argument)))
    }
}

impl Features {
    fn of(hello: &abi::Hello) -> Features {
        Features {
            module_version: crate::name_text(&hello.module_version),
            flush: hello.features & abi::FEATURE_FLUSH != 0,
            trace: hello.features & abi::FEATURE_TRACE != 0,
        }
    }
}

fn absent(obstacle: Obstacle) -> Error {
    Error::Absent(Absence(obstacle))
}

fn not_opened(error: &std::io::Error, facts: &Facts) -> Error {
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => absent(Obstacle::NotPermitted),
        // A node without a module behind it answers so.
        Some(libc::ENOENT | libc::ENODEV | libc::ENXIO) | None => {
            let gone = Facts {
                node: false,
                ..facts.clone()
            };
            absent(gone.obstacle().unwrap_or(Obstacle::NotBuilt))
        }
        Some(errno) => Error::Open(errno),
    }
}

/// The number of a call holds the size of its structure: a module with another
/// one does not know the call (ENOTTY) and cannot say its version.
fn check_version(
    answer: Result<(), i32>,
    hello: &abi::Hello,
    module_version: Option<String>,
) -> Result<(), Error> {
    let other = |module| {
        absent(Obstacle::OtherAbi {
            module,
            module_version: module_version.clone(),
        })
    };
    match answer {
        Ok(()) if hello.abi_version == abi::ABI_VERSION => Ok(()),
        Ok(()) => Err(other(Some(hello.abi_version))),
        Err(libc::EPROTO) if hello.abi_version != abi::ABI_VERSION => {
            Err(other(Some(hello.abi_version)))
        }
        Err(libc::EPROTO | libc::ENOTTY) => Err(other(None)),
        Err(errno) => Err(Error::call("greet module cftu", errno, hello.reason)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(answer: Result<(), i32>, abi_version: u32) -> String {
        let hello = abi::Hello {
            abi_version,
            ..abi::Hello::default()
        };
        check_version(answer, &hello, Some("0.1.0".to_owned()))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn another_version_is_named_with_both_numbers() {
        let words = "cannot open /dev/cftu: module cftu 0.1.0 has version 7 of the interface, \
                     this program version 1";
        assert_eq!(refusal(Err(libc::EPROTO), 7), words);
        assert_eq!(refusal(Ok(()), 7), words);
        assert!(refusal(Err(libc::ENOTTY), 1).contains("another version"));
        assert!(refusal(Err(libc::EIO), 1).starts_with("cannot greet module cftu: Input/output"));
    }

    #[test]
    fn a_node_without_a_module_is_no_module() {
        let facts = Facts {
            node: true,
            loaded: true,
            modules: true,
            ..Facts::default()
        };
        let error = std::io::Error::from_raw_os_error;
        let gone = not_opened(&error(libc::ENXIO), &facts);
        assert_eq!(gone, absent(Obstacle::NoNode { container: false }));
        let denied = not_opened(&error(libc::EACCES), &facts);
        assert_eq!(denied, absent(Obstacle::NotPermitted));
        assert_eq!(
            not_opened(&error(libc::EMFILE), &facts),
            Error::Open(libc::EMFILE)
        );
    }
}
