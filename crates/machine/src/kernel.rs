//! Which kernel runs, how it preempts and how often it ticks.

use crate::boot::Boot;
use crate::config::{self, Config};
use crate::cpu::arch_of;
use crate::cpuinfo;
use crate::source::Source;
use crate::text::choice;
use serde::{Deserialize, Serialize};

/// The running kernel: release, preemption model, tick rate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Kernel {
    pub host: Option<String>,
    /// As `uname -m`.
    pub arch: Option<String>,
    /// As `uname -r`.
    pub release: Option<String>,
    /// As `uname -v`.
    pub version: Option<String>,
    pub preemption: Option<Sourced<String>>,
    /// Timer ticks in a second.
    pub hz: Option<Sourced<u32>>,
    pub config: Config,
    /// Whether modules can be loaded; `None` where no file states it.
    pub modules: Option<bool>,
}

/// A value with its source.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sourced<T> {
    pub value: T,
    /// The file or call that it was read from; begins with `inferred` where none states it.
    pub by: String,
}

impl<T> Sourced<T> {
    /// A value with its source.
    pub fn by(value: T, by: impl Into<String>) -> Self {
        Sourced {
            value,
            by: by.into(),
        }
    }
}

/// From /proc/sys/kernel, the configuration and the command line.
pub fn read(source: &Source, boot: &Boot) -> Kernel {
    let sysctl = |name: &str| source.word(&format!("/proc/sys/kernel/{name}"));
    let release = sysctl("osrelease");
    let version = sysctl("version");
    let config = config::read(source, release.as_deref());
    Kernel {
        host: sysctl("hostname"),
        arch: sysctl("arch").or_else(|| arch_of(&cpuinfo::read(source)).map(str::to_owned)),
        preemption: preemption(source, version.as_deref(), boot, &config),
        hz: config
            .number("HZ")
            .map(|hz| Sourced::by(hz, config.path.clone().unwrap_or_default())),
        modules: modules(source, boot, &config),
        release,
        version,
        config,
    }
}

fn preemption(
    source: &Source,
    version: Option<&str>,
    boot: &Boot,
    config: &Config,
) -> Option<Sourced<String>> {
    let built = version.and_then(built_preemption);
    let known = |model: &str, by: &str| Some(Sourced::by(model.to_owned(), by));
    let dynamic = built == Some("PREEMPT_DYNAMIC") || config.is_set("PREEMPT_DYNAMIC");
    if dynamic && built != Some("PREEMPT_RT") {
        let (mode, by) = dynamic_mode(source, boot, config);
        let mode = mode.map_or_else(String::new, |mode| format!(" ({mode})"));
        return Some(Sourced::by(format!("PREEMPT_DYNAMIC{mode}"), by));
    }
    if let Some(built) = built {
        return known(built, "uname -v");
    }
    if let Some(mode) = config.preemption_choice() {
        let by = config.path.clone().unwrap_or_default();
        return Some(Sourced::by(format!("PREEMPT_{}", mode.to_uppercase()), by));
    }
    version.and_then(|_| known("PREEMPT_NONE or VOLUNTARY", "inferred from uname -v"))
}

/// The mode of a kernel that can change it: asked first, then as booted, then
/// as built.
fn dynamic_mode(source: &Source, boot: &Boot, config: &Config) -> (Option<String>, String) {
    const PATH: &str = "/sys/kernel/debug/sched/preempt";
    if let Some(now) = source.parse(PATH, |text| choice(text, '(', ')')) {
        return (Some(now.chosen), PATH.to_owned());
    }
    if let Some(mode) = boot.value("preempt") {
        return (Some(mode.to_owned()), crate::boot::PATH.to_owned());
    }
    match config.preemption_choice() {
        Some(mode) => (
            Some(mode.to_owned()),
            format!(
                "default of {}",
                config.path.as_deref().unwrap_or("the configuration")
            ),
        ),
        None => (None, "uname -v".to_owned()),
    }
}

/// The preemption word of `#1 SMP PREEMPT_DYNAMIC Debian 6.1.1`.
fn built_preemption(version: &str) -> Option<&'static str> {
    let words = ["PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT_LAZY", "PREEMPT"];
    words
        .into_iter()
        .find(|word| version.split_whitespace().any(|w| w == *word))
}

fn modules(source: &Source, boot: &Boot, config: &Config) -> Option<bool> {
    let disabled = || source.switch("/proc/sys/kernel/modules_disabled");
    if boot.has("nomodule") || disabled() == Some(true) {
        return Some(false);
    }
    if config.path.is_some() {
        return Some(config.is_set("MODULES"));
    }
    source.exists("/proc/modules").then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preemption_is_a_word_of_the_version() {
        let read = built_preemption;
        assert_eq!(read("#1 SMP PREEMPT_DYNAMIC @0"), Some("PREEMPT_DYNAMIC"));
        assert_eq!(read("#1 SMP PREEMPT_RT Debian"), Some("PREEMPT_RT"));
        assert_eq!(read("#1 SMP PREEMPT Mon Jan"), Some("PREEMPT"));
        assert_eq!(read("#1 SMP Debian"), None);
    }
}
