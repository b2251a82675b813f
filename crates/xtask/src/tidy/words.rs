//! Plain technical English: words that users stumbled over, in prose, messages and
//! names alike, and what stands for them.

use super::Source;

/// A word, and what to write.
const NOT: &[(&str, &str)] = &[
    ("told", "reported, named, counted, distinguished"),
    ("dear", "costly"),
    ("dearer", "costlier, slower"),
    ("dearest", "costliest, slowest"),
    ("for eyes", "for people"),
    ("beside", "next to, during, with ... as neighbour"),
    ("somebody", "another process, another user, the reader"),
    ("company", "neighbour, co-run"),
    ("strangers", "other data, other tasks"),
];

/// Names of older records, and this list.
const EXEMPT: &[&str] = &[
    "record/src/migrate.rs",
    "machine/src/topology.rs",
    "xtask/src/tidy/words.rs",
];

/// A line for each word on the list.
pub fn check(sources: &[Source]) -> Vec<String> {
    sources
        .iter()
        .filter(|source| is_read(source))
        .flat_map(|source| {
            let lines = source.code().lines().zip(1_usize..);
            lines.flat_map(move |(line, number)| {
                let found = NOT.iter().filter(|(word, _)| says(line, word));
                found.map(move |(word, instead)| {
                    format!("{}:{number}: \"{word}\": write {instead}", source.path)
                })
            })
        })
        .collect()
}

/// What people read: documents, the program, the page, recipes.
fn is_read(source: &Source) -> bool {
    let path = source.path.as_str();
    let document = path.ends_with(".md") || path.starts_with("recipes/");
    let page = path.starts_with("ui/src/");
    (document || page || source.is_product()) && !EXEMPT.iter().any(|end| path.ends_with(end))
}

/// As a word of its own, and not in backticks, which quote.
fn says(line: &str, word: &str) -> bool {
    let lower = line.to_lowercase();
    let bounded = |at: usize| {
        let letter = |c: char| c.is_alphanumeric();
        !lower[..at].ends_with(letter) && !lower[at + word.len()..].starts_with(letter)
    };
    let quoted = |at: usize| lower[..at].matches('`').count() % 2 == 1;
    lower
        .match_indices(word)
        .any(|(at, _)| bounded(at) && !quoted(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn a_word_on_the_list_is_found_with_its_line() {
        let wrong = check(&[
            source("docs/a.md", "one\nTold so.\n"),
            source("crates/a/src/b.rs", "fn told_by() {}\n"),
            source("recipes/c.toml", "question = \"What is dearer?\"\n"),
        ]);
        assert_eq!(wrong.len(), 3, "{wrong:?}");
        assert!(wrong[0].starts_with("docs/a.md:2: \"told\""), "{wrong:?}");
    }

    #[test]
    fn other_words_quotes_and_tests_are_left() {
        let wrong = check(&[
            source("docs/a.md", "retold, untold, was `told`\n"),
            source("crates/a/tests/b.rs", "// told\n"),
            source("crates/a/src/b.rs", "#[cfg(test)]\nmod tests {\n// told\n"),
            source("crates/record/src/migrate.rs", "\"told\"\n"),
        ]);
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
