//! Every command of ours that a message, a hint or a page of the program advises is one
//! that it understands: all texts of the source are read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where texts for people stand.
const CRATES: [&str; 10] = [
    "analysis",
    "experiments",
    "harness",
    "lab",
    "machine",
    "pontage",
    "probe",
    "record",
    "report",
    "uapi",
];
/// What ends a command within a sentence.
const ENDS: [&str; 17] = [
    ";", ",", ")", "`", "\n", " (", ": ", " && ", " | ", " then", " or ", " and ", " shows ",
    " there", " lists ", " says ", " tells ",
];
/// Stands for what is filled in when the text is written.
const FILLED: &str = "filled-in";

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            sources(&path, found);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") && name != "testing.rs" {
            found.push(path);
        }
    }
}

/// The texts between quotes, without tests. A line that ends in a backslash goes on
/// where the next begins, as the compiler has it.
fn texts(source: &str) -> Vec<String> {
    let code = source.split("\n#[cfg(test)]").next().unwrap_or(source);
    let code: String = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| format!("{line}\n"))
        .collect();
    let mut texts = Vec::new();
    let mut rest = code.replace("'\"'", "' '").replace("'\\''", "' '");
    while let Some(begin) = rest.find('"') {
        let mut text = String::new();
        let mut chars = rest[begin + 1..].char_indices();
        let mut end = rest.len();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    end = begin + 1 + at + 1;
                    break;
                }
                '\\' => match chars.next() {
                    Some((_, '\n')) => {
                        while chars.clone().next().is_some_and(|(_, c)| c.is_whitespace()) {
                            chars.next();
                        }
                    }
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, other)) => text.push(other),
                    None => {}
                },
                other => text.push(other),
            }
        }
        texts.push(text);
        rest = rest[end..].to_owned();
    }
    texts
}

/// Words of a command that begins `text`, placeholders filled.
fn words(text: &str) -> Vec<String> {
    let end = ENDS.iter().filter_map(|end| text.find(end)).min();
    let command = &text[..end.unwrap_or(text.len())];
    let placeholder = |word: &str| {
        word.contains('{') || (word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase()))
    };
    command
        .split_whitespace()
        .map(|word| word.trim_matches('\''))
        // Behind these stands another program's command, or whatever was typed.
        .take_while(|word| !["...", "--"].contains(word))
        .map(|word| match word.split_once('=') {
            Some((flag, value)) if placeholder(value) => format!("{flag}={FILLED}"),
            _ if placeholder(word) => FILLED.to_owned(),
            _ => word.to_owned(),
        })
        .collect()
}

fn pontage(words: &[String]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pontage"));
    command.args(words).arg("--help").output().unwrap()
}

fn subcommands() -> BTreeSet<String> {
    let help = String::from_utf8(pontage(&[]).stdout).unwrap();
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    lines
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| Some(line.split_whitespace().next()?.to_owned()))
        .collect()
}

fn files() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for name in CRATES {
        sources(&crates.join(name).join("src"), &mut files);
    }
    files
}

/// What stands behind `command` in any text, up to the end of the command.
fn advised(command: &str) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    for file in files() {
        for text in texts(&std::fs::read_to_string(&file).unwrap()) {
            let after = |(at, name): (usize, &str)| words(&text[at + name.len()..]);
            found.extend(text.match_indices(command).map(after));
        }
    }
    found
}

/// A setting that this kernel lacks cannot be judged; one that no kernel has would be
/// missed: those are named.
#[test]
fn every_advised_setting_exists() {
    let settings = advised("sysctl ").into_iter().flatten();
    let names: BTreeSet<String> = settings
        .filter_map(|word| Some(word.split_once('=')?.0.to_owned()))
        .filter(|name| !name.is_empty() && *name != FILLED && !name.contains('{'))
        .collect();
    assert!(names.len() > 5, "{names:?}");
    let here = |name: &&String| Path::new("/proc/sys").join(name.replace('.', "/")).exists();
    let missing: Vec<&String> = names.iter().filter(|name| !here(name)).collect();
    let on_some_kernels = [
        "fs.file-max",
        "kernel.ftrace_enabled",
        "kernel.io_uring_disabled",
        "kernel.kptr_restrict",
        "kernel.msgmax",
        "kernel.msgmnb",
        "kernel.msgmni",
        "kernel.nmi_watchdog",
        "kernel.perf_event_paranoid",
        "kernel.sched_rt_runtime_us",
        "kernel.yama.ptrace_scope",
        "net.core.optmem_max",
        "net.ipv4.ip_unprivileged_port_start",
    ];
    for name in missing {
        assert!(on_some_kernels.contains(&&**name), "{name} is no setting");
        eprintln!("SKIP {name}: this kernel does not have it");
    }
}

/// Asks what apt knows; nothing is fetched.
#[test]
fn every_advised_package_exists() {
    let known = |package: &str| {
        let shown = Command::new("apt-cache").args(["show", package]).output();
        shown.is_ok_and(|shown| shown.status.success())
    };
    if !known("stress-ng") {
        return eprintln!("SKIP: apt knows no packages here; sudo apt-get update");
    }
    // Debian's or Ubuntu's: one of them will do.
    let elsewhere = ["linux-tools-generic", "linux-perf"];
    for words in advised("apt-get install ") {
        let packages = words
            .iter()
            .filter(|word| !word.starts_with('-') && *word != FILLED && !word.contains('$'));
        for package in packages {
            let one_of = elsewhere.contains(&&**package);
            assert!(one_of || known(package), "there is no package {package}");
        }
    }
}

#[test]
fn every_advised_command_is_understood() {
    let subcommands = subcommands();
    assert!(subcommands.contains("run") && subcommands.contains("restore"));
    let mut asked = BTreeSet::new();
    let mut wrong = Vec::new();
    for file in files() {
        for text in texts(&std::fs::read_to_string(&file).unwrap()) {
            for (at, name) in text.match_indices("pontage ") {
                let words = words(&text[at + name.len()..]);
                let known = words.first().is_some_and(|word| subcommands.contains(word));
                if !known || !asked.insert(words.clone()) {
                    continue;
                }
                let output = pontage(&words);
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                // What will stand there cannot be known here.
                if !output.status.success() && !said.contains(&format!("'{FILLED}'")) {
                    wrong.push(format!(
                        "{}: pontage {}: {said}",
                        file.display(),
                        words.join(" ")
                    ));
                }
            }
        }
    }
    assert!(asked.len() > 30, "only {} commands were found", asked.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
