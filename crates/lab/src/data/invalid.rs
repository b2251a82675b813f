//! What a data file may say in TOML and cannot mean.

use std::fmt::{self, Display};

/// Why a machine or a scenario cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invalid {
    PluginName(String),
    PluginThreads,
    ModuleName(String),
    TestName(String),
    TestLines,
    /// The line of the console that is to be ignored.
    Benign(String),
    NoDeadline,
    NoKernel(String),
    NoMachine(String),
    Architectures {
        kernel: String,
        machine: String,
    },
    /// Of a machine on which a scenario counts.
    NoPlugin(String),
}

impl Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Invalid::PluginName(name) => {
                write!(f, "{name:?} is not a name for a plugin or argument")
            }
            Invalid::PluginThreads => {
                f.write_str("plugins lock nothing: they need threads = \"single\"")
            }
            Invalid::ModuleName(name) => write!(f, "module {name:?} is not a plain name"),
            Invalid::TestName(name) => write!(f, "test {name:?} is not a plain name"),
            Invalid::TestLines => f.write_str("a test's command has several lines"),
            Invalid::Benign(line) => {
                write!(f, "benign line {line:?} needs a text and a reason")
            }
            Invalid::NoDeadline => f.write_str("deadline_s must be at least 1"),
            Invalid::NoKernel(name) => write!(f, "no kernel {name:?}"),
            Invalid::NoMachine(name) => write!(f, "no machine {name:?}"),
            Invalid::Architectures { kernel, machine } => write!(
                f,
                "kernel {kernel} and machine {machine} differ in architecture"
            ),
            Invalid::NoPlugin(machine) => {
                write!(f, "machine {machine} has no plugin that counts")
            }
        }
    }
}
