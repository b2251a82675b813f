//! What a process of ours is called where others see it: in traces, top, ps.

use std::ffi::CStr;

/// Names the calling thread, of which 15 bytes are kept: a process that was
/// started as /proc/self/exe is `exe` to everybody. prctl(2), PR_SET_NAME.
/// Allocates nothing.
pub fn be_called(name: &CStr) {
    // SAFETY: reads a string that ends with a NUL; the rest are numbers.
    unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
}

#[cfg(test)]
mod tests {
    use super::be_called;

    #[test]
    fn the_kernel_reports_the_name() {
        let name = std::thread::spawn(|| {
            be_called(c"a-rival");
            std::fs::read_to_string("/proc/thread-self/comm").unwrap()
        });
        assert_eq!(name.join().unwrap(), "a-rival\n");
    }
}
