//! What this process may do: where it may run and with which rights.
//!
//! Source: proc_pid_status(5), capabilities(7).

use crate::cpu_list::CpuList;
use crate::problem::Flaw;
use crate::source::Source;
use crate::text::pairs;
use crate::text::quoted;
use serde::{Deserialize, Serialize};

/// State of this process (proc_pid_status(5)).
pub const STATUS: &str = "/proc/self/status";

/// What this process may do: capabilities, allowed CPUs and nodes, seccomp mode.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Process {
    pub allowed_cpus: Option<CpuList>,
    pub allowed_nodes: Option<CpuList>,
    /// Effective user.
    pub uid: Option<u32>,
    /// Effective capabilities, one bit each.
    pub capabilities: Option<u64>,
    pub no_new_privileges: Option<bool>,
    /// 0 none, 1 strict, 2 filter.
    pub seccomp: Option<u32>,
}

/// The capabilities that measurements ask for, by their bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Right {
    IpcLock = 14,
    SysModule = 16,
    SysAdmin = 21,
    SysNice = 23,
    SysResource = 24,
    Perfmon = 38,
}

impl Process {
    /// Whether the capability is in the effective set (capabilities(7)).
    pub fn has(&self, right: Right) -> bool {
        let bits = self.capabilities.unwrap_or(0);
        bits >> (right as u8) & 1 == 1
    }
}

/// Reads [`STATUS`].
pub fn read(source: &Source) -> Process {
    source.lines(STATUS, parse).unwrap_or_default()
}

/// The text of [`STATUS`], with a flaw for each line that is none.
pub fn parse(text: &str) -> (Process, Vec<Flaw>) {
    let mut process = Process::default();
    // A process may have a name with line breaks in it; other lines without a
    // colon do not come up, so they are no flaw here.
    let (found, _) = pairs(text, ':');
    let mut flaws = Vec::new();
    for pair in found {
        let good = match pair.key {
            "Cpus_allowed_list" => set(&mut process.allowed_cpus, pair.value.parse().ok()),
            "Mems_allowed_list" => set(&mut process.allowed_nodes, pair.value.parse().ok()),
            "Uid" => set(&mut process.uid, effective(pair.value)),
            "CapEff" => set(
                &mut process.capabilities,
                u64::from_str_radix(pair.value, 16).ok(),
            ),
            "NoNewPrivs" => set(&mut process.no_new_privileges, flag(pair.value)),
            "Seccomp" => set(&mut process.seccomp, pair.value.parse().ok()),
            _ => true,
        };
        if !good {
            let cause = format!("cannot use {} as {}", quoted(pair.value), pair.key);
            flaws.push(Flaw::at(pair.line, cause));
        }
    }
    (process, flaws)
}

fn set<T>(field: &mut Option<T>, value: Option<T>) -> bool {
    *field = value;
    field.is_some()
}

/// `real effective saved file-system`
fn effective(ids: &str) -> Option<u32> {
    ids.split_whitespace().nth(1)?.parse().ok()
}

fn flag(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_rights_and_places() {
        let text = "Name:\tx\nUid:\t1000\t0\t0\t0\nCapEff:\t0000000000804000\n\
                    Seccomp:\t2\nCpus_allowed_list:\t1-2\n";
        let (process, flaws) = parse(text);
        assert!(flaws.is_empty());
        assert_eq!(process.uid, Some(0));
        assert!(process.has(Right::SysNice) && process.has(Right::IpcLock));
        assert!(!process.has(Right::SysAdmin));
        assert_eq!(process.allowed_cpus.unwrap().numbers(), [1, 2]);
    }

    #[test]
    fn damaged_fields_are_named() {
        let (process, flaws) = parse("CapEff:\tall\nUid:\t7\n");
        assert_eq!(process, Process::default());
        assert_eq!(flaws[0], Flaw::at(1, "cannot use \"all\" as CapEff"));
        assert_eq!(flaws[1].line, 2);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(?s).*") {
            let _ = parse(&text);
        }

        #[test]
        fn any_value_is_read(key in "Cpus_allowed_list|Uid|CapEff|NoNewPrivs|Seccomp", value in ".*") {
            let _ = parse(&format!("{key}:\t{value}\n"));
        }
    }
}
