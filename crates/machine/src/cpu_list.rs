//! Lists of CPUs (or nodes) as the kernel writes them: `0-3,8`.
//!
//! Format: Documentation/admin-guide/kernel-parameters.rst, "cpu lists",
//! with the `a-b:used/group` stride form.

use crate::text::quoted;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Highest number accepted; Linux stops at 8192 CPUs. Keeps a damaged file from
/// asking for four thousand million of them.
const HIGHEST: u32 = 65_535;

/// A set of CPU or node numbers, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CpuList(Vec<u32>);

/// Why a text is no list of CPUs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a list such as 0-3,8, found {0}")]
pub struct NotAList(String);

impl CpuList {
    /// Ascending, without duplicates.
    pub fn numbers(&self) -> &[u32] {
        &self.0
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    /// How many numbers are in it.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no number is in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `number` is in it.
    pub fn contains(&self, number: u32) -> bool {
        self.0.binary_search(&number).is_ok()
    }

    /// The smallest number.
    pub fn first(&self) -> Option<u32> {
        self.0.first().copied()
    }
}

impl FromIterator<u32> for CpuList {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        let mut numbers: Vec<u32> = numbers.into_iter().collect();
        numbers.sort_unstable();
        numbers.dedup();
        CpuList(numbers)
    }
}

impl FromStr for CpuList {
    type Err = NotAList;

    fn from_str(text: &str) -> Result<Self, NotAList> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(CpuList::default());
        }
        let mut numbers = Vec::new();
        for part in text.split(',') {
            let chosen = part_numbers(part.trim()).ok_or_else(|| NotAList(quoted(text)))?;
            numbers.extend(chosen);
        }
        Ok(numbers.into_iter().collect())
    }
}

/// `4`, `0-3`, or `0-31:2/8` (the first two of each group of eight).
fn part_numbers(part: &str) -> Option<Vec<u32>> {
    let (range, stride) = match part.split_once(':') {
        Some((range, stride)) => (range, Some(stride.split_once('/')?)),
        None => (part, None),
    };
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let (first, last) = (number(first)?, number(last)?);
    if first > last {
        return None;
    }
    let (used, group) = match stride {
        Some((used, group)) => (number(used)?, number(group)?),
        None => (1, 1),
    };
    if group == 0 || used == 0 || used > group {
        return None;
    }
    Some(
        (first..=last)
            .filter(|n| (n - first) % group < used)
            .collect(),
    )
}

fn number(text: &str) -> Option<u32> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|_| plain)?;
    (number <= HIGHEST).then_some(number)
}

impl fmt::Display for CpuList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.as_slice();
        let mut comma = "";
        while let Some(&first) = rest.first() {
            let run = (1..rest.len())
                .find(|&i| rest[i] != rest[i - 1] + 1)
                .unwrap_or(rest.len());
            let last = rest[run - 1];
            if first == last {
                write!(f, "{comma}{first}")?;
            } else {
                write!(f, "{comma}{first}-{last}")?;
            }
            comma = ",";
            rest = &rest[run..];
        }
        Ok(())
    }
}

impl TryFrom<String> for CpuList {
    type Error = NotAList;

    fn try_from(text: String) -> Result<Self, NotAList> {
        text.parse()
    }
}

impl From<CpuList> for String {
    fn from(list: CpuList) -> String {
        list.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(text: &str) -> Vec<u32> {
        text.parse::<CpuList>().unwrap().0
    }

    #[test]
    fn reads_what_the_kernel_writes() {
        assert_eq!(list("0-3,8\n"), [0, 1, 2, 3, 8]);
        assert_eq!(list(""), [] as [u32; 0]);
        assert_eq!(list("7"), [7]);
        assert_eq!(list("0-9:2/4"), [0, 1, 4, 5, 8, 9]);
        assert_eq!(list("3,1,1-2"), [1, 2, 3]);
    }

    #[test]
    fn refuses_what_is_no_list() {
        for text in [
            "x",
            "3-1",
            "1,,2",
            "-",
            "1-",
            "0-4294967295",
            "+1",
            "0-3:0/0",
            "0-3:2",
            "1 2",
        ] {
            assert!(text.parse::<CpuList>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn round_trips(numbers in proptest::collection::btree_set(0u32..2000, 0..60)) {
            let list: CpuList = numbers.into_iter().collect();
            prop_assert_eq!(list.to_string().parse::<CpuList>().unwrap(), list);
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            let _ = text.parse::<CpuList>();
        }

        #[test]
        fn anything_close_to_a_list_is_read_or_refused(text in "[0-9,:/ -]{0,20}") {
            if let Ok(list) = text.parse::<CpuList>() {
                prop_assert!(list.0.is_sorted());
            }
        }
    }
}
