//! What a SKIP advises can be followed: then the refusal goes away.

mod program;

use program::{Ended, Program, head, run_folder};
use std::collections::BTreeSet;

/// A run that is refused something that this machine can give.
struct Refused {
    /// A line of shell before it.
    before: &'static str,
    run: &'static [&'static str],
}

const fn run(run: &'static [&'static str]) -> Refused {
    Refused { before: "", run }
}

const REFUSED: &[Refused] = &[
    run(&[
        "mem/bandwidth",
        "--axis",
        "method=neon,avx2",
        "--axis",
        "size=4096",
    ]),
    run(&[
        "mem/bandwidth",
        "--axis",
        "method=libc",
        "--axis",
        "operation=read",
        "--axis",
        "size=4096",
    ]),
    run(&[
        "ipc/process_vm",
        "--axis",
        "buffer=4096",
        "--axis",
        "size=64",
    ]),
    run(&["ipc/futex", "--axis", "buffer=4096", "--axis", "size=64"]),
    run(&["ipc/pipe", "--axis", "size=0"]),
    run(&["ipc/tcp", "--axis", "port=70000", "--axis", "size=64"]),
    run(&["mem/associativity", "--axis", "stride=3000"]),
    run(&["mem/line_transfer", "--axis", "from=0", "--axis", "to=0"]),
    run(&[
        "persist/flush",
        "--axis",
        "place=anonymous",
        "--axis",
        "method=msync",
    ]),
    Refused {
        before: "ulimit -Sn 13; ",
        run: &["ipc/eventfd", "--axis", "size=64"],
    },
];

fn quoted(word: &str) -> String {
    format!("'{word}'")
}

fn measured(program: &Program, before: &str, words: &[String]) -> Ended {
    let _ = std::fs::remove_dir_all(program.out());
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    program.shell(&format!(
        "{before}exec \"$PONTAGE\" run {} --budget-ms 1 --samples 3",
        words.join(" ")
    ))
}

/// Reasons and remedies of what was skipped.
fn skips(program: &Program) -> BTreeSet<(String, String)> {
    let head = head(&run_folder(program));
    let points = head["points"].as_array().unwrap().iter();
    let skipped = points.filter(|p| p["state"]["state"] == "skipped");
    let text = |p: &serde_json::Value, key: &str| p["state"][key].as_str().unwrap().to_owned();
    skipped
        .map(|p| (text(p, "reason"), text(p, "remedy")))
        .collect()
}

/// `--axis NAME=VALUES` of a remedy; of a range its begin, which is one point.
fn axes(remedy: &str) -> Vec<(String, String)> {
    let parts = remedy.split("--axis ").skip(1);
    parts
        .filter_map(|part| part.split_whitespace().next()?.split_once('='))
        .map(|(name, values)| {
            let first = values.split("..").next().unwrap_or(values);
            (
                name.to_owned(),
                first.trim_end_matches([',', ';']).to_owned(),
            )
        })
        .collect()
}

/// The run with what the remedy says: its axes in the place of those, its limits after.
fn followed(refused: &Refused, remedy: &str) -> (String, Vec<String>) {
    let new = axes(remedy);
    let mut words = vec![refused.run[0].to_owned()];
    for pair in refused.run[1..].chunks(2) {
        let (name, _) = pair[1].split_once('=').unwrap();
        if new.iter().all(|(other, _)| other != name) {
            words.extend(pair.iter().map(|word| (*word).to_owned()));
        }
    }
    for (name, values) in new {
        words.extend(["--axis".to_owned(), format!("{name}={values}")]);
    }
    let limit = remedy
        .split(';')
        .find(|part| part.trim().starts_with("ulimit "));
    let mut before = refused.before.to_owned();
    if let Some(limit) = limit {
        // Soft, as an ordinary user may.
        before.push_str(&limit.trim().replace("ulimit -", "ulimit -S"));
        before.push_str("; ");
    }
    (before, words)
}

#[test]
fn a_remedy_that_is_followed_helps() {
    let program = Program::new();
    for refused in REFUSED {
        let words: Vec<String> = refused.run.iter().map(|w| (*w).to_owned()).collect();
        let ended = measured(&program, refused.before, &words);
        assert!(
            [0, 77].contains(&ended.status),
            "{:?}: {ended:?}",
            refused.run
        );
        let before = skips(&program);
        if before.is_empty() {
            // The machine has what was to be missing: an ARM processor has neon.
            eprintln!("SKIP {:?}: nothing is refused here", refused.run);
            continue;
        }
        let remedies: BTreeSet<&String> = before.iter().map(|(_, remedy)| remedy).collect();
        for remedy in remedies {
            assert!(
                !remedy.is_empty() && !remedy.starts_with("none"),
                "{remedy}"
            );
            let (shell, words) = followed(refused, remedy);
            let ended = measured(&program, &shell, &words);
            assert!(
                [0, 77].contains(&ended.status),
                "{remedy}: {shell}{words:?}: {ended:?}"
            );
            let after = skips(&program);
            let again: Vec<_> = after.intersection(&before).collect();
            assert!(again.is_empty(), "{remedy}: {shell}{words:?}: {again:?}");
        }
    }
}
