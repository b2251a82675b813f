//! A second process that outlives a killed one and undoes its changes.

use super::folder::Folder;
use super::undo::{Undoer, undo_journal};
use crate::name::be_called;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};

/// First argument of a caretaker; the journal's path follows, and in tests the
/// root of the machine.
pub const CARETAKER_ARGUMENT: &str = "__caretaker";

/// The changing process holds the other end of the caretaker's input: that
/// end closes when it ends, in whatever way.
#[derive(Debug)]
pub struct Caretaker {
    child: Child,
    input: Option<ChildStdin>,
}

impl Caretaker {
    /// `None` when it cannot be started: the journal then serves `restore`.
    pub fn start(journal: &Path, root: &Path) -> Option<Self> {
        let mut command = Command::new("/proc/self/exe");
        command.arg(CARETAKER_ARGUMENT).arg(journal);
        if root != Path::new("/") {
            command.arg(root);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            // Of its own group: Ctrl-C is for the others.
            .process_group(0)
            .spawn()
            .ok()?;
        let input = child.stdin.take();
        Some(Caretaker { child, input })
    }
}

impl Drop for Caretaker {
    /// The journal is undone and gone: the caretaker finds nothing to do.
    fn drop(&mut self) {
        self.input = None;
        // It ends by itself; waiting only collects it.
        let _ = self.child.wait();
    }
}

/// The whole life of a caretaker: waits until its input ends, then undoes the
/// journal if it is still there.
#[must_use]
pub fn main(journal: &OsStr, root: &Path) -> ExitCode {
    be_called(c"pontage");
    let mut rest = [0; 64];
    loop {
        match io::stdin().lock().read(&mut rest) {
            Ok(0) => break,
            Err(e) if e.kind() != io::ErrorKind::Interrupted => break,
            _ => {}
        }
    }
    let journal = Path::new(journal);
    let (Some(folder), Some(name)) = (journal.parent(), journal.file_name()) else {
        return ExitCode::FAILURE;
    };
    let folder = match Folder::open(folder) {
        Ok(Some(folder)) => folder,
        // With the folder of a test.
        Ok(None) => return ExitCode::SUCCESS,
        Err(refusal) => {
            crate::message!("pontage: {refusal}");
            return ExitCode::FAILURE;
        }
    };
    let restored = undo_journal(&folder, name, root, Undoer::Another);
    for line in &restored {
        crate::message!("pontage: {line}");
    }
    if restored.iter().any(|r| r.outcome.is_trouble()) {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
