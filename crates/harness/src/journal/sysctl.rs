//! Settings of the kernel below /proc/sys that may be changed for a comparison: a closed list of
//! those that are about speed. What guards the machine, names a program or acts when it is written
//! is not on it.

/// Names below /proc/sys, with dots; `*` at the end stands for a word.
const NUMBERS: [&str; 38] = [
    "fs.pipe-max-size",
    "fs.pipe-user-pages-hard",
    "fs.pipe-user-pages-soft",
    "kernel.nmi_watchdog",
    "kernel.numa_balancing",
    "kernel.numa_balancing_*",
    "kernel.perf_cpu_time_max_percent",
    "kernel.randomize_va_space",
    "kernel.sched_*",
    "kernel.soft_watchdog",
    "kernel.timer_migration",
    "kernel.watchdog",
    "kernel.watchdog_thresh",
    "net.core.busy_poll",
    "net.core.busy_read",
    "net.core.dev_weight",
    "net.core.netdev_budget",
    "net.core.netdev_budget_usecs",
    "net.core.netdev_max_backlog",
    "net.core.optmem_max",
    "net.core.rmem_default",
    "net.core.rmem_max",
    "net.core.somaxconn",
    "net.core.wmem_default",
    "net.core.wmem_max",
    "net.ipv4.tcp_*",
    "net.ipv4.udp_*",
    "vm.compaction_proactiveness",
    "vm.dirty_background_ratio",
    "vm.dirty_expire_centisecs",
    "vm.dirty_ratio",
    "vm.dirty_writeback_centisecs",
    "vm.nr_overcommit_hugepages",
    "vm.overcommit_memory",
    "vm.stat_interval",
    "vm.swappiness",
    "vm.vfs_cache_pressure",
    "vm.zone_reclaim_mode",
];
const WORDS: [&str; 2] = ["net.core.default_qdisc", "net.ipv4.tcp_congestion_control"];
/// Under a pattern above, and not what it is about: lists, keys, secrets.
const OTHERS: [&str; 6] = [
    "net.ipv4.tcp_allowed_congestion_control",
    "net.ipv4.tcp_available_congestion_control",
    "net.ipv4.tcp_available_ulp",
    "net.ipv4.tcp_fastopen_key",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_rfc1337",
];

/// A limit of three numbers, as `tcp_rmem` has it.
const NUMBERS_MOST: usize = 3;
/// Of a number in digits, a sign included.
const DIGITS: usize = 20;

/// What a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Numbers,
    Word,
}

/// Of the parts of a path below proc/sys; None where it is not on the list.
pub fn form(parts: &[&str]) -> Option<Form> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    if !parts.iter().all(|p| !p.is_empty() && p.bytes().all(plain)) {
        return None;
    }
    let name = parts.join(".");
    let is = |known: &&str| match known.strip_suffix('*') {
        Some(begin) => name
            .strip_prefix(begin)
            .is_some_and(|rest| !rest.is_empty() && !rest.contains('.')),
        None => name == **known,
    };
    if OTHERS.iter().any(is) {
        return None;
    }
    match (WORDS.iter().any(is), NUMBERS.iter().any(is)) {
        (true, _) => Some(Form::Word),
        (false, true) => Some(Form::Numbers),
        (false, false) => None,
    }
}

/// One to three whole numbers, apart by blanks or tabs.
pub fn are_numbers(value: &str) -> bool {
    let number = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        (1..=DIGITS).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let mut parts = value.split([' ', '\t']);
    let all = value.split([' ', '\t']).count() <= NUMBERS_MOST;
    all && parts.all(number)
}

#[cfg(test)]
mod tests {
    use super::{Form, are_numbers, form};

    #[test]
    fn only_what_is_about_speed_is_on_the_list() {
        for (name, wanted) in [
            ("vm.swappiness", Some(Form::Numbers)),
            ("kernel.sched_latency_ns", Some(Form::Numbers)),
            ("net.ipv4.tcp_rmem", Some(Form::Numbers)),
            ("net.ipv4.tcp_congestion_control", Some(Form::Word)),
            ("net.ipv4.tcp_fastopen_key", None),
            ("kernel.core_pattern", None),
            ("kernel.modprobe", None),
            ("kernel.yama.ptrace_scope", None),
            ("kernel.sched_", None),
            ("kernel.sched_domain.cpu0", None),
            ("vm.drop_caches", None),
            ("vm.mmap_min_addr", None),
            ("vm..swappiness", None),
            ("vm.*", None),
        ] {
            let parts: Vec<&str> = name.split('.').collect();
            assert_eq!(form(&parts), wanted, "{name}");
        }
    }

    #[test]
    fn values_are_up_to_three_numbers() {
        for good in ["0", "-1", "4096\t131072\t6291456", "1 2 3"] {
            assert!(are_numbers(good), "{good}");
        }
        for bad in [
            "",
            " 1",
            "1 2 3 4",
            "1e3",
            "1\n2",
            "--1",
            "a",
            &"9".repeat(21),
        ] {
            assert!(!are_numbers(bad), "{bad:?}");
        }
    }
}
