//! Faults of the environment, injected one after the other: a line each.

use crate::files::must_be_built;
use faults::{Bench, FAULTS, Fault, Verdict};
use std::path::Path;

/// Injects every fault whose name contains `only` into `program`.
///
/// # Errors
/// When one ends otherwise than expected, or none can be injected.
pub fn run(program: &Path, only: Option<&str>) -> Result<String, String> {
    must_be_built(program)?;
    let bench =
        Bench::new(program).map_err(|e| format!("cannot create a place for faults: {e}"))?;
    let wanted = |fault: &&Fault| only.is_none_or(|part| fault.name.contains(part));
    println!(
        "{:40} {:>8} {:>4}  standard error",
        "fault", "expected", "seen"
    );
    let (mut held, mut differ, mut skipped) = (0, 0, 0);
    for fault in FAULTS.iter().filter(wanted) {
        let verdict = bench
            .inject(fault)
            .map_err(|e| format!("cannot inject \"{}\": {e}", fault.name))?;
        println!("{}", line(fault, &verdict));
        println!("    $ {}", fault.shown().replace('\n', "\n      "));
        match verdict {
            Verdict::AsExpected { .. } => held += 1,
            Verdict::Skipped { .. } => skipped += 1,
            Verdict::Differs { why, stderr, .. } => {
                differ += 1;
                println!("    DIFFERS: {why}\n{stderr}");
            }
        }
    }
    let sum = format!("{held} faults ended as expected, {differ} did not, {skipped} skipped");
    if differ > 0 { Err(sum) } else { Ok(sum) }
}

fn line(fault: &Fault, verdict: &Verdict) -> String {
    let expected: Vec<String> = fault.status.iter().map(i32::to_string).collect();
    let (seen, text) = match verdict {
        Verdict::AsExpected { status, says } | Verdict::Differs { status, says, .. } => {
            (status.to_string(), says.clone())
        }
        Verdict::Skipped { reason } => ("SKIP".to_owned(), reason.clone()),
    };
    let expected = expected.join(" or ");
    format!("{:40} {expected:>8} {seen:>4}  {text}", fault.name)
}
