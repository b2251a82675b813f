//! From the flags to the policy that the module is asked for.

use crate::dma::arguments::Start;
use crate::failure::Failure;
use uapi::{Policy, PolicyKind};

const QUANTUM_NS: u64 = 30_000;
const WINDOW_NS: u64 = 90_000;

/// # Errors
/// A flag of one policy with another, or a quantum that leaves no rest of its
/// window.
pub fn policy(start: &Start) -> Result<Policy, Failure> {
    let flags = [
        ("--high", start.high.is_some(), PolicyKind::Priority),
        ("--quantum", start.quantum.is_some(), PolicyKind::Priority),
        ("--window", start.window.is_some(), PolicyKind::Priority),
        (
            "--hardware-pause",
            start.hardware_pause,
            PolicyKind::Priority,
        ),
        ("--fold", start.fold, PolicyKind::Exclusive),
    ];
    for (flag, given, of) in flags {
        if given && start.kind != of {
            let (of, asked) = (of.word(), start.kind.word());
            return Err(Failure::new(format!(
                "cannot start the policy: {flag} belongs to {of}, not to {asked}"
            ))
            .hint(format!("pontage dma policy start {of} {flag} ...")));
        }
    }
    let asked = Policy {
        channels: start.channels,
        chooser: start.chooser,
        chunk_bytes: start.chunk,
        threshold_bytes: start.threshold,
        timeout_ns: start.timeout,
        node: start.node,
        driver: start.driver.clone(),
        channel: start.channel.clone(),
        fold: start.fold,
        // This command ends, and its open file with it.
        persist: true,
        hardware_pause: start.hardware_pause,
        replace: start.replace,
        ..Policy::new(start.kind)
    };
    match start.kind {
        PolicyKind::Priority => with_window(asked, start),
        _ => Ok(asked),
    }
}

fn with_window(asked: Policy, start: &Start) -> Result<Policy, Failure> {
    let quantum_ns = start.quantum.unwrap_or(QUANTUM_NS);
    let window_ns = start.window.unwrap_or(WINDOW_NS);
    if quantum_ns >= window_ns {
        return Err(Failure::new(format!(
            "cannot start the policy: a quantum of {quantum_ns} ns is not below its window of \
             {window_ns} ns"
        ))
        .hint("for example --quantum 30us --window 90us"));
    }
    Ok(Policy {
        high_channels: start.high.unwrap_or(1),
        quantum_ns,
        window_ns,
        ..asked
    })
}
