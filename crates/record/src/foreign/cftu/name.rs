//! What a file is called, and what that says of its lines.

use super::{BAND_FOLDER, CopyLoad, LATENCY_FOLDER, POLLUTION_FOLDER, TRACE_FOLDER};
use crate::copies::CopyOperation;

/// The largest number on the menu of sizes: 1 is 2 MiB, 10 is 1024 MiB.
const MENU_ENTRIES: u8 = 10;

/// The routines that the study traced, a file for each. Copies through an iov_iter
/// are none of them: its kernel used these for pipes, sockets and files as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Routine {
    From,
    To,
    UncheckedFrom,
    UncheckedTo,
}

impl Routine {
    /// Every routine.
    pub const ALL: [Routine; 4] = [
        Routine::From,
        Routine::To,
        Routine::UncheckedFrom,
        Routine::UncheckedTo,
    ];

    /// The routine as an operation of recorded copies.
    pub fn operation(self) -> CopyOperation {
        self.known_as().0
    }

    /// As an operation, and by its file.
    fn known_as(self) -> (CopyOperation, &'static str) {
        match self {
            Routine::From => (CopyOperation::FromUser, "mem_trace_from.dat"),
            Routine::To => (CopyOperation::ToUser, "mem_trace_to.dat"),
            Routine::UncheckedFrom => (CopyOperation::UncheckedFromUser, "__mem_trace_from.dat"),
            Routine::UncheckedTo => (CopyOperation::UncheckedToUser, "__mem_trace_to.dat"),
        }
    }
}

/// A file of the study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatName {
    Trace(Routine),
    Latency {
        /// From or to user memory.
        to_user: bool,
        /// `nc`: with caches flushed.
        flushed: bool,
        /// Number on the menu of largest sizes; None where the name has none.
        menu: Option<u8>,
        synth: bool,
    },
    Band(Direction),
    /// Programs measured during copies.
    Pollution {
        load: CopyLoad,
        synth: bool,
    },
}

/// Which copies went on at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    FromUser,
    Both,
    ToUser,
}

impl Direction {
    /// Every direction.
    pub const ALL: [Direction; 3] = [Direction::FromUser, Direction::Both, Direction::ToUser];

    /// Value of the axis `direction`.
    pub fn word(self) -> &'static str {
        self.known_as().0
    }

    /// That of copies from user memory, and to it.
    pub(super) fn of(from: bool, to: bool) -> Option<Self> {
        match (from, to) {
            (true, false) => Some(Direction::FromUser),
            (true, true) => Some(Direction::Both),
            (false, true) => Some(Direction::ToUser),
            (false, false) => None,
        }
    }

    /// By its word and by its file.
    fn known_as(self) -> (&'static str, &'static str) {
        match self {
            Direction::FromUser => ("from_user", "measures_from.dat"),
            Direction::Both => ("both", "measures_from_to.dat"),
            Direction::ToUser => ("to_user", "measures_to.dat"),
        }
    }
}

/// The number on the menu whose size holds `largest_bytes`: 5 for 32 MiB. None
/// above 1024 MiB.
pub fn menu_number(largest_bytes: u64) -> Option<u8> {
    (1..=MENU_ENTRIES).find(|x| (1 << (20 + x)) >= largest_bytes)
}

impl DatName {
    /// What the name says, with some freedom: case, `-` or `_`, their order
    /// behind the first words. None where it does not say what was copied where.
    pub fn parse(file_name: &str) -> Option<Self> {
        let lower = file_name.to_ascii_lowercase().replace(['-', ' '], "_");
        let stem = lower.strip_suffix(".dat").unwrap_or(&lower);
        let words: Vec<&str> = stem.split('_').filter(|w| !w.is_empty()).collect();
        let has = |word: &str| words.contains(&word);
        let (from, to) = (has("from"), has("to"));
        if let [first @ ("measure" | "synthesis"), rest @ ..] = words.as_slice() {
            return Some(DatName::Pollution {
                load: CopyLoad::parse(rest),
                synth: *first == "synthesis",
            });
        }
        if has("mem") && has("trace") {
            let unchecked = stem.starts_with("__");
            return routine(from, to, unchecked).map(DatName::Trace);
        }
        if has("measures") {
            return Direction::of(from, to).map(DatName::Band);
        }
        if !(has("micro") && has("benchmark")) || from == to {
            return None;
        }
        Some(DatName::Latency {
            to_user: to,
            flushed: has("nc"),
            menu: words.iter().find_map(|w| w.parse().ok()),
            synth: ["synth", "synthesis"].iter().any(|w| has(w)),
        })
    }

    /// The exact name, from the folder that holds the four studies.
    /// A latency file without a menu number has none in its name.
    pub fn path(&self) -> String {
        format!("{}/{}", self.folder(), self.file())
    }

    /// Where the study keeps such a file, below its root.
    pub fn folder(&self) -> &'static str {
        match self {
            DatName::Trace(_) => TRACE_FOLDER,
            DatName::Latency { .. } => LATENCY_FOLDER,
            DatName::Band(_) => BAND_FOLDER,
            DatName::Pollution { .. } => POLLUTION_FOLDER,
        }
    }

    /// The exact name alone.
    pub fn file(&self) -> String {
        match self {
            DatName::Trace(routine) => routine.known_as().1.to_owned(),
            DatName::Latency {
                to_user,
                flushed,
                menu,
                synth,
            } => {
                let way = if *to_user { "to" } else { "from" };
                let cache = if *flushed { "_nc" } else { "" };
                let menu = menu.map_or_else(String::new, |x| format!("_{x}"));
                let synth = if *synth { "_synth" } else { "" };
                format!("micro-benchmark_{way}{cache}{menu}{synth}.dat")
            }
            DatName::Band(direction) => direction.known_as().1.to_owned(),
            DatName::Pollution { load, synth } => {
                let kind = if *synth { "synthesis" } else { "measure" };
                format!("{kind}_{load}.dat")
            }
        }
    }
}

fn routine(from: bool, to: bool, unchecked: bool) -> Option<Routine> {
    match (from, to, unchecked) {
        (true, false, false) => Some(Routine::From),
        (false, true, false) => Some(Routine::To),
        (true, false, true) => Some(Routine::UncheckedFrom),
        (false, true, true) => Some(Routine::UncheckedTo),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{DatName, menu_number};

    #[test]
    fn every_name_of_the_study_is_read_and_written() {
        for name in [
            "mem_trace_from.dat",
            "__mem_trace_from.dat",
            "mem_trace_to.dat",
            "__mem_trace_to.dat",
            "micro-benchmark_from_1.dat",
            "micro-benchmark_from_nc_5.dat",
            "micro-benchmark_to_10.dat",
            "micro-benchmark_to_nc_1.dat",
            "micro-benchmark_from_1_synth.dat",
            "micro-benchmark_to_nc_10_synth.dat",
            "measures_from.dat",
            "measures_from_to.dat",
            "measures_to.dat",
        ] {
            let read = DatName::parse(name).expect(name);
            assert_eq!(read.file(), name);
            assert!(read.path().contains("/risultati/"));
        }
    }

    #[test]
    fn names_that_were_changed_are_still_understood() {
        for (odd, name) in [
            (
                "micro-benchmark_synth_to_nc_1.dat",
                "micro-benchmark_to_nc_1_synth.dat",
            ),
            ("Micro_Benchmark_from_3.DAT", "micro-benchmark_from_3.dat"),
            ("measures-from-to", "measures_from_to.dat"),
        ] {
            assert_eq!(DatName::parse(odd).expect(odd).file(), name);
        }
        for none in [
            "measured_x.dat",
            "micro-benchmark_1.dat",
            "micro_from_1.dat",
            "benchmark_to_1.dat",
            "mem_trace.dat",
            "run.json",
            "",
        ] {
            assert_eq!(DatName::parse(none), None, "{none}");
        }
    }

    #[test]
    fn the_menu_doubles_from_2_to_1024_mib() {
        assert_eq!(menu_number(1), Some(1));
        assert_eq!(menu_number(2 << 20), Some(1));
        assert_eq!(menu_number((2 << 20) + 1), Some(2));
        assert_eq!(menu_number(32 << 20), Some(5));
        assert_eq!(menu_number(1 << 30), Some(10));
        assert_eq!(menu_number((1 << 30) + 1), None);
    }
}
