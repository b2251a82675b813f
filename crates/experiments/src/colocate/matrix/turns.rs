//! Windows with the neighbour and alone, by turns, and which turns count.

/// Windows of each kind. With so many the third from both ends bound the median with
/// 98.7 %, of 210 cells all but 3; with 12 they would leave out 8.
pub const WINDOWS: u32 = 14;
/// Turns in which something else had the CPU do not count: so many times as many are tried.
pub const TRIES: u32 = 2;
/// A unit of work that takes so much longer than usual, ns, had lost its CPU.
const LOST_NS: u64 = 100_000;

/// The turns of one cell.
#[derive(Debug, Default)]
pub struct Turns {
    /// Tasks share a CPU, so that they lose it all the time.
    shared: bool,
    /// Times of an operation with the neighbour and alone, ns, of windows that have no
    /// counterpart yet.
    ns: [Option<f64>; 2],
    /// One of them lost its CPU.
    disturbed: bool,
    /// Turns that count.
    counted: u32,
    /// The longest unit of each window, ns, in rising order.
    longest_ns: Vec<u64>,
}

impl Turns {
    /// None yet.
    pub fn new(shared: bool) -> Turns {
        Turns {
            shared,
            ..Turns::default()
        }
    }

    /// Those that count are counted from now on.
    pub fn begin(&mut self) {
        self.ns = [None; 2];
        (self.disturbed, self.counted) = (false, 0);
    }

    /// Whether as many count as are wanted.
    pub fn are_enough(&self) -> bool {
        self.counted >= WINDOWS
    }

    /// A window of this part has ended: the time of an operation in it and its longest unit, ns.
    pub fn ended(&mut self, part: u16, op_ns: f64, longest_ns: u64) {
        self.ns[usize::from(part)] = Some(op_ns);
        self.disturbed |= self.lost_its_cpu(longest_ns);
    }

    /// NAN until both windows of a turn are over, whichever comes first, and of a turn in which
    /// something else had the CPU.
    pub fn slowdown(&mut self) -> f64 {
        let [Some(neighbour_ns), Some(alone_ns)] = self.ns else {
            return f64::NAN;
        };
        self.ns = [None; 2];
        if std::mem::take(&mut self.disturbed) {
            return f64::NAN;
        }
        self.counted += 1;
        neighbour_ns / alone_ns
    }

    /// By the longest unit of work against those of half of the windows.
    fn lost_its_cpu(&mut self, longest_ns: u64) -> bool {
        let at = self.longest_ns.partition_point(|ns| *ns < longest_ns);
        self.longest_ns.insert(at, longest_ns);
        let usual_ns = self.longest_ns[self.longest_ns.len() / 2];
        !self.shared && longest_ns > 2 * usual_ns + LOST_NS
    }
}

#[cfg(test)]
mod tests {
    use super::{Turns, WINDOWS};

    /// The slowdown after a turn with such longest units.
    fn turn(turns: &mut Turns, longest_ns: [u64; 2]) -> f64 {
        turns.ended(1, 10.0, longest_ns[1]);
        assert!(turns.slowdown().is_nan(), "half a turn");
        turns.ended(0, 15.0, longest_ns[0]);
        turns.slowdown()
    }

    #[test]
    fn a_turn_that_lost_its_cpu_does_not_count() {
        let mut turns = Turns::new(false);
        turns.begin();
        assert_eq!(turn(&mut turns, [12_000, 10_000]), 1.5);
        assert!(turn(&mut turns, [12_000, 2_000_000]).is_nan());
        assert_eq!(turn(&mut turns, [12_000, 11_000]), 1.5);
        for _ in 0..WINDOWS - 3 {
            turn(&mut turns, [9_000, 9_000]);
        }
        assert!(!turns.are_enough());
        turn(&mut turns, [9_000, 9_000]);
        assert!(turns.are_enough());
        turns.begin();
        assert!(!turns.are_enough());
    }

    #[test]
    fn units_that_are_always_long_and_tasks_of_one_cpu_have_lost_nothing() {
        let mut slow = Turns::new(false);
        let each = [5_000_000, 7_000_000, 6_000_000, 9_000_000];
        assert!(each.iter().all(|ns| turn(&mut slow, [*ns; 2]) == 1.5));
        let mut shared = Turns::new(true);
        assert_eq!(turn(&mut shared, [12_000, 10_000]), 1.5);
        assert_eq!(turn(&mut shared, [12_000, 4_000_000]), 1.5);
    }
}
