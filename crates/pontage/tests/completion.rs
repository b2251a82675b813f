//! Completions, asked for as shells do.

mod program;
mod shelf;

use program::Program;
use shelf::{keep, label};
use std::fs;
use std::path::Path;

const OLD: &str = "20260101T000000Z-host-aaaaaa";
const NEW: &str = "20260102T000000Z-host-bbbbbb";

/// What bash would put in place of the last word of `line`, through the script that is installed.
fn bash(program: &Program, line: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_BIN_EXE_pontage")).parent().unwrap();
    // Bash ends a word at these as well.
    let last = line.rsplit([' ', '@', '=', ':']).next().unwrap();
    let script = format!(
        "PATH={}:$PATH; source <(pontage completions bash); COMP_LINE={line:?}; \
         COMP_POINT=${{#COMP_LINE}}; _pontage pontage '{last}' before; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        folder.display()
    );
    let ended = program.shell(&script);
    assert_eq!(ended.status, 0, "{ended:?}");
    let words = ended.stdout.lines().filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

#[test]
fn experiments_areas_recipes_and_conclusions_are_offered() {
    let program = Program::new();
    assert_eq!(bash(&program, "pontage run mem/late"), ["mem/latency"]);
    assert_eq!(
        bash(&program, "pontage run mem/latency,mem/pre"),
        ["mem/latency,mem/prefetch"]
    );
    assert_eq!(bash(&program, "pontage run sysc")[0], "syscall");
    assert_eq!(bash(&program, "pontage run infer"), ["inference"]);
    assert_eq!(
        bash(&program, "pontage ab syscall/getp"),
        ["syscall/getppid"]
    );
    assert_eq!(bash(&program, "pontage explain l2_cap"), ["l2_capacity"]);
    assert_eq!(
        bash(&program, "pontage explain mem/line sysc")[0],
        "syscall"
    );
    assert_eq!(
        bash(&program, "pontage list mem/latency,l2_cap"),
        ["mem/latency,l2_capacity"]
    );
    assert_eq!(
        bash(&program, "pontage ipc -i unix_seq"),
        ["unix_seqpacket"]
    );
    assert_eq!(
        bash(&program, "pontage colocate --a alu,ima"),
        ["alu,image"]
    );
    assert!(bash(&program, "pontage ru").contains(&"runs".to_owned()));
}

#[test]
fn axes_are_those_of_what_is_selected_with_their_words() {
    let program = Program::new();
    let axes = bash(&program, "pontage run 'syscall/read' --axis ");
    assert!(
        !axes.is_empty() && axes.iter().all(|axis| axis.ends_with('=')),
        "{axes:?}"
    );
    assert!(!axes.contains(&"policy=".to_owned()));
    assert!(bash(&program, "pontage run --axis ").contains(&"policy=".to_owned()));
    assert_eq!(
        bash(&program, "pontage run sched/slice --axis policy=fi"),
        ["fifo"]
    );
    assert_eq!(
        bash(&program, "pontage run sched/slice --axis policy=fifo,r"),
        ["fifo,rr"]
    );
}

#[test]
fn words_for_runs_are_offered_wherever_one_is_asked_for() {
    let program = Program::new();
    let old = keep(&program, OLD, "2026-01-01T00:00:00Z");
    keep(&program, NEW, "2026-01-02T00:00:00Z");
    label(&old, Some("release"), &["ci"]);
    let all = ["latest", "previous", "@release", "@ci", NEW, OLD];
    for line in [
        "pontage report ",
        "pontage report x --under-load ",
        "pontage compare ",
        "pontage compare x ",
        "pontage export ",
        "pontage advise ",
        "pontage run --resume ",
        "pontage runs rename ",
        "pontage runs tag ",
        "pontage runs baseline ",
        "pontage runs delete ",
    ] {
        let found = bash(&program, line);
        let words = found.iter().filter(|word| !word.starts_with('-'));
        assert_eq!(words.collect::<Vec<_>>(), all, "{line}");
    }
    // Bash keeps the @.
    assert_eq!(bash(&program, "pontage report @rel"), ["release"]);
    assert_eq!(bash(&program, "pontage report 20260102"), [NEW]);
    assert_eq!(
        bash(&program, "pontage report runs/20260102"),
        [format!("runs/{NEW}/")]
    );
}

#[test]
fn a_record_from_elsewhere_puts_no_commands_on_the_line() {
    let program = Program::new();
    let old = keep(&program, OLD, "2026-01-01T00:00:00Z");
    label(&old, Some("$(touch proof)"), &["a\nb", "`x`", "fine"]);
    let found = bash(&program, "pontage report @");
    assert_eq!(found, ["fine"]);
}

#[test]
fn asking_writes_nothing_and_every_shell_has_a_script() {
    let program = Program::new();
    keep(&program, OLD, "2026-01-01T00:00:00Z");
    let names = || {
        let mut names: Vec<_> = fs::read_dir(program.out().parent().unwrap())
            .unwrap()
            .chain(fs::read_dir(program.out()).unwrap())
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    let before = names();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = program.run(&["completions", shell]);
        assert_eq!(script.status, 0, "{script:?}");
        assert!(script.stdout.contains("PONTAGE_COMPLETE"), "{script:?}");
        let mut asked = program.command(&["--", "pontage", "report", "lat"]);
        asked
            .env("PONTAGE_COMPLETE", shell)
            .env("_CLAP_COMPLETE_INDEX", "2");
        let answer = program::ended(asked.output().unwrap());
        assert!(
            answer.status == 0 && answer.stdout.starts_with("latest"),
            "{shell}: {answer:?}"
        );
    }
    assert_eq!(names(), before);
    let unknown = program
        .command(&["list"])
        .env("PONTAGE_COMPLETE", "tcsh")
        .output()
        .unwrap();
    assert_eq!(unknown.status.code(), Some(2));
}
