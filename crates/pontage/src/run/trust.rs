//! A record is data, never a program. What was begun here by this user goes on without
//! a question; what anybody else's record asks for is shown, and needs `--trust`.

use crate::failure::Failure;
use escape::terminal;
use experiments::recipe::{self, Recipe};
use harness::begun::Begun;
use harness::journal;
use record::RunHead;
use std::fmt::Write;
use std::path::Path;

/// Of a foreign recipe; beyond them its file says the rest.
const MOST_LINES: usize = 400;
const MOST_COMMANDS: usize = 100;

/// Everything of a head that decides what a resumed run executes.
fn order(head: &RunHead) -> String {
    format!("load {}\n{}", head.conditions.load, head.recipe.text)
}

/// The run in `head` begins here, or is trusted from now on. Where that cannot be kept the run goes on, and
/// resuming it will ask.
pub fn remember(head: &RunHead) {
    let begun = Begun::new(&journal::default_dir());
    if begun.holds(&head.id, &order(head)) {
        return;
    }
    if let Err(cause) = begun.keep(&head.id, &order(head)) {
        harness::message!("note: {cause}\nnote: to resume this run will need --trust");
    }
}

/// It is complete.
pub fn forget(head: &RunHead) {
    Begun::new(&journal::default_dir()).forget(&head.id, &order(head));
}

/// Lets a record pass that was begun here, or is trusted.
///
/// # Errors
/// Any other one, after what it asks for was shown.
pub fn check(head: &RunHead, folder: &Path, trusted: bool) -> Result<(), Failure> {
    let begun = Begun::new(&journal::default_dir());
    if trusted || begun.holds(&head.id, &order(head)) {
        return Ok(());
    }
    harness::messages::part(&shown(head));
    let folder = folder.display().to_string();
    let folder = terminal(&folder);
    Err(Failure::new(format!(
        "cannot resume {folder}: what it asks for was not typed here by this user"
    ))
    .hint(format!(
        "read above what it would run; to run it: pontage run --resume {folder} --trust"
    )))
}

/// Lets a recipe file pass that runs no commands, or is trusted.
///
/// # Errors
/// Any other one, after its commands were shown.
pub fn check_recipe(file: &str, recipe: &Recipe, trusted: bool) -> Result<(), Failure> {
    let commands = recipe::commands(recipe);
    if trusted || commands.is_empty() {
        return Ok(());
    }
    let mut text = "This recipe asks for:\n".to_owned();
    list_commands(&mut text, &commands);
    harness::messages::part(&text);
    let file = terminal(file);
    Err(Failure::new(format!(
        "cannot run recipe {file}: it has commands of its own"
    ))
    .hint(format!(
        "read above what it would run; to run it: pontage run {file} --trust"
    )))
}

fn list_commands(text: &mut String, commands: &[String]) {
    // Writing to a String cannot fail.
    for command in commands.iter().take(MOST_COMMANDS) {
        let _ = writeln!(text, "  command: {}", terminal(command));
    }
    if let more @ 1.. = commands.len().saturating_sub(MOST_COMMANDS) {
        let _ = writeln!(text, "  and {more} more commands, in the recipe");
    }
}

/// What the record would have us do.
fn shown(head: &RunHead) -> String {
    let mut text = "This record asks for:\n".to_owned();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "  load: {}", terminal(&head.conditions.load));
    let commands = recipe::parse("it", &head.recipe.text)
        .map(|recipe| recipe::commands(&recipe))
        .unwrap_or_default();
    list_commands(&mut text, &commands);
    text.push_str("  recipe:\n");
    let mut lines = head.recipe.text.lines();
    for line in lines.by_ref().take(MOST_LINES) {
        let _ = writeln!(text, "    {}", terminal(line));
    }
    if let more @ 1.. = lines.count() {
        let _ = writeln!(text, "    and {more} more lines, in its run.json");
    }
    text
}
