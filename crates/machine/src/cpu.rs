//! Which processor this is, and which of its features matter for moving data.

use crate::cpuinfo::{self, CpuInfo};
use crate::source::Source;
use serde::{Deserialize, Serialize};

/// Features that change how memory is copied, filled, flushed or offloaded, by
/// their names in `/proc/cpuinfo` (x86 `flags`, ARM `Features`).
pub const COPY_FEATURES: [&str; 45] = [
    // x86 string instructions
    "rep_good",
    "erms",
    "fsrm",
    "fzrm",
    "fsrs",
    // x86 vectors
    "sse2",
    "ssse3",
    "sse4_1",
    "avx",
    "avx2",
    "avx512f",
    "avx512bw",
    "avx512vl",
    // x86 cache control
    "clflush",
    "clflushopt",
    "clwb",
    "cldemote",
    "clzero",
    "3dnowprefetch",
    // x86 direct stores and work queues
    "movdiri",
    "movdir64b",
    "enqcmd",
    "serialize",
    "waitpkg",
    "amx_tile",
    // x86 address translation and entry to the kernel
    "pdpe1gb",
    "pcid",
    "invpcid",
    "smap",
    "la57",
    "rdtscp",
    "rdpid",
    // ARM
    "neon",
    "vfpv3",
    "vfpv4",
    "lpae",
    "asimd",
    "sve",
    "sve2",
    "dcpop",
    "dcpodp",
    "mops",
    "atomics",
    "lrcpc",
    "evtstrm",
];

/// The processor: vendor, model, stepping, microcode and features.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cpu {
    /// For people: `Intel(R) Xeon(R) Gold 6430`, `Cortex-A72`.
    pub model: Option<String>,
    /// `GenuineIntel`, `AuthenticAMD`, or the ARM implementer code `0x41`.
    pub vendor: Option<String>,
    pub family: Option<String>,
    pub model_number: Option<String>,
    pub stepping: Option<String>,
    pub microcode: Option<String>,
    /// Name of the board or machine where firmware gives one.
    pub board: Option<String>,
    /// Of [`COPY_FEATURES`], those that every CPU has.
    pub features: Vec<String>,
    /// x86: the kernel knows it runs under a hypervisor.
    pub hypervisor_flag: bool,
    /// x86: the counter runs at one rate (`constant_tsc`), in every idle state
    /// (`nonstop_tsc`), at a rate the processor states (`tsc_known_freq`).
    pub tsc: Tsc,
}

/// Flags of the x86 time stamp counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tsc {
    pub constant: bool,
    pub nonstop: bool,
    pub known_frequency: bool,
    pub reliable: bool,
    pub deadline_timer: bool,
}

impl Cpu {
    /// Whether `feature` stands among the flags, as /proc/cpuinfo spells it.
    pub fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|f| f == feature)
    }
}

impl Tsc {
    /// Usable as a clock: one rate, whatever the frequency and idle state.
    pub fn invariant(self) -> bool {
        self.constant && self.nonstop
    }
}

/// From /proc/cpuinfo; of its first processor.
pub fn read(source: &Source) -> Cpu {
    let info = cpuinfo::read(source);
    let words = info.common_words(&["flags", "Features"]);
    let has = |name: &str| words.iter().any(|w| w == name);
    let field = |keys: &[&str]| {
        let value = keys.iter().find_map(|key| info.field(key));
        value.filter(|v| !v.is_empty()).map(str::to_owned)
    };
    Cpu {
        model: model(&info),
        vendor: field(&["vendor_id", "CPU implementer"]),
        family: field(&["cpu family", "CPU architecture"]),
        model_number: field(&["model", "CPU part"]),
        stepping: field(&["stepping", "CPU revision"]),
        microcode: field(&["microcode"]),
        board: source
            .word("/proc/device-tree/model")
            .or_else(|| info.board.get("Model").cloned())
            .or_else(|| info.board.get("Hardware").cloned()),
        features: COPY_FEATURES
            .iter()
            .filter(|f| has(f))
            .map(|f| (*f).to_owned())
            .collect(),
        hypervisor_flag: has("hypervisor"),
        tsc: Tsc {
            constant: has("constant_tsc"),
            nonstop: has("nonstop_tsc"),
            known_frequency: has("tsc_known_freq"),
            reliable: has("tsc_reliable"),
            deadline_timer: has("tsc_deadline_timer"),
        },
    }
}

/// Architecture as `uname -m` names it, from the shape of `/proc/cpuinfo`.
pub fn arch_of(info: &CpuInfo) -> Option<&'static str> {
    if let Some(flags) = info.field("flags") {
        let long_mode = flags.split_whitespace().any(|f| f == "lm");
        return Some(if long_mode { "x86_64" } else { "i686" });
    }
    match info.field("CPU architecture")? {
        "8" | "AArch64" => Some("aarch64"),
        "7" => Some("armv7l"),
        _ => None,
    }
}

fn model(info: &CpuInfo) -> Option<String> {
    let mut cores: Vec<&str> = info
        .processors
        .iter()
        .filter_map(|p| arm_core(p.fields.get("CPU implementer")?, p.fields.get("CPU part")?))
        .collect();
    cores.dedup();
    if !cores.is_empty() {
        return Some(cores.join(" + "));
    }
    ["model name", "cpu model", "uarch", "cpu"]
        .iter()
        .find_map(|key| info.field(key))
        .map(str::to_owned)
}

/// Names of ARM cores, which the kernel gives only by number (main ID
/// register; arch/arm64/include/asm/cputype.h).
fn arm_core(implementer: &str, part: &str) -> Option<&'static str> {
    const ARM: [(&str, &str); 22] = [
        ("0xc07", "Cortex-A7"),
        ("0xc08", "Cortex-A8"),
        ("0xc09", "Cortex-A9"),
        ("0xc0f", "Cortex-A15"),
        ("0xd03", "Cortex-A53"),
        ("0xd04", "Cortex-A35"),
        ("0xd05", "Cortex-A55"),
        ("0xd07", "Cortex-A57"),
        ("0xd08", "Cortex-A72"),
        ("0xd09", "Cortex-A73"),
        ("0xd0a", "Cortex-A75"),
        ("0xd0b", "Cortex-A76"),
        ("0xd0c", "Neoverse-N1"),
        ("0xd0d", "Cortex-A77"),
        ("0xd40", "Neoverse-V1"),
        ("0xd41", "Cortex-A78"),
        ("0xd44", "Cortex-X1"),
        ("0xd46", "Cortex-A510"),
        ("0xd47", "Cortex-A710"),
        ("0xd49", "Neoverse-N2"),
        ("0xd4f", "Neoverse-V2"),
        ("0xd84", "Neoverse-V3"),
    ];
    match implementer {
        "0x41" => ARM.iter().find(|(p, _)| *p == part).map(|(_, name)| *name),
        "0xc0" if part == "0xac3" => Some("Ampere-1"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(text: &str) -> CpuInfo {
        cpuinfo::parse(text).0
    }

    #[test]
    fn arm_cores_are_named_by_their_numbers() {
        let text = "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd03\n\n\
                    processor : 1\nCPU implementer : 0x41\nCPU part : 0xd08\n";
        assert_eq!(
            model(&info(text)).as_deref(),
            Some("Cortex-A53 + Cortex-A72")
        );
    }

    #[test]
    fn an_unknown_arm_core_keeps_what_the_kernel_says() {
        let text = "processor : 0\nmodel name : ARMv7 Processor rev 2 (v7l)\n\
                    CPU implementer : 0x99\nCPU part : 0x1\n";
        let model = model(&info(text));
        assert_eq!(model.as_deref(), Some("ARMv7 Processor rev 2 (v7l)"));
    }

    #[test]
    fn architecture_follows_from_the_fields() {
        assert_eq!(
            arch_of(&info("processor:0\nflags: fpu lm\n")),
            Some("x86_64")
        );
        assert_eq!(
            arch_of(&info("processor:0\nCPU architecture: 7\n")),
            Some("armv7l")
        );
        assert_eq!(arch_of(&info("processor:0\n")), None);
    }
}
