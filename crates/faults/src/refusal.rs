//! System calls refused as a container's seccomp profile refuses them.

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::io;
use std::process::{Command, Output};

/// Calls that fail, or end the process.
#[derive(Debug, Clone)]
pub struct Refusal {
    filters: Vec<BpfProgram>,
}

impl Refusal {
    /// `calls`, by their numbers (`libc::SYS_...`), fail with `errno`.
    ///
    /// # Errors
    /// On a processor that no filter is made for.
    pub fn of(calls: &[c_long], errno: i32) -> Result<Self, String> {
        let filters = vec![filter(calls, &[], fails(errno))?];
        Ok(Refusal { filters })
    }

    /// `calls` raise SIGSYS.
    ///
    /// # Errors
    /// As `of`.
    pub fn deadly(calls: &[c_long]) -> Result<Self, String> {
        let filters = vec![filter(calls, &[], SeccompAction::Trap)?];
        Ok(Refusal { filters })
    }

    /// No thread can be started, a process can: clone3(2), whose flags no filter sees,
    /// is reported as missing, as by old container engines do.
    ///
    /// # Errors
    /// As `of`.
    pub fn threads() -> Result<Self, String> {
        let flag = u64::try_from(libc::CLONE_THREAD).unwrap_or_default();
        let thread = SeccompCondition::new(
            0,
            SeccompCmpArgLen::Qword,
            SeccompCmpOp::MaskedEq(flag),
            flag,
        )
        .and_then(|flag| SeccompRule::new(vec![flag]))
        .map_err(|e| format!("cannot create a seccomp filter: {e}"))?;
        Ok(Refusal {
            filters: vec![
                filter(&[libc::SYS_clone3], &[], fails(libc::ENOSYS))?,
                filter(&[libc::SYS_clone], &[thread], fails(libc::EAGAIN))?,
            ],
        })
    }

    /// Runs `command`, and all that it starts, under the filters. A thread takes them
    /// and starts it: nothing else here is bound.
    ///
    /// # Errors
    /// When a filter cannot be set or the command cannot be started.
    pub fn output(&self, command: &mut Command) -> io::Result<Output> {
        std::thread::scope(|scope| {
            let under_filters = || {
                for filter in &self.filters {
                    seccompiler::apply_filter(filter).map_err(io::Error::other)?;
                }
                command.output()
            };
            let thread = std::thread::Builder::new().spawn_scoped(scope, under_filters)?;
            let ended = thread.join();
            ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

fn fails(errno: i32) -> SeccompAction {
    SeccompAction::Errno(errno.unsigned_abs())
}

/// Those of `calls` that any of `rules` is for; all without rules.
#[allow(clippy::useless_conversion, reason = "32 bits wide on 32-bit machines")]
fn filter(
    calls: &[c_long],
    rules: &[SeccompRule],
    action: SeccompAction,
) -> Result<BpfProgram, String> {
    let of_call = |call: &c_long| (i64::from(*call), rules.to_vec());
    let rules = calls.iter().map(of_call).collect();
    let cannot = |e: &dyn std::fmt::Display| format!("cannot create a seccomp filter: {e}");
    let here = TargetArch::try_from(std::env::consts::ARCH).map_err(|e| cannot(&e))?;
    SeccompFilter::new(rules, SeccompAction::Allow, action, here)
        .and_then(BpfProgram::try_from)
        .map_err(|e| cannot(&e))
}
