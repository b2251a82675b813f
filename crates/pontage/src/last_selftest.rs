//! What the last `pontage selftest` of this machine found, kept in the state folder: for
//! `doctor`, and for the record of each run.

use crate::state_file;
use record::{MachineCard, SelfTest};
use serde::{Deserialize, Serialize};

/// In the state folder.
const FILE: &str = "selftest.json";
/// What `doctor` says where there is none.
const NONE: &str = "not tested here: pontage selftest";

/// A self-test, and what it is of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Kept {
    tool_version: String,
    host: String,
    cpu_model: String,
    kernel: String,
    self_test: SelfTest,
}

impl Kept {
    fn of(card: &MachineCard, self_test: SelfTest) -> Kept {
        Kept {
            tool_version: crate::VERSION.to_owned(),
            host: card.host.clone(),
            cpu_model: card.cpu_model.clone(),
            kernel: card.kernel.clone(),
            self_test,
        }
    }

    /// Whether this program measures on that machine now.
    fn is_of(&self, card: &MachineCard) -> bool {
        *self == Kept::of(card, self.self_test.clone())
    }
}

/// The last one of this version on this machine and kernel.
pub fn of(card: &MachineCard) -> Option<SelfTest> {
    let kept: Kept = state_file::read(FILE)?;
    kept.is_of(card).then_some(kept.self_test)
}

/// Keeps one; false where no state folder takes it.
pub fn keep(card: &MachineCard, self_test: &SelfTest) -> bool {
    state_file::keep(FILE, &Kept::of(card, self_test.clone()))
}

/// What it found in one line, or how to have one.
pub fn line(self_test: Option<&SelfTest>) -> String {
    let found = self_test.map_or_else(|| NONE.to_owned(), report::instrument::self_test);
    format!("selftest: {found}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_another_kernel_cpu_or_version_is_of_another_machine() {
        let card = MachineCard {
            host: "a".to_owned(),
            cpu_model: "b".to_owned(),
            kernel: "6.1".to_owned(),
            ..MachineCard::default()
        };
        let kept = Kept::of(&card, SelfTest::default());
        assert!(kept.is_of(&card));
        let newer = MachineCard {
            kernel: "6.2".to_owned(),
            ..card.clone()
        };
        assert!(!kept.is_of(&newer));
        let older = Kept {
            tool_version: "0.0.0".to_owned(),
            ..kept
        };
        assert!(!older.is_of(&card));
        assert_eq!(line(None), "selftest: not tested here: pontage selftest");
    }
}
