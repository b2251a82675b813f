//! Every command of the book is run, or parsed where it would change the machine, and prints what
//! the book shows. With UPDATE_GOLDEN=1 the exact outputs are written anew, with
//! UPDATE_GOLDEN=varies also those of this machine.

#[path = "book/page.rs"]
mod page;
mod program;

use page::{Command, How, commands, shows};
use program::{Ended, Program};
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Stands before the program in the pages' commands: adds what makes a command short.
const SHORT: &str = r#"#!/bin/bash
case "$BOOK_HOW:$1: $*" in
    Short:run:*--processes*) set -- "$@" --samples 3 ;;
    Short:run:*) set -- "$@" --samples 3 --processes 1 ;;
    Short:ab:*--command*) set -- "$@" --time 2 ;;
    Short:ab:*) set -- "$@" --time 1 --budget-ms 20 ;;
    Short:ipc:*) set -- "${@/#11/2}" ;;
    Plan:run:*|Plan:ab:*) set -- "$@" --dry-run ;;
esac
exec "$PONTAGE" "$@"
"#;

/// Root needs none; another user's commands of sudo are parsed and not run.
const SUDO: &str = "#!/bin/bash\nexec \"$@\"\n";

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    here.canonicalize().unwrap()
}

/// The README, and the pages that the book's table of contents names.
fn pages() -> Vec<PathBuf> {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut pages = vec![root().join("README.md")];
    let links = summary.split("](").skip(1);
    for page in links.filter_map(|rest| rest.split_once(')')) {
        pages.push(root().join("docs").join(page.0));
    }
    pages
}

/// A folder as the pages suppose it: the examples, and a trace and runs of one's own.
fn prepare(program: &Program) {
    let here = program.out().parent().unwrap().to_path_buf();
    symlink(root().join("examples"), here.join("examples")).unwrap();
    for run in ["quick", "before", "after"] {
        copy_run(&root().join("examples").join(run), &program.out());
    }
    fs::copy(root().join("examples/wakeups.dat"), here.join("trace.dat")).unwrap();
    let bin = here.join("bin");
    fs::create_dir(&bin).unwrap();
    for (name, text) in [("pontage", SHORT), ("sudo", SUDO)] {
        fs::write(bin.join(name), text).unwrap();
        let run = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(bin.join(name), run).unwrap();
    }
}

fn copy_run(of: &Path, runs: &Path) {
    let id = program::head(of)["id"].as_str().unwrap().to_owned();
    fs::create_dir_all(runs.join(&id)).unwrap();
    for file in of.read_dir().unwrap().flatten() {
        fs::copy(file.path(), runs.join(&id).join(file.file_name())).unwrap();
    }
}

fn run(program: &Program, command: &Command) -> Ended {
    // What a page shows as an example is measured in full when it is written, and else in short.
    let how = match command.how {
        How::Varies if update() != "varies" => How::Short,
        how => how,
    };
    let script = format!(
        "export PATH=$PWD/bin:$PATH BOOK_HOW={how:?}\n{{ {}\n}} 2>&1 </dev/null",
        command.text
    );
    program.shell(&script)
}

/// The words of our command in a line of the shell, without what is another's.
fn own_words(line: &str) -> Option<Vec<String>> {
    let words = shlex::split(&line.replace("\\\n", " "))?;
    let before = ["sudo", "&&", "||", ";", "|"];
    let begins = |at: usize| {
        let first =
            at == 0 || before.contains(&words[at - 1].as_str()) || words[at - 1].contains('=');
        words[at] == "pontage" && first
    };
    let begin = (0..words.len()).find(|at| begins(*at))?;
    let own = words.into_iter().skip(begin + 1);
    Some(
        own.take_while(|word| !["--", "|", ">", "&&", "||", ";"].contains(&word.as_str()))
            .collect(),
    )
}

/// Of a command that is not run: the shell can read it, and the program its own words.
fn understood(program: &Program, command: &Command) -> Result<(), String> {
    let read = program.shell(&format!("bash -n <<'END'\n{}\nEND", command.text));
    if read.status != 0 {
        return Err(read.stderr);
    }
    let Some(own) = own_words(&command.text) else {
        return Ok(());
    };
    let own: Vec<&str> = own.iter().map(String::as_str).chain(["--help"]).collect();
    let ended = program.run(&own);
    if ended.status == 0 {
        Ok(())
    } else {
        Err(ended.stderr)
    }
}

/// What is wrong with a command of a page, if anything; the page's lines where they change.
fn tried(program: &Program, command: &Command) -> Result<Option<Vec<String>>, String> {
    // SAFETY: takes nothing.
    let is_root = unsafe { libc::geteuid() } == 0;
    if command.how == How::Understood || !is_root && command.text.contains("sudo ") {
        return understood(program, command).map(|()| None);
    }
    let ended = run(program, command);
    let here = program.out().parent().unwrap().display().to_string();
    let printed = ended.stdout.replace(&here, ".");
    let lines: Vec<&str> = printed.lines().collect();
    // One of our own that cannot run on this machine says so: that is what its reader will see.
    let says_so = ["SKIP", "Not measured"]
        .iter()
        .any(|word| printed.contains(word));
    let skipped = ended.status == 77 && says_so;
    let may_skip = command.how != How::Exact;
    let allowed = command.statuses.contains(&ended.status) || may_skip && skipped;
    if !allowed {
        return Err(format!("status {}\n{printed}", ended.status));
    }
    let end = command.output.len()
        - command
            .output
            .iter()
            .rev()
            .take_while(|l| l.is_empty())
            .count();
    let shown = &command.output[..end];
    let update = update();
    let elided = shown.iter().any(|line| line == "...");
    let is_asked_for = shown == ["?"];
    let anew = match command.how {
        How::Exact => !update.is_empty() && !elided,
        // Of what this machine lacks another machine's output stays.
        How::Varies => {
            update == "varies" && !elided && !shown.is_empty() && (!skipped || is_asked_for)
        }
        _ => false,
    };
    if anew {
        // On a terminal progress is one line that goes again.
        let progress = |line: &&str| line.starts_with("process ") && line.contains(" points  ");
        let lines = lines.into_iter().filter(|line| !progress(line));
        let blank = command.output[end..].iter().map(String::as_str);
        return Ok(Some(lines.chain(blank).map(str::to_owned).collect()));
    }
    if is_asked_for {
        return Err("its output is asked for: UPDATE_GOLDEN=varies".to_owned());
    }
    if command.how == How::Exact && !shown.is_empty() && !shows(shown, &lines) {
        return Err(format!("prints now:\n{printed}"));
    }
    Ok(None)
}

/// Empty, `1`, or `varies`.
fn update() -> String {
    std::env::var("UPDATE_GOLDEN").unwrap_or_default()
}

/// What came of the commands of some pages.
#[derive(Default)]
struct Tried {
    counts: BTreeMap<String, usize>,
    wrong: Vec<String>,
    /// Lines of a page, and what they should be.
    changes: Vec<(PathBuf, Range<usize>, Vec<String>)>,
}

/// Tries those commands of a page that read only, or the others, in a folder of their own.
fn page(path: &Path, reads: bool, done: &mut Tried) {
    let name = path.strip_prefix(root()).unwrap().display().to_string();
    let all = match commands(&fs::read_to_string(path).unwrap()) {
        Ok(all) => all,
        Err(cause) => return done.wrong.push(format!("{name}: {cause}")),
    };
    let program = match reads {
        true => Program::reading(),
        false => Program::new(),
    };
    prepare(&program);
    let of_reading = |how| matches!(how, How::Exact | How::Understood);
    for command in all.iter().filter(|c| of_reading(c.how) == reads) {
        *done.counts.entry(format!("{:?}", command.how)).or_default() += 1;
        match tried(&program, command) {
            Ok(None) => {}
            Ok(Some(output)) => {
                let lines = command.lines.clone();
                done.changes.push((path.to_owned(), lines, output));
            }
            Err(cause) => done.wrong.push(format!(
                "{name}:{}: {}\n{cause}",
                command.lines.start, command.text
            )),
        }
    }
}

/// From the end of each page to its begin, so that no place moves.
fn write(mut changes: Vec<(PathBuf, Range<usize>, Vec<String>)>) {
    changes.sort_by_key(|(_, lines, _)| std::cmp::Reverse(lines.start));
    for (path, range, output) in changes {
        let text = fs::read_to_string(&path).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.splice(range, output);
        fs::write(&path, lines.join("\n") + "\n").unwrap();
    }
}

#[test]
fn every_command_of_the_book_does_what_the_book_shows() {
    let only = std::env::var("BOOK_PAGE").unwrap_or_default();
    let mut pages = pages();
    pages.retain(|path| path.ends_with(&only) || only.is_empty());
    // What only reads goes on next to what measures.
    let all = |reads| {
        let mut done = Tried::default();
        pages.iter().for_each(|path| page(path, reads, &mut done));
        done
    };
    let (read, measured) = std::thread::scope(|scope| {
        let reading = scope.spawn(|| all(true));
        let measured = all(false);
        (reading.join().unwrap(), measured)
    });
    eprintln!(
        "commands of the book: {:?} {:?}",
        read.counts, measured.counts
    );
    let wrong = [read.wrong, measured.wrong].concat();
    write([read.changes, measured.changes].concat());
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// A command that stands in a page and not in a console block would not be run.
#[test]
fn no_command_of_ours_stands_outside_a_console_block() {
    let mut wrong = Vec::new();
    for path in pages() {
        let mut fence: Option<String> = None;
        for (at, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            if let Some(head) = line.trim_start().strip_prefix("```") {
                fence = fence.is_none().then(|| head.to_owned());
                continue;
            }
            let indented = fence.is_none() && line.starts_with("    ");
            let other = fence
                .as_ref()
                .is_some_and(|head| !head.starts_with("console") && head != "text");
            let text = line.trim_start().trim_start_matches("sudo ");
            if (indented || other) && text.starts_with("pontage ") {
                wrong.push(format!("{}:{}: {line}", path.display(), at + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
