//! One setting of the axes, and what a set-up may know of its surroundings.

use crate::path_bytes;
use crate::simulated::Measured;
use record::{AxisValue, MachineCard, Setting};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One point of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// Position in the plan.
    pub index: u32,
    pub experiment: String,
    pub settings: Vec<Setting>,
}

impl Point {
    /// Integer value of an axis.
    ///
    /// # Panics
    /// When the axis is missing or holds a word: the plan checks both against
    /// the experiment's axes before any set-up runs.
    pub fn int(&self, axis: &str) -> i64 {
        self.get(axis)
            .and_then(AxisValue::as_int)
            .unwrap_or_else(|| panic!("plan gave {} no integer axis {axis}", self.experiment))
    }

    /// Size axis, bytes or another unit that cannot be negative.
    ///
    /// # Panics
    /// As `int`; also when the value is negative.
    pub fn size(&self, axis: &str) -> usize {
        usize::try_from(self.int(axis)).expect("the plan rejects negative sizes")
    }

    /// Word value of an axis.
    ///
    /// # Panics
    /// As `int`.
    pub fn word(&self, axis: &str) -> &str {
        self.get(axis)
            .and_then(AxisValue::as_word)
            .unwrap_or_else(|| panic!("plan gave {} no word axis {axis}", self.experiment))
    }

    /// The point's value on an axis.
    pub fn get(&self, axis: &str) -> Option<&AxisValue> {
        self.settings
            .iter()
            .find(|s| s.axis == axis)
            .map(|s| &s.value)
    }
}

/// Surroundings of a set-up. The calling thread is already pinned to
/// `test_cpu` where pinning is possible.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Context {
    pub card: MachineCard,
    pub test_cpu: u32,
    /// A second CPU for experiments with two sides; None on one-CPU machines.
    pub partner_cpu: Option<u32>,
    /// Every CPU this process may run on.
    pub cpus: Vec<u32>,
    /// Bytes that may be allocated without pushing the machine into swap.
    pub memory_available_bytes: u64,
    /// A folder for scratch files. It belongs to the caller of the session, who
    /// removes it.
    #[serde(with = "path_bytes")]
    pub scratch: PathBuf,
    /// Where traces are kept with the run; None: they are not.
    #[serde(default, with = "path_bytes::option")]
    pub traces: Option<PathBuf>,
    /// What is measured; it does not travel to another process.
    #[serde(skip)]
    pub measured: Measured,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Context;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn a_folder_that_is_no_text_reaches_the_measuring_process() {
        let folder = || OsStr::from_bytes(b"/tmp/\xff").into();
        let sent = Context {
            scratch: folder(),
            traces: Some(folder()),
            ..context()
        };
        for sent in [sent, context()] {
            let text = serde_json::to_string(&sent).unwrap();
            assert_eq!(serde_json::from_str::<Context>(&text).unwrap(), sent);
        }
    }

    /// A context of an unknown machine.
    pub fn context() -> Context {
        Context {
            card: record::MachineCard::default(),
            test_cpu: 0,
            partner_cpu: None,
            cpus: vec![0],
            memory_available_bytes: 1 << 20,
            scratch: std::env::temp_dir(),
            traces: None,
            measured: crate::Measured::default(),
        }
    }
}
