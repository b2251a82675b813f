//! What the cells say together: what the two CPUs share, whose neighbour no task
//! should be, and how far the instrument is to be trusted.

use super::{PAUSE_LOOP, SLOWDOWN};
use crate::quantities::sharing::{ONE_CACHE, ONE_CORE, REGISTERS, STREAMED};
use analysis::claims::{Quoted, all};
use analysis::conclusion::Conclusion;
use analysis::inference::Answer;
use analysis::sentence::between;
use analysis::{ExperimentTable, PointView, Summary};
use catalogue::Claim;
use record::{Finding, MachineCard, Placement, Unit, Verdict};

/// Work that needs its core and nothing else.
const IN_REGISTERS: &[&str] = &["alu", "fma"];
/// Work whose storage answers by interrupts, which any CPU may have to take.
const INTERRUPTING: &[&str] = &["msync"];
/// Threads of one core slow each other down by more than this.
const ONE_CORE_SLOWER: f64 = 1.2;
/// So much slower are loads from a last-level cache through which a neighbour streams.
const ONE_CACHE_SLOWER: f64 = 1.3;
/// Nothing is shared below this.
const NOTHING: f64 = 1.05;
/// How near to 1 a cell has to be that no neighbour can disturb.
const TOLERANCE: f64 = 0.03;

/// Claims of `colocate/matrix`: control cells in registers stay within [`TOLERANCE`] of
/// 1.
pub const CLAIMS: &[Claim] = &[Claim {
    text: "A neighbour on another core slows work in registers by at most 3 % (msync, which sends \
           interrupts, is left out)",
    check: |table| {
        let registers = |c: &Cell| c.is_undisturbed() && IN_REGISTERS.contains(&c.victim);
        let within = |c: Cell| c.quoted().within(TOLERANCE, 1.0);
        all(cells(table).filter(registers).flat_map(within))
    },
}];

/// A measured pair.
#[derive(Clone, Copy)]
struct Cell<'a> {
    victim: &'a str,
    neighbour: &'a str,
    placement: &'a str,
    point: &'a PointView,
    slowdown: &'a Summary,
}

impl Cell<'_> {
    /// Nothing that these two need can be the same.
    fn is_undisturbed(&self) -> bool {
        let far =
            ![Placement::SameCpu.word(), Placement::SmtSibling.word()].contains(&self.placement);
        let registers = IN_REGISTERS.contains(&self.victim);
        let quiet = !INTERRUPTING.contains(&self.neighbour);
        far && (self.neighbour == PAUSE_LOOP || registers && quiet)
    }

    fn off(&self) -> f64 {
        (self.slowdown.median.center - 1.0).abs()
    }

    /// Not by its noise alone.
    fn is_surely_off(&self) -> bool {
        self.slowdown.median.low > 1.0 + TOLERANCE || self.slowdown.median.high < 1.0 - TOLERANCE
    }

    fn holds_one(&self) -> bool {
        self.slowdown.median.contains(1.0)
    }

    fn quoted(&self) -> Quoted {
        let name = format!("{} next to {}", self.victim, self.neighbour);
        Quoted::estimate(name, self.slowdown.median, "").measured_at(self.point)
    }

    fn figures(&self) -> String {
        let (victim, neighbour) = (self.victim, self.neighbour);
        let slowdown = self.slowdown.median;
        let range = between(&slowdown, 3);
        format!(
            "{victim} next to {neighbour}: {:.3} ({range})",
            slowdown.center
        )
    }
}

fn cells(table: &ExperimentTable) -> impl Iterator<Item = Cell<'_>> {
    let of = |p| -> Option<Cell<'_>> {
        let p: &PointView = p;
        Some(Cell {
            victim: p.word("victim"),
            neighbour: p.word("neighbour"),
            placement: p.word("placement"),
            point: p,
            slowdown: p.summary(SLOWDOWN)?,
        })
    };
    table.points.iter().filter_map(of)
}

/// Findings of `colocate/matrix`: the control cells, the worst pair.
pub fn findings(table: &ExperimentTable, _: &MachineCard) -> Vec<Finding> {
    let all: Vec<Cell> = cells(table).collect();
    let found = [trust(&all), worst(&all)];
    found.into_iter().flatten().collect()
}

/// What cells say of what two CPUs share: work in registers next to itself of a core, loads
/// from the last-level cache next to a copy of a cache. Two methods of other experiments look
/// at the nearest CPU of another core, and of two CPUs at the only other one.
pub fn answers(table: &ExperimentTable, card: &MachineCard) -> Vec<Answer> {
    let all: Vec<Cell> = cells(table).collect();
    let only_two = card.places.len() == 2;
    let partner = |c: &&Cell| match c.placement {
        placement if placement == Placement::SameCpu.word() => false,
        placement if placement == Placement::SmtSibling.word() => only_two,
        _ => true,
    };
    let own = |c: &&Cell| IN_REGISTERS.contains(&c.victim) && c.victim == c.neighbour;
    let streamed = |c: &&Cell| c.victim.starts_with("chase_llc") && c.neighbour == "memcpy";
    let core = all.iter().filter(partner).find(own);
    let cache = all.iter().filter(partner).find(streamed);
    let core = core.map(|cell| shared(ONE_CORE.key, REGISTERS, cell, ONE_CORE_SLOWER));
    let cache = cache.map(|cell| shared(ONE_CACHE.key, STREAMED, cell, ONE_CACHE_SLOWER));
    core.into_iter().chain(cache).collect()
}

/// Whether the two CPUs of a cell share something: slower than `least` with it, not
/// slower without.
fn shared(quantity: &'static str, method: &'static str, cell: &Cell, least: f64) -> Answer {
    let s = cell.slowdown;
    match (s.median.low > least, s.median.high < NOTHING) {
        (true, _) => Answer::exactly(quantity, method, 1.0),
        (_, true) => Answer::exactly(quantity, method, 0.0),
        _ => Answer::nothing(quantity, method, cell.figures()),
    }
}

/// Cells that must be 1.
fn trust(all: &[Cell]) -> Option<Finding> {
    let must: Vec<&Cell> = all.iter().filter(|c| c.is_undisturbed()).collect();
    let worst = must.iter().max_by(|a, b| a.off().total_cmp(&b.off()))?;
    let count = |is: fn(&Cell) -> bool| must.iter().filter(|c| is(c)).count();
    let (hold, near) = (count(|c| c.holds_one()), count(|c| c.off() <= TOLERANCE));
    let text = format!(
        "Control pairs (work in registers, or no neighbour): the interval contains 1 \
         in {hold} of {all}, within {TOLERANCE:.2} of it {near} of {all}; the worst is {}",
        worst.figures(),
        all = must.len()
    );
    let seen = match must.iter().any(|c| c.is_surely_off()) {
        true => Verdict::Disagree,
        false if near == must.len() => Verdict::Agree,
        false => Verdict::Undecided,
    };
    let share = Conclusion::on("control")
        .unit(Unit::Ratio)
        .sure(0.95)
        .bare_value(hold as f64 / must.len() as f64)
        .reference(1.0, "by construction", true)
        .verdict(seen);
    Some(share.say(text))
}

fn worst(all: &[Cell]) -> Option<Finding> {
    let sure = all
        .iter()
        .filter(|c| c.slowdown.median.low > NOTHING && c.neighbour != PAUSE_LOOP);
    let cell = sure.max_by(|a, b| {
        a.slowdown
            .median
            .center
            .total_cmp(&b.slowdown.median.center)
    })?;
    let s = cell.slowdown;
    let worst = Conclusion::on("worst");
    let worst = worst.redrawn_value(Unit::Ratio, s.median.level, s.median);
    Some(worst.say(format!("The worst pair is {}", cell.figures())))
}
