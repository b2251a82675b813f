//! Which classes of perf events this process may count, found out by asking
//! for one of each. What `perf_event_paranoid` promises is not always what a
//! container, a guest or a security module allows.
//!
//! Source: perf_event_open(2), Documentation/admin-guide/perf-security.rst.

use crate::absence::{Absence, needs_boot, needs_kernel};
use crate::lockdown;
use crate::perf_attr::{Attr, Class, Scope};
use crate::perf_open::{Opener, System};
use machine::{EventSource, Machine};
use serde::{Deserialize, Serialize};

/// Which classes of perf events this process may open.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PerfReport {
    /// `/proc/sys/kernel/perf_event_paranoid`.
    pub paranoid: Option<i32>,
    pub classes: Vec<PerfClass>,
}

/// What happened when one event of a class was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerfClass {
    pub class: Class,
    /// The event that was tried.
    pub event: String,
    pub user: Outcome,
    pub kernel: Outcome,
}

/// The kernel's answer to perf_event_open(2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    Available,
    Refused {
        errno: i32,
        reason: String,
        remedy: String,
    },
    /// Could not be asked for at all.
    Untried {
        reason: String,
        remedy: String,
    },
}

impl Outcome {
    /// Whether the event was opened.
    pub fn is_available(&self) -> bool {
        *self == Outcome::Available
    }
}

impl PerfReport {
    /// The report on one class.
    pub fn class(&self, class: Class) -> Option<&PerfClass> {
        self.classes.iter().find(|c| c.class == class)
    }
}

/// Ask the kernel for one event of each class.
pub fn probe(machine: &Machine) -> PerfReport {
    probe_with(machine, &mut System)
}

/// As [`probe`], asking `opener`.
pub fn probe_with(machine: &Machine, opener: &mut impl Opener) -> PerfReport {
    let classes = Class::ALL
        .iter()
        .map(|class| try_class(machine, opener, *class));
    PerfReport {
        paranoid: machine.security.perf_event_paranoid,
        classes: classes.collect(),
    }
}

fn try_class(machine: &Machine, opener: &mut impl Opener, class: Class) -> PerfClass {
    let mut outcome = |scope| match Attr::of(class, scope, machine) {
        Ok(attr) => match opener.open(&attr) {
            Ok(()) => Outcome::Available,
            Err(errno) if class.proves_right(errno) => Outcome::Available,
            Err(errno) => {
                let Absence { reason, remedy } = refused(machine, class, scope, errno);
                Outcome::Refused {
                    errno,
                    reason,
                    remedy,
                }
            }
        },
        Err(Absence { reason, remedy }) => Outcome::Untried { reason, remedy },
    };
    PerfClass {
        class,
        event: class.event(machine),
        user: outcome(Scope::User),
        kernel: outcome(Scope::Kernel),
    }
}

/// The errno in words, with the present value, the needed one and the command.
pub(crate) fn refused(machine: &Machine, class: Class, scope: Scope, errno: i32) -> Absence {
    match errno {
        libc::EACCES | libc::EPERM => forbidden(machine, class, scope),
        libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP => absent(machine, class),
        libc::ENOSYS => Absence::new(
            "the kernel has no perf_event_open or a filter hides it",
            needs_kernel("CONFIG_PERF_EVENTS, and a seccomp profile that allows the call"),
        ),
        libc::EMFILE | libc::ENFILE => Absence::new("too many open files", "ulimit -n 4096"),
        libc::EBUSY => Absence::new(
            "another user holds the counters",
            "sudo sysctl kernel.nmi_watchdog=0",
        ),
        libc::EINVAL => Absence::new(
            "the kernel does not know this event",
            "none: the event is not part of this kernel or processor",
        ),
        other => Absence::new(
            std::io::Error::from_raw_os_error(other).to_string(),
            "none: unexpected; see perf_event_open(2)",
        ),
    }
}

fn forbidden(machine: &Machine, class: Class, scope: Scope) -> Absence {
    let level = machine.security.perf_event_paranoid;
    match (level, class.needed_paranoid(scope)) {
        (Some(level), Some(needed)) if level > needed => Absence::new(
            format!("perf_event_paranoid is {level}, needed is {needed} or less"),
            format!("sudo sysctl kernel.perf_event_paranoid={needed}"),
        ),
        (_, None) => Absence::new(
            "needs CAP_PERFMON, whatever perf_event_paranoid is",
            "sudo setcap cap_perfmon+ep $(command -v pontage)",
        ),
        // The one level of lockdown that refuses perf events: LOCKDOWN_PERF.
        _ if lockdown::of(machine).is_some_and(lockdown::refuses_tracing) => Absence::new(
            "the kernel is locked down for confidentiality, which forbids perf events",
            needs_boot("with lockdown=integrity, or without Secure Boot"),
        ),
        _ => Absence::new(
            format!(
                "forbidden although perf_event_paranoid is {}: a seccomp filter or a security \
                 module forbids it",
                level.map_or("unknown".to_owned(), |l| l.to_string())
            ),
            "docker run --cap-add PERFMON --security-opt seccomp=unconfined ...",
        ),
    }
}

fn absent(machine: &Machine, class: Class) -> Absence {
    let hardware = matches!(class, Class::Hardware | Class::Cache | Class::Raw);
    if hardware && machine.event_sources.iter().any(is_processor) {
        return Absence::new(
            "the processor's counters know no such event",
            "none: another processor",
        );
    }
    match &machine.virtualisation.hypervisor {
        Some(_) if hardware => Absence::new(
            "the hypervisor gives this guest no performance counters",
            "none: the host must expose a PMU (QEMU: -cpu host,pmu=on)",
        ),
        _ if hardware => Absence::new(
            "the kernel has no driver for performance counters of this processor",
            needs_kernel("a PMU driver for this processor"),
        ),
        _ => Absence::new("not part of this kernel", needs_kernel(class.option())),
    }
}

/// The counters of a core: `cpu` on x86, `cpu_core` and `cpu_atom` where cores differ,
/// `armv8_cortex_a57` and the like on Arm.
fn is_processor(source: &EventSource) -> bool {
    source.name == "cpu" || source.name.starts_with("cpu_") || source.name.starts_with("armv")
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::virtualisation::Witness;

    /// Answers by class and scope and remembers what it was asked.
    struct Fake<F>(F, Vec<Attr>);

    impl<F: Fn(&Attr) -> Result<(), i32>> Opener for Fake<F> {
        fn open(&mut self, attr: &Attr) -> Result<(), i32> {
            self.1.push(attr.clone());
            (self.0)(attr)
        }
    }

    fn asked(machine: &Machine, answer: impl Fn(&Attr) -> Result<(), i32>) -> PerfReport {
        probe_with(machine, &mut Fake(answer, Vec::new()))
    }

    fn with_paranoid(level: i32) -> Machine {
        let mut machine = Machine::default();
        machine.security.perf_event_paranoid = Some(level);
        machine
    }

    fn refusal(outcome: &Outcome) -> (&str, &str) {
        match outcome {
            Outcome::Refused { reason, remedy, .. } | Outcome::Untried { reason, remedy } => {
                (reason, remedy)
            }
            Outcome::Available => panic!("available"),
        }
    }

    #[test]
    fn a_paranoid_kernel_is_named_with_value_need_and_command() {
        let report = asked(&with_paranoid(2), |attr| match attr.exclude_kernel() {
            true => Ok(()),
            false => Err(libc::EACCES),
        });
        let hardware = report.class(Class::Hardware).unwrap();
        assert!(hardware.user.is_available());
        let (reason, remedy) = refusal(&hardware.kernel);
        assert_eq!(reason, "perf_event_paranoid is 2, needed is 1 or less");
        assert_eq!(remedy, "sudo sysctl kernel.perf_event_paranoid=1");
    }

    #[test]
    fn the_strictest_level_needs_two_for_user_events() {
        let report = asked(&with_paranoid(3), |_| Err(libc::EACCES));
        let (reason, remedy) = refusal(&report.class(Class::Software).unwrap().user);
        assert_eq!(reason, "perf_event_paranoid is 3, needed is 2 or less");
        assert_eq!(remedy, "sudo sysctl kernel.perf_event_paranoid=2");
    }

    #[test]
    fn a_guest_without_counters_names_who_could_give_them() {
        let mut machine = with_paranoid(-1);
        machine.virtualisation.hypervisor = Some(Witness {
            name: "KVM".into(),
            evidence: String::new(),
        });
        let report = asked(&machine, |_| Err(libc::ENOENT));
        let (reason, remedy) = refusal(&report.class(Class::Cache).unwrap().user);
        assert!(reason.contains("hypervisor"), "{reason}");
        assert!(remedy.starts_with("none: the host"), "{remedy}");
        // A guest that has some lacks this event, not the counters.
        machine.event_sources.push(EventSource {
            name: "armv8_cortex_a57".to_owned(),
            number: Some(10),
        });
        let report = asked(&machine, |_| Err(libc::ENOENT));
        let (reason, _) = refusal(&report.class(Class::Cache).unwrap().user);
        assert_eq!(reason, "the processor's counters know no such event");
    }

    #[test]
    fn a_refusal_that_paranoid_does_not_explain_names_other_causes() {
        let report = asked(&with_paranoid(-1), |_| Err(libc::EPERM));
        let (reason, _) = refusal(&report.class(Class::Software).unwrap().user);
        assert!(reason.contains("seccomp"), "{reason}");
        // At the very level that is needed, the level is not to blame either.
        let report = asked(&with_paranoid(2), |_| Err(libc::EACCES));
        let (reason, _) = refusal(&report.class(Class::Software).unwrap().user);
        assert!(reason.contains("seccomp"), "{reason}");
    }

    #[test]
    fn tracepoints_without_tracefs_are_not_tried() {
        let report = asked(&with_paranoid(-1), |_| Ok(()));
        let (reason, remedy) = refusal(&report.class(Class::Tracepoint).unwrap().kernel);
        assert!(reason.contains("tracefs"), "{reason}");
        assert!(remedy.contains("mount -t tracefs"), "{remedy}");
    }

    #[test]
    fn a_user_probe_refused_for_its_empty_path_was_allowed() {
        let mut machine = with_paranoid(-1);
        machine.event_sources.push(machine::EventSource {
            name: "uprobe".into(),
            number: Some(9),
        });
        let report = asked(&machine, |_| Err(libc::EINVAL));
        assert!(report.class(Class::Uprobe).unwrap().user.is_available());
        assert!(!report.class(Class::Hardware).unwrap().user.is_available());
    }

    #[test]
    fn user_probes_need_a_capability_at_every_level() {
        let mut machine = with_paranoid(2);
        machine.event_sources.push(machine::EventSource {
            name: "uprobe".into(),
            number: Some(9),
        });
        let report = asked(&machine, |_| Err(libc::EACCES));
        let (reason, remedy) = refusal(&report.class(Class::Uprobe).unwrap().user);
        assert!(reason.contains("CAP_PERFMON"), "{reason}");
        assert!(remedy.starts_with("sudo setcap cap_perfmon"), "{remedy}");
    }

    #[test]
    fn every_errno_becomes_words() {
        for errno in 1..134 {
            let report = asked(&with_paranoid(1), |_| Err(errno));
            for class in &report.classes {
                if let Outcome::Refused { reason, remedy, .. } = &class.kernel {
                    assert!(!reason.is_empty() && !remedy.is_empty());
                }
            }
        }
    }

    #[test]
    fn every_class_is_asked_for_with_and_without_the_kernel() {
        let mut fake = Fake(|_: &Attr| Ok(()), Vec::new());
        probe_with(&Machine::default(), &mut fake);
        let without = fake.1.iter().filter(|a| a.exclude_kernel()).count();
        assert_eq!(without * 2, fake.1.len());
    }

    #[test]
    fn lockdown_is_blamed_only_where_it_forbids_perf_events() {
        let remedy = |level: &str| {
            let mut machine = with_paranoid(-1);
            machine.security.lockdown = Some(machine::text::Choice {
                chosen: level.to_owned(),
                choices: Vec::new(),
            });
            let why = forbidden(&machine, Class::Software, Scope::User);
            format!("{}; {}", why.reason, why.remedy)
        };
        assert!(remedy("confidentiality").contains("lockdown=integrity"));
        for level in ["none", "integrity"] {
            assert!(!remedy(level).contains("lock"), "{}", remedy(level));
        }
    }
}
