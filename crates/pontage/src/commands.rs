//! Commands that are to be measured are looked for before anything is measured.

use crate::failure::Failure;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Looks for the program of every line, as far as a look can find it.
///
/// # Errors
/// Names the first line whose program is not there, or cannot be executed.
pub fn check(lines: &[String]) -> Result<(), Failure> {
    lines.iter().try_for_each(|line| {
        let Some(program) = program_of(line) else {
            return Ok(());
        };
        let (cause, hint) = match refusal(program) {
            None => return Ok(()),
            Some(refused) => refused,
        };
        let line = escape::terminal(line);
        Err(Failure::new(format!("cannot run `{line}`: {cause}")).hint(hint))
    })
}

/// Looks for a program that is started without a shell, with these words.
///
/// # Errors
/// When it is not there, or cannot be executed.
pub fn check_program(words: &[OsString]) -> Result<(), Failure> {
    let Some(program) = words.first().map(|word| word.to_string_lossy()) else {
        return Ok(());
    };
    let (cause, hint) = match program.contains('/') {
        true => match refusal(&program) {
            None => return Ok(()),
            Some(refused) => refused,
        },
        false if on_path(&program) => return Ok(()),
        false => {
            let hint = format!("it is not on PATH; see: command -v {program}");
            (format!("there is no program {program}"), hint)
        }
    };
    Err(Failure::new(format!("cannot start {program}: {cause}")).hint(hint))
}

/// Whether a folder of PATH has an executable of this name.
fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let files = std::env::split_paths(&path).map(|folder| folder.join(program));
    let mut found = files.filter_map(|file| fs::metadata(file).ok());
    found.any(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Its first word; None where the shell makes more of it than a word.
fn program_of(line: &str) -> Option<&str> {
    let first = line.split([';', '&', '|', '<', '>', '\n']).next()?;
    let is_setting = |word: &&str| word.split_once('=').is_some_and(|(name, _)| is_plain(name));
    let word = first.split_whitespace().find(|word| !is_setting(word))?;
    is_plain(word).then_some(word)
}

/// No quotes, no substitution: it is what it says.
fn is_plain(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_-+.,/:%@[".contains(c);
    !word.is_empty() && word.chars().all(plain)
}

/// Why it cannot run, and what to do.
fn refusal(program: &str) -> Option<(String, String)> {
    if !program.contains('/') {
        return (!shell_knows(program)).then(|| {
            let cause = format!("there is no command {program}");
            let hint = format!("it is not on PATH; see: command -v {program}");
            (cause, hint)
        });
    }
    let look = format!("see: ls -l {program}");
    match fs::metadata(Path::new(program)) {
        Err(cause) => Some((format!("{program}: {cause}"), look)),
        Ok(meta) if meta.is_dir() => Some((format!("{program} is a folder"), look)),
        Ok(meta) if meta.permissions().mode() & 0o111 == 0 => Some((
            format!("{program} is not executable"),
            format!("chmod +x {program}"),
        )),
        Ok(_) => None,
    }
}

/// A program in PATH, or a word of the shell's own. The word is not executed. Where
/// there is no shell the measurement says so.
fn shell_knows(word: &str) -> bool {
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"command -v -- "$1""#, "sh", word]);
    let silent = shell.stdin(Stdio::null()).stdout(Stdio::null());
    let status = silent.stderr(Stdio::null()).status();
    status.map_or(true, |status| status.success())
}

#[cfg(test)]
mod tests {
    use super::{check, check_program};

    fn checked(line: &str) -> Result<(), String> {
        check(&[line.to_owned()]).map_err(|failure| failure.to_string())
    }

    #[test]
    fn what_can_run_passes() {
        for line in [
            "true",
            "sh -c 'exit 3'",
            "/bin/sh",
            "exit 3",
            "for i in 1 2; do true; done",
            "A=1 B=2 true",
            "true; nonexistent",
            "true|cat",
            ": nothing",
            "[ 1 = 1 ]",
            // What only the shell can tell.
            "$PROGRAM x",
            "'/with a blank' x",
            "(nonexistent)",
            "~/bin/x",
            "A=1",
        ] {
            assert_eq!(checked(line), Ok(()), "{line}");
        }
    }

    #[test]
    fn a_program_that_no_shell_starts_is_a_file() {
        let checked = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(|word| word.into()).collect();
            check_program(&words).map_err(|failure| failure.to_string())
        };
        for words in [&["ls", "-l"][..], &["/bin/sh"], &[]] {
            assert_eq!(checked(words), Ok(()), "{words:?}");
        }
        let cause = |words: &[&str]| checked(words).unwrap_err();
        assert!(cause(&["nosuchprogram"]).contains("cannot start nosuchprogram: there is no"));
        assert!(cause(&["/nonexistent"]).contains("/nonexistent: No such file"));
        assert!(cause(&["/etc"]).contains("is a folder"));
        // A word of the shell's own.
        assert!(cause(&["ulimit -n"]).contains("there is no program"));
    }

    #[test]
    fn what_cannot_is_named_with_its_cause() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("text");
        std::fs::write(&text, "no program\n").unwrap();
        for (line, cause) in [
            (
                "/nonexistent --fast".to_owned(),
                "/nonexistent: No such file",
            ),
            ("nonexistent-program 1 2".to_owned(), "there is no command"),
            ("A=1 nonexistent-program".to_owned(), "there is no command"),
            (format!("{} x", folder.path().display()), "is a folder"),
            (format!("{} x", text.display()), "is not executable"),
            (format!("{}; true", text.display()), "hint: chmod +x"),
            (
                "/nonexistent \u{1b}[2J".to_owned(),
                "cannot run `/nonexistent ?[2J`",
            ),
        ] {
            let message = checked(&line).unwrap_err();
            assert!(message.contains(cause), "{line:?}: {message}");
        }
    }
}
