//! Whose a journal is, and whether that process still runs.

use super::folder::Lock;
use machine::namespace::{self, Namespace};
use machine::task::start_ticks;
use machine::tunable::{BOOT_ID, HOSTNAME};
use serde::{Deserialize, Serialize};

/// Of the lines. Those of version 1 name none; version 3 has changes that were not made
/// and ones that are undone.
pub const VERSION: u32 = 3;

/// A process. Its start time distinguishes it from a later one of the same number,
/// its namespace from one in another container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Of the journal's lines.
    #[serde(default = "first_version")]
    pub version: u32,
    pub pid: u32,
    /// Clock ticks after boot; 0 where /proc does not say.
    pub start_ticks: u64,
    /// Identity of the boot; empty where /proc does not say.
    pub boot: String,
    /// Inode of the PID namespace; 0 where /proc does not say.
    #[serde(default)]
    pub namespace: u64,
    /// Name of the machine: a home folder may be on the network.
    #[serde(default)]
    pub host: String,
    /// /etc/machine-id, as several machines may have one name; empty where there is none.
    #[serde(default)]
    pub machine: String,
    /// Whether it holds a lock on the journal as long as it lives.
    #[serde(default)]
    pub locked: bool,
}

fn first_version() -> u32 {
    1
}

/// What is known of an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    Runs,
    Gone,
    /// The machine was started anew since: /sys and /proc then have their own
    /// values again.
    GoneWithBoot,
    /// Its changes are not on this machine.
    Elsewhere,
    /// In a PID namespace that this process cannot look into.
    Unknown,
}

impl Owner {
    /// `locked`: whether the journal's lock could be taken.
    pub fn this_process(locked: bool) -> Self {
        let pid = std::process::id();
        Owner {
            version: VERSION,
            pid,
            start_ticks: start_ticks(pid).unwrap_or(0),
            boot: boot_id(),
            namespace: namespace::own(Namespace::Pid),
            host: host(),
            machine: machine(),
            locked,
        }
    }

    /// `lock`: what became of asking for the journal's lock.
    pub fn life(&self, lock: Lock) -> Life {
        if lock == Lock::Others {
            return Life::Runs;
        }
        let now = boot_id();
        if !self.boot.is_empty() && !now.is_empty() && self.boot != now {
            return match self.is_of_this_machine() {
                true => Life::GoneWithBoot,
                false => Life::Elsewhere,
            };
        }
        if lock == Lock::Taken && self.locked {
            return Life::Gone;
        }
        self.by_number()
    }

    /// By its identity; where one of the two has none, by its name. Version 1 had
    /// neither.
    fn is_of_this_machine(&self) -> bool {
        let machine = machine();
        match self.machine.is_empty() || machine.is_empty() {
            true => self.host.is_empty() || self.host == host(),
            false => self.machine == machine,
        }
    }

    /// Whether it is this very process.
    pub fn is_us(&self) -> bool {
        let us = Owner::this_process(self.locked);
        let of = |owner: &Owner| (owner.pid, owner.start_ticks, owner.namespace);
        of(self) == of(&us) && self.boot == us.boot
    }

    /// Without a lock, or of a version that took none.
    pub fn by_number(&self) -> Life {
        // Where /proc cannot be read, every process looks gone.
        if start_ticks(std::process::id()).is_none() {
            return Life::Unknown;
        }
        let is = |same: bool| if same { Life::Runs } else { Life::Gone };
        let here = namespace::own(Namespace::Pid);
        if self.namespace == 0 || here == 0 || self.namespace == here {
            return is(start_ticks(self.pid) == Some(self.start_ticks));
        }
        match namespace::members(Namespace::Pid, self.namespace) {
            Some(pids) => is(pids
                .iter()
                .any(|p| start_ticks(*p) == Some(self.start_ticks))),
            None => Life::Unknown,
        }
    }
}

fn boot_id() -> String {
    BOOT_ID.word().unwrap_or_default()
}

fn host() -> String {
    HOSTNAME.word().unwrap_or_default()
}

/// machine-id(5)
fn machine() -> String {
    std::fs::read_to_string("/etc/machine-id").map_or(String::new(), |t| t.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_held_outweighs_everything() {
        let mut owner = Owner::this_process(true);
        owner.boot = "another".to_owned();
        owner.pid = 0;
        assert_eq!(owner.life(Lock::Others), Life::Runs);
    }

    #[test]
    fn a_lock_that_is_free_is_a_death_certificate_where_one_was_held() {
        let owner = Owner::this_process(true);
        assert_eq!(owner.life(Lock::Taken), Life::Gone);
        let owner = Owner::this_process(false);
        assert_eq!(owner.life(Lock::Taken), Life::Runs);
        assert_eq!(owner.life(Lock::Unsupported), Life::Runs);
    }

    #[test]
    fn a_reused_number_is_another_process() {
        let mut owner = Owner::this_process(false);
        owner.start_ticks += 1;
        assert_eq!(owner.life(Lock::Unsupported), Life::Gone);
    }

    #[test]
    fn another_boot_is_a_reboot_here_and_nothing_of_ours_elsewhere() {
        let mut owner = Owner::this_process(true);
        owner.boot = "another".to_owned();
        assert_eq!(owner.life(Lock::Taken), Life::GoneWithBoot);
        // Of the same name, and of one that was given another since.
        owner.machine = "cloned".to_owned();
        let cloned = match machine().is_empty() {
            true => Life::GoneWithBoot,
            false => Life::Elsewhere,
        };
        assert_eq!(owner.life(Lock::Taken), cloned);
        owner.machine = machine();
        owner.host = "renamed".to_owned();
        let renamed = match machine().is_empty() {
            true => Life::Elsewhere,
            false => Life::GoneWithBoot,
        };
        assert_eq!(owner.life(Lock::Taken), renamed);
        // Version 2 had a name alone, and version 1 nothing.
        owner.machine = String::new();
        assert_eq!(owner.life(Lock::Taken), Life::Elsewhere);
        owner.host = String::new();
        assert_eq!(owner.life(Lock::Taken), Life::GoneWithBoot);
    }
}
