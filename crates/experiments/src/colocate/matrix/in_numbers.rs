//! Work in registers on a simulated machine, which knows no other tasks.

use super::turns::Turns;
use super::{ALONE, IN_REGISTERS};
use engines::reading::of_events;
use engines::tasks::axes::window_ns;
use harness::windows::Window;
use harness::{Context, Point, Reading, SetupError, Subject};

struct InNumbers {
    machine: harness::Measured,
    window_ns: u64,
    last: Window,
    turns: Turns,
}

/// The subject of a point where a machine is simulated.
///
/// # Errors
/// `Skip` of other work than that in registers.
pub fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let pair = (point.word("victim"), point.word("neighbour"));
    if pair != IN_REGISTERS {
        return Err(SetupError::skip(
            "simulated machines run work in registers only",
            "none: choose victim=alu and neighbour=alu",
        ));
    }
    Ok(Box::new(InNumbers {
        machine: context.measured.clone(),
        window_ns: window_ns(point, false),
        last: Window::default(),
        turns: Turns::new(false),
    }))
}

impl InNumbers {
    fn op_ns(&self) -> f64 {
        self.last.elapsed_ns as f64 / self.last.units.max(1) as f64
    }
}

impl Subject for InNumbers {
    fn batch(&mut self, part: u16, _ops: u64) {
        if let Some(machine) = self.machine.in_numbers() {
            self.last = machine.work_in_registers(self.window_ns, part != ALONE);
        }
    }

    fn sampling_begins(&mut self) {
        self.turns.begin();
    }

    fn has_enough(&self) -> bool {
        self.turns.are_enough()
    }

    fn reading(&mut self, part: u16) -> Option<Reading> {
        self.turns.ended(part, self.op_ns(), self.last.longest_ns);
        let elapsed_ns = self.last.elapsed_ns as f64;
        Some(of_events(self.last.units.max(1), elapsed_ns, None))
    }

    fn tally(&mut self, _part: u16) -> Vec<f64> {
        // Tallies are divided by the operations.
        vec![self.turns.slowdown() * self.last.units.max(1) as f64]
    }
}
