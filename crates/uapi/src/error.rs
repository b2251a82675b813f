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
            _ => self.reason()?.remedy().map(str::to_owned),
        }
    }

    /// What this machine lacks, with the remedy, where it is that and no
    /// mistake: a SKIP.
    pub fn skip(&self) -> Option<(String, String)> {
        let lacks = match self {
            Error::Absent(absence) => absence.to_string(),
            _ => {
                let reason = self.reason().filter(|reason| reason.is_absence())?;
                reason.sentence().to_owned()
            }
        };
        Some((lacks, self.hint().unwrap_or_default()))
    }

    /// The module's; the kernel's where it refused before the module was asked.
    fn reason(&self) -> Option<Reason> {
        match self {
            Error::Call { reason, errno, .. } => {
                let refused = *errno == libc::EPERM;
                reason.or(refused.then_some(Reason::NotPermitted))
            }
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
