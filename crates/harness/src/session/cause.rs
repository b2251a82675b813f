//! Why a process ended, as far as the system can be asked: its signal, the counters of
//! the out-of-memory killer, its limits. What cannot be read is not guessed.

use super::exit::{describe_exit, signal_name};
use super::forbidden;
use machine::cgroup::OomKills;
use probe::process_time::ProcessTime;
use rustix::process::{Resource, getrlimit};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

/// The kernel looks at the limit with its timer tick, and counts by it.
const TICKS: Duration = Duration::from_millis(50);

/// What the counters say before a process is started.
#[derive(Debug, Clone, PartialEq)]
pub struct Before {
    kills: OomKills,
    /// CPU time of children that have ended.
    used: Duration,
}

impl Before {
    /// Counts as of now.
    pub fn now() -> Self {
        Before {
            kills: OomKills::read(Path::new("/")),
            used: used_by_children(),
        }
    }

    /// How a process ended that was started after this was taken and has been waited
    /// for. `call`: the system call that a seccomp filter forbade, if the process reported it.
    pub fn cause(&self, status: ExitStatus, call: Option<i64>) -> String {
        let kills = OomKills::read(Path::new("/"));
        let evidence = Evidence {
            kills_here: self.kills.own_since(&kills),
            kills_anywhere: self.kills.anywhere_since(&kills),
            used: used_by_children().saturating_sub(self.used),
            cpu_limit: cpu_limit(),
            call,
        };
        evidence.text(status)
    }
}

/// What was read around a death.
#[derive(Debug, Clone, PartialEq, Default)]
struct Evidence {
    /// Out-of-memory kills in our control group meanwhile; None: the group has no count.
    kills_here: Option<u64>,
    /// Those on the whole machine.
    kills_anywhere: Option<u64>,
    used: Duration,
    /// RLIMIT_CPU: soft and hard.
    cpu_limit: Option<(Duration, Duration)>,
    call: Option<i64>,
}

impl Evidence {
    fn text(&self, status: ExitStatus) -> String {
        let cause = match status.signal() {
            Some(libc::SIGKILL) => self.of_kill(),
            Some(libc::SIGXCPU) => self.of_time(|(soft, _)| soft),
            Some(libc::SIGSYS) => self.call.map(|call| {
                format!(
                    "a seccomp filter forbids system call {}",
                    forbidden::described(call)
                )
            }),
            _ => None,
        };
        match (status.signal(), cause) {
            (Some(signal), Some(cause)) => {
                format!("was killed by {} ({cause})", signal_name(signal))
            }
            _ => describe_exit(status),
        }
    }

    fn of_kill(&self) -> Option<String> {
        if self.kills_here.is_some_and(|kills| kills > 0) {
            return Some(
                "by the out-of-memory killer: the memory of its control group or of the machine \
                 ran out"
                    .to_owned(),
            );
        }
        if let Some(cause) = self.of_time(|(_, hard)| hard) {
            return Some(cause);
        }
        match (self.kills_here, self.kills_anywhere) {
            (None, Some(kills)) if kills > 0 => Some(
                "the out-of-memory killer of this machine ended a process during the run"
                    .to_owned(),
            ),
            (Some(_), _) | (None, Some(_)) => {
                Some("from outside: neither by the out-of-memory killer nor by a limit".to_owned())
            }
            (None, None) => None,
        }
    }

    fn of_time(&self, which: fn((Duration, Duration)) -> Duration) -> Option<String> {
        let limit = which(self.cpu_limit?);
        (self.used + TICKS >= limit).then(|| {
            format!(
                "it used {:.1} s of CPU time; the limit is {} s: ulimit -t",
                self.used.as_secs_f64(),
                limit.as_secs()
            )
        })
    }
}

fn used_by_children() -> Duration {
    Duration::from_nanos(ProcessTime::of_children().total_ns())
}

/// None where there is none.
fn cpu_limit() -> Option<(Duration, Duration)> {
    let limit = getrlimit(Resource::Cpu);
    let hard = limit.maximum.unwrap_or(u64::MAX);
    Some((
        Duration::from_secs(limit.current?),
        Duration::from_secs(hard),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widths::whole;

    fn text(evidence: &Evidence, signal: i32) -> String {
        evidence.text(ExitStatus::from_raw(signal))
    }

    #[test]
    fn a_kill_is_the_out_of_memory_killer_s_only_where_it_counted() {
        let killed = |here, anywhere| Evidence {
            kills_here: here,
            kills_anywhere: anywhere,
            ..Evidence::default()
        };
        let of = |here, anywhere| text(&killed(here, anywhere), libc::SIGKILL);
        assert!(of(Some(1), Some(1)).contains("by the out-of-memory killer"));
        assert!(
            of(Some(0), Some(1)).contains("from outside"),
            "another group's"
        );
        assert!(of(None, Some(1)).contains("of this machine ended a process"));
        assert!(of(None, Some(0)).contains("from outside"));
        assert_eq!(
            of(None, None),
            "was killed by SIGKILL",
            "nothing can be read"
        );
    }

    #[test]
    fn a_limit_on_time_is_named_only_where_it_was_reached() {
        let mut evidence = Evidence {
            used: Duration::from_millis(1020),
            cpu_limit: Some((Duration::from_secs(1), Duration::from_secs(1))),
            kills_here: Some(0),
            ..Evidence::default()
        };
        for signal in [libc::SIGXCPU, libc::SIGKILL] {
            assert!(text(&evidence, signal).contains("ulimit -t"));
        }
        evidence.used = Duration::from_millis(100);
        for signal in [libc::SIGXCPU, libc::SIGKILL] {
            assert!(!text(&evidence, signal).contains("ulimit -t"));
        }
    }

    #[test]
    fn a_forbidden_call_is_named() {
        let evidence = Evidence {
            call: Some(whole(libc::SYS_memfd_create).cast_signed()),
            ..Evidence::default()
        };
        assert!(text(&evidence, libc::SIGSYS).contains("forbids system call memfd_create"));
        assert!(text(&Evidence::default(), libc::SIGSYS).contains("seccomp"));
    }
}
