//! The list of all that a task can do: the programs of crate `workload`, those
//! that are cut to this machine's caches or need its kernel, and any command.

mod chase;
mod copying;
mod kernel;
mod waiting;
mod writing;

use super::command::Command;
use crate::copier::{Copier, Wanted};
use crate::loops::writeback::Instruction;
use catalogue::nearest;
use harness::{Context, SetupError};
use record::{KindHead, MachineCard, axis::human_bytes};
use std::ffi::CString;
use std::time::Duration;
use workload::{Quoted, Sizes, Workload};

/// A kind of task.
#[derive(Debug, Clone)]
pub struct WorkKind {
    pub name: &'static str,
    pub doc: &'static str,
    /// What is counted, in the singular: `frame`, `load`.
    pub operation: &'static str,
    /// Operations in a unit of work.
    pub ops_per_unit: u64,
    /// `frames/s` where its speed is given as a rate; None: in seconds an operation.
    pub rate: Option<&'static str>,
    /// How long a unit may take beyond a window: of commands only.
    pub deadline: Duration,
    make: Make,
}

#[derive(Debug, Clone)]
enum Make {
    Program(fn(&Sizes) -> Result<Box<dyn Workload>, workload::Missing>),
    Near(fn(&Context) -> Result<Built, SetupError>),
    Command(String),
    Copier(Wanted),
}

/// What a kind came to on this machine.
pub struct Built {
    pub program: Program,
    /// Units that go through the whole working set: a run, where one is measured
    /// from end to end.
    pub units_per_run: u64,
    /// Units before each window: those that bring its working set into the caches, or the first,
    /// where no cache holds it.
    pub units_to_warm: u64,
    /// What was obtained, where it matters; else empty.
    pub note: String,
}

/// What a task runs.
pub enum Program {
    Steps(Box<dyn Workload>),
    Command(Command),
}

impl Built {
    /// One unit of which is a run.
    fn of(program: Program, note: impl Into<String>) -> Built {
        Built {
            program,
            units_per_run: 1,
            units_to_warm: 1,
            note: note.into(),
        }
    }

    fn steps(workload: impl Workload + 'static, note: impl Into<String>) -> Built {
        Built::of(Program::Steps(Box::new(workload)), note)
    }
}

/// Words in front of a command, on the axes and in `--a`.
pub const COMMAND: &str = "cmd:";
impl WorkKind {
    /// Builds it in the calling process.
    ///
    /// # Errors
    /// `Skip` where this machine lacks what it needs.
    pub fn build(&self, context: &Context) -> Result<Built, SetupError> {
        match &self.make {
            Make::Program(build) => {
                let program = build(&sizes(&context.card));
                let program = program.map_err(|m| SetupError::skip(m.reason, m.remedy))?;
                let set = match program.working_set_bytes() {
                    0 => "touches no memory".to_owned(),
                    set => format!("working set {}", human_bytes(set)),
                };
                let with = program.vectors().map(|v| format!(", with {v}"));
                let note = format!("{}: {set}{}", self.name, with.unwrap_or_default());
                Ok(Built::of(Program::Steps(program), note))
            }
            Make::Near(build) => build(context),
            Make::Copier(wanted) => {
                let copier = Copier::new(wanted, context)?;
                let note = copier.note();
                Ok(Built::steps(copier, note))
            }
            Make::Command(line) => {
                let command = Command::prepare(line, self.deadline)?;
                Ok(Built::of(Program::Command(command), ""))
            }
        }
    }

    /// Copies of one kind; a unit is as many as was wanted.
    pub fn copier(wanted: Wanted) -> WorkKind {
        WorkKind {
            name: "copier",
            doc: "copies blocks",
            make: Make::Copier(wanted),
            ..command()
        }
    }

    /// Whether it is a command of the user's.
    pub fn is_command(&self) -> bool {
        matches!(self.make, Make::Command(_))
    }

    /// What top and traces call its task.
    pub fn comm(&self) -> CString {
        CString::new(self.name).unwrap_or_default()
    }
}

/// Sizes that programs are cut to; those of a small machine where the card does
/// not report them.
pub fn sizes(card: &MachineCard) -> Sizes {
    let caches = card.data_caches();
    let size = |at: usize| caches.get(at).map(|c| c.size_bytes);
    let last = caches.last().map(|c| c.size_bytes);
    Sizes {
        l1d_bytes: size(0).unwrap_or(32 << 10),
        l2_bytes: size(1).unwrap_or(256 << 10),
        last_level_bytes: last.unwrap_or(2 << 20),
    }
}

const fn near(
    name: &'static str,
    doc: &'static str,
    (operation, ops_per_unit, rate): (&'static str, u64, &'static str),
    build: fn(&Context) -> Result<Built, SetupError>,
) -> WorkKind {
    WorkKind {
        name,
        doc,
        operation,
        ops_per_unit,
        rate: Some(rate),
        deadline: Duration::ZERO,
        make: Make::Near(build),
    }
}

/// Kinds that are cut to this machine.
pub const NEAR: &[WorkKind] = &[
    near(
        "chase_l1",
        "dependent loads in random order over half the first-level cache",
        chase::LOADS,
        |c| chase::build(c, chase::Set::L1),
    ),
    near(
        "chase_l2",
        "dependent loads in random order over three quarters of the second-level cache",
        chase::LOADS,
        |c| chase::build(c, chase::Set::L2),
    ),
    near(
        "chase_llc",
        "dependent loads in random order over an eighth of the last-level cache",
        chase::LOADS,
        |c| chase::build(c, chase::Set::Eighth),
    ),
    near(
        "chase_llc_half",
        "dependent loads in random order over half the last-level cache",
        chase::LOADS,
        |c| chase::build(c, chase::Set::Half),
    ),
    near(
        "chase_memory",
        "dependent loads in random order over twice the last-level cache",
        chase::LOADS,
        |c| chase::build(c, chase::Set::Memory),
    ),
    near(
        "stream_l2",
        "reads three quarters of the second-level cache from end to end",
        ("pass", 1, "passes/s"),
        |c| copying::reading(c, chase::Set::L2),
    ),
    near(
        "stream_llc_8th",
        "reads an eighth of the last-level cache from end to end",
        ("pass", 1, "passes/s"),
        |c| copying::reading(c, chase::Set::Eighth),
    ),
    near(
        "stream_llc",
        "reads half the last-level cache from end to end",
        ("pass", 1, "passes/s"),
        |c| copying::reading(c, chase::Set::Half),
    ),
    near(
        "memcpy",
        "copies random blocks of 256 KiB within 64 MiB",
        ("copy", 1, "copies/s"),
        copying::blocks,
    ),
    near(
        "syscall",
        "calls getppid repeatedly",
        ("call", kernel::CALLS, "calls/s"),
        kernel::calls,
    ),
    near(
        "clflush",
        "writes lines all over 64 MiB; each is written back and evicted before the next (clflush)",
        writing::LINES,
        |c| writing::by(c, Instruction::Clflush),
    ),
    near(
        "clflushopt",
        "writes lines all over 64 MiB; each is written back and evicted, unordered (clflushopt)",
        writing::LINES,
        |c| writing::by(c, Instruction::Clflushopt),
    ),
    near(
        "clwb",
        "writes lines all over 64 MiB; each is written back, and may stay cached (clwb)",
        writing::LINES,
        |c| writing::by(c, Instruction::Clwb),
    ),
    near(
        "ntstore",
        "writes lines all over 64 MiB, bypassing the caches",
        writing::LINES,
        |c| writing::by(c, Instruction::NonTemporal),
    ),
    near(
        "dc_cvac",
        "writes lines all over 64 MiB; each is cleaned to the point of coherency (ARM)",
        writing::LINES,
        |c| writing::by(c, Instruction::DcCvac),
    ),
    near(
        "dc_cvap",
        "writes lines all over 64 MiB; each is cleaned to the point of persistence (ARM)",
        writing::LINES,
        |c| writing::by(c, Instruction::DcCvap),
    ),
    near(
        "msync",
        "writes lines of a mapped file and calls msync on the page of each",
        ("msync", 1, "msyncs/s"),
        writing::synchronising,
    ),
    near(
        "spin",
        "runs a pause loop: occupies a CPU and nothing else",
        ("turn", 1, "turns/s"),
        waiting::spin,
    ),
];

fn of_program(kind: &workload::Program) -> WorkKind {
    WorkKind {
        name: kind.name,
        doc: kind.doc,
        operation: kind.unit,
        rate: match kind.quoted {
            Quoted::PerSecond(rate) => Some(rate),
            Quoted::Seconds => None,
        },
        make: Make::Program(kind.build),
        ..command()
    }
}

fn command() -> WorkKind {
    WorkKind {
        name: "command",
        doc: "a command of the user, run repeatedly",
        operation: "run",
        ops_per_unit: 1,
        rate: None,
        deadline: Duration::ZERO,
        make: Make::Command(String::new()),
    }
}

/// What records keep of all kinds.
pub fn heads() -> Vec<KindHead> {
    let head = |word: &str, kind: &WorkKind| KindHead {
        word: word.to_owned(),
        operation: kind.operation.to_owned(),
        rate: kind.rate.map(str::to_owned),
        doc: kind.doc.to_owned(),
    };
    let named = all().into_iter().map(|kind| head(kind.name, &kind));
    named.chain([head(COMMAND, &command())]).collect()
}

/// Every kind but commands, in the order of tables.
pub fn all() -> Vec<WorkKind> {
    let programs = workload::ALL.iter().map(of_program);
    programs.chain(NEAR.iter().cloned()).collect()
}

/// The kind of this word; `cmd:` and a line for the shell is one, too.
pub fn find(word: &str) -> Option<WorkKind> {
    if let Some(line) = word.strip_prefix(COMMAND) {
        return (!line.trim().is_empty()).then(|| WorkKind {
            make: Make::Command(line.to_owned()),
            ..command()
        });
    }
    all().into_iter().find(|kind| kind.name == word)
}

/// As [`find`], with the names nearest to a mistyped one.
///
/// # Errors
/// `Skip` naming them.
pub fn found(word: &str) -> Result<WorkKind, SetupError> {
    find(word).ok_or_else(|| {
        let near = nearest::nearest(word, all().iter().map(|k| k.name));
        SetupError::skip(
            format!("unknown workload {word:?}{}", nearest::hint(&near)),
            "pontage colocate --list",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{Program, all, find, found};
    use harness::SetupError;
    use testbed::context;
    use testbed::turn::card;

    #[test]
    fn every_kind_does_a_unit_and_has_it_right() {
        let (mut context, _keep) = context();
        context.card = card(std::env::consts::ARCH, 2);
        for kind in all() {
            let built = match kind.build(&context) {
                Ok(built) => built,
                Err(SetupError::Skip { reason, remedy }) => {
                    assert!(!reason.is_empty() && !remedy.is_empty(), "{}", kind.name);
                    continue;
                }
                Err(SetupError::Fail(why)) => panic!("{}: {why}", kind.name),
            };
            let Program::Steps(mut program) = built.program else {
                panic!("{} is no command", kind.name);
            };
            program.run(2);
            program
                .verify()
                .unwrap_or_else(|why| panic!("{}: {why}", kind.name));
        }
    }

    #[test]
    fn names_are_found_and_their_own() {
        let mut names: Vec<&str> = all().iter().map(|k| k.name).collect();
        assert!(names.iter().all(|n| find(n).is_some_and(|k| k.name == *n)));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(
            names.iter().all(|n| n.len() <= 15),
            "a task's name has 15 bytes"
        );
    }

    #[test]
    fn a_mistyped_name_gets_its_neighbours() {
        let message = found("memcopy").unwrap_err().to_string();
        assert!(
            message.contains("did you mean") && message.contains("memcpy"),
            "{message}"
        );
        assert!(found("cmd: ").is_err(), "an empty command is none");
        assert!(found("cmd:true").unwrap().is_command());
    }
}
