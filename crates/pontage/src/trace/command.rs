//! The command that runs while we look on.

use crate::failure::{DONE, Failure};
use harness::deadline::Deadline;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How often signals and time are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A thread waits for its end, so that the main one can wait for several things
/// without waking often.
pub struct Running {
    end: Receiver<io::Result<ExitStatus>>,
    ended: Option<io::Result<ExitStatus>>,
    name: String,
}

impl Running {
    /// # Errors
    /// When it cannot be started.
    pub fn start(words: &[OsString]) -> Result<Running, Failure> {
        let name = words[0].to_string_lossy().into_owned();
        let cannot = |what: &str, e: io::Error| Failure::new(format!("cannot {what} {name}: {e}"));
        let (hand, handed) = channel::<Child>();
        let (tell, end) = channel();
        // First the thread: a command that nobody can wait for is not started.
        std::thread::Builder::new()
            .name("pontage-wait".to_owned())
            .spawn(move || {
                if let Ok(mut child) = handed.recv() {
                    // The receiver goes only when this program ends.
                    let _ = tell.send(child.wait());
                }
            })
            .map_err(|e| cannot("wait for", e))?;
        let child = Command::new(&words[0])
            .args(&words[1..])
            .spawn()
            .map_err(|e| cannot("start", e))?;
        // It waits for this, so it is there.
        let _ = hand.send(child);
        Ok(Running {
            end,
            ended: None,
            name,
        })
    }

    /// None where no command is given.
    ///
    /// # Errors
    /// As `start`.
    pub fn start_any(words: &[OsString]) -> Result<Option<Running>, Failure> {
        match words {
            [] => Ok(None),
            words => Running::start(words).map(Some),
        }
    }

    /// Whether it ended, at the latest after `patience`.
    pub fn wait(&mut self, patience: Duration) -> bool {
        if self.ended.is_none() {
            self.ended = self.end.recv_timeout(patience).ok();
        }
        self.ended.is_some()
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// As waitpid(2).
    pub fn finish(mut self) -> Result<ExitStatus, Failure> {
        if !self.wait(Duration::ZERO) {
            harness::message!("waiting for {} to end", self.name);
        }
        let ended = self.ended.take().or_else(|| self.end.recv().ok());
        ended
            .unwrap_or_else(|| Err(io::ErrorKind::BrokenPipe.into()))
            .map_err(|e| Failure::new(format!("cannot wait for {}: {e}", self.name)))
    }
}

/// Until the command ends, the time is over, a signal comes, or `over` says so;
/// it is asked at each look.
pub fn look_on(
    mut running: Option<&mut Running>,
    time: Option<Duration>,
    stop: &AtomicBool,
    mut over: impl FnMut() -> bool,
) {
    let deadline = time.map(Deadline::after);
    loop {
        let left = match &mut running {
            Some(running) => running.wait(LOOK_EVERY),
            None => {
                std::thread::sleep(time.unwrap_or(LOOK_EVERY).min(LOOK_EVERY));
                false
            }
        };
        let passed = deadline.is_some_and(Deadline::passed);
        if left || passed || stop.load(Ordering::Relaxed) || over() {
            return;
        }
    }
}

/// The exit status of a command, which is waited for where it still runs; that of
/// success where there is none.
///
/// # Errors
/// As waitpid(2).
pub fn ended(running: Option<Running>) -> Result<u8, Failure> {
    let status = running.map(Running::finish).transpose()?;
    Ok(status.map_or(DONE, exit_status))
}

/// Its words in one line; None where there are none.
pub fn described(words: &[OsString]) -> Option<String> {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// As a shell tells it.
pub fn exit_status(status: ExitStatus) -> u8 {
    let number = match (status.code(), status.signal()) {
        (Some(code), _) => code,
        (None, signal) => 128 + signal.unwrap_or(0),
    };
    u8::try_from(number).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &[&str]) -> u8 {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        exit_status(Running::start(&words).unwrap().finish().unwrap())
    }

    #[test]
    fn its_status_is_handed_on() {
        assert_eq!(run(&["true"]), 0);
        assert_eq!(run(&["sh", "-c", "exit 3"]), 3);
        assert_eq!(run(&["sh", "-c", "kill -9 $$"]), 137);
    }

    #[test]
    fn what_cannot_be_started_is_named() {
        let Err(failure) = Running::start(&["/nonexistent/x".into()]) else {
            panic!()
        };
        assert!(
            failure
                .to_string()
                .contains("cannot start /nonexistent/x: ")
        );
    }
}
