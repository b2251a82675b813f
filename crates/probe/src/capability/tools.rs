//! Programs of others that some studies run.

use super::{Area, Capability, Question};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Where each program was found in `PATH`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tools {
    pub found: Vec<(String, String)>,
}

struct Program {
    name: &'static str,
    purpose: &'static str,
    /// Debian and Ubuntu name it so.
    package: &'static str,
}

const PROGRAMS: [Program; 4] = [
    Program {
        name: "stress-ng",
        purpose: "--load heavy: the load generator",
        package: "stress-ng",
    },
    Program {
        name: "perf",
        purpose: "peer in make bench: perf bench syscall, mem, sched",
        package: "linux-perf || sudo apt-get install -y linux-tools-generic",
    },
    Program {
        name: "sysbench",
        purpose: "peer in make bench",
        package: "sysbench",
    },
    Program {
        name: "cyclictest",
        purpose: "peer in make bench: wake-up latency",
        package: "rt-tests",
    },
];

impl Tools {
    /// Look for the programs in the folders of a `PATH`.
    pub fn look(path: &OsStr) -> Tools {
        let find = |name: &str| {
            let places = std::env::split_paths(path).map(|folder| folder.join(name));
            places.into_iter().find(|place| is_program(place))
        };
        let found = PROGRAMS
            .iter()
            .filter_map(|p| Some((p.name.to_owned(), find(p.name)?.display().to_string())));
        Tools {
            found: found.collect(),
        }
    }

    pub(super) fn list(&self) -> Vec<Capability> {
        PROGRAMS.iter().map(|p| self.judge(p)).collect()
    }

    fn judge(&self, program: &Program) -> Capability {
        let q = Question::new(Area::Peers, program.name, program.purpose);
        match self.found.iter().find(|(name, _)| name == program.name) {
            Some((_, path)) => q.available(path.clone()),
            None => q.absent(
                "not in PATH",
                format!("sudo apt-get install -y {}", program.package),
            ),
        }
    }
}

fn is_program(path: &Path) -> bool {
    let Ok(kind) = path.metadata() else {
        return false;
    };
    kind.is_file() && kind.permissions().mode() & 0o111 != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_files_that_can_be_run() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str, mode: u32| {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        };
        place("perf", 0o755);
        place("sysbench", 0o644);
        std::fs::create_dir(folder.path().join("stress-ng")).unwrap();
        let tools = Tools::look(folder.path().as_os_str());
        assert_eq!(tools.found.len(), 1);
        let states: Vec<_> = tools.list().iter().map(|c| c.state).collect();
        use super::super::State::{Absent, Available};
        assert_eq!(states, [Absent, Available, Absent, Absent]);
        assert_eq!(tools.list()[3].remedy, "sudo apt-get install -y rt-tests");
    }
}
