//! `pontage man`: manual pages, one for each command.

use crate::arguments::Arguments;
use crate::failure::{DONE, Failure, Outcome};
use crate::output;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::path::Path;

const SOURCE: &str = concat!("pontage ", env!("PONTAGE_VERSION"));

/// Prints the page of the program, or writes all pages into a folder.
///
/// # Errors
/// What cannot be written.
pub fn run(out: Option<&Path>) -> Outcome {
    // `help` has no options, and so no page.
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    let Some(folder) = out else {
        return output::data(&String::from_utf8_lossy(&page(&program)?.1));
    };
    let mut pages = Vec::new();
    gather(&program, &mut pages)?;
    files::output::folder(folder).map_err(|e| refused(folder, &e))?;
    for (name, text) in &pages {
        let path = folder.join(name);
        files::output::write(&path, text).map_err(|e| refused(&path, &e))?;
    }
    harness::message!(
        "wrote {} pages into {}; to read one: man -l {}",
        pages.len(),
        folder.display(),
        folder.join("pontage.1").display()
    );
    Ok(DONE)
}

/// The pages of a command and of all below it, by their file names.
fn gather(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> Result<(), Failure> {
    pages.push(page(command)?);
    let mut shown = command
        .get_subcommands()
        .filter(|below| !below.is_hide_set());
    shown.try_for_each(|below| gather(below, pages))
}

fn page(command: &Command) -> Result<(String, Vec<u8>), Failure> {
    let name = command
        .get_display_name()
        .unwrap_or_else(|| command.get_name());
    let man = Man::new(command.clone()).title(name).source(SOURCE);
    let mut text = Vec::new();
    man.render(&mut text)
        .map_err(|e| Failure::new(format!("cannot make the page of {name}: {e}")))?;
    Ok((man.get_filename(), text))
}

fn refused(path: &Path, cause: &std::io::Error) -> Failure {
    Failure::new(format!("cannot write {}: {cause}", path.display()))
        .hint("name another folder with --out DIR")
}
