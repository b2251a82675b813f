//! What words on the command line select: experiments by id, area or glob, recipes, conclusions;
//! in lists as well.

use crate::failure::Failure;
use analysis::inference::Quantity;
use catalogue::{Listed, nearest};
use experiments::all;
use experiments::built_in::BUILT_IN;

/// One thing that a word selects.
#[derive(Clone, Copy)]
pub enum Selected {
    Experiment(&'static Listed),
    Recipe(&'static str, &'static str),
    Conclusion(&'static Quantity),
}

impl Selected {
    /// The word that selects this alone.
    fn name(self) -> &'static str {
        match self {
            Selected::Experiment(listed) => listed.id,
            Selected::Recipe(name, _) => name,
            Selected::Conclusion(quantity) => quantity.key,
        }
    }
}

/// What these words select, each once, in their order; `verb` is for the message.
///
/// # Errors
/// When a word selects nothing; the nearest names are given.
pub fn of(words: &[String], verb: &str) -> Result<Vec<Selected>, Failure> {
    let mut found: Vec<Selected> = Vec::new();
    let pieces = words.iter().flat_map(|word| word.split(','));
    for piece in pieces.map(str::trim).filter(|piece| !piece.is_empty()) {
        for one in of_word(piece, verb)? {
            if found.iter().all(|other| other.name() != one.name()) {
                found.push(one);
            }
        }
    }
    match found.is_empty() {
        true => Err(Failure::new(format!("cannot {verb}: no name is given")).hint("pontage list")),
        false => Ok(found),
    }
}

fn of_word(word: &str, verb: &str) -> Result<Vec<Selected>, Failure> {
    let quantities = all().quantities().all;
    if let Some((name, text)) = BUILT_IN.iter().find(|(name, _)| *name == word) {
        return Ok(vec![Selected::Recipe(name, text)]);
    }
    if let Some(quantity) = quantities.iter().find(|q| q.key == word) {
        return Ok(vec![Selected::Conclusion(quantity)]);
    }
    if let Ok(matched) = all().matching(word) {
        return Ok(matched.into_iter().map(Selected::Experiment).collect());
    }
    let recipes = BUILT_IN.iter().map(|(name, _)| *name);
    let keys = quantities.iter().map(|q| q.key);
    let names = all().iter().map(|l| l.id).chain(recipes).chain(keys);
    let near = nearest::nearest(word, names);
    Err(Failure::new(format!(
        "cannot {verb} {word}: no such experiment, area, recipe or conclusion{}",
        nearest::hint(&near)
    ))
    .hint("pontage list shows them all"))
}

#[cfg(test)]
mod tests {
    use super::{Selected, of};

    fn names(words: &[&str]) -> Vec<&'static str> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let found = of(&words, "list").expect("they are there");
        found.into_iter().map(Selected::name).collect()
    }

    #[test]
    fn areas_globs_lists_and_ids_select_each_thing_once() {
        assert_eq!(names(&["mem/line"]), ["mem/line"]);
        let area = names(&["mem"]);
        assert!(area.len() > 3 && area.iter().all(|id| id.starts_with("mem/")));
        assert_eq!(area, names(&["mem/"]));
        assert_eq!(area, names(&["mem/*", "mem/line"]));
        let listed = ["mem/line", "syscall/getppid", "quick", "l2_ways"];
        assert_eq!(
            names(&["mem/line,syscall/getppid", "quick, l2_ways"]),
            listed
        );
    }

    #[test]
    fn a_word_that_selects_nothing_is_an_error_with_the_nearest() {
        for words in [&["mem/latencey"][..], &["mem/line", "x/*"], &["", ","]] {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            assert!(of(&words, "list").is_err(), "{words:?}");
        }
    }
}
