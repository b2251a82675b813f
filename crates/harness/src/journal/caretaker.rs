//! A second process that outlives a killed one and undoes its changes.

use super::folder::{Folder, Lock, PATIENTLY, lock};
use super::owner::Life;
use super::reading::read;
use super::undo::{Undoer, undo_file};
use crate::name::be_called;
use machine::task::OWN_PROGRAM;
use std::ffi::OsStr;
use std::fs::File;
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
        let mut command = Command::new(OWN_PROGRAM);
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
pub fn main(journal: &OsStr, root: &Path) -> ExitCode {
    be_called(c"pontage");
    let journal = Path::new(journal);
    let (Some(folder), Some(name)) = (journal.parent(), journal.file_name()) else {
        return ExitCode::FAILURE;
    };
    // Held open from the beginning on: another process of that number (in another
    // container) may give its own journal the name.
    let opened = Folder::open(folder).map_err(|refusal| refusal.to_string());
    let opened = opened.and_then(|folder| match folder {
        Some(folder) => {
            let file = folder.open_journal(name).map_err(|e| e.to_string())?;
            Ok(file.map(|file| (folder, file)))
        }
        // With the folder of a test.
        None => Ok(None),
    });
    wait_for_the_end();
    let (folder, file) = match opened {
        Ok(Some(opened)) => opened,
        Ok(None) => return ExitCode::SUCCESS,
        Err(cause) => {
            crate::message!("pontage: {}: {cause}", journal.display());
            return ExitCode::FAILURE;
        }
    };
    if !folder.has(name, &file) || !is_dead(&file) {
        return ExitCode::SUCCESS;
    }
    let restored = undo_file(&folder, name, file, root, Undoer::Another);
    for line in &restored {
        crate::message!("pontage: {line}");
    }
    if restored.iter().any(|r| r.outcome.is_trouble()) {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn wait_for_the_end() {
    let mut rest = [0; 64];
    loop {
        match io::stdin().lock().read(&mut rest) {
            Ok(0) => break,
            Err(e) if e.kind() != io::ErrorKind::Interrupted => break,
            _ => {}
        }
    }
}

/// Waits patiently for the lock: children of the dead process may hold its files for
/// a while yet. If the owner lives, or another process undoes the journal, there is
/// nothing to do.
fn is_dead(file: &File) -> bool {
    let lock = lock(file, PATIENTLY);
    let text = read(file);
    // An unreadable journal counts as dead, so that undoing it reports why.
    text.map_or(true, |text| match text.owner {
        Some(owner) => !matches!(owner.life(lock), Life::Runs | Life::Unknown),
        None => lock != Lock::Others,
    })
}
