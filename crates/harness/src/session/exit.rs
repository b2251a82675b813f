//! A process's exit status in words.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// `was killed by SIGSEGV (it touched memory it does not have)`.
pub fn describe_exit(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => describe_signal(signal),
        (None, Some(101)) => "panicked".to_owned(),
        (None, Some(code)) => format!("ended early with exit code {code}"),
        (None, None) => "ended early".to_owned(),
    }
}

/// What the signal itself means; who sent it is another question.
fn describe_signal(signal: i32) -> String {
    let meaning = match signal {
        libc::SIGSEGV => "it accessed memory outside its mappings",
        libc::SIGILL => "it used an instruction that this processor lacks",
        libc::SIGBUS => "a mapping had no memory or file to back it",
        libc::SIGFPE => "it divided by zero",
        libc::SIGABRT => "it aborted; its message is on standard error",
        libc::SIGSYS => "a seccomp filter forbids a system call that it made",
        libc::SIGPIPE => "no process read its output",
        libc::SIGXFSZ => "a file would have become larger than allowed: ulimit -f",
        libc::SIGTERM | libc::SIGINT | libc::SIGHUP | libc::SIGQUIT => "from outside",
        _ => return format!("was killed by {}", signal_name(signal)),
    };
    format!("was killed by {} ({meaning})", signal_name(signal))
}

/// `SIGKILL`, or `signal 40`.
pub fn signal_name(signal: i32) -> String {
    signal_hook::low_level::signal_name(signal)
        .map_or_else(|| format!("signal {signal}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_and_codes_are_named() {
        let of = |raw| describe_exit(ExitStatus::from_raw(raw));
        assert!(of(libc::SIGSEGV).contains("SIGSEGV"));
        assert_eq!(of(libc::SIGKILL), "was killed by SIGKILL");
        assert_eq!(of(libc::SIGXCPU), "was killed by SIGXCPU");
        assert_eq!(of(3 << 8), "ended early with exit code 3");
        assert_eq!(of(101 << 8), "panicked");
        assert_eq!(of(40), "was killed by signal 40");
    }
}
