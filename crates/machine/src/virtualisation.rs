//! Whether this is a guest or a container, by whose word, and how much time
//! the host takes.

use crate::boot::{self, Boot};
use crate::clock::Clocksource;
use crate::cpu::Cpu;
use crate::source::Source;
use crate::text::Unexpected;
use serde::{Deserialize, Serialize};

/// What runs this system: a hypervisor, a container, neither.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Virtualisation {
    /// `None` on bare metal, or where nothing gives the hypervisor away.
    pub hypervisor: Option<Witness>,
    /// Set where the processor itself is made by a program: times of such a
    /// guest mean nothing outside of it.
    #[serde(default)]
    pub emulated: Option<Witness>,
    pub container: Option<Witness>,
    pub steal: Option<Steal>,
}

/// A name and the file that gave it away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    pub name: String,
    pub evidence: String,
}

/// Time since boot, in ticks of `USER_HZ`, summed over all CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Steal {
    pub stolen_ticks: u64,
    pub all_ticks: u64,
}

impl Steal {
    /// Share of all time, 0..=1.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a share needs no more than 53 bits"
    )]
    pub fn share(self) -> f64 {
        match self.all_ticks {
            0 => 0.0,
            all => self.stolen_ticks as f64 / all as f64,
        }
    }
}

pub(crate) fn witness(name: impl Into<String>, evidence: &str) -> Witness {
    Witness {
        name: name.into(),
        evidence: evidence.to_owned(),
    }
}

/// From the processor, the clocksource, firmware tables and /proc.
pub fn read(source: &Source, cpu: &Cpu, clocksource: &Clocksource, boot: &Boot) -> Virtualisation {
    Virtualisation {
        emulated: emulated(cpu, boot),
        hypervisor: hypervisor(source, cpu, clocksource),
        container: container(source),
        steal: source.parse("/proc/stat", parse_steal),
    }
}

/// Firmware names the product; where it does not, the paravirtual clock does.
fn hypervisor(source: &Source, cpu: &Cpu, clocksource: &Clocksource) -> Option<Witness> {
    const XEN: &str = "/sys/hypervisor/type";
    if let Some(kind) = source.word(XEN) {
        return Some(witness(kind, XEN));
    }
    let named = firmware_name(source);
    if cpu.hypervisor_flag {
        let clock = clock_name(clocksource).map(|n| witness(n, "available clocksources"));
        let unnamed = || witness("unknown", "hypervisor flag in /proc/cpuinfo");
        return Some(named.or(clock).unwrap_or_else(unnamed));
    }
    // x86 has the flag in every guest; elsewhere firmware is all there is.
    let x86 = cpu.has("sse2");
    named.filter(|_| !x86)
}

pub(crate) const TCG: &str = "QEMU TCG";

/// QEMU gives itself away by the processor's name, on Arm by a number that no
/// real one has, or by a board that exists nowhere else. Firmware that says
/// QEMU is no sign: a guest under KVM has the same.
fn emulated(cpu: &Cpu, boot: &Boot) -> Option<Witness> {
    const WORD: &str = "pontage.emulated";
    if boot.value(WORD).is_some_and(|value| value == "1") {
        return Some(witness(TCG, &format!("{WORD} in {}", boot::PATH)));
    }
    let model = cpu.model.as_deref().unwrap_or_default();
    let arm = (cpu.vendor.as_deref(), cpu.model_number.as_deref());
    if model.contains(TCG) || arm == (Some("0x00"), Some("0x051")) {
        return Some(witness(TCG, "/proc/cpuinfo"));
    }
    let board = cpu.board.as_deref().unwrap_or_default();
    (board == "Xilinx Versal Virtual development board")
        .then(|| witness(TCG, "/proc/device-tree/model"))
}

fn firmware_name(source: &Source) -> Option<Witness> {
    const KNOWN: [(&str, &str); 12] = [
        ("KVM", "KVM"),
        ("QEMU", "QEMU"),
        ("Amazon EC2", "Amazon EC2"),
        ("Google Compute Engine", "Google Compute Engine"),
        ("Virtual Machine", "Hyper-V"),
        ("VMware", "VMware"),
        ("VirtualBox", "VirtualBox"),
        ("Xen", "Xen"),
        ("Parallels", "Parallels"),
        ("Alibaba Cloud", "Alibaba Cloud"),
        ("OpenStack", "OpenStack"),
        ("Bochs", "Bochs"),
    ];
    let tree = "/proc/device-tree/hypervisor/compatible";
    if let Some(name) = source.word(tree) {
        let name = name.split('\0').next().unwrap_or_default();
        return Some(witness(
            name.trim_start_matches("linux,").to_uppercase(),
            tree,
        ));
    }
    for file in ["product_name", "sys_vendor", "board_vendor", "bios_vendor"] {
        let path = format!("/sys/class/dmi/id/{file}");
        let Some(text) = source.word(&path) else {
            continue;
        };
        if text.ends_with(".metal") {
            return None;
        }
        if let Some((_, name)) = KNOWN.iter().find(|(needle, _)| text.contains(needle)) {
            return Some(witness(*name, &path));
        }
    }
    None
}

fn clock_name(clocksource: &Clocksource) -> Option<&'static str> {
    let has = |start: &str| clocksource.available.iter().any(|c| c.starts_with(start));
    [("kvm-clock", "KVM"), ("hyperv", "Hyper-V"), ("xen", "Xen")]
        .into_iter()
        .find(|(start, _)| has(start))
        .map(|(_, name)| name)
}

fn container(source: &Source) -> Option<Witness> {
    const MARKS: [(&str, &str); 3] = [
        ("/.dockerenv", "docker"),
        ("/run/.containerenv", "podman"),
        ("/proc/vz", "openvz"),
    ];
    const SYSTEMD: &str = "/run/systemd/container";
    if let Some(name) = source.word(SYSTEMD) {
        return Some(witness(name, SYSTEMD));
    }
    MARKS
        .iter()
        .find(|(path, _)| source.exists(path))
        .map(|(path, name)| witness(*name, path))
}

/// `cpu  user nice system idle iowait irq softirq steal guest guest_nice`;
/// guest time is already in user time.
fn parse_steal(text: &str) -> Result<Steal, Unexpected> {
    let first = text.lines().next().unwrap_or_default();
    let wrong = || Unexpected::new("cpu times", first);
    let times = first.strip_prefix("cpu ").ok_or_else(wrong)?;
    let times: Result<Vec<u64>, _> = times.split_whitespace().map(str::parse).collect();
    let times = times.ok().filter(|times| times.len() >= 4);
    let times = times.ok_or_else(wrong)?;
    Ok(Steal {
        stolen_ticks: times.get(7).copied().unwrap_or(0),
        all_ticks: times.into_iter().take(8).fold(0, u64::saturating_add),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steal_is_the_eighth_time() {
        let steal = parse_steal("cpu  10 0 10 60 0 0 0 20 5 0\ncpu0 1\n");
        assert!((steal.unwrap().share() - 0.2).abs() < 1e-12);
        assert!(parse_steal("cpu  1 x\n").is_err());
        assert_eq!(Steal::default().share(), 0.0);
    }

    #[test]
    fn an_emulated_processor_is_distinguished_from_a_guest_under_kvm() {
        let cpu = |model: &str, vendor: &str, number: &str, board: &str| Cpu {
            model: Some(model.to_owned()),
            vendor: Some(vendor.to_owned()),
            model_number: Some(number.to_owned()),
            board: Some(board.to_owned()),
            ..Cpu::default()
        };
        let seen = |cpu: &Cpu, line: &str| {
            let boot = Boot {
                parameters: boot::parse(line),
                ..Boot::default()
            };
            emulated(cpu, &boot).map(|w| w.evidence)
        };
        let real = cpu("AMD EPYC 9554", "AuthenticAMD", "17", "");
        assert_eq!(seen(&real, "quiet pontage.emulated=0"), None);
        let word = seen(&real, "quiet pontage.emulated=1");
        assert_eq!(word.as_deref(), Some("pontage.emulated in /proc/cmdline"));
        let tcg = cpu("QEMU TCG CPU version 2.5+", "AuthenticAMD", "107", "");
        assert!(seen(&tcg, "").is_some());
        let arm_max = cpu("unknown", "0x00", "0x051", "linux,dummy-virt");
        assert!(seen(&arm_max, "").is_some());
        let arm_kvm = cpu("Neoverse-N1", "0x41", "0xd0c", "linux,dummy-virt");
        assert_eq!(seen(&arm_kvm, ""), None);
        let board = "Xilinx Versal Virtual development board";
        assert!(seen(&cpu("Cortex-A72", "0x41", "0xd08", board), "").is_some());
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(?s).*", tail in "[0-9 ]{0,200}") {
            let _ = parse_steal(&text);
            let _ = parse_steal(&format!("cpu {tail}"));
        }
    }
}
