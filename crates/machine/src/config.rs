//! The kernel's build configuration: only the options that change what can be
//! measured or what it costs.
//!
//! Source: `/proc/config.gz` (CONFIG_IKCONFIG_PROC), `/boot/config-<release>`.

use crate::problem::Flaw;
use crate::source::Source;
use crate::text::{Unexpected, lines};
use flate2::read::GzDecoder;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Read;

/// Options kept, without `CONFIG_`.
pub const OPTIONS: [&str; 50] = [
    // ticks and preemption
    "HZ",
    "NO_HZ_FULL",
    "NO_HZ_IDLE",
    "HIGH_RES_TIMERS",
    "PREEMPT",
    "PREEMPT_NONE",
    "PREEMPT_VOLUNTARY",
    "PREEMPT_LAZY",
    "PREEMPT_RT",
    "PREEMPT_DYNAMIC",
    // time accounting and scheduling
    "IRQ_TIME_ACCOUNTING",
    "VIRT_CPU_ACCOUNTING_GEN",
    "PARAVIRT_TIME_ACCOUNTING",
    "RT_GROUP_SCHED",
    "CFS_BANDWIDTH",
    "SCHED_AUTOGROUP",
    // memory
    "TRANSPARENT_HUGEPAGE",
    "HUGETLBFS",
    "NUMA_BALANCING",
    "FS_DAX",
    "DEV_DAX",
    "CMA",
    // checks on the way of each copy
    "HARDENED_USERCOPY",
    "INIT_ON_ALLOC_DEFAULT_ON",
    "INIT_ON_FREE_DEFAULT_ON",
    "KASAN",
    "KCSAN",
    "PROVE_LOCKING",
    "DEBUG_PAGEALLOC",
    "SLUB_DEBUG_ON",
    "PAGE_TABLE_ISOLATION",
    "MITIGATION_PAGE_TABLE_ISOLATION",
    // tracing and counting
    "PERF_EVENTS",
    "FTRACE",
    "FUNCTION_TRACER",
    "FTRACE_SYSCALLS",
    "KPROBES",
    "UPROBES",
    "SECURITY_LOCKDOWN_LSM",
    // offload
    "MODULES",
    "MODULE_SIG_FORCE",
    "DMA_ENGINE",
    "DMATEST",
    "INTEL_IOATDMA",
    "INTEL_IDXD",
    "AMD_PTDMA",
    "BCM2835",
    "DMA_BCM2835",
    "TI_EDMA",
    "UDMABUF",
];

/// Larger than any kernel's configuration.
const LARGEST_BYTES: u64 = 4 << 20;

/// The options of the kernel's configuration that this program asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Config {
    /// Where it was found; `None` when nowhere, and then nothing is known.
    pub path: Option<String>,
    /// Option without `CONFIG_` -> `y`, `m`, a number; those not set are absent.
    pub options: BTreeMap<String, String>,
}

impl Config {
    /// Value of an option without `CONFIG_`: `y`, `m`, a number or a text.
    pub fn get(&self, option: &str) -> Option<&str> {
        self.options.get(option).map(String::as_str)
    }

    /// Built in or as a module.
    pub fn is_set(&self, option: &str) -> bool {
        matches!(self.get(option), Some("y" | "m"))
    }

    /// Known to be left out, as opposed to not known.
    pub fn is_left_out(&self, option: &str) -> bool {
        self.path.is_some() && !self.is_set(option)
    }

    /// Value of an option that is a whole number.
    pub fn number(&self, option: &str) -> Option<u32> {
        self.get(option)?.parse().ok()
    }

    /// The default preemption mode by its word on the command line.
    pub fn preemption_choice(&self) -> Option<&'static str> {
        let modes = [
            ("PREEMPT_RT", "rt"),
            ("PREEMPT_NONE", "none"),
            ("PREEMPT_VOLUNTARY", "voluntary"),
            ("PREEMPT_LAZY", "lazy"),
            ("PREEMPT", "full"),
        ];
        modes
            .iter()
            .find(|(option, _)| self.is_set(option))
            .map(|(_, mode)| *mode)
    }
}

/// From /proc/config.gz, else from /boot or /lib/modules of this release.
pub fn read(source: &Source, release: Option<&str>) -> Config {
    const COMPRESSED: &str = "/proc/config.gz";
    let mut found = source.bytes(COMPRESSED).and_then(|bytes| {
        let text = inflate(&bytes)
            .map_err(|cause| source.flaw(COMPRESSED, Flaw::at(1, cause.to_string())))
            .ok()?;
        Some((COMPRESSED.to_owned(), text))
    });
    if let (None, Some(release)) = (&found, release) {
        let paths = [
            format!("/boot/config-{release}"),
            format!("/lib/modules/{release}/config"),
        ];
        found = paths.into_iter().find_map(|path| {
            let text = source.text(&path)?;
            Some((path, text))
        });
    }
    let Some((path, text)) = found else {
        return Config::default();
    };
    let (options, flaws) = parse(&text);
    for flaw in flaws {
        source.flaw(&path, flaw);
    }
    Config {
        path: Some(path),
        options,
    }
}

/// A configuration that cannot be decompressed.
#[derive(Debug, thiserror::Error)]
#[error("not gzip: {0}")]
struct NotGzip(std::io::Error);

/// The text of a gzip file, at most [`LARGEST_BYTES`].
fn inflate(bytes: &[u8]) -> Result<String, NotGzip> {
    let mut text = Vec::new();
    GzDecoder::new(bytes)
        .take(LARGEST_BYTES)
        .read_to_end(&mut text)
        .map_err(NotGzip)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Lines `CONFIG_HZ=250`; comments and options not kept are passed over.
pub fn parse(text: &str) -> (BTreeMap<String, String>, Vec<Flaw>) {
    let (options, flaws) = lines(text, |_, line| {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let pair = line.strip_prefix("CONFIG_").and_then(|l| l.split_once('='));
        let (option, value) = pair.ok_or_else(|| Unexpected::new("CONFIG_NAME=value", line))?;
        let kept = OPTIONS.contains(&option);
        Ok(kept.then(|| (option.to_owned(), value.trim_matches('"').to_owned())))
    });
    (options.into_iter().collect(), flaws)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keeps_the_options_that_matter() {
        let text =
            "# x\nCONFIG_HZ=250\nCONFIG_FOO=y\n# CONFIG_KPROBES is not set\nCONFIG_DMATEST=m\n";
        let (options, flaws) = parse(text);
        assert!(flaws.is_empty());
        let config = Config {
            path: Some("/x".into()),
            options,
        };
        assert_eq!(config.number("HZ"), Some(250));
        assert!(config.is_set("DMATEST"));
        assert!(config.is_left_out("KPROBES"));
        assert_eq!(config.get("FOO"), None);
        assert!(!Config::default().is_left_out("KPROBES"));
    }

    #[test]
    fn what_is_not_gzip_is_reported() {
        assert!(
            inflate(b"CONFIG_HZ=250")
                .unwrap_err()
                .to_string()
                .starts_with("not gzip")
        );
        assert_eq!(parse("HZ=250\n").1[0].line, 1);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "(?s).*") {
            let _ = inflate(&bytes);
            let _ = parse(&text);
        }
    }
}
