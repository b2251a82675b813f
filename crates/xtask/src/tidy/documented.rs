//! Public items have a doc line: what it is, its unit, its shape, its errors.

use super::Source;

/// What an item begins with, behind `pub`.
const ITEMS: [&str; 8] = [
    "fn ", "struct ", "enum ", "trait ", "type ", "const ", "static ", "union ",
];

/// Words between `pub` and the item's own.
const BEFORE: [&str; 4] = ["const fn", "unsafe ", "async ", "extern \"C\" "];

/// The binary: nobody else links it, and what stands above its arguments is their help.
const BINARY: &str = "crates/pontage/";

/// A line for each item without one.
pub fn check(sources: &[Source]) -> Vec<String> {
    let product = sources.iter().filter(|source| source.is_product());
    let linked = product.filter(|source| !source.path.starts_with(BINARY));
    linked.flat_map(undocumented).collect()
}

fn undocumented(source: &Source) -> Vec<String> {
    let lines: Vec<&str> = source.code().lines().map(str::trim).collect();
    let bare = |at: &usize| is_public(lines[*at]) && !is_documented(&lines[..*at]);
    let found = (0..lines.len()).filter(bare);
    found
        .map(|at| {
            format!(
                "{}:{}: a public item without a doc line",
                source.path,
                at + 1
            )
        })
        .collect()
}

/// An experiment's form is documented by the head of its file, what a macro makes where
/// it is called.
fn is_public(line: &str) -> bool {
    let Some(mut rest) = line.strip_prefix("pub ") else {
        return false;
    };
    while let Some(before) = BEFORE.iter().find(|before| rest.starts_with(**before)) {
        rest = rest[before.len()..].trim_start();
        if before.ends_with("fn") {
            return true;
        }
    }
    let made = rest.starts_with("static EXPERIMENT") || rest.contains('$');
    !made && ITEMS.iter().any(|item| rest.starts_with(item))
}

/// Whether the lines above end with a doc line, attributes aside.
fn is_documented(above: &[&str]) -> bool {
    let mut inside = false;
    for line in above.iter().rev() {
        // An attribute of several lines ends before it begins.
        inside = (inside || line.ends_with(']')) && !line.starts_with("#[");
        if !inside && !line.starts_with("#[") {
            return line.starts_with("///");
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> usize {
        let source = Source {
            path: "crates/a/src/b.rs".to_owned(),
            text: text.to_owned(),
        };
        check(&[source]).len()
    }

    #[test]
    fn a_bare_public_item_is_found() {
        assert_eq!(
            wrong("pub fn a() {}\n\n#[derive(Debug)]\npub struct B;\n"),
            2
        );
        assert_eq!(wrong("    pub const fn a() {}\npub unsafe fn b() {}\n"), 2);
        assert_eq!(wrong("/// It.\n\npub fn a() {}\n"), 1);
    }

    #[test]
    fn documented_private_and_tested_items_are_left() {
        assert_eq!(
            wrong("/// It.\n#[must_use]\n#[expect(\n    x\n)]\npub fn a() {}\n"),
            0
        );
        assert_eq!(wrong("/// It.\n#[must_use]\npub fn a() {}\n"), 0);
        assert_eq!(
            wrong("pub(crate) fn a() {}\nfn b() {}\npub mod c;\npub use d;\n"),
            0
        );
        assert_eq!(
            wrong("//! # a/b\npub static EXPERIMENT: Experiment = x;\n"),
            0
        );
        assert_eq!(wrong("#[cfg(test)]\nmod tests {\n    pub fn a() {}\n"), 0);
    }
}
