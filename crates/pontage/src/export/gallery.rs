//! `--format gallery`: the entry of a reference machine.

use crate::arguments;
use crate::failure::{DONE, Failure, Outcome};
use crate::output;
use ::gallery::Entry;
use analysis::RunView;
use summary::RunSummary;

/// What the owner of the machine is asked to write.
const ABOUT: &str = "";

pub(super) fn run(arguments: &arguments::Export, view: &RunView) -> Outcome {
    let summary = RunSummary::of(view);
    let entry = Entry::of(view, &summary, &name(view), ABOUT);
    let text = entry
        .text()
        .map_err(|e| Failure::new(format!("cannot write the entry: {e}")))?;
    let Some(folder) = &arguments.out else {
        return output::data(&text);
    };
    files::output::folder(folder)
        .and_then(|()| {
            files::output::write(
                &folder.join(format!("{}.json", entry.name)),
                text.as_bytes(),
            )
        })
        .map_err(|e| {
            Failure::new(format!("cannot write into {}: {e}", folder.display()))
                .hint("name another folder with --out DIR")
        })?;
    harness::message!(
        "wrote {}",
        folder.join(format!("{}.json", entry.name)).display()
    );
    Ok(DONE)
}

/// The run's own name, else that of its processor, in the letters of a file's name.
pub fn name(view: &RunView) -> String {
    let given = view.head.labels.name.as_deref();
    let machine = &view.head.machine;
    let words = given.unwrap_or(&machine.cpu_model).to_lowercase();
    let words = words.split(|c: char| !c.is_ascii_alphanumeric());
    let mut name = words
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join("-");
    if name.is_empty() {
        name = "machine".to_owned();
    }
    match given.is_none() && machine.hypervisor.is_some() {
        true => name + "-guest",
        false => name,
    }
}
