//! The log guard: what a kernel says when something is wrong in it fails the
//! run, whatever the tests thought of themselves.

use crate::data::Benign;

/// Parts of lines that no healthy kernel prints.
const BAD: [&str; 25] = [
    "WARNING:",
    "BUG:",
    "kernel BUG at",
    "Oops",
    "Internal error",
    "Unable to handle kernel",
    "Kernel panic",
    "Call Trace",
    "Call trace",
    "rcu: INFO",
    "possible circular locking",
    "INFO: possible",
    "inconsistent lock state",
    "suspicious RCU usage",
    "lockdep is turned off",
    "KASAN",
    "kmemleak",
    "DMA-API:",
    "UBSAN",
    "soft lockup",
    "hard LOCKUP",
    "hung task",
    "blocked for more than",
    "general protection",
    "kernel NULL pointer",
];

/// What checkers say when they begin to watch.
const HARMLESS: [&str; 4] = [
    "kmemleak: Kernel memory leak detector",
    "kmemleak: Automatic memory scanning",
    "DMA-API: preallocated",
    "DMA-API: debugging enabled",
];

/// Before this a line of `BAD` is what a test provokes.
const EXPECT_BEGIN: &str = "pontage-lab: expect begin";
const EXPECT_END: &str = "pontage-lab: expect end";

/// An oops with its registers and call trace has about so many lines.
const CONTEXT_LINES: usize = 48;
const CONTEXT_END: &str = "---[ end trace";

/// The lines of `log` for which the run fails. The first has the lines after it, up to
/// the end of its trace: where only this text is kept, it has to name the function.
pub fn findings(log: &str, benign: &[Benign]) -> Vec<String> {
    let mut found = Vec::new();
    let mut expecting: Option<(String, usize)> = None;
    let mut lines = log.lines();
    while let Some(raw) = lines.next() {
        let line = raw.trim_end();
        if let Some((_, reason)) = line.split_once(EXPECT_BEGIN) {
            expecting = Some((reason.trim().to_owned(), 0));
        } else if line.contains(EXPECT_END) {
            if let Some((reason, 0)) = expecting.take() {
                found.push(format!("expected but missing: {reason}"));
            }
        } else if bad(line) {
            match &mut expecting {
                Some((_, seen)) => *seen += 1,
                None if benign.iter().any(|b| line.contains(&b.line)) => {}
                None if found.is_empty() => found.push(with_context(line, lines.clone())),
                None => found.push(printable(line)),
            }
        }
    }
    if let Some((reason, _)) = expecting {
        found.push(format!("expectation was never closed: {reason}"));
    }
    found
}

fn bad(line: &str) -> bool {
    // A part of its own: DEBUG: is no BUG:.
    let word = |at: usize| !line[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
    BAD.iter()
        .any(|part| line.match_indices(part).any(|(at, _)| word(at)))
        && !HARMLESS.iter().any(|part| line.contains(part))
}

fn with_context<'a>(line: &str, after: impl Iterator<Item = &'a str>) -> String {
    let mut text = printable(line);
    for line in after.take(CONTEXT_LINES) {
        text.push_str("\n    # ");
        text.push_str(&printable(line));
        if line.contains(CONTEXT_END) {
            break;
        }
    }
    text
}

fn printable(line: &str) -> String {
    line.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::findings;
    use crate::data::Benign;

    #[test]
    fn each_kind_of_complaint_is_found() {
        for line in [
            "[ 1.0] WARNING: CPU: 0 PID: 1 at x.c:1 f+0x1/0x2 [m]",
            "[ 1.0] BUG: unable to handle page fault",
            "[ 1.0] kernel BUG at mm/slub.c:1!",
            "[ 1.0] INFO: lockdep is turned off.",
            "[ 1.0] Internal error: Oops: 96000004 [#1] SMP",
            "[ 1.0] Unable to handle kernel paging request",
            "[ 1.0] rcu: INFO: rcu_preempt detected stalls",
            "[ 1.0] WARNING: possible circular locking dependency detected",
            "[ 1.0] kmemleak: 3 new suspected memory leaks",
            "[ 1.0] DMA-API: swdma: device driver frees DMA memory",
            "[ 1.0] INFO: task a:1 blocked for more than 120 seconds.",
            "[ 1.0] watchdog: BUG: soft lockup - CPU#0 stuck",
            "[ 1.0] general protection fault, probably for",
        ] {
            assert_eq!(findings(line, &[]).len(), 1, "{line}");
        }
        let well =
            "[ 1.0] debugfs is here\r\n[ 2.0] x: DEBUG: well\n[ 3.0] DMA-API: preallocated 65536";
        assert_eq!(findings(well, &[]), Vec::<String>::new());
    }

    #[test]
    fn the_first_complaint_brings_its_trace() {
        let log = "BUG: x\r\nRIP: 0010:f+0x1\r\n---[ end trace 0 ]---\r\nfine\nBUG: y\nz\n";
        let found = findings(log, &[]);
        let trace = "\n    # RIP: 0010:f+0x1\n    # ---[ end trace 0 ]---";
        assert_eq!(found, [format!("BUG: x{trace}"), "BUG: y".to_owned()]);
        let long = format!("BUG: x\n{}", "line\n".repeat(1000));
        assert_eq!(findings(&long, &[])[0].lines().count(), 1 + 48);
    }

    #[test]
    fn a_benign_line_is_only_that_line() {
        let benign = [Benign {
            line: "RETBleed: WARNING".to_owned(),
            reason: "the emulated processor has no such mitigation".to_owned(),
        }];
        let log = "x RETBleed: WARNING: leaves CPU vulnerable\nWARNING: CPU: 1 at y\n";
        assert_eq!(findings(log, &benign), ["WARNING: CPU: 1 at y"]);
    }

    #[test]
    fn an_announced_complaint_has_to_come_and_the_bracket_to_close() {
        let begin = "[ 1.0] pontage-lab: expect begin a fault\n";
        let end = "[ 2.0] pontage-lab: expect end\n";
        let bad = "BUG: x\n";
        assert_eq!(findings(&format!("{begin}{bad}{end}"), &[]).len(), 0);
        assert_eq!(
            findings(&format!("{begin}{bad}{end}{bad}"), &[]),
            ["BUG: x"]
        );
        assert_eq!(
            findings(&format!("{begin}{end}"), &[]),
            ["expected but missing: a fault"]
        );
        assert_eq!(
            findings(&format!("{begin}{bad}"), &[]),
            ["expectation was never closed: a fault"]
        );
    }
}
