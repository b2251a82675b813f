//! Engines that copy instead of the CPU.

use super::{Area, Capability, Question, counted, hypervisor};
use crate::absence::needs_kernel;
use machine::Machine;
use machine::accelerator::Accelerator;
use machine::dma::DmaChannel;

/// DMA channels and work queues of accelerators.
pub fn list(machine: &Machine) -> Vec<Capability> {
    vec![channels(machine), queues(machine)]
}

fn channels(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Offload,
        "dma channels",
        "copies by a DMA engine instead of the CPU",
    );
    let all = &machine.dma;
    if all.is_empty() {
        return q.absent("none registered", driver_to_load(machine));
    }
    let copiers: Vec<&DmaChannel> = all
        .iter()
        .filter(|c| c.copies_memory() == Some(true))
        .collect();
    let free = copiers.iter().filter(|c| c.in_use == Some(0)).count();
    let detail = format!(
        "{} ({}); {} copy memory, {free} of them free",
        counted(all.len(), "channel"),
        drivers(all),
        copiers.len()
    );
    match (copiers.len(), free) {
        (0, _) => q.limited(
            detail,
            "none: no channel here is known to copy memory to memory",
        ),
        (_, 0) => (q.limited(detail, "grep . /sys/class/dma/*/in_use")).short("no channel is free"),
        _ => q.available(detail),
    }
}

fn drivers(channels: &[DmaChannel]) -> String {
    let mut names: Vec<&str> = channels
        .iter()
        .map(|c| c.driver.as_deref().unwrap_or("unknown driver"))
        .collect();
    names.sort_unstable();
    names.dedup();
    names.join(" ")
}

/// The command that may bring channels, by who made the processor.
fn driver_to_load(machine: &Machine) -> String {
    if machine.kernel.modules == Some(false) {
        return needs_kernel("a driver for a DMA engine, or one that loads modules");
    }
    if hypervisor(machine).is_some() {
        return "none: the host gives this guest no DMA engine (pass one through with VFIO)"
            .to_owned();
    }
    match machine.cpu.vendor.as_deref() {
        Some("GenuineIntel") => "sudo modprobe ioatdma".to_owned(),
        Some("AuthenticAMD") => "sudo modprobe ptdma".to_owned(),
        _ => "none: the device tree or firmware names no DMA engine".to_owned(),
    }
}

fn queues(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Offload,
        "dsa work queues",
        "copies and fills by Intel's data streaming engine",
    );
    let devices: Vec<&Accelerator> = machine
        .accelerators
        .iter()
        .filter(|a| a.moves_data())
        .collect();
    let Some(first) = devices.first() else {
        return q.absent("no device", no_device(machine));
    };
    let enabled: Vec<String> = devices
        .iter()
        .flat_map(|d| &d.queues)
        .filter(|w| w.is_enabled())
        .map(|w| format!("{} ({})", w.name, w.purpose.as_deref().unwrap_or("unknown")))
        .collect();
    match enabled.is_empty() {
        false => q.available(format!(
            "{}: {}",
            counted(devices.len(), "device"),
            enabled.join(" ")
        )),
        true => q.limited(
            format!("{}, no queue enabled", counted(devices.len(), "device")),
            enable(first),
        ),
    }
}

fn no_device(machine: &Machine) -> String {
    let intel = machine.cpu.vendor.as_deref() == Some("GenuineIntel");
    // Sapphire Rapids, the first with DSA, is also the first with ENQCMD.
    let likely = intel && machine.cpu.has("movdir64b");
    match (hypervisor(machine), likely, machine.kernel.modules) {
        (Some(_), _, _) => "none: the host gives this guest no DSA (pass one through)".to_owned(),
        (None, true, Some(false)) => needs_kernel("the driver idxd"),
        (None, true, _) => "sudo modprobe idxd".to_owned(),
        (None, false, _) => "none: this processor has no DSA".to_owned(),
    }
}

fn enable(device: &Accelerator) -> String {
    let name = &device.name;
    let number = name.trim_start_matches("dsa");
    let queue = format!("{name}/wq{number}.0");
    format!(
        "sudo accel-config config-wq {queue} --group-id=0 --mode=dedicated --wq-size=16 \
         --type=user --driver-name=user --name=pontage && \
         sudo accel-config config-engine {name}/engine{number}.0 --group-id=0 && \
         sudo accel-config enable-device {name} && sudo accel-config enable-wq {queue}"
    )
}
