//! # ipc/unix_hot_potato - A message that is passed on at once, over a UNIX socket
//!
//! How long does a small message take to another process and back, and does its
//! size matter?
//!
//! ## Counts
//! One turn: the message is written, the partner reads it whole and writes it
//! back, and it is read whole; nothing else is done with it. The batch's time
//! divided by its turns, so both wake-ups of a turn are in it.
//!
//! **Size 0** is the empty turn: one write and one read of no bytes. A stream
//! cannot carry nothing, so the kernel returns from both at once, no task is woken,
//! and the partner has no part in it. It is what two system calls on a socket cost
//! before they do anything: the floor under the other sizes, not one of them.
//!
//! ## Does not count
//! Making the pair and starting the partner; the first touch of the buffers.
//!
//! ## Origin
//! lmbench `lat_unix`, which calls itself a hot potato benchmark, with the sizes
//! 0 to 512 of the ARM-Linux laboratory of NCKU, 2015 (recipe `hot-potato`). There
//! on a `BeagleBone` Black: 3.9 us for 0, 45.3 us for 1 and 47.2 us for 512 bytes.
//! Why 0 was so much cheaper is left open there; it is the empty turn.
//!
//! ## Theory
//! Up to 512 bytes the two copies are a few nanoseconds and the line is flat: the
//! price is four system calls, four times the allocation or release of a kernel
//! buffer, and two changes of task. On one CPU (`same_cpu`) those are plain
//! context switches. On two, each side sleeps and is woken by the other CPU,
//! which costs more although nothing is displaced, and much more where that CPU
//! had gone idle; `awake` leaves the sleeps out. The same way with the spread of
//! single turns and any size: `ipc/unix_stream`, pattern `round_trip`.

mod findings;

use super::unix_stream::UnixStream;
use catalogue::{AxisSpec, Claim, Experiment, Figure, Grid, Preset, setting};
use engines::placement::near;
use engines::transport::axes::{AXES, MODES, PARTNERS, PARTS, TALLIES};
use engines::transport::socket::unix;
use engines::transport::tally::{self, Usage};
use engines::transport::{self, Options};
use harness::{Context, Fault, Point, SetupError, Subject};
use record::{FigureHead, MachineCard, Placement};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// Those of the common axes that a potato has.
const POTATO: [AxisSpec; 4] = [AXES[0], AXES[2], AXES[3], AXES[4]];

/// The sizes of the origin.
const SIZES: [i64; 23] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 196, 256, 384, 512,
];

fn grids(preset: Preset, card: &MachineCard) -> Vec<Grid> {
    let near = near(card);
    let grid = |ms, sizes: &[i64], modes: &[&str], placements: &[&str], partners: &[&str]| {
        Grid::new(ms)
            .ints("size", sizes.iter().copied())
            .words("mode", modes)
            .words("placement", placements)
            .words("partner", partners)
    };
    let quick = |sizes, placement| grid(25, sizes, &["2processes"], &[placement], &["idle"]);
    match preset {
        Preset::Quick => vec![quick(&[0, 1, 64, 512], "same_cpu"), quick(&[1, 512], near)],
        Preset::Full => vec![grid(200, &SIZES, &MODES[1..], Placement::WORDS, PARTNERS)],
    }
}

/// # Errors
/// As the common set-up; `Skip` where an empty turn would be separated by what
/// it does not have.
fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    if point.size("size") == 0 {
        return Ok(Box::new(EmptyTurn::new(point)?));
    }
    let mut whole = point.clone();
    whole.settings.extend([
        setting("pattern", "round_trip"),
        setting("buffer", 0),
        setting("total", 0),
    ]);
    transport::setup::<UnixStream>(&whole, context)
}

/// Writing and reading nothing, on a socket that has a partner.
struct EmptyTurn {
    own: OwnedFd,
    /// Kept open, and looked at: nothing may have come.
    other: OwnedFd,
    calls: u64,
    before: Usage,
    fault: Option<Fault>,
}

impl EmptyTurn {
    fn new(point: &Point) -> Result<EmptyTurn, SetupError> {
        if (point.word("placement"), point.word("partner")) != ("same_cpu", "idle") {
            return Err(SetupError::skip(
                "an empty turn has no partner to place or to keep awake",
                "--axis size=0 --axis placement=same_cpu --axis partner=idle",
            ));
        }
        let options = Options {
            processes: false,
            port: 0,
            message_bytes: 1,
            buffer_bytes: None,
            alone: false,
            polling: false,
        };
        let (own, other) = unix::sockets(libc::SOCK_STREAM, &options)?;
        Ok(EmptyTurn {
            own,
            other,
            calls: 0,
            before: Usage::default(),
            fault: None,
        })
    }
}

impl Subject for EmptyTurn {
    fn batch(&mut self, _part: u16, ops: u64) {
        let fd = self.own.as_raw_fd();
        let mut byte = 0u8;
        let at = (&raw mut byte).cast::<libc::c_void>();
        let mut moved = 0;
        for _ in 0..ops {
            // read and not recv, which would wait for bytes even to give none.
            // SAFETY: neither touches memory.
            moved |= unsafe { libc::write(fd, at, 0) | libc::read(fd, at, 0) };
        }
        self.calls += 2 * ops;
        if moved != 0 {
            let cause = io::Error::last_os_error();
            self.fault = Some(Fault::refused("write and read nothing", cause));
        }
    }

    fn prepare(&mut self, _part: u16) {
        self.before = tally::of_this_thread(self.calls);
    }

    fn tally(&mut self, _part: u16) -> Vec<f64> {
        let used = tally::of_this_thread(self.calls).since(self.before);
        used.tallied_with(Usage::default(), f64::NAN)
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.batch(0, 1);
        let mut waiting: libc::c_int = 0;
        // SAFETY: writes one int.
        let asked =
            unsafe { libc::ioctl(self.other.as_raw_fd(), libc::FIONREAD, &raw mut waiting) };
        match (&self.fault, asked, waiting) {
            (Some(fault), ..) => Err(fault.clone()),
            (None, 0, 0) => Ok(()),
            (None, 0, bytes) => Err(Fault::wrong(format!(
                "{bytes} bytes have arrived where none were sent"
            ))),
            (None, ..) => Err(Fault::wrong(format!(
                "cannot ask how many bytes have arrived: {}",
                io::Error::last_os_error()
            ))),
        }
    }

    fn notes(&self) -> Vec<String> {
        vec!["the empty turn: two calls that move nothing, no partner".to_owned()]
    }
}

fn figures() -> Vec<FigureHead> {
    let figure = Figure::of("A turn by size of the message", "size", "latency");
    let figure = figure.series(&["mode", "placement", "partner"]);
    vec![figure.reading(
        "Flat: the cost is per turn, not per byte. At 0 bytes nothing is passed; the step to 1 \
         byte is the cost of passing anything at all.",
    )]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: &POTATO,
    parts: PARTS,
    tallies: TALLIES,
    grids,
    setup,
    figures,
    claims: &[
        Claim {
            text: "On one CPU a turn of 512 bytes takes at most 10 % longer than one of 1 byte",
            check: findings::size_hardly_matters,
        },
        Claim {
            text: "An empty turn takes less than one of 1 byte",
            check: findings::empty_turn_is_cheaper,
        },
        Claim {
            text: "A turn takes longer across two CPUs that go idle than on one CPU",
            check: findings::other_cpu_costs_more,
        },
    ],
    findings: |table, _| findings::findings(table),
    ..Experiment::EMPTY
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, SIZES};
    use crate::ipc::trial;
    use catalogue::recipe;
    use harness::SetupError;

    const HERE: [&str; 4] = ["round_trip", "2processes", "same_cpu", "idle"];

    #[test]
    fn every_size_of_the_origin_goes_there_and_back() {
        for size in SIZES {
            for mode in ["2threads", "2processes"] {
                let words = ["round_trip", mode, "same_cpu", "idle"];
                assert!(trial::runs(&EXPERIMENT, size, words, 0));
            }
        }
    }

    #[test]
    fn an_empty_turn_is_two_calls_and_has_no_partner_elsewhere() {
        let mut subject = trial::set_up(&EXPERIMENT, 0, HERE, 0).unwrap();
        subject.prepare(0);
        subject.batch(0, 10);
        assert_eq!(subject.tally(0)[0], 20.0);
        let elsewhere = ["round_trip", "2processes", "same_cache", "idle"];
        assert!(matches!(
            trial::set_up(&EXPERIMENT, 0, elsewhere, 0),
            Err(SetupError::Skip { .. })
        ));
    }

    #[test]
    fn the_recipe_asks_for_the_sizes_of_the_origin() {
        let (name, text) = crate::built_in::BUILT_IN
            .iter()
            .find(|(name, _)| *name == "hot-potato")
            .unwrap();
        let recipe = recipe::parse(name, text).unwrap();
        let sizes = SIZES.map(|s| s.to_string()).join(",");
        for entry in recipe.experiments {
            assert_eq!(entry.axes["size"].text(), sizes);
        }
    }
}
