//! The head of a new record, as far as all records have it in common.

use record::{Conditions, Instrument, MachineCard, RecipeHead, RunHead, RunState};
use std::time::SystemTime;

/// Of a run of this program that begins now.
pub fn begun(machine: MachineCard) -> RunHead {
    let now = SystemTime::now();
    RunHead {
        schema_version: record::SCHEMA_VERSION,
        id: record::run_id(now, &machine.host),
        started_utc: record::rfc3339_utc(now),
        ended_utc: None,
        tool_version: pontage::VERSION.to_owned(),
        command_line: crate::command_line::typed(),
        recipe: RecipeHead::default(),
        state: RunState::Running,
        labels: record::Labels::default(),
        machine,
        machine_full: serde_json::Value::Null,
        conditions: Conditions::default(),
        instrument: Instrument::default(),
        experiments: Vec::new(),
        points: Vec::new(),
        findings: Vec::new(),
        claims: Vec::new(),
    }
}

/// Of a record that no recipe made: copies that were recorded, files of another
/// program. `clock`: what took its times.
pub fn without_plan(
    machine: MachineCard,
    made_by: &str,
    clock: &str,
    notes: Vec<String>,
) -> RunHead {
    RunHead {
        recipe: RecipeHead {
            name: made_by.to_owned(),
            preset: "custom".to_owned(),
            processes: 1,
            ..RecipeHead::default()
        },
        conditions: Conditions {
            notes: notes
                .into_iter()
                .chain(crate::command_line::note())
                .collect(),
            ..Conditions::default()
        },
        instrument: Instrument {
            clock: clock.to_owned(),
            invariant: true,
            ..Instrument::default()
        },
        ..begun(machine)
    }
}

#[cfg(test)]
mod tests {
    use super::begun;
    use record::MachineCard;
    use record::table::{ColumnKind, columns};
    use std::collections::BTreeMap;

    /// Readers put the tables of many experiments together by the names of their columns.
    #[test]
    fn a_column_has_one_type_in_all_tables() {
        let card = MachineCard::default();
        let run = begun(card.clone());
        let mut kinds: BTreeMap<String, (ColumnKind, &str)> = BTreeMap::new();
        for listed in experiments::all().iter() {
            let head = listed.head(&card);
            for column in columns(&run, &head) {
                let seen = (column.kind, listed.id);
                let (kind, first) = *kinds.entry(column.name.clone()).or_insert(seen);
                let (name, id) = (&column.name, listed.id);
                assert_eq!(column.kind, kind, "{name} of {id} and of {first}");
            }
        }
        assert!(kinds.contains_key("size_bytes"));
    }
}
