//! What a process's exit status tells a reader.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// `was killed by SIGSEGV (it touched memory it does not have)`.
#[must_use]
pub fn describe_exit(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => describe_signal(signal),
        (None, Some(101)) => "panicked".to_owned(),
        (None, Some(code)) => format!("ended early with exit code {code}"),
        (None, None) => "ended early".to_owned(),
    }
}

fn describe_signal(signal: i32) -> String {
    let (name, meaning) = match signal {
        libc::SIGSEGV => ("SIGSEGV", "it touched memory it does not have"),
        libc::SIGILL => ("SIGILL", "it used an instruction this processor lacks"),
        libc::SIGBUS => ("SIGBUS", "a mapping had no memory behind it"),
        libc::SIGFPE => ("SIGFPE", "it divided by zero"),
        libc::SIGABRT => ("SIGABRT", "it gave up by itself"),
        libc::SIGKILL => (
            "SIGKILL",
            "from outside, perhaps by the out-of-memory killer",
        ),
        libc::SIGTERM => ("SIGTERM", "from outside"),
        libc::SIGSYS => ("SIGSYS", "a seccomp filter forbids a system call it made"),
        libc::SIGPIPE => ("SIGPIPE", "nobody read what it wrote"),
        libc::SIGXCPU => (
            "SIGXCPU",
            "it held the CPU at real-time priority for too long",
        ),
        other => return format!("was killed by signal {other}"),
    };
    format!("was killed by {name} ({meaning})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_and_codes_are_named() {
        let of = |raw| describe_exit(ExitStatus::from_raw(raw));
        assert!(of(libc::SIGSEGV).contains("SIGSEGV"));
        assert!(of(libc::SIGKILL).contains("out-of-memory"));
        assert_eq!(of(3 << 8), "ended early with exit code 3");
        assert_eq!(of(101 << 8), "panicked");
        assert_eq!(of(40), "was killed by signal 40");
    }
}
