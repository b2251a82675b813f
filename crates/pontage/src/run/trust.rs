//! A record is data, never a program. What was begun here by this user goes on without
//! a question; what anybody else's record asks for is shown, and needs `--trust`.

use crate::failure::Failure;
use catalogue::recipe::{self, Recipe};
use harness::begun::Begun;
use harness::journal;
use record::RunHead;
use std::fmt::Write;
use std::path::Path;

/// Of a foreign recipe; beyond them its file says the rest.
const MOST_LINES: usize = 400;
const MOST_COMMANDS: usize = 100;

/// Everything of a head that decides what a resumed run executes. A list: behind one
/// another a word of the one could be taken for the other's.
fn order(head: &RunHead) -> String {
    in_order(&head.conditions.load, &head.recipe.text)
}

fn in_order(load: &str, recipe: &str) -> String {
    serde_json::json!([load, recipe]).to_string()
}

/// What was begun here, in every state folder that there may be.
fn begun() -> impl Iterator<Item = Begun> {
    journal::places()
        .into_iter()
        .map(|place| Begun::new(&place))
}

fn is_begun_here(head: &RunHead) -> bool {
    begun().any(|here| here.holds(&head.id, &order(head)))
}

/// The run in `head` begins here, or is trusted from now on. Where that cannot be
/// kept the run goes on, and resuming it will ask.
pub fn remember(head: &RunHead) {
    if is_begun_here(head) {
        return;
    }
    let mut refusal = "no state folder".to_owned();
    for here in begun() {
        match here.keep(&head.id, &order(head)) {
            Ok(()) => return,
            Err(cause) => refusal = cause.to_string(),
        }
    }
    harness::message!("note: {refusal}\nnote: resuming this run will need --trust");
}

/// It is complete.
pub fn forget(head: &RunHead) {
    begun().for_each(|here| here.forget(&head.id, &order(head)));
}

/// Lets a record pass that was begun here, or is trusted.
///
/// # Errors
/// Any other one, after what it asks for was shown.
pub fn check(head: &RunHead, folder: &Path, trusted: bool) -> Result<(), Failure> {
    if trusted || is_begun_here(head) {
        return Ok(());
    }
    harness::messages::part(&shown(head));
    let folder = escape::spelled(&folder.display().to_string());
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
    let commands = recipe::commands(experiments::all(), recipe);
    if trusted || commands.is_empty() {
        return Ok(());
    }
    let mut text = "This recipe asks for:\n".to_owned();
    list_commands(&mut text, &commands);
    harness::messages::part(&text);
    let file = escape::spelled(file);
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
        let _ = writeln!(text, "  command: {}", escape::spelled(command));
    }
    if let more @ 1.. = commands.len().saturating_sub(MOST_COMMANDS) {
        let _ = writeln!(text, "  and {more} more commands, in the recipe");
    }
}

/// What the record would have us do.
fn shown(head: &RunHead) -> String {
    let mut text = "This record asks for:\n".to_owned();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "  load: {}", escape::spelled(&head.conditions.load));
    let commands = recipe::parse("it", &head.recipe.text)
        .map(|recipe| recipe::commands(experiments::all(), &recipe))
        .unwrap_or_default();
    list_commands(&mut text, &commands);
    text.push_str("  recipe:\n");
    let mut lines = head.recipe.text.lines();
    for line in lines.by_ref().take(MOST_LINES) {
        let _ = writeln!(text, "    {}", escape::spelled(line));
    }
    if let more @ 1.. = lines.count() {
        let _ = writeln!(text, "    and {more} more lines, in its run.json");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::in_order;

    /// A recipe may hold another one in a text of several lines.
    #[test]
    fn no_other_load_and_recipe_are_the_same_order() {
        let text = "title = 'a'\nreading = \"\"\"\n[[experiment]]\n\"\"\"\n\"load\", \"x";
        let begun = in_order("light", text);
        for (at, _) in text.char_indices() {
            let (before, behind) = text.split_at(at);
            let loads = [format!("light\n{before}"), format!("light{before}")];
            for load in loads.into_iter().filter(|load| load != "light") {
                assert_ne!(in_order(&load, behind), begun, "cut at {at}");
            }
        }
        assert_eq!(in_order("light", text), begun);
    }
}
