//! The list of all programs.

use crate::susan::{self, Size, Task};
use crate::{
    Missing, Sizes, Workload, alu, events, fma, graph, image, interpreter, sort, strings, tree,
};

/// How the speed of a program is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quoted {
    /// Units a second, with the unit as it is written there: `frames/s`. More is better.
    PerSecond(&'static str),
    /// Seconds a unit, as of programs that come to an end. Less is better.
    Seconds,
}

/// One program.
#[derive(Clone, Copy)]
pub struct Program {
    pub name: &'static str,
    /// What a unit of work is, in the singular: `frame`, `sort`.
    pub unit: &'static str,
    /// What it does, and what it stands for; a sentence.
    pub doc: &'static str,
    pub quoted: Quoted,
    pub build: Build,
}

type Build = fn(&Sizes) -> Result<Box<dyn Workload>, Missing>;

/// Of the image programs, which differ by task and size.
const fn susan(name: &'static str, doc: &'static str, build: Build) -> Program {
    Program {
        name,
        unit: "image",
        doc,
        quoted: Quoted::Seconds,
        build,
    }
}

/// Every program, in the order of tables.
pub const ALL: &[Program] = &[
    Program {
        name: "alu",
        unit: "turn",
        doc: "integer arithmetic in registers; touches no memory",
        quoted: Quoted::PerSecond("turns/s"),
        build: |_| Ok(alu::build()),
    },
    susan(
        "susan_s_small",
        "smooths a grey picture of 7 KB with SUSAN",
        |_| Ok(susan::build(Task::Smooth, Size::Small)),
    ),
    susan(
        "susan_e_small",
        "finds the edges of a grey picture of 7 KB with SUSAN",
        |_| Ok(susan::build(Task::Edges, Size::Small)),
    ),
    susan(
        "susan_c_small",
        "finds the corners of a grey picture of 7 KB with SUSAN",
        |_| Ok(susan::build(Task::Corners, Size::Small)),
    ),
    susan(
        "susan_s_large",
        "smooths a grey picture of 108 KiB with SUSAN",
        |_| Ok(susan::build(Task::Smooth, Size::Large)),
    ),
    susan(
        "susan_e_large",
        "finds the edges of a grey picture of 108 KiB with SUSAN",
        |_| Ok(susan::build(Task::Edges, Size::Large)),
    ),
    susan(
        "susan_c_large",
        "finds the corners of a grey picture of 108 KiB with SUSAN",
        |_| Ok(susan::build(Task::Corners, Size::Large)),
    ),
    susan(
        "susan_s_huge",
        "smooths a grey picture of 1 MiB with SUSAN",
        |_| Ok(susan::build(Task::Smooth, Size::Huge)),
    ),
    susan(
        "susan_e_huge",
        "finds the edges of a grey picture of 1 MiB with SUSAN",
        |_| Ok(susan::build(Task::Edges, Size::Huge)),
    ),
    susan(
        "susan_c_huge",
        "finds the corners of a grey picture of 1 MiB with SUSAN",
        |_| Ok(susan::build(Task::Corners, Size::Huge)),
    ),
    Program {
        name: "qsort_small",
        unit: "sort",
        doc: "sorts 10000 words in records of 128 bytes with a quicksort",
        quoted: Quoted::Seconds,
        build: |_| Ok(sort::words()),
    },
    Program {
        name: "qsort_large",
        unit: "sort",
        doc: "sorts 50000 points in space by their distance with a quicksort",
        quoted: Quoted::Seconds,
        build: |_| Ok(sort::points()),
    },
    Program {
        name: "image",
        unit: "frame",
        doc: "edges of a grey frame, computed with the widest vectors there are",
        quoted: Quoted::PerSecond("frames/s"),
        build: |_| Ok(image::build()),
    },
    Program {
        name: "fma",
        unit: "turn",
        doc: "fused multiply-adds in vector registers; touches no memory, so it slows down \
              only when another thread runs on its core",
        quoted: Quoted::PerSecond("turns/s"),
        build: |_| Ok(fma::build()),
    },
    Program {
        name: "interpreter",
        unit: "program",
        doc: "an interpreter of byte code, like perlbench: an indirect branch for each \
              instruction",
        quoted: Quoted::Seconds,
        build: |_| Ok(interpreter::build()),
    },
    Program {
        name: "events",
        unit: "simulation",
        doc: "a simulation of packets in a network by discrete events, like omnetpp: a heap \
              of references into 4 MiB of messages",
        quoted: Quoted::Seconds,
        build: |_| Ok(events::build()),
    },
    Program {
        name: "tree",
        unit: "document",
        doc: "a document transformed by rules and written out, like xalancbmk: references \
              followed through 2 MB, with branches",
        quoted: Quoted::Seconds,
        build: |_| Ok(tree::build()),
    },
    Program {
        name: "strings",
        unit: "text",
        doc: "words split, hashed, sought and joined, like perlbench at text: bytes with \
              short branches, and a table that a cache holds",
        quoted: Quoted::Seconds,
        build: |_| Ok(strings::build()),
    },
    Program {
        name: "graph",
        unit: "pass",
        doc: "prices and arcs of a network, like mcf: loads that depend on loads, in no \
              order, over 5 MiB",
        quoted: Quoted::Seconds,
        build: |_| Ok(graph::build()),
    },
];

/// The program of this name.
pub fn find(name: &str) -> Option<&'static Program> {
    ALL.iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::ALL;
    use crate::Sizes;

    const SIZES: Sizes = Sizes {
        l1d_bytes: 32 << 10,
        l2_bytes: 256 << 10,
        last_level_bytes: 2 << 20,
    };

    #[test]
    fn every_program_comes_out_right_twice() {
        for kind in ALL {
            let Ok(mut program) = (kind.build)(&SIZES) else {
                continue;
            };
            for _ in 0..2 {
                program.run(1);
                program
                    .verify()
                    .unwrap_or_else(|e| panic!("{}: {e}", kind.name));
            }
        }
    }

    #[test]
    fn names_are_their_own() {
        let mut names: Vec<&str> = ALL.iter().map(|kind| kind.name).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
