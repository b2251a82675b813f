//! What fresh memory costs before it can be measured: a fault for each page, which the kernel
//! clears, and which a hypervisor may have to back first.

use super::buffer::page_bytes;
use mapped::Map;
use std::io;
use std::time::Instant;

/// Enough for a steady figure; 0.4 ms on a fast machine, 7 ms on a slow guest.
const BYTES: usize = 1 << 20;
/// The median of so many parts: a moment in which the CPU was taken away is in one of them.
const PARTS: usize = 16;

/// The first touch of a MiB of base pages, ns.
///
/// # Errors
/// As mmap(2).
pub fn first_touch_ns_per_mib() -> io::Result<f64> {
    let page = page_bytes();
    let map = Map::aligned(BYTES, page.max(BYTES / PARTS))?;
    // SAFETY: the advice drops no contents. A kernel without huge pages does not know it.
    let _ = unsafe { map.advise(libc::MADV_NOHUGEPAGE) };
    let mut parts_ns = [0.0; PARTS];
    for (part, took_ns) in parts_ns.iter_mut().enumerate() {
        let begin = part * (BYTES / PARTS);
        let began = Instant::now();
        for offset in (begin..begin + BYTES / PARTS).step_by(page) {
            // SAFETY: inside of our own map, which is writable and of BYTES bytes.
            unsafe { map.as_ptr().add(offset).write_volatile(1) };
        }
        *took_ns = began.elapsed().as_secs_f64() * 1e9;
    }
    parts_ns.sort_by(f64::total_cmp);
    Ok(parts_ns[PARTS / 2] * PARTS as f64)
}

#[cfg(test)]
mod tests {
    use super::first_touch_ns_per_mib;

    #[test]
    fn fresh_memory_costs_time() {
        let took_ns = first_touch_ns_per_mib().expect("a MiB is to be had");
        // A fault is no less than a system call of 10 ns, and 16 of them fill a part at most.
        assert!(took_ns > 160.0 && took_ns.is_finite(), "{took_ns}");
    }
}
