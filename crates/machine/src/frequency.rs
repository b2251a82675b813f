//! Who sets the CPU clock, between which bounds, and how deep CPUs sleep.
//!
//! Source: Documentation/admin-guide/pm/{cpufreq,intel_pstate,amd-pstate,cpuidle}.rst.

use crate::cpu_list::CpuList;
use crate::source::Source;
use serde::{Deserialize, Serialize};

const CPU: &str = "/sys/devices/system/cpu";

/// Clock rates and sleep states of the CPUs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Frequency {
    /// Sets of CPUs whose clock is set together; empty in most guests.
    pub policies: Vec<Policy>,
    /// Whether clocks above the nominal one are allowed.
    pub boost: Option<bool>,
    /// Mode of intel_pstate or amd_pstate: `active`, `passive`, `guided`, `off`.
    pub pstate_mode: Option<String>,
    pub idle: Idle,
}

/// A cpufreq policy: CPUs that share one clock rate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Policy {
    pub name: String,
    pub cpus: CpuList,
    pub driver: Option<String>,
    pub governor: Option<String>,
    pub governors: Vec<String>,
    /// What the hardware can do, kHz.
    pub hardware_min_khz: Option<u64>,
    pub hardware_max_khz: Option<u64>,
    /// What the present settings allow, kHz.
    pub allowed_min_khz: Option<u64>,
    pub allowed_max_khz: Option<u64>,
    /// Nominal clock without boost, kHz.
    pub base_khz: Option<u64>,
    pub energy_preference: Option<String>,
}

/// The cpuidle driver and its states.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Idle {
    pub driver: Option<String>,
    pub governor: Option<String>,
    /// Of the first CPU, shallow to deep.
    pub states: Vec<IdleState>,
}

/// A sleep state of the CPUs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct IdleState {
    pub name: String,
    /// Time to leave it as the driver states it, microseconds.
    pub exit_latency_us: Option<u64>,
    pub disabled: Option<bool>,
}

impl Frequency {
    /// The one governor of all policies, or the different ones joined.
    pub fn governor(&self) -> Option<String> {
        let mut names: Vec<&str> = self
            .policies
            .iter()
            .filter_map(|p| p.governor.as_deref())
            .collect();
        names.sort_unstable();
        names.dedup();
        (!names.is_empty()).then(|| names.join(" + "))
    }
}

/// Reads cpufreq and cpuidle of sysfs.
pub fn read(source: &Source) -> Frequency {
    Frequency {
        policies: policies(source),
        boost: boost(source),
        pstate_mode: ["intel_pstate", "amd_pstate"]
            .iter()
            .find_map(|name| source.word(&format!("{CPU}/{name}/status"))),
        idle: idle(source),
    }
}

/// `cpufreq/policyN`, or `cpuN/cpufreq` where only that form is present.
fn policies(source: &Source) -> Vec<Policy> {
    let folder = format!("{CPU}/cpufreq");
    let names = source.entries_starting(&folder, "policy").into_iter();
    let mut found: Vec<Policy> = names
        .map(|name| read_policy(source, &format!("{folder}/{name}"), name))
        .collect();
    if found.is_empty() {
        let single = read_policy(source, &format!("{CPU}/cpu0/cpufreq"), "cpu0".to_owned());
        found.extend(single.driver.is_some().then_some(single));
    }
    found
}

fn read_policy(source: &Source, folder: &str, name: String) -> Policy {
    let file = |name: &str| format!("{folder}/{name}");
    Policy {
        name,
        // Space separated here, unlike everywhere else.
        cpus: source
            .words(&file("affected_cpus"))
            .iter()
            .filter_map(|word| word.parse().ok())
            .collect(),
        driver: source.word(&file("scaling_driver")),
        governor: source.word(&file("scaling_governor")),
        governors: source.words(&file("scaling_available_governors")),
        hardware_min_khz: source.number(&file("cpuinfo_min_freq")),
        hardware_max_khz: source.number(&file("cpuinfo_max_freq")),
        allowed_min_khz: source.number(&file("scaling_min_freq")),
        allowed_max_khz: source.number(&file("scaling_max_freq")),
        base_khz: source.number(&file("base_frequency")),
        energy_preference: source.word(&file("energy_performance_preference")),
    }
}

/// acpi-cpufreq, cpufreq-dt and amd-pstate say `boost`; intel_pstate says the
/// opposite.
fn boost(source: &Source) -> Option<bool> {
    source
        .switch(&format!("{CPU}/cpufreq/boost"))
        .or_else(|| Some(!source.switch(&format!("{CPU}/intel_pstate/no_turbo"))?))
}

fn idle(source: &Source) -> Idle {
    let folder = format!("{CPU}/cpu0/cpuidle");
    let states = source.entries_starting(&folder, "state").into_iter();
    let states = states.filter_map(|state| {
        let file = |below: &str| format!("{folder}/{state}/{below}");
        Some(IdleState {
            name: source.word(&file("name"))?,
            exit_latency_us: source.number(&file("latency")),
            disabled: source.switch(&file("disable")),
        })
    });
    Idle {
        driver: source.word(&format!("{CPU}/cpuidle/current_driver")),
        governor: ["current_governor", "current_governor_ro"]
            .iter()
            .find_map(|name| source.word(&format!("{CPU}/cpuidle/{name}"))),
        states: states.collect(),
    }
}
