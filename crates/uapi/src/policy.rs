//! Channel policies: started, stopped and looked at while copies go on.

use crate::abi;
use crate::buffer::node_number;
use crate::device::Device;
use crate::error::Error;
use crate::flag;
use crate::kinds::{Chooser, PolicyKind};
use crate::reason::Reason;

pub use crate::abi::Windows;

const START: &str = "start the policy";
const STOP: &str = "stop the policy";
const SHOW: &str = "show the policy";

/// Who copies on which channel, and when.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    pub kind: PolicyKind,
    /// Channels wanted; as many as there are, at most one a CPU, by default.
    pub channels: Option<u32>,
    /// Of them, how many are high-priority; only the priority policy has any.
    pub high_channels: u32,
    pub chooser: Chooser,
    /// The high share of each window; only the priority policy has both.
    pub quantum_ns: u64,
    pub window_ns: u64,
    /// The module's default by default.
    pub chunk_bytes: Option<u64>,
    /// Smaller copies go by CPU; the module's default by default.
    pub threshold_bytes: Option<u64>,
    /// Of one chunk; the module's default by default.
    pub timeout_ns: Option<u64>,
    /// Only channels of this NUMA node, driver, name.
    pub node: Option<u32>,
    pub driver: Option<String>,
    pub channel: Option<String>,
    /// Exclusive: CPUs may share a channel.
    pub fold: bool,
    /// Outlives the open file that started it.
    pub persist: bool,
    /// Priority: the hardware pauses low channels.
    pub hardware_pause: bool,
    /// Switch over if another policy is started.
    pub replace: bool,
}

/// What is started, and what it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyState {
    /// With defaults filled in; `kind` is `None` where none is started.
    pub policy: Policy,
    pub channels_held: u32,
    /// Free ones and ours; those that others have taken are not seen.
    pub channels_seen: u32,
    pub channels_dead: u32,
    /// Since the module was loaded.
    pub switches: u32,
    /// CLOCK_MONOTONIC.
    pub started_ns: u64,
    pub windows: Windows,
}

/// Counters since the module was loaded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stats {
    pub copies: u64,
    pub dma_bytes: u64,
    pub cpu_bytes: u64,
    pub not_copied_bytes: u64,
    pub dma_chunks: u64,
    /// Chunks that the CPU did, by reason; those that occurred.
    pub cpu_chunks: Vec<(Reason, u64)>,
}

impl Policy {
    /// Of this kind, with every default.
    pub fn new(kind: PolicyKind) -> Policy {
        Policy {
            kind,
            ..Policy::default()
        }
    }

    fn raw(&self) -> Result<abi::Policy, Error> {
        Ok(abi::Policy {
            flags: flag(self.fold, abi::POLICY_ALLOW_FOLD)
                | flag(self.persist, abi::POLICY_PERSIST)
                | flag(self.hardware_pause, abi::POLICY_HARDWARE_PAUSE)
                | flag(self.replace, abi::POLICY_REPLACE),
            kind: self.kind.number(),
            channels: self.channels.unwrap_or(0),
            high_channels: self.high_channels,
            chooser: self.chooser.number(),
            quantum_ns: self.quantum_ns,
            window_ns: self.window_ns,
            chunk_bytes: self.chunk_bytes.unwrap_or(0),
            threshold_bytes: self.threshold_bytes.unwrap_or(u64::MAX),
            timeout_ns: self.timeout_ns.unwrap_or(0),
            node: node_number(START, self.node)?,
            driver: filter("driver", self.driver.as_deref())?,
            channel: filter("channel", self.channel.as_deref())?,
            ..abi::Policy::default()
        })
    }

    fn from_raw(raw: &abi::Policy, doing: &'static str) -> Result<Policy, Error> {
        let text = |bytes: &abi::Name| Some(crate::name_text(bytes)).filter(|t| !t.is_empty());
        let has = |flag: u32| raw.flags & flag != 0;
        Ok(Policy {
            kind: PolicyKind::try_from(raw.kind).map_err(Error::unknown(doing))?,
            channels: Some(raw.channels),
            high_channels: raw.high_channels,
            chooser: Chooser::try_from(raw.chooser).map_err(Error::unknown(doing))?,
            quantum_ns: raw.quantum_ns,
            window_ns: raw.window_ns,
            chunk_bytes: Some(raw.chunk_bytes),
            threshold_bytes: Some(raw.threshold_bytes),
            timeout_ns: Some(raw.timeout_ns),
            node: u32::try_from(raw.node).ok(),
            driver: text(&raw.driver),
            channel: text(&raw.channel),
            fold: has(abi::POLICY_ALLOW_FOLD),
            persist: has(abi::POLICY_PERSIST),
            hardware_pause: has(abi::POLICY_HARDWARE_PAUSE),
            replace: has(abi::POLICY_REPLACE),
        })
    }
}

fn filter(what: &str, text: Option<&str>) -> Result<abi::Name, Error> {
    let text = text.unwrap_or_default();
    crate::name_bytes(text).ok_or_else(|| Error::Argument {
        doing: START,
        cause: format!(
            "{what} {text:?} is longer than {} bytes",
            abi::NAME_BYTES - 1
        ),
    })
}

impl Device {
    /// Starts a policy, or switches to it; it ends with this open file unless it
    /// persists. Returns it as started, defaults filled in.
    ///
    /// # Errors
    /// With the module's reason: no channel, too few, not permitted ...
    pub fn start_policy(&self, policy: &Policy) -> Result<Policy, Error> {
        let mut raw = policy.raw()?;
        self.ask(START, abi::POLICY_START, &mut raw, |a| a.reason)?;
        Policy::from_raw(&raw, START)
    }

    /// Stops the started policy; copies under way end first.
    ///
    /// # Errors
    /// Where none is started, or without CAP_SYS_ADMIN.
    pub fn stop_policy(&self) -> Result<(), Error> {
        let mut raw = abi::Policy::default();
        self.ask(STOP, abi::POLICY_STOP, &mut raw, |a| a.reason)
    }

    /// # Errors
    /// When the module answers with numbers that this program does not know.
    pub fn policy_state(&self) -> Result<PolicyState, Error> {
        let mut raw = abi::PolicyState::default();
        self.ask(SHOW, abi::POLICY_SHOW, &mut raw, |_| 0)?;
        Ok(PolicyState {
            policy: Policy::from_raw(&raw.policy, SHOW)?,
            channels_held: raw.channels_held,
            channels_seen: raw.channels_seen,
            channels_dead: raw.channels_dead,
            switches: raw.switches,
            started_ns: raw.started_ns,
            windows: raw.windows,
        })
    }

    /// # Errors
    /// When the module answers with numbers that this program does not know.
    pub fn stats(&self) -> Result<Stats, Error> {
        const READ: &str = "read the module's counters";
        let mut raw = abi::Stats::default();
        self.ask(READ, abi::STATS, &mut raw, |_| 0)?;
        let counted = (0..).zip(raw.cpu_chunks).filter(|(_, chunks)| *chunks > 0);
        let named = counted.map(|(number, chunks)| Ok((Reason::try_from(number)?, chunks)));
        Ok(Stats {
            copies: raw.copies,
            dma_bytes: raw.dma_bytes,
            cpu_bytes: raw.cpu_bytes,
            not_copied_bytes: raw.not_copied_bytes,
            dma_chunks: raw.dma_chunks,
            cpu_chunks: named
                .collect::<Result<_, _>>()
                .map_err(Error::unknown(READ))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_keeps_its_meaning_there_and_back() {
        let policy = Policy {
            channels: Some(4),
            high_channels: 1,
            chooser: Chooser::LeastOutstanding,
            quantum_ns: 30_000,
            window_ns: 90_000,
            chunk_bytes: Some(1 << 16),
            threshold_bytes: Some(4096),
            timeout_ns: Some(1_000_000),
            node: Some(1),
            driver: Some("ioatdma".to_owned()),
            persist: true,
            hardware_pause: true,
            ..Policy::new(PolicyKind::Priority)
        };
        let raw = policy.raw().unwrap();
        assert_eq!(Policy::from_raw(&raw, START), Ok(policy));
    }

    #[test]
    fn what_is_not_set_is_left_to_the_module() {
        let raw = Policy::new(PolicyKind::Shared).raw().unwrap();
        assert_eq!((raw.channels, raw.chunk_bytes, raw.node), (0, 0, -1));
        assert_eq!(raw.threshold_bytes, u64::MAX);
    }

    #[test]
    fn a_name_that_does_not_fit_is_refused() {
        let long = Policy {
            driver: Some("d".repeat(32)),
            ..Policy::new(PolicyKind::Shared)
        };
        let text = long.raw().unwrap_err().to_string();
        assert!(
            text.starts_with("cannot start the policy: driver \"ddd"),
            "{text}"
        );
        let fits = Policy {
            driver: Some("d".repeat(31)),
            ..Policy::new(PolicyKind::Shared)
        };
        assert!(fits.raw().is_ok());
    }

    #[test]
    fn a_kind_from_the_future_is_an_error() {
        let raw = abi::Policy {
            kind: 9,
            ..abi::Policy::default()
        };
        let text = Policy::from_raw(&raw, SHOW).unwrap_err().to_string();
        assert_eq!(
            text,
            "cannot show the policy: the module gave 9 as a policy, which this program does not know"
        );
    }
}
