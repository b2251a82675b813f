//! The flags of `pontage colocate`.

use crate::arguments::TextOrJson;
use crate::study::Study;
use clap::{Args, ValueEnum};

/// What two kinds of work do to each other: equals beside each other, or mixed.
#[derive(Debug, Args)]
#[command(
    after_help = "KIND: a name of --list, or a command (what has a blank or a slash in it, \
    or stands behind cmd:).\nBefore: beside its own kind. After: beside the other. Each task is a \
    process of its own."
)]
pub struct Colocate {
    /// One kind of work; several: image,msync
    #[arg(
        long,
        value_name = "KIND|COMMAND",
        required_unless_present_any = ["matrix", "list"]
    )]
    pub a: Vec<String>,
    /// The other kind; several are measured one after the other
    #[arg(
        long,
        value_name = "KIND|COMMAND",
        required_unless_present_any = ["matrix", "list"]
    )]
    pub b: Vec<String>,
    /// Tasks of each kind: 2+2, or 2+2,6+6 (default: 2+2 with four CPUs, else 1+1)
    #[arg(long, value_name = "N+M", value_delimiter = ',', value_parser = tasks,
          conflicts_with = "matrix")]
    pub tasks: Vec<Tasks>,
    /// Where the neighbour runs; auto: as near as all tasks find seats
    #[arg(long, value_enum, value_delimiter = ',', default_value = "auto")]
    pub placement: Vec<Placement>,
    /// Tasks are threads of one process instead: they share an address space
    #[arg(long)]
    pub same_mm: bool,
    /// Time of one window; windows in both companies take turns
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(i64).range(1..=60_000))]
    pub window: Option<i64>,
    /// Longest that a command may run once
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(1..=86_400))]
    pub deadline: Option<i64>,
    /// Every kind of --a beside every kind of --b, alone against in company
    /// (default: what people run, and a CPU that spins)
    #[arg(long)]
    pub matrix: bool,
    /// Show the kinds of work
    #[arg(long, conflicts_with_all = ["a", "b", "matrix"])]
    pub list: bool,
    #[command(flatten)]
    pub study: Study,
    #[arg(long, value_enum, default_value = "text")]
    pub format: TextOrJson,
}

/// Tasks of kind a and of kind b.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tasks {
    pub a: u16,
    pub b: u16,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Placement {
    /// As near as all tasks find seats
    Auto,
    /// The other hardware thread of the core
    Sibling,
    /// Another core of the cluster
    Cluster,
    /// Another core under the last-level cache
    Cache,
    /// Another cache of the socket
    Socket,
    /// Another socket
    OtherSocket,
    /// The same CPU: they take turns
    Same,
}

impl Placement {
    /// The word on the axis; None: to be found.
    pub fn word(self) -> Option<&'static str> {
        Some(match self {
            Placement::Auto => return None,
            Placement::Sibling => "smt_sibling",
            Placement::Cluster => "same_cluster",
            Placement::Cache => "same_cache",
            Placement::Socket => "same_socket",
            Placement::OtherSocket => "other_socket",
            Placement::Same => "same_cpu",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Placement, Tasks, tasks};
    use clap::ValueEnum;
    use engines::tasks::seats;

    #[test]
    fn tasks_are_two_numbers_above_zero() {
        assert_eq!(tasks("2+3"), Ok(Tasks { a: 2, b: 3 }));
        assert!(tasks("0+1").unwrap_err().contains("one task of each"));
        for wrong in ["2", "2+", "+2", "2+2+2", "-1+2", "a+b", "", "99999+1"] {
            assert!(tasks(wrong).unwrap_err().contains("as in 2+2"), "{wrong}");
        }
    }

    #[test]
    fn every_placement_has_a_word_of_the_axis() {
        let words: Vec<_> = Placement::value_variants().iter().collect();
        let words = words.into_iter().filter_map(|p| p.word());
        let mut words: Vec<&str> = words.collect();
        words.sort_unstable();
        let mut all = engines::transport::PLACEMENTS.to_vec();
        all.sort_unstable();
        assert_eq!(words, all);
        for placement in Placement::value_variants() {
            let typed = placement.to_possible_value();
            let typed = typed.as_ref().map(|value| value.get_name());
            let flag = placement.word().map_or("auto", seats::flag);
            assert_eq!(typed, Some(flag));
        }
    }
}
