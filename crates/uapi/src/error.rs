//! What can go wrong, in the project's form.

use crate::facts::Obstacle;
use crate::kinds::UnknownNumber;
use crate::reason::Reason;

/// There is no module to speak to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Absence(pub Obstacle);

/// Why a call did not do what it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("cannot open /dev/cftu: {0}")]
    Absent(Absence),
    /// The device file is there and did not open.
    #[error("cannot open /dev/cftu: {}", cause(*.0))]
    Open(i32),
    /// The module refused; `doing` is "start the policy".
    #[error("cannot {doing}: {}", .reason.map_or_else(|| cause(*.errno), |r| r.sentence().to_owned()))]
    Call {
        doing: &'static str,
        errno: i32,
        reason: Option<Reason>,
    },
    #[error("cannot {doing}: {cause}")]
    Unknown {
        doing: &'static str,
        cause: UnknownNumber,
    },
    /// Refused before the module was asked.
    #[error("cannot {doing}: {cause}")]
    Argument { doing: &'static str, cause: String },
}

fn cause(errno: i32) -> String {
    std::io::Error::from_raw_os_error(errno).to_string()
}

impl Error {
    /// The exact command that helps, where one does.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Absent(absence) => Some(absence.0.remedy()),
            Error::Call {
                reason: Some(reason),
                ..
            } => reason.remedy().map(str::to_owned),
            Error::Call { errno, .. } if *errno == libc::EPERM => {
                Reason::NotPermitted.remedy().map(str::to_owned)
            }
            _ => None,
        }
    }

    /// What this machine lacks, with the remedy, where it is that and no
    /// mistake: a SKIP.
    pub fn skip(&self) -> Option<(String, String)> {
        let with_hint = |text: &str| (text.to_owned(), self.hint().unwrap_or_default());
        match self {
            Error::Absent(absence) => Some(with_hint(&absence.to_string())),
            Error::Call {
                reason: Some(reason),
                ..
            } if reason.is_absence() => Some(with_hint(reason.sentence())),
            Error::Call {
                reason: None,
                errno,
                ..
            } if *errno == libc::EPERM => Some(with_hint(Reason::NotPermitted.sentence())),
            _ => None,
        }
    }

    pub(crate) fn call(doing: &'static str, errno: i32, reason: u32) -> Error {
        let reason = match Reason::try_from(reason) {
            Ok(Reason::None) => None,
            Ok(reason) => Some(reason),
            Err(cause) => return Error::Unknown { doing, cause },
        };
        Error::Call {
            doing,
            errno,
            reason,
        }
    }

    pub(crate) fn unknown(doing: &'static str) -> impl Fn(UnknownNumber) -> Error {
        move |cause| Error::Unknown { doing, cause }
    }
}
