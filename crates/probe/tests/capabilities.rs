//! What the stored machines can and cannot measure.

use machine::Machine;
use probe::absence::Help;
use probe::capability::{Capability, Evidence, SHORT, State, list};
use probe::perf::probe_with;
use probe::perf_attr::{Attr, Class};
use probe::perf_open::Opener;
use std::path::Path;

const WELL_FORMED: [&str; 5] = [
    "beaglebone-black",
    "epyc-container",
    "firecracker-vm",
    "raspberry-pi-4",
    "xeon-two-socket",
];

fn read(name: &str) -> Machine {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    machine::read(&here.join("../../fixtures/machines").join(name).join("root"))
}

fn capabilities(machine: &Machine) -> Vec<Capability> {
    list(Evidence {
        machine,
        perf: None,
        tools: None,
        self_test: None,
    })
}

fn one(machine: &Machine, name: &str) -> Capability {
    let all = capabilities(machine);
    all.into_iter().find(|c| c.name == name).unwrap()
}

#[track_caller]
fn expect(machine: &Machine, name: &str, state: State, remedy: &str) {
    let found = one(machine, name);
    assert_eq!(
        (found.state, found.remedy.as_str()),
        (state, remedy),
        "{found:?}"
    );
}

/// The kernel that answers every question alike.
struct Answer(Result<(), i32>);

impl Opener for Answer {
    fn open(&mut self, _: &Attr) -> Result<(), i32> {
        self.0
    }
}

#[test]
fn whatever_is_missing_has_a_remedy_and_whatever_is_there_has_none() {
    for name in WELL_FORMED.into_iter().chain(["malformed"]) {
        let machine = read(name);
        for answer in [
            Ok(()),
            Err(libc::EACCES),
            Err(libc::ENOENT),
            Err(libc::ENOSYS),
        ] {
            let perf = probe_with(&machine, &mut Answer(answer));
            let found = list(Evidence {
                machine: &machine,
                perf: Some(&perf),
                tools: Some(&probe::capability::Tools::default()),
                self_test: None,
            });
            for c in found {
                assert_eq!(
                    c.remedy.is_empty(),
                    c.state == State::Available,
                    "{name} {c:?}"
                );
                assert!(
                    !c.detail.is_empty() && !c.purpose.is_empty(),
                    "{name} {c:?}"
                );
                assert_ne!(c.remedy, "none: ", "{name} {c:?}");
                assert_eq!(c.help.is_none(), c.remedy.is_empty(), "{name} {c:?}");
                assert!(!c.short.is_empty(), "{name} {c:?}");
                assert!(c.short.chars().count() <= SHORT, "{name} {c:?}");
                // Where the user can do something, its state has words of its own.
                let is_word = c.short == c.state.word();
                assert!(!is_word || c.help != Some(Help::Command), "{name} {c:?}");
            }
        }
    }
}

#[test]
fn who_can_help_is_known_from_the_remedy() {
    let helps = |name: &str, wanted: &[(&str, Help)]| {
        let machine = read(name);
        for (capability, help) in wanted {
            let found = one(&machine, capability);
            assert_eq!(found.help, Some(*help), "{name} {found:?}");
        }
    };
    let of_container = [
        ("sched_fifo", Help::Command),
        ("tracefs", Help::Command),
        ("isolated cpus", Help::Kernel),
        ("persistent memory", Help::Kernel),
        ("BTF", Help::Kernel),
        ("kernel access", Help::Kernel),
        ("numa", Help::Elsewhere),
        ("no cpu quota", Help::Elsewhere),
    ];
    helps("epyc-container", &of_container);
    helps(
        "raspberry-pi-4",
        &[
            ("numa", Help::Kernel),
            ("persistent memory", Help::Elsewhere),
        ],
    );
}

#[test]
fn names_are_unique_and_the_same_on_every_machine() {
    let names = |name: &str| -> Vec<String> {
        let all = capabilities(&read(name));
        all.into_iter().map(|c| c.name).collect()
    };
    let first = names("xeon-two-socket");
    let mut unique = first.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), first.len());
    for name in WELL_FORMED {
        assert_eq!(names(name), first, "{name}");
    }
}

#[test]
fn rights_of_an_ordinary_user() {
    let m = read("xeon-two-socket");
    expect(
        &m,
        "sched_fifo",
        State::Absent,
        "sudo prlimit --pid $$ --rtprio=10:10",
    );
    expect(
        &m,
        "mlock",
        State::Limited,
        "sudo prlimit --pid $$ --memlock=unlimited:unlimited",
    );
    // The board's hard limit lets the user raise the soft one alone.
    expect(
        &read("raspberry-pi-4"),
        "sched_fifo",
        State::Absent,
        "ulimit -r 10",
    );
    expect(&read("firecracker-vm"), "sched_fifo", State::Available, "");
}

#[test]
fn clock_rates() {
    let command =
        "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";
    expect(
        &read("raspberry-pi-4"),
        "steady clock rate",
        State::Limited,
        command,
    );
    expect(
        &read("epyc-container"),
        "steady clock rate",
        State::Available,
        "",
    );
    let host = "none: the host sets the clock rate";
    expect(
        &read("firecracker-vm"),
        "steady clock rate",
        State::Limited,
        host,
    );
    let intel = "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo";
    expect(&read("xeon-two-socket"), "boost off", State::Limited, intel);
    let amd = "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost";
    expect(&read("epyc-container"), "boost off", State::Limited, amd);
}

#[test]
fn clocks() {
    for (name, state) in [
        ("xeon-two-socket", State::Available),
        ("raspberry-pi-4", State::Available),
        ("beaglebone-black", State::Limited),
    ] {
        assert_eq!(one(&read(name), "invariant clock").state, state, "{name}");
    }
}

#[test]
fn a_container_is_widened_from_outside() {
    let m = read("epyc-container");
    let quota = one(&m, "no cpu quota");
    assert_eq!(quota.detail, "4.00 CPUs (400000 us in each 100000 us)");
    assert_eq!(quota.remedy, "none: docker set it; run without --cpus");
    expect(
        &m,
        "sched_fifo",
        State::Absent,
        "docker run --cap-add SYS_NICE ...",
    );
    expect(
        &m,
        "mlock",
        State::Limited,
        "docker run --ulimit memlock=-1 ...",
    );
    expect(
        &m,
        "kernel modules",
        State::Limited,
        "docker run --cap-add SYS_MODULE ...",
    );
    let set = "none: the CPU set of the control group has one thread of each core";
    expect(&m, "smt sibling", State::Absent, set);
    assert_eq!(one(&m, "quiet machine").state, State::Limited);
    expect(
        &m,
        "process_vm_readv",
        State::Absent,
        "sudo sysctl kernel.yama.ptrace_scope=1",
    );
}

#[test]
fn one_cpu_is_distinguished_from_one_allowed_cpu() {
    let mut m = read("beaglebone-black");
    expect(
        &m,
        "second cpu",
        State::Absent,
        "none: needs a machine with two CPUs",
    );
    m = read("raspberry-pi-4");
    m.process.allowed_cpus = Some("2".parse().unwrap());
    expect(
        &m,
        "second cpu",
        State::Absent,
        "taskset -c 0-3 pontage ...",
    );
}

#[test]
fn a_quota_outside_containers_is_lifted_in_its_file() {
    let mut m = read("epyc-container");
    m.virtualisation.container = None;
    let command = "echo max | sudo tee /sys/fs/cgroup/cpu.max";
    expect(&m, "no cpu quota", State::Limited, command);
}

#[test]
fn siblings_beyond_the_affinity_are_had_with_taskset() {
    let mut m = read("xeon-two-socket");
    expect(&m, "smt sibling", State::Available, "");
    m.process.allowed_cpus = Some("0-3".parse().unwrap());
    expect(
        &m,
        "smt sibling",
        State::Absent,
        "taskset -c 0,4 pontage ...",
    );
}

#[test]
fn a_whole_core_is_isolated() {
    let found = one(&read("epyc-container"), "isolated cpus");
    assert!(
        found.remedy.contains("isolcpus=3,7 nohz_full=3,7"),
        "{}",
        found.remedy
    );
    let found = one(&read("firecracker-vm"), "isolated cpus");
    assert!(found.remedy.ends_with("isolcpus=1"), "{}", found.remedy);
}

#[test]
fn engines() {
    let m = read("xeon-two-socket");
    let channels = one(&m, "dma channels");
    assert_eq!(
        channels.detail,
        "4 channels (ioatdma); 4 copy memory, 3 of them free"
    );
    let queues = one(&m, "dsa work queues");
    assert_eq!(queues.detail, "2 devices: wq0.0 (kernel) wq0.1 (user)");
    let m = read("beaglebone-black");
    assert_eq!(one(&m, "dma channels").state, State::Limited);
    let m = read("firecracker-vm");
    assert_eq!(one(&m, "dma channels").state, State::Absent);
}

#[test]
fn a_disabled_accelerator_comes_with_its_commands() {
    let mut m = read("xeon-two-socket");
    m.accelerators.remove(0);
    let queues = one(&m, "dsa work queues");
    assert_eq!(queues.state, State::Limited);
    assert!(
        queues.remedy.contains("config-wq dsa2/wq2.0 "),
        "{}",
        queues.remedy
    );
    assert!(
        queues.remedy.ends_with("accel-config enable-wq dsa2/wq2.0"),
        "{}",
        queues.remedy
    );
}

#[test]
fn persistent_memory_given_to_the_kernel_is_none() {
    let mut m = read("xeon-two-socket");
    assert_eq!(one(&m, "persistent memory").detail, "pmem0 dax1.0");
    m.persistent.block_devices.clear();
    m.persistent.dax_devices.remove(0);
    let command = "sudo ndctl create-namespace --mode=fsdax";
    expect(&m, "persistent memory", State::Limited, command);
}

#[test]
fn tracing() {
    let mount = "sudo mount -t tracefs nodev /sys/kernel/tracing";
    let m = read("firecracker-vm");
    expect(&m, "tracefs", State::Absent, mount);
    expect(
        &m,
        "kprobes",
        State::Absent,
        "none: needs a kernel with CONFIG_KPROBES",
    );
    let m = read("xeon-two-socket");
    expect(&m, "tracefs", State::Available, "");
    expect(&m, "kprobes", State::Available, "");
    let m = read("epyc-container");
    assert_eq!(one(&m, "kernel access").detail, "lockdown integrity");
}

#[test]
fn a_tracer_that_is_listed_and_refused_is_absent() {
    let mut m = read("xeon-two-socket");
    expect(&m, "function tracer", State::Available, "");
    m.tracing.function_profile = true;
    expect(&m, "function profile", State::Available, "");
    m.tracing.functions = machine::Access::Denied;
    m.process.uid = Some(0);
    // Integrity refuses no tracing: to boot without it would not help.
    let own = "none: this kernel refuses them even to root";
    let unlock = "none: reboot with lockdown=integrity, or without Secure Boot";
    for (level, remedy) in [
        ("none", own),
        ("integrity", own),
        ("confidentiality", unlock),
    ] {
        m.security.lockdown.as_mut().unwrap().chosen = level.to_owned();
        expect(&m, "function tracer", State::Absent, remedy);
        expect(&m, "function profile", State::Absent, remedy);
    }
    m.security.lockdown = None;
    has_lockdown(&mut m);
    let ask = "sudo mount -t securityfs nodev /sys/kernel/security";
    expect(&m, "kernel access", State::Limited, ask);
    let look = format!("{ask} && pontage doctor");
    expect(&m, "function tracer", State::Absent, &look);
    m.process.uid = Some(1000);
    expect(&m, "function tracer", State::Absent, "sudo pontage doctor");
    m.tracing.functions = machine::Access::Readable;
    m.tracing.tracers = vec!["function".to_owned(), "nop".to_owned()];
    expect(
        &m,
        "function tracer",
        State::Limited,
        "none: needs a kernel with CONFIG_FUNCTION_GRAPH_TRACER",
    );
}

/// A kernel that is known to have it, whether or not it is started.
fn has_lockdown(m: &mut Machine) {
    let options = &mut m.kernel.config.options;
    options.insert("SECURITY_LOCKDOWN_LSM".to_owned(), "y".to_owned());
}

/// Lockdown is not mentioned before anything can be known of it.
#[test]
fn lockdown_is_unknown_where_securityfs_is_not_mounted() {
    let mut m = read("xeon-two-socket");
    m.security.lockdown = None;
    m.security.securityfs = false;
    expect(&m, "kernel access", State::Available, "");
    has_lockdown(&mut m);
    let ask = "sudo mount -t securityfs nodev /sys/kernel/security";
    expect(&m, "kernel access", State::Limited, ask);
    let unknown = "lockdown unknown: securityfs is not mounted";
    assert_eq!(one(&m, "kernel access").detail, unknown);
    // What loads into it depends on it as well.
    m.kernel.modules = Some(true);
    m.process.capabilities = Some(u64::MAX);
    expect(&m, "kernel modules", State::Limited, ask);
    assert_eq!(one(&m, "kernel modules").detail, unknown);
    m.security.securityfs = true;
    expect(&m, "kernel access", State::Available, "");
}

#[test]
fn events_profile_and_types_are_listed_with_what_they_need() {
    let mut m = read("xeon-two-socket");
    let events = one(&m, "trace events");
    assert_eq!(events.detail, "sched, syscalls and 1 other group");
    m.tracing.function_profile = false;
    expect(
        &m,
        "function profile",
        State::Absent,
        "none: needs a kernel with CONFIG_FUNCTION_PROFILER",
    );
    m.tracing.event_groups.clear();
    let needed = "none: needs a kernel with CONFIG_EVENT_TRACING";
    expect(&m, "trace events", State::Absent, needed);
    m.tracing.btf = false;
    let needed = "none: needs a kernel with CONFIG_DEBUG_INFO_BTF";
    expect(&m, "BTF", State::Absent, needed);
    m.tracing.btf = true;
    expect(&m, "BTF", State::Available, "");
}

#[test]
fn the_running_kernel_answers_and_answers_alike() {
    let machine = machine::read(Path::new("/"));
    let first = probe::perf::probe(&machine);
    assert_eq!(first.classes.len(), Class::ALL.len());
    assert_eq!(first, probe::perf::probe(&machine));
}
