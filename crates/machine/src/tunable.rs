//! Limits and switches of the kernel that a call runs into: read at that moment, and named in
//! the remedy.
//!
//! Sources: sysctl/fs.rst, sysctl/net.rst and sysctl/kernel.rst of the kernel's admin guide,
//! pipe(7), mq_overview(7), sysvipc(7), ptrace(2).

use std::fmt;
use std::path::Path;

/// One file below /proc or /sys that holds a number or a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tunable(&'static str);

/// Bytes that one pipe may have without CAP_SYS_RESOURCE.
pub const PIPE_MAX_SIZE: Tunable = Tunable("/proc/sys/fs/pipe-max-size");
/// Pages of all pipes of one user.
pub const PIPE_USER_PAGES_SOFT: Tunable = Tunable("/proc/sys/fs/pipe-user-pages-soft");
/// Bytes of one message of a POSIX queue.
pub const MQUEUE_MSGSIZE_MAX: Tunable = Tunable("/proc/sys/fs/mqueue/msgsize_max");
/// Messages in one POSIX queue.
pub const MQUEUE_MSG_MAX: Tunable = Tunable("/proc/sys/fs/mqueue/msg_max");
/// POSIX queues of an IPC namespace.
pub const MQUEUE_QUEUES_MAX: Tunable = Tunable("/proc/sys/fs/mqueue/queues_max");
/// Bytes of one System V message.
pub const MSGMAX: Tunable = Tunable("/proc/sys/kernel/msgmax");
/// Who may make an io_uring: 0 everybody, 1 a group, 2 nobody. Linux 6.6.
pub const IO_URING_DISABLED: Tunable = Tunable("/proc/sys/kernel/io_uring_disabled");
/// Who may read whose memory (Yama).
pub const PTRACE_SCOPE: Tunable = Tunable("/proc/sys/kernel/yama/ptrace_scope");
/// Microseconds of each period that real-time tasks may have; -1 is all.
pub const RT_RUNTIME_US: Tunable = Tunable("/proc/sys/kernel/sched_rt_runtime_us");
/// Bytes that SO_SNDBUF may ask for.
pub const WMEM_MAX: Tunable = Tunable("/proc/sys/net/core/wmem_max");
/// Bytes that SO_RCVBUF may ask for.
pub const RMEM_MAX: Tunable = Tunable("/proc/sys/net/core/rmem_max");
/// Least, default and largest send buffer of TCP, bytes.
pub const TCP_WMEM: Tunable = Tunable("/proc/sys/net/ipv4/tcp_wmem");
/// Least, default and largest receive buffer of TCP, bytes.
pub const TCP_RMEM: Tunable = Tunable("/proc/sys/net/ipv4/tcp_rmem");
/// `cubic`, `reno`.
pub const TCP_CONGESTION_CONTROL: Tunable = Tunable("/proc/sys/net/ipv4/tcp_congestion_control");
/// Bytes of the largest packet of lo, in the network namespace for which /sys was mounted.
pub const LOOPBACK_MTU: Tunable = Tunable("/sys/class/net/lo/mtu");
/// Huge pages of the default size in the pool.
pub const NR_HUGEPAGES: Tunable = Tunable("/proc/sys/vm/nr_hugepages");
/// Write 1 to move pages together.
pub const COMPACT_MEMORY: Tunable = Tunable("/proc/sys/vm/compact_memory");
/// When anonymous memory comes in huge pages: `always [madvise] never`.
pub const THP_ENABLED: Tunable = Tunable("/sys/kernel/mm/transparent_hugepage/enabled");
/// The same for shared memory and memory files.
pub const THP_SHMEM_ENABLED: Tunable = Tunable("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
/// Bytes of a transparent huge page. Linux 4.9.
pub const THP_BYTES: Tunable = Tunable("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
/// What puts idle CPUs to sleep.
pub const IDLE_DRIVER: Tunable = Tunable("/sys/devices/system/cpu/cpuidle/current_driver");
/// What chooses how deep.
pub const IDLE_GOVERNOR: Tunable = Tunable("/sys/devices/system/cpu/cpuidle/current_governor_ro");
/// Rate of CPU 0 now, kHz.
pub const CPU0_KHZ: Tunable = Tunable("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq");
/// CPUs that run tasks now.
pub const ONLINE_CPUS: Tunable = Tunable("/sys/devices/system/cpu/online");
/// CPUs that may ever run tasks.
pub const POSSIBLE_CPUS: Tunable = Tunable("/sys/devices/system/cpu/possible");
/// Differs from boot to boot (random(4)).
pub const BOOT_ID: Tunable = Tunable("/proc/sys/kernel/random/boot_id");
/// Name of the machine.
pub const HOSTNAME: Tunable = Tunable("/proc/sys/kernel/hostname");
/// EEVDF's slice of fair tasks, ns; for root.
pub const BASE_SLICE_NS: Tunable = Tunable("/sys/kernel/debug/sched/base_slice_ns");
/// The same of CFS.
pub const MIN_GRANULARITY_NS: Tunable = Tunable("/sys/kernel/debug/sched/min_granularity_ns");
/// Milliseconds of a SCHED_RR slice.
pub const RR_TIMESLICE_MS: Tunable = Tunable("/proc/sys/kernel/sched_rr_timeslice_ms");
/// Microseconds of the period that [`RT_RUNTIME_US`] is a part of.
pub const RT_PERIOD_US: Tunable = Tunable("/proc/sys/kernel/sched_rt_period_us");

impl Tunable {
    /// The file below /proc or /sys.
    pub fn path(self) -> &'static str {
        self.0
    }

    /// What stands in it, without white space around; `None` where it is absent or may not be
    /// read.
    pub fn word(self) -> Option<String> {
        self.word_below(Path::new("/"))
    }

    /// The same below another root.
    pub fn word_below(self, root: &Path) -> Option<String> {
        let path = root.join(self.0.trim_start_matches('/'));
        let text = std::fs::read_to_string(path).ok()?;
        Some(text.trim().to_owned())
    }

    /// `None` also where it holds no such thing.
    pub fn value<T: std::str::FromStr>(self) -> Option<T> {
        self.word()?.parse().ok()
    }

    /// The command that writes `value` into it, for a remedy.
    pub fn set(self, value: impl fmt::Display) -> String {
        format!("echo {value} | sudo tee {}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_their_line_end_and_numbers_are_read_or_absent() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("proc/sys/kernel")).unwrap();
        let file = root.path().join("proc/sys/kernel/msgmax");
        std::fs::write(file, "8192\n").unwrap();
        assert_eq!(MSGMAX.word_below(root.path()).as_deref(), Some("8192"));
        assert_eq!(HOSTNAME.word_below(root.path()), None);
        assert_eq!(HOSTNAME.value::<f64>(), None);
        assert_eq!(MSGMAX.set(9), "echo 9 | sudo tee /proc/sys/kernel/msgmax");
    }
}
