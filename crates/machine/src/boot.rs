//! The kernel command line: only the parameters that change measurements, so
//! that a record carries nothing else of how the machine is set up.
//!
//! Source: Documentation/admin-guide/kernel-parameters.txt.

use crate::cpu_list::CpuList;
use crate::source::Source;
use serde::{Deserialize, Serialize};

/// The kernel's command line (proc_cmdline(5)).
pub const PATH: &str = "/proc/cmdline";

/// Parameters kept.
pub const PARAMETERS: [&str; 44] = [
    "nohz",
    "nohz_full",
    "isolcpus",
    "rcu_nocbs",
    "irqaffinity",
    "skew_tick",
    "threadirqs",
    "preempt",
    "mitigations",
    "pti",
    "nopti",
    "spectre_v2",
    "spec_store_bypass_disable",
    "l1tf",
    "mds",
    "retbleed",
    "nosmt",
    "maxcpus",
    "nr_cpus",
    "idle",
    "intel_idle.max_cstate",
    "processor.max_cstate",
    "haltpoll.guest_halt_poll_ns",
    "cpuidle.governor",
    "intel_pstate",
    "amd_pstate",
    "cpufreq.default_governor",
    "clocksource",
    "tsc",
    "transparent_hugepage",
    "default_hugepagesz",
    "hugepagesz",
    "hugepages",
    "init_on_alloc",
    "init_on_free",
    "hardened_usercopy",
    "lockdown",
    "nomodule",
    "module.sig_enforce",
    "memmap",
    "iommu",
    "intel_iommu",
    "psi",
    // Said by the laboratory to its guests.
    "pontage.emulated",
];

/// What of the kernel's command line bears on measurements.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Boot {
    /// Parameters of [`PARAMETERS`] in the order given; a bare word has no value.
    pub parameters: Vec<(String, Option<String>)>,
    /// CPUs without a regular tick while one task runs.
    pub nohz_full: CpuList,
    /// CPUs kept free of ordinary tasks.
    pub isolated: CpuList,
}

impl Boot {
    /// The last value of a parameter, as the kernel takes it.
    pub fn value(&self, name: &str) -> Option<&str> {
        let mut given = self.parameters.iter().rev().filter(|(n, _)| n == name);
        given.find_map(|(_, value)| value.as_deref())
    }

    /// Whether the parameter `name` was given, with or without a value.
    pub fn has(&self, name: &str) -> bool {
        self.parameters.iter().any(|(n, _)| n == name)
    }
}

/// Reads [`PATH`]; without it nothing counts as given.
pub fn read(source: &Source) -> Boot {
    let text = source.text(PATH).unwrap_or_default();
    let parameters = parse(&text);
    let list = |name: &str| source.cpus(&format!("/sys/devices/system/cpu/{name}"));
    let mut boot = Boot {
        parameters,
        ..Boot::default()
    };
    boot.nohz_full = list("nohz_full")
        .or_else(|| boot.value("nohz_full").and_then(cpus_of))
        .unwrap_or_default();
    boot.isolated = list("isolated")
        .or_else(|| boot.value("isolcpus").and_then(cpus_of))
        .unwrap_or_default();
    boot
}

/// Words up to `--`, after which the line belongs to init.
pub fn parse(text: &str) -> Vec<(String, Option<String>)> {
    words(text)
        .into_iter()
        .take_while(|word| word != "--")
        .map(|word| match word.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.trim_matches('"').to_owned())),
            None => (word, None),
        })
        .filter(|(name, _)| PARAMETERS.contains(&name.as_str()))
        .collect()
}

/// Split at white space outside double quotes.
fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut in_quotes = false;
    for c in text.chars() {
        in_quotes ^= c == '"';
        if c.is_whitespace() && !in_quotes {
            found.push(std::mem::take(&mut word));
        } else {
            word.push(c);
        }
    }
    found.push(word);
    found.retain(|w| !w.is_empty());
    found
}

/// The CPUs of `isolcpus=managed_irq,domain,2-3`, whose flags come first.
fn cpus_of(value: &str) -> Option<CpuList> {
    let flags = ["nohz", "domain", "managed_irq"];
    let list: Vec<&str> = value
        .split(',')
        .filter(|part| !flags.contains(part))
        .collect();
    list.join(",").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keeps_what_matters_and_stops_at_init() {
        let line = "BOOT_IMAGE=/x isolcpus=managed_irq,2-3 nosmt root=\"a b\" -- nomodule";
        let kept = parse(line);
        let isolated = Some("managed_irq,2-3".to_owned());
        assert_eq!(
            kept,
            [("isolcpus".into(), isolated), ("nosmt".into(), None)]
        );
        assert_eq!(cpus_of("managed_irq,2-3").unwrap().numbers(), [2, 3]);
    }

    #[test]
    fn the_last_value_wins() {
        let boot = Boot {
            parameters: parse("preempt=none preempt=full"),
            ..Boot::default()
        };
        assert_eq!(boot.value("preempt"), Some("full"));
    }

    proptest! {
        #[test]
        fn any_line_is_read(text in "(?s).*") {
            let _ = parse(&text);
            cpus_of(&text);
        }
    }
}
