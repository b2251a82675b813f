//! CPUs, their clock rate and the clock that times everything.

use super::{Area, Capability, Question, counted, hypervisor};
use crate::absence::{needs_boot, needs_kernel};
use machine::Machine;
use machine::text::binary_size;
use machine::topology::LogicalCpu;

/// Clocks, clock rates, CPUs and NUMA nodes.
pub fn list(machine: &Machine) -> Vec<Capability> {
    vec![
        clock(machine),
        clocksource(machine),
        governor(machine),
        boost(machine),
        second_cpu(machine),
        smt(machine),
        numa(machine),
        caches(machine),
    ]
}

fn clock(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Time,
        "invariant clock",
        "time operations of a few nanoseconds",
    );
    let arch = machine.kernel.arch.as_deref().unwrap_or_default();
    if arch == "aarch64" {
        return q.available("architected counter (cntvct_el0)");
    }
    if arch != "x86_64" && arch != "i686" {
        return q.limited(
            "no counter that user space can read; clock_gettime is used",
            "none: this processor has no such counter",
        );
    }
    let tsc = machine.cpu.tsc;
    let flags: Vec<&str> = [
        (tsc.constant, "constant_tsc"),
        (tsc.nonstop, "nonstop_tsc"),
        (tsc.known_frequency, "tsc_known_freq"),
    ]
    .iter()
    .filter_map(|(set, name)| set.then_some(*name))
    .collect();
    let detail = format!("TSC: {}", flags.join(" "));
    match (tsc.invariant(), hypervisor(machine)) {
        (true, _) => q.available(detail),
        (false, Some(_)) => q.limited(
            "the TSC is not promised to be invariant; clock_gettime is used",
            "none: the host must pass the flag (QEMU: -cpu host,+invtsc)",
        ),
        (false, None) => q.limited(
            "the TSC changes with frequency or idle state; clock_gettime is used",
            "none: this processor has no invariant TSC",
        ),
    }
}

fn clocksource(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Time,
        "fast clocksource",
        "clock_gettime without entering the kernel",
    );
    let clock = &machine.clocksource;
    let Some(current) = clock.current.as_deref() else {
        return q.absent("not shown by sysfs", "sudo mount -t sysfs sysfs /sys");
    };
    if clock.is_fast() == Some(true) {
        return q.available(current);
    }
    match clock.available.iter().any(|name| name == "tsc") {
        true => q.limited(
            format!("{current}: each read costs a system call"),
            "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource",
        )
        .short(current),
        false => q.limited(
            format!("{current}: may cost a system call each read"),
            "none: the kernel offers no faster one here",
        ),
    }
}

fn governor(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Cpus,
        "steady clock rate",
        "results that do not follow the governor",
    );
    let Some(governor) = machine.frequency.governor() else {
        let why = match hypervisor(machine) {
            Some(_) => "none: the host sets the clock rate".to_owned(),
            None => needs_kernel("a cpufreq driver for this processor"),
        };
        return q.limited("no cpufreq: the clock rate can be measured, not set", why);
    };
    if governor == "performance" {
        return q.available("governor performance");
    }
    let offered = machine
        .frequency
        .policies
        .iter()
        .all(|p| p.governors.is_empty() || p.governors.iter().any(|g| g == "performance"));
    let command =
        "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";
    match offered {
        true => q.limited(format!("governor {governor}"), command),
        false => q.limited(
            format!("governor {governor}"),
            "sudo modprobe cpufreq_performance && ".to_owned() + command,
        ),
    }
}

fn boost(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Cpus,
        "boost off",
        "runs that do not slow down as the chip warms",
    );
    let intel = machine.frequency.policies.iter().any(|p| {
        p.driver.as_deref() == Some("intel_pstate") || p.driver.as_deref() == Some("intel_cpufreq")
    });
    let command = match intel {
        true => "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo",
        false => "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost",
    };
    match (machine.frequency.boost, hypervisor(machine)) {
        (Some(false), _) => q.available("boost is off"),
        (Some(true), _) => q.limited("boost is on", command),
        (None, Some(_)) => q.limited("not known in a guest", "none: the host decides on boost"),
        (None, None) => q.limited("not known", "none: the driver offers no switch for boost"),
    }
}

fn second_cpu(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Cpus,
        "second cpu",
        "wake-ups across CPUs, loads during the measurement",
    );
    let usable = machine.usable_cpus();
    let online = machine.topology.cpus.len();
    match (usable.len(), online) {
        (2.., _) => q.available(format!("{} usable: {usable}", counted(usable.len(), "CPU"))),
        (_, 2..) => q
            .absent(
                format!("this process may run on CPU {usable} only, of {online}"),
                format!("taskset -c {} pontage ...", machine.topology.online()),
            )
            .short(format!("usable: {usable}")),
        (_, 0) => q.absent("no file lists the CPUs", "sudo mount -t proc proc /proc"),
        _ if !machine.topology.offline.is_empty() => q.absent(
            format!("offline: {}", machine.topology.offline),
            format!(
                "echo 1 | sudo tee /sys/devices/system/cpu/cpu{}/online",
                machine.topology.offline.first().unwrap_or(1)
            ),
        ),
        _ => q.absent(
            "the machine has one CPU",
            "none: needs a machine with two CPUs",
        ),
    }
}

fn smt(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Cpus,
        "smt sibling",
        "what two threads of one core cost each other",
    );
    let usable = machine.usable_cpus();
    let cpus = machine.topology.cpus.iter();
    let mut pairs = cpus.filter(|c| c.siblings.len() > 1).peekable();
    let first = pairs.peek().copied();
    let both = |cpu: &&LogicalCpu| cpu.siblings.iter().filter(|s| usable.contains(*s)).count() > 1;
    if let Some(cpu) = pairs.find(both) {
        return q.available(format!("for example CPUs {} share a core", cpu.siblings));
    }
    if let Some(cpu) = first {
        let set = machine.cgroup.cpus.as_ref();
        let closed = set.is_some_and(|set| !cpu.siblings.iter().all(|s| set.contains(s)));
        return q
            .absent(
                format!("CPUs {} share a core; usable here: {usable}", cpu.siblings),
                match closed {
                    true => {
                        "none: the CPU set of the control group has one thread of each core".into()
                    }
                    false => format!("taskset -c {} pontage ...", cpu.siblings),
                },
            )
            .short(format!("usable: {usable}"));
    }
    match machine.topology.smt_control.as_deref() {
        Some("off") => q.absent(
            "switched off",
            "echo on | sudo tee /sys/devices/system/cpu/smt/control",
        ),
        Some("forceoff") => q.absent("switched off at boot", needs_boot("without nosmt")),
        _ => q.absent(
            "each core has one thread, or the hypervisor hides the others",
            "none: the processor shows one thread for each core",
        ),
    }
}

fn numa(machine: &Machine) -> Capability {
    let q = Question::new(Area::Cpus, "numa", "local against remote memory");
    let nodes = &machine.numa.nodes;
    let detail = format!(
        "{}, CPUs {}",
        counted(nodes.len(), "node"),
        nodes
            .iter()
            .map(|n| n.cpus.to_string())
            .collect::<Vec<_>>()
            .join(" | ")
    );
    match nodes.len() {
        2.. => q.available(detail),
        1 => q.absent("one node", "none: needs a machine with two NUMA nodes"),
        _ => q.absent("the kernel knows no nodes", needs_kernel("CONFIG_NUMA")),
    }
}

fn caches(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Memory,
        "cache description",
        "compare measured knees with stated sizes",
    );
    let data = || machine.caches.iter().filter(|c| c.holds_data());
    let levels: Vec<String> = data()
        .map(|c| match c.size_bytes {
            Some(bytes) => format!("L{} {}", c.level, binary_size(bytes)),
            None => format!("L{} size not stated", c.level),
        })
        .collect();
    if levels.is_empty() {
        return q.absent(
            "the kernel describes no caches",
            "none: the kernel exports no cacheinfo here; sizes are measured only",
        );
    }
    match data().all(|c| c.size_bytes.is_some()) {
        true => q.available(levels.join(", ")),
        false => q.limited(
            levels.join(", "),
            "none: firmware (device tree) leaves the sizes out; they are measured only",
        ),
    }
}
