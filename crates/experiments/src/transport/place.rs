//! Where the partner runs, seen from the CPU under test.

use harness::{Context, SetupError};
use std::fs;
use std::path::PathBuf;

/// From near to far.
pub const PLACEMENTS: &[&str] = &[
    "same_cpu",
    "smt_sibling",
    "same_cache",
    "same_socket",
    "other_socket",
];

/// A CPU of this placement.
///
/// # Errors
/// `Skip` where this machine, or what this process may use of it, has none.
pub fn partner_cpu(placement: &str, context: &Context) -> Result<u32, SetupError> {
    if placement == "same_cpu" {
        return Ok(context.test_cpu);
    }
    let others = context.cpus.iter().filter(|c| **c != context.test_cpu);
    let mut there = others.filter(|cpu| relation(context.test_cpu, **cpu) == placement);
    there.next().copied().ok_or_else(|| {
        SetupError::skip(
            format!(
                "no other CPU that this process may use is {} of CPU {}",
                said(placement),
                context.test_cpu
            ),
            remedy(context),
        )
    })
}

/// The placements that exist here, near to far.
#[must_use]
pub fn existing(test_cpu: u32, cpus: &[u32]) -> Vec<&'static str> {
    let has = |word: &str| {
        word == "same_cpu"
            || cpus
                .iter()
                .any(|cpu| *cpu != test_cpu && relation(test_cpu, *cpu) == word)
    };
    PLACEMENTS.iter().copied().filter(|w| has(w)).collect()
}

fn said(placement: &str) -> &'static str {
    match placement {
        "smt_sibling" => "a hardware thread of the core",
        "same_cache" => "under the last-level cache",
        "same_socket" => "on the socket, under another cache,",
        _ => "on another socket than that",
    }
}

fn remedy(context: &Context) -> String {
    let have: Vec<&str> = existing(context.test_cpu, &context.cpus);
    format!("--axis placement={}", have.join(","))
}

/// How CPU `b` lies to CPU `a`: a word of `PLACEMENTS`. What sysfs does not
/// tell counts as near: most machines without topology have one cache.
fn relation(a: u32, b: u32) -> &'static str {
    let folder = |cpu: u32| PathBuf::from(format!("/sys/devices/system/cpu/cpu{cpu}"));
    let text = |cpu: u32, name: &str| fs::read_to_string(folder(cpu).join(name)).ok();
    let lists = |list: Option<String>| list.is_some_and(|l| contains(&l, b));
    if lists(text(a, "topology/thread_siblings_list")) {
        return "smt_sibling";
    }
    let (here, there) = (
        text(a, "topology/physical_package_id"),
        text(b, "topology/physical_package_id"),
    );
    if here != there {
        return "other_socket";
    }
    let last = (0..8)
        .rev()
        .find_map(|index| text(a, &format!("cache/index{index}/shared_cpu_list")));
    match last {
        Some(list) if !contains(&list, b) => "same_socket",
        _ => "same_cache",
    }
}

/// Whether a list such as `0-3,8` names the CPU.
fn contains(list: &str, cpu: u32) -> bool {
    list.trim().split(',').any(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        match (first.parse::<u32>(), last.parse::<u32>()) {
            (Ok(first), Ok(last)) => (first..=last).contains(&cpu),
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{contains, existing, partner_cpu};
    use crate::testing::context;

    #[test]
    fn lists_of_the_kernel_are_read() {
        assert!(contains("0-3,8\n", 2) && contains("0-3,8\n", 8));
        assert!(!contains("0-3,8\n", 5) && !contains("", 0));
    }

    #[test]
    fn what_exists_can_be_had_and_the_rest_is_skipped_with_a_remedy() {
        let (context, _scratch) = context();
        let have = existing(context.test_cpu, &context.cpus);
        assert_eq!(have[0], "same_cpu");
        for word in super::PLACEMENTS {
            match partner_cpu(word, &context) {
                Ok(cpu) => assert!(have.contains(word) && context.cpus.contains(&cpu)),
                Err(skip) => {
                    assert!(!have.contains(word));
                    assert!(skip.to_string().contains("--axis placement=same_cpu"));
                }
            }
        }
    }
}
