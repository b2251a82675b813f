//! The flags of `pontage colocate`.

use crate::amounts::{Bare, whole};
use crate::candidates;
use crate::flags::{Format, placements};
use crate::run::flags::Study;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap_complete::ArgValueCompleter;

/// How much two workloads slow each other down: pairs of the same kind against mixed pairs.
#[derive(Debug, Args)]
#[command(
    after_help = "KIND: a name of --list, or a command: anything with a space or a slash, or \
    after cmd:.\nBefore = neighbour of the same kind, after = of the other kind. Each task is a \
    process."
)]
pub struct Colocate {
    /// First workload; several: image,msync
    #[arg(
        long,
        value_name = "KIND|COMMAND",
        add = ArgValueCompleter::new(candidates::workloads),
        required_unless_present_any = ["matrix", "list"]
    )]
    pub a: Vec<String>,
    /// Second workload; several are measured one after the other
    #[arg(
        long,
        value_name = "KIND|COMMAND",
        add = ArgValueCompleter::new(candidates::workloads),
        required_unless_present_any = ["matrix", "list"]
    )]
    pub b: Vec<String>,
    /// Tasks of each workload: 2+2, or 2+2,6+6 (default: 2+2 with four CPUs, else 1+1)
    #[arg(long, value_name = "N+M", value_delimiter = ',', value_parser = tasks,
          conflicts_with = "matrix")]
    pub tasks: Vec<Tasks>,
    /// Where the neighbour runs
    #[arg(long, value_name = "WORD", value_delimiter = ',', default_value = AUTO,
          value_parser = PossibleValuesParser::new(where_to()))]
    pub placement: Vec<String>,
    /// Run the tasks as threads of one process: they share an address space
    #[arg(long)]
    pub same_mm: bool,
    /// Length of one window: 20 (milliseconds), 20ms, 1s; windows with the two kinds of
    /// neighbour alternate
    #[arg(long, value_name = "MS", value_parser = whole::<i64>(Bare::Milliseconds, 1..=60_000))]
    pub window: Option<i64>,
    /// Longest time that one run of a command may take: 60 (seconds), 60s, 5m
    #[arg(long, value_name = "TIME", value_parser = whole::<i64>(Bare::Seconds, 1..=86_400))]
    pub deadline: Option<i64>,
    /// Every workload of --a next to every workload of --b, against alone
    /// (default: the listed workloads, and a spinning CPU)
    #[arg(long)]
    pub matrix: bool,
    /// List the workloads
    #[arg(long, conflicts_with_all = ["a", "b", "matrix"])]
    pub list: bool,
    #[command(flatten)]
    pub study: Study,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// Tasks of kind a and of kind b.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tasks {
    pub a: u16,
    pub b: u16,
}

impl Tasks {
    /// Of both kinds.
    pub fn all(&self) -> usize {
        usize::from(self.a) + usize::from(self.b)
    }
}

fn tasks(text: &str) -> Result<Tasks, String> {
    let count = |part: &str| -> Result<u16, String> {
        match part.trim().parse() {
            Ok(0) => Err("a pair has one task of each kind at least".to_owned()),
            Ok(count) => Ok(count),
            Err(_) => Err("two numbers of tasks, as in 2+2".to_owned()),
        }
    };
    let (a, b) = text.split_once('+').unwrap_or((text, ""));
    Ok(Tasks {
        a: count(a)?,
        b: count(b)?,
    })
}

/// As near as all tasks find seats.
pub const AUTO: &str = "auto";

fn where_to() -> impl Iterator<Item = PossibleValue> {
    let auto = PossibleValue::new(AUTO).help("as near as all tasks find seats");
    std::iter::once(auto).chain(placements())
}

#[cfg(test)]
mod tests {
    use super::{Tasks, tasks};

    #[test]
    fn tasks_are_two_numbers_above_zero() {
        assert_eq!(tasks("2+3"), Ok(Tasks { a: 2, b: 3 }));
        assert!(tasks("0+1").unwrap_err().contains("one task of each"));
        for wrong in ["2", "2+", "+2", "2+2+2", "-1+2", "a+b", "", "99999+1"] {
            assert!(tasks(wrong).unwrap_err().contains("as in 2+2"), "{wrong}");
        }
    }
}
