//! Where and when this process runs, and who else does.

use super::{Area, Capability, Question, container_engine, counted, hypervisor, in_container_or};
use crate::absence::{needs_kernel, on_command_line};
use machine::Machine;
use machine::process::Right;

/// Pinning, real-time priority, quotas and disturbance.
pub fn list(machine: &Machine) -> Vec<Capability> {
    vec![
        pinning(machine),
        fifo(machine),
        quota(machine),
        quiet(machine),
        steal(machine),
        isolation(machine),
        idle(machine),
        preemption(machine),
    ]
}

fn pinning(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Cpus,
        "pinning",
        "samples that stay on one CPU and its caches",
    );
    let usable = machine.usable_cpus();
    if usable.is_empty() {
        return q
            .limited(
                "no file shows which CPUs this process may use",
                "sudo mount -t proc proc /proc",
            )
            .short("not known");
    }
    let online = machine.topology.cpus.len();
    q.available(format!(
        "{} of {online} usable: {usable}",
        counted(usable.len(), "CPU")
    ))
}

fn fifo(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Cpus,
        "sched_fifo",
        "measure without being preempted by ordinary tasks",
    );
    let limits = &machine.limits;
    let by_right = machine.process.has(Right::SysNice);
    let by_limit = limits.realtime_priority.is_some_and(|l| l.soft.allows(1));
    if !by_right && !by_limit {
        if limits.realtime_priority.is_some_and(|l| l.hard.allows(1)) {
            let absent = q.absent("the soft limit on real-time priority is 0", "ulimit -r 10");
            return absent.short("limit 0");
        }
        let raise = "sudo prlimit --pid $$ --rtprio=10:10";
        return q
            .absent(
                "no CAP_SYS_NICE, and the limit on real-time priority is 0",
                in_container_or(machine, "--cap-add SYS_NICE", raise),
            )
            .short("no CAP_SYS_NICE");
    }
    if !limits.realtime_runs() {
        return q
            .absent(
                "sched_rt_runtime_us is 0: real-time tasks never run",
                "sudo sysctl kernel.sched_rt_runtime_us=950000",
            )
            .short("sched_rt_runtime_us 0");
    }
    if machine.cgroup.rt_runtime_us == Some(0) {
        return q
            .absent(
                "the control group has no real-time budget",
                "echo $$ | sudo tee /sys/fs/cgroup/cpu/tasks",
            )
            .short("no real-time budget");
    }
    let by = match by_right {
        true => "CAP_SYS_NICE",
        false => "RLIMIT_RTPRIO",
    };
    match (limits.rt_runtime_us, limits.rt_period_us) {
        (Some(runtime), Some(period)) if runtime > 0 && runtime < period => q.available(format!(
            "{by}; throttled to {runtime} us of each {period} us"
        )),
        _ => q.available(by),
    }
}

fn quota(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Cpus,
        "no cpu quota",
        "samples that the control group does not interrupt",
    );
    match &machine.cgroup.quota {
        None => q.available("no quota"),
        Some(quota) => q
            .limited(
                format!(
                    "{:.2} CPUs ({} us in each {} us)",
                    quota.cpus(),
                    quota.quota_us,
                    quota.period_us
                ),
                match (container_engine(machine), quota.path.ends_with("cpu.max")) {
                    (Some(engine), _) => format!("none: {engine} set it; run without --cpus"),
                    (None, true) => format!("echo max | sudo tee {}", quota.path),
                    (None, false) => format!("echo -1 | sudo tee {}", quota.path),
                },
            )
            .short(format!("{:.2} CPUs", quota.cpus())),
    }
}

/// Below this many tasks on average for each CPU the machine counts as quiet.
const QUIET_LOAD_PER_CPU: f64 = 0.25;

/// Whether few tasks run; None where no load average says so.
pub fn is_quiet(machine: &Machine) -> Option<bool> {
    let cpus = machine.topology.cpus.len().max(1) as f64;
    Some(machine.load.average?.minutes_1 <= QUIET_LOAD_PER_CPU * cpus)
}

fn quiet(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Cpus,
        "quiet machine",
        "results that are the machine's, not its neighbours'",
    );
    let (Some(load), Some(is_quiet)) = (machine.load.average, is_quiet(machine)) else {
        return q.limited("no load average", "sudo mount -t proc proc /proc");
    };
    let cpus = machine.topology.cpus.len().max(1);
    let detail = format!("load {:.2} on {}", load.minutes_1, counted(cpus, "CPU"));
    match is_quiet {
        true => q.available(detail),
        false => q.limited(detail, "top -b -n 1 -o %CPU | head -n 20"),
    }
}

/// From here on the host's other guests are felt in single samples.
const FELT_STEAL_SHARE: f64 = 0.001;

fn steal(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Cpus,
        "no steal",
        "time that the hypervisor does not give to others",
    );
    let steal = machine.virtualisation.steal;
    let detail = |share: f64| format!("{:.2} % stolen since boot", share * 100.0);
    match (steal, hypervisor(machine)) {
        (Some(steal), Some(name)) if steal.share() >= FELT_STEAL_SHARE => q.limited(
            format!("{} under {name}", detail(steal.share())),
            "none: needs a guest with CPUs of its own, or bare metal",
        ),
        (Some(steal), Some(name)) => q.available(format!("{} under {name}", detail(steal.share()))),
        (None, Some(name)) => q.limited(
            format!("guest of {name}; no file shows the stolen time"),
            needs_kernel("CONFIG_PARAVIRT_TIME_ACCOUNTING"),
        ),
        (_, None) => q.available("no hypervisor seen"),
    }
}

fn isolation(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Cpus,
        "isolated cpus",
        "samples without ticks and ordinary tasks",
    );
    let boot = &machine.boot;
    let detail = format!(
        "isolated {}; without tick {}",
        boot.isolated, boot.nohz_full
    );
    let quiet = boot.isolated.iter().any(|cpu| boot.nohz_full.contains(cpu));
    match (quiet, boot.isolated.is_empty() && boot.nohz_full.is_empty()) {
        (true, _) => q.available(detail),
        (false, false) => q.limited(detail, boot_parameters(machine)),
        (false, true) => q.absent("none", boot_parameters(machine)),
    }
}

/// All threads of the last core: the first one takes most interrupts.
fn boot_parameters(machine: &Machine) -> String {
    let topology = &machine.topology;
    let Some(last) = topology.cpus.last().filter(|_| topology.cores > 1) else {
        return "none: the only core cannot be isolated".to_owned();
    };
    let list = &last.siblings;
    let tick = match machine.kernel.config.is_left_out("NO_HZ_FULL") {
        true => String::new(),
        false => format!(" nohz_full={list} rcu_nocbs={list}"),
    };
    on_command_line(format_args!("isolcpus={list}{tick}"))
}

fn idle(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Cpus,
        "shallow idle",
        "wake-ups that do not pay for deep sleep",
    );
    /// A state deeper than this shows in every wake-up, microseconds.
    const FELT_EXIT_US: u64 = 10;
    let idle = &machine.frequency.idle;
    let deep: Vec<String> = idle
        .states
        .iter()
        .filter(|s| s.disabled != Some(true) && s.exit_latency_us > Some(FELT_EXIT_US))
        .map(|s| format!("{} {} us", s.name, s.exit_latency_us.unwrap_or(0)))
        .collect();
    match (deep.is_empty(), &idle.driver) {
        (false, _) => q
            .limited(
                format!("deep states in use: {}", deep.join(", ")),
                format!("sudo cpupower idle-set --disable-by-latency {FELT_EXIT_US}"),
            )
            .short("deep states in use"),
        (true, Some(driver)) => q.available(format!("no deep state in use ({driver})")),
        (true, None) => q.available("no cpuidle driver"),
    }
}

fn preemption(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Cpus,
        "preemption model",
        "tells what a wake-up or a tick may interrupt",
    );
    match &machine.kernel.preemption {
        Some(model) => q.available(format!("{} ({})", model.value, model.by)),
        None => q.absent(
            "no file shows it",
            "sudo mount -t debugfs nodev /sys/kernel/debug",
        ),
    }
}
