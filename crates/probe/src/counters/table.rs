//! Which codes stand for which event on which core: data files, one for each
//! family of cores.

use super::GroupName;
use machine::cpu::Cpu;
use machine::text::maybe_hex;
use serde::{Deserialize, Serialize};

/// One file of `data/counters`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// For people: `ARM Cortex-A72`.
    pub core: String,
    /// Where the codes are published.
    pub source: String,
    /// `BR_PRED` counts mispredicted branches too.
    pub branches_include_mispredicted: bool,
    #[serde(default, rename = "match")]
    matches: Vec<Match>,
    #[serde(rename = "event")]
    events: Vec<Event>,
}

/// The cores a table is for. Empty lists match everything.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Match {
    /// As the kernel says it; a `*` at the end stands for any rest.
    vendor: String,
    #[serde(default)]
    families: Vec<u32>,
    /// First and last model (ARM: part) of each range.
    #[serde(default)]
    models: Vec<[u32; 2]>,
}

/// How an event is encoded for perf_event_open(2). The discriminants are PERF_TYPE_*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    Hardware = 0,
    Software = 1,
    Cache = 3,
    Raw = 4,
}

/// One event of the processor or the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Code {
    /// The vendor's or the kernel's own name.
    pub name: String,
    /// `perf_event_attr.config`.
    pub config: u64,
    /// `perf_event_attr.config1`: an additional register some events need.
    #[serde(default)]
    pub config1: u64,
}

impl Code {
    /// As perf_event_open(2) takes it: type, config and config1.
    pub fn of(&self, kind: EventKind) -> (u32, u64, u64) {
        (kind as u32, self.config, self.config1)
    }
}

/// An event of a group: a name, and the codes whose sum it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// The one that it belongs to, or `all`.
    group: String,
    /// Name in the record, the Cortex-A72's for hardware events.
    pub alias: String,
    pub kind: EventKind,
    /// Empty where the core has no such event; `absent` says why.
    #[serde(default)]
    pub codes: Vec<Code>,
    pub absent: Option<String>,
    /// In what the event differs from its name.
    #[serde(default)]
    pub note: String,
}

const SOFTWARE: &str = include_str!("../../data/counters/software.toml");

/// Every table of cores, the narrower ones first: the first that matches is
/// taken.
pub(super) const CORES: [&str; 9] = [
    include_str!("../../data/counters/arm-cortex-a72.toml"),
    include_str!("../../data/counters/arm-cortex-a53.toml"),
    include_str!("../../data/counters/arm-v8.toml"),
    include_str!("../../data/counters/amd-zen3.toml"),
    include_str!("../../data/counters/amd-zen4.toml"),
    include_str!("../../data/counters/amd-zen5.toml"),
    include_str!("../../data/counters/intel-skylake-sp.toml"),
    include_str!("../../data/counters/intel-sapphire-rapids.toml"),
    include_str!("../../data/counters/generic.toml"),
];

/// What is wrong with a table's text.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    #[error("{alias}: needs either codes or absent")]
    CodesOrAbsent { alias: String },
    #[error("{alias}: no group {group}")]
    NoGroup { alias: String, group: String },
}

impl Table {
    /// Reads a table's text.
    ///
    /// # Errors
    /// What is wrong and where: no TOML, an unknown key or group, an event
    /// with neither codes nor a reason.
    pub fn parse(text: &str) -> Result<Table, TableError> {
        let table: Table = toml::from_str(text)?;
        for event in &table.events {
            if event.codes.is_empty() == event.absent.is_none() {
                let alias = event.alias.clone();
                return Err(TableError::CodesOrAbsent { alias });
            }
            if event.group != "all" && GroupName::parse(&event.group).is_none() {
                let (alias, group) = (event.alias.clone(), event.group.clone());
                return Err(TableError::NoGroup { alias, group });
            }
        }
        Ok(table)
    }

    /// The table of the running core; the kernel's generic events where no
    /// table knows it.
    ///
    /// # Panics
    /// Never: the tables are part of the program, and the last matches every
    /// core. A test reads them all.
    pub fn of(cpu: &Cpu) -> Table {
        let parsed = |text: &&str| Table::parse(text).expect("tables are tested");
        let mut all = CORES.iter().map(parsed);
        all.find(|t| t.matches.iter().any(|m| m.fits(cpu)))
            .expect("the generic table matches every core")
    }

    /// The table of the events that the kernel counts by itself.
    ///
    /// # Panics
    /// Never, as [`Table::of`].
    pub fn software() -> Table {
        Table::parse(SOFTWARE).expect("tables are tested")
    }

    /// The events of a group: instructions and cycles, then its own.
    pub fn events(&self, group: GroupName) -> Vec<Event> {
        let wanted = |e: &&Event| e.group == group.name() || e.group == "all";
        self.events.iter().filter(wanted).cloned().collect()
    }
}

impl Match {
    fn fits(&self, cpu: &Cpu) -> bool {
        let vendor = cpu.vendor.as_deref().unwrap_or_default();
        let same_vendor = match self.vendor.strip_suffix('*') {
            Some(beginning) => vendor.starts_with(beginning),
            None => vendor == self.vendor,
        };
        let family = number(cpu.family.as_deref());
        let model = number(cpu.model_number.as_deref());
        same_vendor
            && (self.families.is_empty() || family.is_some_and(|f| self.families.contains(&f)))
            && (self.models.is_empty()
                || model.is_some_and(|m| self.models.iter().any(|[a, z]| (*a..=*z).contains(&m))))
    }
}

/// `25` on x86, `0xd08` on ARM.
fn number(text: Option<&str>) -> Option<u32> {
    u32::try_from(maybe_hex(text?.trim()).ok()?).ok()
}

impl Event {
    /// The same event under another name: counted in another scope.
    #[must_use]
    pub fn called(&self, alias: String) -> Event {
        Event {
            alias,
            ..self.clone()
        }
    }

    /// The real events behind the alias: `ls_dispatch.ld_dispatch (r129)`.
    pub fn real(&self) -> String {
        let one = |c: &Code| match self.kind {
            EventKind::Raw => format!("{} (r{:x})", c.name, c.config),
            _ => c.name.clone(),
        };
        self.codes.iter().map(one).collect::<Vec<_>>().join(" + ")
    }
}
