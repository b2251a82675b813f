//! The module, opened, under the policy that a point asks for.

use super::refused;
use crate::crew::in_use::InUse;
use harness::{Point, SetupError};
use std::rc::Rc;
use uapi::{Device, Engine, Policy, PolicyKind, PolicyState};

/// What copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copier {
    Cpu,
    Exclusive,
    Shared,
    /// The high channels own the first `quantum_ns` of each window.
    Priority {
        quantum_ns: u64,
        window_ns: u64,
    },
}

/// The open device. What it was opened for ends with the last that holds it: the
/// policy belongs to the open file, so that nothing is left behind by a process
/// that was killed.
#[derive(Debug)]
pub struct Desk {
    pub device: Device,
    pub copier: Copier,
    /// As the module started it.
    policy: Option<Policy>,
    /// Names and drivers of the policy's channels.
    channels: Vec<String>,
}

thread_local! {
    static OPEN: InUse<Copier, Desk> = const { InUse::none() };
}

impl Copier {
    /// The word of a point's `context`.
    pub fn of(point: &Point, quantum_ns: u64, window_ns: u64) -> Copier {
        match point.word("context") {
            "exclusive" => Copier::Exclusive,
            "shared" => Copier::Shared,
            "priority" => Copier::Priority {
                quantum_ns,
                window_ns,
            },
            _ => Copier::Cpu,
        }
    }

    /// Who moves the bytes, as the module is asked for it.
    pub fn engine(self) -> Engine {
        match self {
            Copier::Cpu => Engine::Cpu,
            _ => Engine::Policy,
        }
    }

    fn policy(self) -> Option<Policy> {
        // Every size goes to the engine, also where the CPU would be faster:
        // that is what is asked.
        let of = |kind| Policy {
            threshold_bytes: Some(0),
            ..Policy::new(kind)
        };
        match self {
            Copier::Cpu => None,
            // There are often fewer channels than CPUs; only as many CPUs as
            // there are channels copy at a time, so none is really shared.
            Copier::Exclusive => Some(Policy {
                fold: true,
                ..of(PolicyKind::Exclusive)
            }),
            Copier::Shared => Some(of(PolicyKind::Shared)),
            Copier::Priority {
                quantum_ns,
                window_ns,
            } => Some(Policy {
                high_channels: 1,
                quantum_ns,
                window_ns,
                ..of(PolicyKind::Priority)
            }),
        }
    }
}

/// The desk of this copier: the one in use, else a new one. Points that are set
/// up together have the same one, because the module has one policy at a time.
///
/// # Errors
/// `Skip` without module, permission, engine or free channel, or where another
/// user's policy is started.
pub fn opened(copier: Copier) -> Result<Rc<Desk>, SetupError> {
    let open = || Desk::open(copier).map_err(|error| refused(&error));
    OPEN.with(|desks| desks.get(copier, open))
}

impl Desk {
    fn open(copier: Copier) -> Result<Desk, uapi::Error> {
        let device = Device::open()?;
        let wanted = copier.policy();
        let policy = wanted.map(|policy| device.start_policy(&policy));
        let policy = policy.transpose()?;
        let channels = match policy {
            Some(_) => device.channels()?,
            None => Vec::new(),
        };
        let ours = channels.iter().filter(|channel| channel.ours);
        let channels = ours.map(|c| format!("{} ({})", c.name, c.driver)).collect();
        Ok(Desk {
            device,
            copier,
            policy,
            channels,
        })
    }

    /// How many channels the policy has; None where the CPU copies.
    pub fn channels(&self) -> Option<usize> {
        self.policy.as_ref().map(|_| self.channels.len())
    }

    /// None where the module does not report it, or has none.
    pub fn policy_state(&self) -> Option<PolicyState> {
        self.policy.as_ref()?;
        self.device.policy_state().ok()
    }

    /// Which module, which channels, how they are used.
    pub fn notes(&self) -> Vec<String> {
        let version = &self.device.features().module_version;
        let mut notes = vec![format!("module cftu {version}, timed by its clock")];
        if let Some(policy) = &self.policy {
            let chunk = policy.chunk_bytes.unwrap_or(0);
            notes.push(format!(
                "policy {} on {}; chunks of {}, no minimum size for DMA",
                policy.kind.word(),
                self.channels.join(", "),
                record::axis::human_bytes(chunk)
            ));
        }
        notes
    }
}
