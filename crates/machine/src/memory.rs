//! How much memory there is.
//!
//! Source: proc_meminfo(5).

use crate::problem::Flaw;
use crate::source::Source;
use crate::text::{kib_as_bytes, pairs};
use serde::{Deserialize, Serialize};

/// Amounts of memory and swap, bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Memory {
    pub total_bytes: Option<u64>,
    /// What can be had without swapping.
    pub available_bytes: Option<u64>,
    pub free_bytes: Option<u64>,
    pub swap_total_bytes: Option<u64>,
    pub swap_free_bytes: Option<u64>,
    /// Of `MAP_HUGETLB` without a size.
    pub default_huge_page_bytes: Option<u64>,
}

/// Reads /proc/meminfo.
pub fn read(source: &Source) -> Memory {
    source.lines("/proc/meminfo", parse).unwrap_or_default()
}

/// The text of /proc/meminfo, with a flaw for each amount that is none.
pub fn parse(text: &str) -> (Memory, Vec<Flaw>) {
    let mut memory = Memory::default();
    let (found, mut flaws) = pairs(text, ':');
    for pair in found {
        let field = match pair.key {
            "MemTotal" => &mut memory.total_bytes,
            "MemAvailable" => &mut memory.available_bytes,
            "MemFree" => &mut memory.free_bytes,
            "SwapTotal" => &mut memory.swap_total_bytes,
            "SwapFree" => &mut memory.swap_free_bytes,
            "Hugepagesize" => &mut memory.default_huge_page_bytes,
            _ => continue,
        };
        match kib_as_bytes(pair.value) {
            Ok(bytes) => *field = Some(bytes),
            Err(cause) => flaws.push(Flaw::at(pair.line, cause.to_string())),
        }
    }
    (memory, flaws)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn amounts_are_in_bytes_and_damage_is_named() {
        let (memory, flaws) = parse("MemTotal:  1024 kB\nMemFree: lots\nHugePages_Total: 0\n");
        assert_eq!(memory.total_bytes, Some(1 << 20));
        assert_eq!(memory.free_bytes, None);
        assert_eq!(flaws[0].line, 2);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(?s).*", value in ".*") {
            let _ = parse(&text);
            let _ = parse(&format!("MemTotal:{value}"));
        }
    }
}
