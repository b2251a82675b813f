//! Page sizes, reserved huge pages and transparent huge pages.
//!
//! Source: Documentation/admin-guide/mm/{hugetlbpage,transhuge}.rst.

use crate::source::Source;
use crate::text::{Choice, amount_of, choice, kib_as_bytes};
use serde::{Deserialize, Serialize};

/// Page sizes: transparent huge pages and the pools of reserved ones.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Pages {
    pub base_bytes: Option<u64>,
    /// One pool for each size, small to large.
    pub hugetlb: Vec<HugetlbPool>,
    pub transparent: Transparent,
}

/// The pool of reserved huge pages of one size.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HugetlbPool {
    pub page_bytes: u64,
    pub pages: Option<u64>,
    pub free: Option<u64>,
    pub reserved: Option<u64>,
    pub surplus: Option<u64>,
    pub overcommit_limit: Option<u64>,
}

/// Transparent huge pages; all `None` where the kernel has none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Transparent {
    /// `always`, `madvise` or `never`.
    pub enabled: Option<Choice>,
    pub defrag: Option<Choice>,
    pub shmem: Option<Choice>,
    pub page_bytes: Option<u64>,
    pub khugepaged_defrag: Option<bool>,
    /// Settings of the sizes between base and huge page (Linux 6.8).
    pub sizes: Vec<(u64, String)>,
}

impl Pages {
    /// The pool from which `MAP_HUGETLB` of this size takes.
    pub fn pool(&self, page_bytes: u64) -> Option<&HugetlbPool> {
        self.hugetlb.iter().find(|p| p.page_bytes == page_bytes)
    }
}

/// Reads /sys/kernel/mm and /proc/meminfo.
pub fn read(source: &Source) -> Pages {
    Pages {
        base_bytes: base_bytes(source),
        hugetlb: hugetlb(source),
        transparent: transparent(source),
    }
}

/// No file states the base page size; the first mapping of any program has it.
fn base_bytes(source: &Source) -> Option<u64> {
    const PATH: &str = "/proc/self/smaps";
    let text = source.text_head(PATH, 4096)?;
    let found = amount_of(&text, "KernelPageSize:")?;
    found.map_err(|flaw| source.flaw(PATH, flaw)).ok()
}

/// Size in a folder name such as `hugepages-2048kB`.
fn size_in_name(name: &str) -> Option<u64> {
    kib_as_bytes(name.strip_prefix("hugepages-")?).ok()
}

fn hugetlb(source: &Source) -> Vec<HugetlbPool> {
    const FOLDER: &str = "/sys/kernel/mm/hugepages";
    let pool = |name: String| {
        let number = |file: &str| source.number(&format!("{FOLDER}/{name}/{file}"));
        Some(HugetlbPool {
            page_bytes: size_in_name(&name)?,
            pages: number("nr_hugepages"),
            free: number("free_hugepages"),
            reserved: number("resv_hugepages"),
            surplus: number("surplus_hugepages"),
            overcommit_limit: number("nr_overcommit_hugepages"),
        })
    };
    let mut pools: Vec<_> = source
        .entries(FOLDER)
        .into_iter()
        .filter_map(pool)
        .collect();
    pools.sort_by_key(|p| p.page_bytes);
    pools
}

fn transparent(source: &Source) -> Transparent {
    const FOLDER: &str = "/sys/kernel/mm/transparent_hugepage";
    let chosen = |file: &str| source.parse(&format!("{FOLDER}/{file}"), |t| choice(t, '[', ']'));
    let sizes = source.entries(FOLDER).into_iter().filter_map(|name| {
        let setting = chosen(&format!("{name}/enabled"));
        Some((size_in_name(&name)?, setting?.chosen))
    });
    Transparent {
        enabled: chosen("enabled"),
        defrag: chosen("defrag"),
        shmem: chosen("shmem_enabled"),
        page_bytes: source.number(&format!("{FOLDER}/hpage_pmd_size")),
        khugepaged_defrag: source.switch(&format!("{FOLDER}/khugepaged/defrag")),
        sizes: sizes.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn page_size_is_that_of_the_first_mapping() {
        let text = "00-01 r--p x\nSize: 8 kB\nKernelPageSize:       64 kB\nKernelPageSize: 4 kB\n";
        assert_eq!(amount_of(text, "KernelPageSize:"), Some(Ok(65_536)));
        assert_eq!(amount_of("Size: 8 kB\n", "KernelPageSize:"), None);
        let damaged = amount_of("a\nKernelPageSize: big\n", "KernelPageSize:").unwrap();
        assert_eq!(damaged.unwrap_err().line, 2);
        assert_eq!(size_in_name("hugepages-2048kB"), Some(2 << 20));
        assert_eq!(size_in_name("hugepages-kB"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(?s).*") {
            let _ = amount_of(&text, "KernelPageSize:");
            size_in_name(&text);
        }
    }
}
