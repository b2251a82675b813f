//! A policy held by the measuring thread itself, for as long as a subject
//! lives, with the net that ends a real-time thread which never sleeps.

use super::policy::Policy;
use std::io;

/// A real-time thread that computes so long without a sleep is ended.
const LIMIT_US: libc::rlim_t = 3_000_000;

/// Puts back on drop what the thread had before.
#[derive(Debug)]
pub struct Held {
    policy: i32,
    parameter: libc::sched_param,
    limit: libc::rlimit,
    slack_ns: libc::c_int,
}

impl Held {
    /// Takes `policy` and timer slack of `slack_ns`; None leaves the slack.
    ///
    /// # Errors
    /// What the kernel says of the policy; then nothing is changed.
    pub fn take(policy: Policy, slack_ns: Option<u64>) -> io::Result<Held> {
        let held = Held::now()?;
        if policy.is_real_time() {
            let limit = libc::rlimit {
                rlim_cur: LIMIT_US.min(held.limit.rlim_max),
                ..held.limit
            };
            // SAFETY: reads the live structure.
            unsafe { libc::setrlimit(libc::RLIMIT_RTTIME, &raw const limit) };
        }
        policy.take()?;
        if let Some(slack_ns) = slack_ns {
            // SAFETY: takes a number.
            unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, slack_ns) };
        }
        Ok(held)
    }

    fn now() -> io::Result<Held> {
        // SAFETY: both structures are plain numbers, for which zeros are values;
        // the calls write into them and take numbers otherwise.
        unsafe {
            let mut parameter: libc::sched_param = std::mem::zeroed();
            let mut limit: libc::rlimit = std::mem::zeroed();
            let policy = libc::sched_getscheduler(0);
            if policy < 0 || libc::sched_getparam(0, &raw mut parameter) != 0 {
                return Err(io::Error::last_os_error());
            }
            libc::getrlimit(libc::RLIMIT_RTTIME, &raw mut limit);
            Ok(Held {
                policy,
                parameter,
                limit,
                slack_ns: libc::prctl(libc::PR_GET_TIMERSLACK),
            })
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: reads live structures; gives back what was read from the kernel.
        unsafe {
            libc::sched_setscheduler(0, self.policy, &raw const self.parameter);
            libc::setrlimit(libc::RLIMIT_RTTIME, &raw const self.limit);
            if self.slack_ns > 0 {
                libc::prctl(libc::PR_SET_TIMERSLACK, self.slack_ns as libc::c_ulong);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Held;
    use crate::scheduler::policy::Policy;

    #[test]
    fn what_was_before_is_put_back() {
        let before = Held::now().unwrap();
        let held = Held::take(Policy::Batch { nice: 0 }, Some(7)).unwrap();
        let now = Held::now().unwrap();
        assert_eq!((now.policy, now.slack_ns), (libc::SCHED_BATCH, 7));
        drop(held);
        let after = Held::now().unwrap();
        assert_eq!(
            (after.policy, after.slack_ns),
            (before.policy, before.slack_ns)
        );
    }
}
