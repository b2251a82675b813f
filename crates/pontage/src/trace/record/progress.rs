//! A sign of life on standard error: a line that is written over, or off a
//! terminal a line now and then.

use report::format::decimal_bytes;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Each line costs events of its own in the trace.
const ON_TERMINAL: Duration = Duration::from_secs(1);
const ELSEWHERE: Duration = Duration::from_secs(30);

pub struct Progress {
    began: Instant,
    spoke: Instant,
    terminal: bool,
    shown: bool,
}

impl Progress {
    pub fn new() -> Progress {
        Progress {
            began: Instant::now(),
            spoke: Instant::now(),
            terminal: std::io::stderr().is_terminal(),
            shown: false,
        }
    }

    pub fn update(&mut self, bytes: u64) {
        let pause = match self.terminal {
            true => ON_TERMINAL,
            false => ELSEWHERE,
        };
        if self.spoke.elapsed() < pause {
            return;
        }
        self.spoke = Instant::now();
        let text = format!(
            "recording: {} s, {}",
            self.began.elapsed().as_secs(),
            decimal_bytes(bytes)
        );
        match self.terminal {
            true => harness::messages::part(&format!("\r{text}  ")),
            false => harness::message!("{text}"),
        }
        self.shown = true;
    }

    pub fn finish(&self) {
        if self.terminal && self.shown {
            harness::messages::part(&format!("\r{:40}\r", ""));
        }
    }
}
