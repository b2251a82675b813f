//! One fault, and what the program ends with under it.

use libc::c_long;

/// Whose rights a fault can be made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    /// Mounts in a namespace of its own, control groups.
    Root,
    /// Limits that do not bind root; root runs these as nobody.
    User,
}

/// System calls that are refused meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    Nothing,
    /// These fail with this error.
    Calls(&'static [c_long], i32),
    /// These raise SIGSYS.
    Deadly(&'static [c_long]),
    Threads,
}

/// A fault: a script for bash in an empty folder, in which `@run` is a short run and `@`
/// the program.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    pub name: &'static str,
    pub needs: Needs,
    pub refused: Refused,
    pub script: &'static str,
    /// Exit statuses, one of which it has to end with.
    pub status: &'static [i32],
    /// What has to stand on standard error.
    pub says: &'static str,
    /// Short and representative: a part of the everyday tests.
    pub everyday: bool,
}

impl Fault {
    /// The script as it could be typed.
    pub fn shown(&self) -> String {
        let shown = self.script.replace("@run", RUN);
        let shown = shown.replace('@', "pontage");
        match self.refused {
            Refused::Nothing => shown,
            Refused::Calls(calls, errno) => format!("[calls {calls:?} fail with {errno}] {shown}"),
            Refused::Deadly(calls) => format!("[calls {calls:?} raise SIGSYS] {shown}"),
            Refused::Threads => format!("[no threads] {shown}"),
        }
    }

    /// The script as bash runs it.
    pub fn runnable(&self) -> String {
        let script = self.script.replace("@run", RUN);
        format!("{PRELUDE}\n{}", script.replace('@', "\"$PONTAGE\""))
    }
}

/// The shortest run that measures something.
const RUN: &str = "@ run syscall/getppid --budget-ms 5";

/// `whole N`: N unless a run was left that cannot be read, or a temporary file.
const PRELUDE: &str = r#"whole() {
  for run in runs/*; do
    [ -e "$run" ] || continue
    for file in "$run"/*.tmp "$run"/.report-*; do
      [ ! -e "$file" ] || { echo "left: $file" >&2; exit 99; }
    done
    "$PONTAGE" report "$run" >/dev/null || { echo "cannot be read: $run" >&2; exit 98; }
  done
  exit "$1"
}"#;
