//! # switch/context - Changing from one process to the next
//!
//! What does it cost to hand the processor from one process to another, and how
//! much of that is the second one finding its data gone from the caches?
//!
//! ## Counts
//! One hop of a token round a ring of `processes` processes joined by pipes,
//! divided by hops: a write of eight bytes, waking the reader, the change of
//! process and address space, a read of eight bytes, and one pass over the
//! process's own data of `footprint` bytes, reading one word of every cache
//! line. Across CPUs also the interrupt that tells the other CPU.
//!
//! `hop` is all of that. `ring_overhead` is the pipe and the pass over the data
//! done by one process alone, with warm caches. `net` is the difference, sample
//! by sample: the switch itself and the refill of the caches that it causes.
//!
//! ## Does not count
//! Starting and ending the processes, the first touch of their memory, and
//! writing to the data (it is only read, so nothing has to be written back).
//! Nothing is taken off for the harness beyond what every sample states.
//!
//! `placement` says where the processes run: all on one CPU (`same_cpu`), so that
//! every hop is one switch there, or alternately on two CPUs, so that every hop
//! crosses. `partner` says what a hop across CPUs finds there:
//!
//! - `awake`: each of two processes asks its pipe again and again instead of
//!   sleeping in it. The partner is still awake when the token comes: no task is
//!   woken and nothing is switched. A hop is the pipe and the way of its cache
//!   lines from one CPU to the other.
//! - `busy`: each process sleeps in its read, but its CPU does not: a spinner of
//!   the lowest scheduling class runs there, which any woken process displaces at
//!   once. A hop also pays for waking the partner, for the interrupt to its CPU,
//!   and for one switch.
//! - `idle`: the same without spinners. The CPU that gets the token has nothing
//!   else to do and has gone idle; the hop also pays for bringing it back. How
//!   deep it slept is up to the idle driver (named in the notes) and, in a
//!   virtual machine, to the host.
//!
//! ## Origin
//! lmbench `lat_ctx` (McVoy and Staelin, USENIX 1996) for the ring, the
//! footprint and the subtraction; the sweeps and the reading by total footprint
//! follow the ARM-Linux laboratory of NCKU, 2015. pipe(2), sched(7).
//!
//! ## Theory
//! Two costs hide in one word. The direct cost is what the kernel does: save
//! registers, choose the next process, change the page tables, restore. It
//! shows at footprint 0. The indirect cost is paid afterwards: the process that
//! comes back finds that the others have used the caches, and must fetch its
//! data again. It grows with the footprint, and with how many others there are.
//!
//! Watch the product: `processes` times `footprint` is the data that the caches
//! of that CPU would have to hold so that no process loses any. While it is
//! smaller than the first level, each process finds its data where it left it
//! and `net` is flat. Beyond, every line comes from the second level at every
//! visit, and beyond that one's capacity from the third or from memory. Along a
//! line of constant footprint this shows as a jump at
//! `processes = capacity / footprint`, a little earlier in practice because the
//! kernel, the pipes and the code want room too. After the jump the line is flat
//! again: a process cannot lose more than all it has, and large footprints reach
//! that state with fewer processes.
//!
//! The subtraction uses warm data on purpose. What it leaves is therefore not
//! "the scheduler" but "what switching costs this program", refills included.
//!
//! Across CPUs three costs add up, and tools that leave the
//! placement to the scheduler report now the one, now the other. From `awake` to
//! `busy` is the price of having slept: the scheduler on both sides, and an
//! interrupt from CPU to CPU, which in a virtual machine may have to pass
//! through the host and then dwarfs everything else. From `busy` to `idle` is
//! the price of the CPU having slept too. A service that is woken once in a
//! while meets an idle partner; two threads that spin for each other keep theirs
//! awake, and pay for it with two CPUs that never rest.

mod footprint;
mod place;
mod refill;
mod ring;
mod token;

use catalogue::{AxisSpec, Claim, Experiment, Figure, Grid, KIB, Preset};
use engines::crew::awake::Awake;
use engines::placement::near;
use engines::verdict::must;
use harness::{Context, Fault, Point, SetupError, Subject};
use record::{FigureHead, MachineCard, MarkKind, Placement, Unit};
use ring::{Plan, Ring};
use token::Loopback;

const PARTNERS: &[&str] = &["awake", "busy", "idle"];

/// Part 0 goes round the ring, part 1 does the same work alone.
struct Switch {
    ring: Ring,
    alone: Loopback,
    members: u64,
    awake: Option<Awake>,
    notes: Vec<String>,
}

impl Subject for Switch {
    fn batch(&mut self, part: u16, ops: u64) {
        if part == 0 {
            self.ring.laps(ops / self.members);
            self.ring.rest();
            if let Some(awake) = &self.awake {
                awake.rest();
            }
        } else {
            self.alone.turns(ops);
        }
    }

    fn prepare(&mut self, part: u16) {
        if part != 0 {
            return;
        }
        self.ring.rouse();
        if let Some(awake) = &self.awake {
            awake.rouse();
        }
    }

    fn quantum(&self) -> u64 {
        self.members
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let before = self.ring.hops();
        self.ring.laps(2);
        self.ring.check()?;
        let (hops, members) = (self.ring.hops() - before, self.members);
        let why = format!("two laps of {members} made {hops} hops");
        must(hops == 2 * members, why)?;
        if let Some(awake) = &mut self.awake {
            awake.check()?;
        }
        self.alone.check()
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let members = point.size("processes");
    let placement = point.word("placement");
    let partner = point.word("partner");
    let cpus = place::cpus_of_members(members, placement, partner, context)?;
    place::require_pinned(context.test_cpu)?;
    let plan = Plan {
        footprint_bytes: point.size("footprint"),
        line_bytes: line_bytes(&context.card),
        polling: partner == "awake",
        cpus,
    };
    let ring = Ring::start(&plan)?;
    let alone = Loopback::new(plan.footprint_bytes, plan.line_bytes)?;
    let awake = match partner {
        "busy" => Some(Awake::on(&plan.cpus[..2])?),
        _ => None,
    };
    Ok(Box::new(Switch {
        ring,
        alone,
        members: members as u64,
        awake,
        notes: notes(&plan, placement),
    }))
}

fn line_bytes(card: &MachineCard) -> usize {
    let caches = card.data_caches();
    let line = caches.first().and_then(|cache| cache.line_bytes);
    line.map_or(64, |bytes| bytes as usize)
}

fn notes(plan: &Plan, placement: &str) -> Vec<String> {
    let line = plan.line_bytes;
    let mut notes = vec![format!("one word of every {line} bytes is read")];
    if placement != "same_cpu" {
        let (here, there) = (plan.cpus[0], plan.cpus[1]);
        notes.push(format!("on CPUs {here} and {there} in turn"));
        notes.push(place::idle_states());
    }
    notes
}

fn grids(preset: Preset, card: &MachineCard) -> Vec<Grid> {
    let on = |ms, processes: &[i64], kib: &[i64], placement, partners| {
        Grid::new(ms)
            .ints("processes", processes.iter().copied())
            .ints("footprint", kib.iter().map(|size| size * KIB))
            .words("placement", &[placement])
            .words("partner", partners)
    };
    let here = |ms, processes, kib| on(ms, processes, kib, "same_cpu", &["idle"]);
    let across = |ms, processes, kib| on(ms, processes, kib, near(card), PARTNERS);
    let many = [2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96];
    match preset {
        Preset::Quick => vec![
            here(48, &[2, 4, 8, 16], &[0, 8, 32, 256]),
            here(48, &[16], &[1024]),
            across(80, &[2], &[0, 32]),
        ],
        Preset::Full => vec![
            here(200, &many, &[0, 2, 4, 8, 16, 32, 64, 128, 256, 512]),
            across(400, &[2, 4, 8, 16], &[0, 16, 64, 256]),
        ],
    }
}

fn figures() -> Vec<FigureHead> {
    let figure =
        |title: &str, x, y, series: &[&str]| Figure::of(title, x, y).log_x().log_y().series(series);
    let here =
        |title, x, series| figure(title, x, "net", &[series]).only(&[("placement", "same_cpu")]);
    let by_number = here(
        "A switch by number of processes, all on one CPU",
        "processes",
        "footprint",
    );
    let by_footprint = here(
        "A switch by footprint, all processes on one CPU",
        "footprint",
        "processes",
    );
    let placements = figure(
        "A hop between two processes by placement",
        "footprint",
        "hop",
        &["placement", "partner"],
    );
    vec![
        by_number.reading(
            "Flat while processes times footprint fits in a cache; a jump where it no longer does; \
             flat again when each switch evicts all of it.",
        ),
        by_footprint.marks(&[MarkKind::CacheSizes]).reading(
            "The more processes share the CPU, the smaller the footprint at which the line \
             leaves the floor: its place times the processes is a cache's capacity.",
        ),
        placements.at("processes", 2).reading(
            "Awake to busy: the cost of waking the partner. Busy to idle: the cost of waking \
             its CPU as well.",
        ),
    ]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: &[
        AxisSpec::number(
            "processes",
            Unit::Count,
            "processes in the ring, the measuring one included",
        ),
        AxisSpec::bytes(
            "footprint",
            "bytes that each process reads every time it runs",
        ),
        AxisSpec::word(
            "placement",
            "CPU of every second process, relative to the CPU under test",
            Placement::WORDS,
        )
        .compared(),
        AxisSpec::word(
            "partner",
            "across CPUs the next process polls (awake), sleeps on a busy CPU, or on an idle one",
            PARTNERS,
        )
        .compared(),
    ],
    parts: &[
        ("hop", "time of one hop of the token: switch, pipe and data"),
        (
            "ring_overhead",
            "the same pipe and data work done by one process alone",
        ),
    ],
    grids,
    setup,
    figures,
    claims: &[
        Claim {
            text: "Two processes without data hop faster than two with the most",
            check: refill::footprint_costs,
        },
        Claim {
            text: "Waking a partner on an idle CPU costs more than on a busy one, and that more \
                   than an awake partner",
            check: refill::idle_costs,
        },
        Claim {
            text: "Sixteen processes with 256 KiB each hop slower than two",
            check: refill::crowd_costs,
        },
    ],
    findings: refill::findings,
    in_cycles: true,
    ..Experiment::EMPTY
};

#[cfg(test)]
mod tests;
