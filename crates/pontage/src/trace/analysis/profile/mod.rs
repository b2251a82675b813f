//! `pontage trace profile`: hits and times by function, of a trace or of the
//! running kernel.

mod live;

use super::arguments::Profile;
use super::{lacks, open};
use crate::failure::{Failure, Outcome};
use crate::trace::arguments::TraceFile;
use ::trace::Capture;
use ::trace::analyse::functions::{FunctionRow, Profile as Functions};
use ::trace::analyse::{Known, Pass, Symbols};
use harness::tracing::FunctionWish;
use report::analyses::functions::{self, Row, Shown};
use serde_json::{Value, json};

pub const EVENTS: &str = "funcgraph_entry and funcgraph_exit";
pub const RECORD: &str = "pontage trace record --graph FUNCTION";

/// # Errors
/// A file that is no trace, or holds no functions; without a file what the
/// running kernel lacks or refuses.
pub fn profile(arguments: &Profile) -> Outcome {
    let Some(file) = &arguments.file else {
        return live::run(arguments);
    };
    let trace = TraceFile {
        file: file.clone(),
        instance: arguments.instance.clone(),
    };
    let profiled = Profiled::of(&open(&trace)?);
    if profiled.rows.is_empty() {
        return Err(lacks("show the profile", file, EVENTS, RECORD));
    }
    profiled.show(arguments, &Value::Null)
}

/// A capture's functions.
struct Profiled {
    rows: Vec<FunctionRow>,
    cpus: Vec<u32>,
    pass: Pass,
    dropped: u64,
}

impl Profiled {
    fn of(capture: &Capture) -> Profiled {
        let (known, symbols) = (Known::of(capture), Symbols::parse(&capture.head.kallsyms));
        let mut functions = Functions::new(&known, &symbols);
        let pass = Pass::over(capture, &known, &mut [&mut functions]);
        Profiled {
            rows: functions.finish(&symbols),
            cpus: known.cpus.clone(),
            dropped: functions.stacks.dropped,
            pass,
        }
    }

    /// `live`: what belongs to the document of a running kernel.
    fn show(&self, arguments: &Profile, live: &Value) -> Outcome {
        let facts = || {
            let mut document = json!({
                "capture": self.pass, "cpus": self.cpus, "functions": self.rows,
                "dropped_calls": self.dropped,
            });
            if let (Some(all), Some(live)) = (document.as_object_mut(), live.as_object()) {
                all.extend(live.clone());
            }
            document
        };
        let table = || {
            let rows = self.rows.iter().map(|row| Row::traced(row, &self.cpus));
            let rows: Vec<Row> = rows.collect();
            let mut document = functions::profile(&rows, shown(arguments));
            document.append(functions::left_out(self.dropped, &self.pass));
            document
        };
        super::shown(arguments.format, table, facts, &self.pass)
    }
}

fn shown(arguments: &Profile) -> Shown {
    Shown {
        top: arguments.top,
        by_cpu: arguments.by_cpu,
    }
}

/// None of the named functions was called meanwhile.
fn nothing_called(wish: &FunctionWish) -> Failure {
    let named = [&wish.below[..], &wish.only].concat().join(", ");
    Failure::new(format!(
        "cannot show a profile of {named}: none of them was called while profiling"
    ))
}
