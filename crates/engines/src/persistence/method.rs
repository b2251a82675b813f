//! Ways of making a block persistent, and the places where each makes sense.

use crate::loops::writeback::{Fence, Instruction, Writeback};
use harness::SetupError;

/// Words of a `method` axis, in the order of figures.
pub const METHODS: &[&str] = &[
    "store",
    "clflush",
    "clflushopt",
    "clwb",
    "ntstore",
    "dc_cvac",
    "dc_cvap",
    "dc_civac",
    "map_sync",
    "msync",
    "fdatasync",
    "odirect",
];

/// Words of a `place` axis.
pub const PLACES: &[&str] = &["anonymous", "tmpfs", "file", "dax"];

/// A way of making a block persistent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// An instruction on each line of a mapping, and a fence.
    Lines(Instruction),
    /// The best of these instructions, on a mapping made with MAP_SYNC.
    MapSync,
    /// A plain store into a mapping, then msync(2) of its pages.
    Msync,
    /// pwrite(2), then fdatasync(2).
    Fdatasync,
    /// One pwrite(2) through O_DIRECT and O_DSYNC.
    Odirect,
}

/// Where the block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Anonymous,
    Tmpfs,
    /// The scratch folder, behind the page cache.
    File,
    /// The scratch folder, mapped without a page cache.
    Dax,
}

impl Place {
    /// Reads a word of [`PLACES`]; the plan has refused any other.
    pub fn from_word(word: &str) -> Place {
        match word {
            "tmpfs" => Place::Tmpfs,
            "file" => Place::File,
            "dax" => Place::Dax,
            _ => Place::Anonymous,
        }
    }

    /// Whether what was made persistent there outlives the power.
    pub fn persists(self) -> bool {
        matches!(self, Place::File | Place::Dax)
    }
}

impl Method {
    /// Reads a word of [`METHODS`].
    pub fn from_word(word: &str) -> Option<Method> {
        match word {
            "map_sync" => Some(Method::MapSync),
            "msync" => Some(Method::Msync),
            "fdatasync" => Some(Method::Fdatasync),
            "odirect" => Some(Method::Odirect),
            other => Instruction::from_word(other).map(Method::Lines),
        }
    }

    /// The instruction that it writes lines back with, if it does so by itself.
    ///
    /// # Errors
    /// `Skip` where this processor has none.
    pub fn writeback(self) -> Result<Option<Writeback>, SetupError> {
        match self {
            Method::Lines(instruction) => Writeback::find(instruction).map(Some),
            Method::MapSync => best().map(Some),
            Method::Msync | Method::Fdatasync | Method::Odirect => Ok(None),
        }
        .map_err(|missing| SetupError::skip(missing.reason, missing.remedy))
    }

    /// Whether the kernel writes back dirty pages, so that those of other programs would
    /// be in the time as well.
    pub fn is_call(self) -> bool {
        matches!(self, Method::Msync | Method::Fdatasync | Method::Odirect)
    }

    /// Whether it works on blocks of `size` at `place` with this fence.
    ///
    /// # Errors
    /// `Skip` with what makes sense instead.
    pub fn suits(self, place: Place, fence: Fence, size: usize) -> Result<(), SetupError> {
        let skip = |reason: &str, remedy: &str| Err(SetupError::skip(reason, remedy));
        let plain = self == Method::Lines(Instruction::Store);
        match (self, place) {
            (Method::Lines(_), Place::File) if !plain => skip(
                "flushing a line of the page cache writes nothing to the disk",
                "choose a place without a page cache: --axis place=dax,anonymous",
            ),
            (Method::MapSync, Place::Anonymous | Place::Tmpfs | Place::File) => {
                skip("MAP_SYNC exists on DAX only", "--axis place=dax")
            }
            (Method::Msync | Method::Fdatasync | Method::Odirect, Place::Anonymous) => skip(
                "anonymous memory has no file to synchronise",
                "--axis place=file,dax,tmpfs",
            ),
            (Method::Odirect, Place::Tmpfs) => skip(
                "tmpfs is memory: it has no device for O_DIRECT",
                "--axis place=file,dax",
            ),
            (Method::Odirect, _) if !size.is_multiple_of(512) => skip(
                "O_DIRECT needs whole blocks of the device",
                "--axis size=4KiB..1MiB",
            ),
            _ if fence == Fence::Line && (plain || self.is_call()) => skip(
                "a fence after each line needs an instruction for each line",
                "--axis fence=per_block",
            ),
            _ => Ok(()),
        }
    }
}

/// The instruction for persistent memory: one that may keep the line, if there
/// is one.
fn best() -> Result<Writeback, crate::loops::Missing> {
    const BEST: [Instruction; 4] = [
        Instruction::Clwb,
        Instruction::DcCvap,
        Instruction::DcCvac,
        Instruction::Clflushopt,
    ];
    let found = BEST.iter().find_map(|i| Writeback::find(*i).ok());
    found.map_or_else(|| Writeback::find(Instruction::Clflush), Ok)
}

#[cfg(test)]
mod tests {
    use super::{METHODS, Method, PLACES, Place};
    use crate::loops::writeback::{Fence, Instruction};
    use harness::SetupError;

    #[test]
    fn every_word_is_a_method() {
        for word in METHODS {
            assert!(Method::from_word(word).is_some(), "{word}");
        }
        for instruction in Instruction::all() {
            assert!(METHODS.contains(&instruction.word()), "{instruction}");
        }
        assert_eq!(Method::from_word("hope"), None);
    }

    #[test]
    fn what_makes_no_sense_says_why() {
        let mut sensible = 0;
        for method in METHODS.iter().filter_map(|m| Method::from_word(m)) {
            for place in PLACES.iter().map(|p| Place::from_word(p)) {
                for fence in [Fence::Block, Fence::Line] {
                    match method.suits(place, fence, 4096) {
                        Ok(()) => sensible += 1,
                        Err(SetupError::Skip { reason, remedy }) => {
                            assert!(
                                !reason.is_empty() && remedy.starts_with("--axis")
                                    || remedy.contains("--axis")
                            );
                        }
                        Err(other) => panic!("{other}"),
                    }
                }
            }
        }
        // Eight instructions at three places, store at the fourth; the fence
        // behind each line for seven of them; the calls and MAP_SYNC.
        assert_eq!(sensible, 8 * 3 + 1 + 7 * 3 + (2 + 3 + 3) + 2);
    }

    #[test]
    fn o_direct_refuses_parts_of_a_sector() {
        let suits = |size| {
            Method::Odirect
                .suits(Place::File, Fence::Block, size)
                .is_ok()
        };
        assert!(suits(512) && suits(4096) && !suits(64));
    }
}
