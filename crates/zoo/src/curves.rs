//! Curves that were recorded on a real machine, with what is true of it: what is concluded
//! from them can be held against that for ever.

use analysis::{ExperimentTable, RunView};
use record::MachineCard;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Digits of a number that are kept behind its first.
const DIGITS: usize = 5;

/// The curves of one run, and its machine.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Curves {
    /// What ran around it, and where the truth is from.
    pub about: String,
    /// What is true, by the key of the quantity: between two bounds. Of a quantity that is
    /// missing nothing is known.
    pub truth: BTreeMap<String, [f64; 2]>,
    /// Quantities that these curves decide.
    pub decided: Vec<String>,
    pub machine: MachineCard,
    pub tables: Vec<ExperimentTable>,
}

impl Curves {
    /// Those of a run; what is true is to be entered by hand.
    pub fn of(view: &RunView) -> Curves {
        let card = &view.head.machine;
        let mut tables = view.tables.clone();
        for point in tables.iter_mut().flat_map(|table| &mut table.points) {
            point.head.notes.clear();
            point.contamination = None;
            point.in_order.clear();
            for summary in &mut point.summaries {
                // No conclusion looks at these.
                summary.modes.clear();
                (summary.at_best, summary.p90, summary.p99) = (None, None, None);
            }
        }
        Curves {
            about: String::new(),
            truth: BTreeMap::new(),
            decided: Vec::new(),
            // What conclusions look at.
            machine: MachineCard {
                cpu_model: card.cpu_model.clone(),
                arch: card.arch.clone(),
                cpus: card.cpus,
                cores: card.cores,
                caches: card.caches.clone(),
                places: card.places.clone(),
                page_bytes: card.page_bytes,
                transparent_hugepages: card.transparent_hugepages.clone(),
                hypervisor: card.hypervisor.clone(),
                ..MachineCard::default()
            },
            tables,
        }
    }

    /// As text, a point a line.
    ///
    /// # Errors
    /// Never of finite numbers; what the writer says.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        let mut value = serde_json::to_value(self)?;
        // What was entered by hand stays as it is.
        round(&mut value["tables"]);
        let text = serde_json::to_string(&value)?;
        Ok(text.replace("{\"head\":", "\n{\"head\":") + "\n")
    }

    /// From such text.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Curves, serde_json::Error> {
        serde_json::from_str(text)
    }
}

fn round(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(round),
        Value::Object(all) => all.values_mut().for_each(round),
        Value::Number(number) => {
            let Some(float) = number.as_f64().filter(|_| number.is_f64()) else {
                return;
            };
            let rounded = format!("{float:.DIGITS$e}");
            if let Some(short) = rounded.parse().ok().and_then(serde_json::Number::from_f64) {
                *number = short;
            }
        }
        _ => {}
    }
}
