//! Files of the kernel's that are read by a fixed path.

use super::Source;

/// Where their paths may stand, and why there.
const HOMES: &[(&str, &str)] = &[
    ("crates/machine/", "what is this machine"),
    ("crates/probe/", "what happens on it"),
    (
        "crates/harness/src/settings.rs",
        "writes them, through the journal",
    ),
    (
        "crates/files/",
        "below machine: what a path of the user's leads to",
    ),
    ("crates/uapi/src/facts.rs", "below machine: its own module"),
    ("crates/xtask/", "looks from outside"),
    ("crates/faults/", "looks from outside"),
    ("crates/fuzzing/", "looks from outside"),
];

const PATHS: [&str; 4] = ["\"/proc/", "\"/sys/", "\"proc/", "\"sys/"];

/// Paths that stand elsewhere in product code, a line for each.
pub fn check(sources: &[Source]) -> Vec<String> {
    let elsewhere =
        |s: &&Source| s.is_product() && !HOMES.iter().any(|(home, _)| s.path.starts_with(home));
    let mut wrong = Vec::new();
    for source in sources.iter().filter(elsewhere) {
        let paths = source
            .code()
            .lines()
            .enumerate()
            .filter(|(_, line)| reads(line));
        wrong.extend(paths.map(|(number, line)| {
            format!(
                "{}:{}: {}: only machine and probe name files of the kernel's",
                source.path,
                number + 1,
                line.trim()
            )
        }));
    }
    wrong
}

/// A literal that is a path and nothing more: sentences have blanks.
fn reads(line: &str) -> bool {
    let comment = line.trim_start().starts_with("//");
    let path = |at: usize| {
        let literal = line[at + 1..].split('"').next().unwrap_or_default();
        !literal.contains(' ')
    };
    !comment && PATHS.iter().any(|start| line.find(start).is_some_and(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_outside_of_its_homes_is_found() {
        let source = |path: &str, text: &str| Source {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let path = "fn f() {\n    read(\"/proc/meminfo\");\n    root.join(\"sys/kernel/x\");\n}\n";
        let sentence = "// \"/proc/stat\"\nlet s = \"/proc/interrupts counts {n}\";\n\
                        #[cfg(test)]\nmod tests {\nread(\"/proc/stat\");\n";
        let wrong = check(&[
            source("crates/engines/src/a.rs", path),
            source("crates/engines/src/a/tests.rs", path),
            source("crates/engines/src/b.rs", sentence),
            source("crates/machine/src/a.rs", path),
        ]);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong[0].starts_with("crates/engines/src/a.rs:2:"));
    }
}
