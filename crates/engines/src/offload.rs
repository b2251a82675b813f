//! Copies between user memory and kernel buffers that the kernel module cftu
//! makes and times: what all `offload/*` experiments share.
//!
//! The instrument's clock cannot see such a copy without the system call that
//! asks for it, so the module reads its own clock right before and after, and the
//! subjects hand that reading on (`Subject::reading`).

pub mod axes;
pub mod channel;
pub mod crew;
pub mod desk;
pub mod ends;
pub mod lane;

use harness::SetupError;
use uapi::{Error, Reason};

/// Why a point cannot be measured: what the machine lacks is a SKIP, with the
/// sentence and the remedy of the crate that speaks to the module.
pub fn refused(error: &Error) -> SetupError {
    if let Some((reason, remedy)) = error.skip() {
        return SetupError::Skip { reason, remedy };
    }
    match error {
        Error::Call {
            reason: Some(reason),
            ..
        } if lacks(*reason) => SetupError::skip(error.to_string(), remedy(error, *reason)),
        _ => SetupError::Fail(error.to_string()),
    }
}

/// What is a skip and not a failure as well: a limit, or a policy of another user.
fn lacks(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::Memlock
            | Reason::NoMemory
            | Reason::PolicyActive
            | Reason::SelfTest
            | Reason::NoMatch
            | Reason::PinFailed
    )
}

/// A run has no flag to replace a policy: one that another user started stays.
fn remedy(error: &Error, reason: Reason) -> String {
    match reason {
        Reason::PolicyActive => "sudo pontage dma policy stop".to_owned(),
        _ => error.hint().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::refused;
    use harness::SetupError;
    use uapi::{Error, Reason};

    fn call(reason: Reason) -> SetupError {
        refused(&Error::Call {
            doing: "start the policy",
            errno: libc::EBUSY,
            reason: Some(reason),
        })
    }

    #[test]
    fn what_is_missing_is_skipped_with_its_remedy_and_mistakes_fail() {
        let SetupError::Skip { reason, remedy } = call(Reason::PolicyActive) else {
            panic!("another user's policy is no failure");
        };
        assert_eq!(reason, "cannot start the policy: another policy is running");
        assert_eq!(remedy, "sudo pontage dma policy stop");
        assert!(matches!(call(Reason::NoEngine), SetupError::Skip { .. }));
        assert!(matches!(call(Reason::OutOfRange), SetupError::Fail(_)));
    }
}
