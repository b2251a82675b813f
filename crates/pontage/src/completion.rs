//! Completions of a shell: the script that asks, and the answers.

use crate::arguments::Arguments;
use crate::failure::{Failure, Outcome};
use crate::output;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_complete::env::{Bash, CompleteEnv, Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};
use std::ffi::OsString;
use std::io::{Error, Write};
use std::path::Path;

/// Set by the scripts, to the name of the shell.
const ASKED: &str = "PONTAGE_COMPLETE";
const NAME: &str = "pontage";

const SHELLS: Shells<'static> = Shells(&[&WholeWords, &Elvish, &Fish, &Powershell, &Zsh]);

/// Answers a shell that asks; false where none does.
///
/// # Errors
/// A shell that is not known, an answer that cannot be written.
pub fn answered() -> Result<bool, Failure> {
    let asked = CompleteEnv::with_factory(Arguments::command)
        .var(ASKED)
        .shells(SHELLS);
    let folder = std::env::current_dir().ok();
    asked
        .try_complete(std::env::args_os(), folder.as_deref())
        .map_err(|e| Failure::new(format!("cannot complete: {e}")))
}

/// Prints the script that makes a shell ask.
///
/// # Errors
/// When standard output cannot be written.
pub fn script(shell: Shell) -> Outcome {
    let mut text = Vec::new();
    let known = SHELLS.completer(&shell.to_string());
    let known = known.ok_or_else(|| Failure::new(format!("cannot complete in {shell}")))?;
    output::ended(known.write_registration(ASKED, NAME, NAME, NAME, &mut text))?;
    output::data(&String::from_utf8_lossy(&text))
}

/// Bash, which takes `@`, `=` and `:` for the end of a word: the script takes words as they were
/// typed, and off the answers what bash keeps of the word.
struct WholeWords;

const BASH: &str = r#"_pontage() {
    local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT} words
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    local index=$((${#words[@]} - 1))
    local kept=${words[index]%"$2"}
    IFS=$'\013'
    COMPREPLY=($(VAR=bash _CLAP_COMPLETE_INDEX=$index _CLAP_IFS=$IFS COMPLETER -- "${words[@]}" 2> /dev/null))
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
    [[ ${COMPREPLY-} == *[=/] ]] && compopt -o nospace 2> /dev/null
}
complete -o bashdefault -o nosort -F _pontage BIN
"#;

impl EnvCompleter for WholeWords {
    fn name(&self) -> &'static str {
        Bash.name()
    }

    fn is(&self, name: &str) -> bool {
        Bash.is(name)
    }

    fn write_registration(
        &self,
        var: &str,
        _name: &str,
        bin: &str,
        completer: &str,
        buf: &mut dyn Write,
    ) -> Result<(), Error> {
        let script = BASH.replace("VAR", var).replace("COMPLETER", completer);
        buf.write_all(script.replace("BIN", bin).as_bytes())
    }

    fn write_complete(
        &self,
        cmd: &mut Command,
        args: Vec<OsString>,
        current_dir: Option<&Path>,
        buf: &mut dyn Write,
    ) -> Result<(), Error> {
        Bash.write_complete(cmd, args, current_dir, buf)
    }
}
