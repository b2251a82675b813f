//! How much of a mapping of this process really lies in huge pages.
//!
//! Source: proc_pid_smaps(5).

/// What the functions below read. `None` where it may not be read.
pub fn own() -> Option<String> {
    std::fs::read_to_string("/proc/self/smaps").ok()
}

/// Bytes of `AnonHugePages` over the mappings that overlap
/// `start..start + len`, never more than `len`. `None` when no mapping
/// overlaps or the field is missing (a kernel without THP).
pub fn anon_huge_bytes(smaps: &str, start: usize, len: usize) -> Option<usize> {
    field_bytes(smaps, "AnonHugePages:", start, len)
}

/// The same for shared memory: bytes of `ShmemPmdMapped`.
pub fn shmem_huge_bytes(smaps: &str, start: usize, len: usize) -> Option<usize> {
    field_bytes(smaps, "ShmemPmdMapped:", start, len)
}

fn field_bytes(smaps: &str, field: &str, start: usize, len: usize) -> Option<usize> {
    let mut inside = false;
    let mut total: Option<usize> = None;
    for line in smaps.lines() {
        if let Some((low, high)) = address_range(line) {
            inside = low < start.saturating_add(len) && high > start;
        } else if inside && let Some(rest) = line.strip_prefix(field) {
            let kib: usize = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
            total = Some(total.unwrap_or(0).saturating_add(kib.saturating_mul(1024)));
        }
    }
    total.map(|t| t.min(len))
}

/// The `low-high` of a mapping's header line; `None` for its field lines.
fn address_range(line: &str) -> Option<(usize, usize)> {
    let (range, _) = line.split_once(' ')?;
    let (low, high) = range.split_once('-')?;
    Some((
        usize::from_str_radix(low, 16).ok()?,
        usize::from_str_radix(high, 16).ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::{anon_huge_bytes, shmem_huge_bytes};

    const TEXT: &str = "\
70000000-70400000 rw-p 00000000 00:00 0
Size:               4096 kB
Rss:                4096 kB
AnonHugePages:      4096 kB
VmFlags: rd wr mr mw me ac hg
70400000-70800000 rw-p 00000000 00:00 0
Size:               4096 kB
AnonHugePages:      2048 kB
70a00000-70b00000 rw-p 00000000 00:00 0                          [heap]
Size:               1024 kB
AnonHugePages:         0 kB
";

    #[test]
    fn only_overlapping_mappings_count() {
        let huge = |start, len| anon_huge_bytes(TEXT, start, len);
        assert_eq!(huge(0x7000_0000, 4 << 20), Some(4 << 20));
        assert_eq!(huge(0x7000_0000, 8 << 20), Some(6 << 20));
        assert_eq!(huge(0x70a0_0000, 1 << 20), Some(0));
        assert_eq!(huge(0x1000, 4096), None);
    }

    #[test]
    fn shared_memory_has_a_field_of_its_own() {
        let text = "1000-201000 rw-s 0\nAnonHugePages: 4 kB\nShmemPmdMapped: 2048 kB\n";
        assert_eq!(shmem_huge_bytes(text, 0x1000, 2 << 20), Some(2 << 20));
        assert_eq!(shmem_huge_bytes(TEXT, 0xfe00_0000, 1), None);
    }

    #[test]
    fn the_answer_never_exceeds_the_question() {
        let part = anon_huge_bytes(TEXT, 0x7000_0000, 1 << 20);
        assert_eq!(part, Some(1 << 20));
    }

    #[test]
    fn a_kernel_without_thp_and_malformed_text_say_nothing() {
        assert_eq!(
            anon_huge_bytes("1000-2000 rw-p\nRss: 4 kB\n", 0x1000, 16),
            None
        );
        let broken = "1000-2000 rw-p 0\nAnonHugePages: many kB\n";
        assert_eq!(anon_huge_bytes(broken, 0x1000, 16), None);
        assert_eq!(anon_huge_bytes("zz-- -\n-\n\n", 0, 1), None);
    }
}
