//! What can go wrong in the harness itself; what goes wrong in a point is a
//! result and stands in its record.

use std::io;
use std::path::{Path, PathBuf};

/// Errors say `cannot <verb> <object>: <cause>`.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    #[error("cannot start the measuring process {program}: {source}")]
    Spawn { program: PathBuf, source: io::Error },
    #[error("cannot start a thread that listens to the measuring process: {source}")]
    Listen { source: io::Error },
    #[error("cannot send the job to the measuring process: {source}")]
    SendJob { source: io::Error },
    #[error("cannot read the job of this measuring process: {cause}")]
    ReadJob { cause: String },
    #[error("cannot send {what} to the coordinator: {source}")]
    SendEvent { what: String, source: io::Error },
    #[error("cannot store {what}: {source}")]
    Sink {
        what: String,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("cannot create scratch folder {path}: {source}")]
    Scratch { path: PathBuf, source: io::Error },
    #[error("cannot {verb} {path}: {source}")]
    File {
        verb: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// Another run has changed the same, and will set it back.
    #[error("cannot set {}: another pontage, process {pid}, holds it until it ends", path.display())]
    Held { path: PathBuf, pid: u32 },
    #[error("cannot keep a journal: {cause}")]
    NoJournal { cause: String, remedy: String },
    #[error("cannot start load generator {program}: {source}")]
    LoadSpawn { program: String, source: io::Error },
    #[error("cannot bring CPUs {cpus} under load: {seen}")]
    LoadIdle { cpus: String, seen: String },
}

impl HarnessError {
    pub(crate) fn file(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| HarnessError::File { verb, path, source }
    }

    /// What to do about it, where something can be done.
    pub fn hint(&self) -> Option<String> {
        match self {
            HarnessError::File { path, source, .. }
                if source.kind() == io::ErrorKind::PermissionDenied =>
            {
                Some(format!("{} needs root: sudo pontage ...", path.display()))
            }
            HarnessError::Spawn { source, .. } | HarnessError::Listen { source } => {
                start_hint(source).map(str::to_owned)
            }
            HarnessError::NoJournal { remedy, .. } => Some(remedy.clone()),
            HarnessError::Held { pid, .. } => Some(format!(
                "wait for it, or end it with: kill -INT {pid}; it then restores everything"
            )),
            HarnessError::Scratch { .. } => {
                Some("set TMPDIR to a writable folder that you own".to_owned())
            }
            _ => None,
        }
    }
}

/// What helps where a process or a thread cannot be started.
fn start_hint(source: &io::Error) -> Option<&'static str> {
    match source.raw_os_error()? {
        libc::EAGAIN => Some(
            "the process limit is reached, or memory is exhausted; see: ulimit -u; ulimit -v; cat \
             /sys/fs/cgroup/pids.max",
        ),
        libc::EPERM | libc::ENOSYS => Some(
            "a sandbox forbids starting a process; in a container: docker run --security-opt \
             seccomp=unconfined ...",
        ),
        libc::ENOMEM => Some("no memory for another process; see: ulimit -v; free -m"),
        libc::EMFILE => Some("the limit of open files is too low; raise it: ulimit -n 1024"),
        libc::ENOENT => Some(
            "this program starts itself by /proc/self/exe; is /proc mounted? \
             mount -t proc proc /proc",
        ),
        _ => None,
    }
}
