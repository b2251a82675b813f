//! What an event's bytes mean, as the kernel's own `format` files say.

mod field;
mod header;
mod parse;

pub use field::{Field, FieldKind, Place, Value};
pub use header::PageLayout;

use crate::error::Result;
use crate::head::Head;
use std::collections::BTreeMap;

/// One event's description.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventFormat {
    /// `common_type` of its events.
    pub id: u16,
    /// `sched`.
    pub system: String,
    /// `sched_switch`.
    pub name: String,
    /// `common_type`, `common_pid` and their like; then the event's own.
    pub common: Vec<Field>,
    /// The event's own fields.
    pub fields: Vec<Field>,
    /// What stands behind `print fmt:`.
    pub print: String,
}

impl EventFormat {
    /// Of the event's own fields, else of the common ones.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let mut all = self.fields.iter().chain(&self.common);
        all.find(|field| field.name == name)
    }
}

/// All events of a trace.
#[derive(Debug, Clone, Default)]
pub struct Formats {
    by_id: BTreeMap<u16, EventFormat>,
}

impl Formats {
    /// # Errors
    /// A format that cannot be understood.
    pub fn of(head: &Head) -> Result<Formats> {
        let mut by_id = BTreeMap::new();
        for system in &head.systems {
            for text in &system.formats {
                let format = parse::event(&system.name, text)?;
                by_id.insert(format.id, format);
            }
        }
        Ok(Formats { by_id })
    }

    /// None where the trace describes no such event.
    pub fn by_id(&self, id: u16) -> Option<&EventFormat> {
        self.by_id.get(&id)
    }

    /// `system` and `name` as below `events/`.
    pub fn find(&self, system: &str, name: &str) -> Option<&EventFormat> {
        let mut all = self.by_id.values();
        all.find(|f| f.system == system && f.name == name)
    }

    /// All formats, by id.
    pub fn iter(&self) -> impl Iterator<Item = &EventFormat> {
        self.by_id.values()
    }
}
