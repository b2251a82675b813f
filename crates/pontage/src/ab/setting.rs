//! `--between 'sysctl NAME=VALUE'`: a setting of the kernel that only B has.

use crate::failure::Failure;
use harness::HarnessError;
use harness::journal::{self, Journal};
use harness::settings::sysctl_file;
use std::path::{Path, PathBuf};

pub struct Setting {
    name: String,
    value: String,
    file: PathBuf,
    /// While B is measured.
    held: Option<Journal>,
}

impl Setting {
    /// From what was typed: with or without the word sysctl.
    ///
    /// # Errors
    /// What is no setting, or one that is not here.
    pub fn parse(text: &str) -> Result<Setting, Failure> {
        let words = text.trim();
        let words = words.strip_prefix("sysctl").map_or(words, str::trim_start);
        let parts = words.split_once('=').map(|(n, v)| (n.trim(), v.trim()));
        let Some((name, value)) = parts.filter(|(n, v)| !n.is_empty() && !v.is_empty()) else {
            return Err(Failure::new(format!(
                "cannot read --between {text:?}: it is no NAME=VALUE"
            ))
            .hint("for example: --between 'sysctl vm.swappiness=10'"));
        };
        let file = sysctl_file(Path::new("/"), name);
        if !file.exists() {
            let name = escape::terminal(name);
            return Err(Failure::new(format!(
                "cannot change {name}: this kernel has no such setting"
            ))
            .hint("sysctl -a lists them"));
        }
        journal::allows(Path::new("/"), &file, value).map_err(refused)?;
        Ok(Setting {
            name: name.to_owned(),
            value: value.to_owned(),
            file,
            held: None,
        })
    }

    /// `vm.swappiness=10 (A: 60)`.
    pub fn words(&self) -> String {
        let now = std::fs::read_to_string(&self.file).unwrap_or_default();
        format!("{}={} (A: {})", self.name, self.value, now.trim())
    }

    /// Sets it for B and puts it back for A, through the journal.
    ///
    /// # Errors
    /// Where it is not on the list of what may be changed, or cannot be written.
    pub fn hold(&mut self, for_b: bool) -> Result<(), Failure> {
        match (for_b, self.held.take()) {
            (true, None) => {
                let mut journal = Journal::here();
                journal.set(&self.file, &self.value).map_err(refused)?;
                self.held = Some(journal);
                Ok(())
            }
            (true, held) => {
                self.held = held;
                Ok(())
            }
            (false, None) => Ok(()),
            (false, Some(mut journal)) => {
                let undone = journal.undo();
                match undone.iter().find(|r| r.outcome.is_trouble()) {
                    None => Ok(()),
                    Some(trouble) => {
                        Err(Failure::new(trouble).hint("to put it back: pontage restore"))
                    }
                }
            }
        }
    }
}

fn refused(error: HarnessError) -> Failure {
    let hint = "only settings that are about speed are changed; the list: docs/guides/restore.md";
    Failure::from(error).or_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::Setting;

    #[test]
    fn what_is_no_setting_is_refused() {
        for text in ["", "sysctl", "sysctl vm.swappiness", "=1", "vm.swappiness="] {
            let message = Setting::parse(text).err().unwrap().to_string();
            assert!(
                message.contains("--between 'sysctl vm.swappiness=10'"),
                "{message}"
            );
        }
        let guarded = Setting::parse("kernel.core_pattern=x").err().unwrap();
        assert!(
            guarded
                .to_string()
                .contains("only settings that are about speed"),
            "{guarded}"
        );
        let none = Setting::parse("sysctl vm.nonexistent=1").err().unwrap();
        assert!(none.to_string().contains("no such setting"), "{none}");
    }
}
