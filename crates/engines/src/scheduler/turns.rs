//! Evaluates a task's slices: which of them are whole, how long it waited
//! before each, and where its turn ended because another task had the CPU.

use harness::slices::Slice;

/// A slice as it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taken {
    pub length_ns: u64,
    /// Since the end of the slice before.
    pub wait_ns: Option<u64>,
    pub taken_away: bool,
    /// Of the last slice of a turn.
    pub turn_ns: Option<u64>,
}

/// Whole slices; the one that was cut where there is no other, and whether so.
/// `other` are those of the other tasks, in order.
pub fn whole(slices: &[Slice], other: &[Slice]) -> (Vec<Taken>, bool) {
    let mut all = Vec::new();
    let mut before: Option<&Slice> = None;
    let mut turn_ns = 0;
    let alone = slices.len() == 1;
    for (at, slice) in slices.iter().enumerate() {
        let length_ns = slice.ended_ns - slice.began_ns;
        turn_ns += length_ns;
        let next = slices.get(at + 1).map(|next| next.began_ns);
        let ends_turn = next.is_some_and(|next_ns| any_between(other, slice.ended_ns, next_ns));
        if slice.cut == 0 || alone {
            all.push(Taken {
                length_ns,
                wait_ns: before.map(|b| slice.began_ns - b.ended_ns),
                taken_away: slice.blocked == 0,
                turn_ns: ends_turn.then_some(turn_ns),
            });
        }
        if ends_turn {
            turn_ns = 0;
        }
        before = Some(slice);
    }
    (all, alone)
}

/// Whether a slice is between two moments.
fn any_between(slices: &[Slice], from_ns: u64, to_ns: u64) -> bool {
    let first = slices.partition_point(|s| s.ended_ns <= from_ns);
    slices.get(first).is_some_and(|s| s.began_ns < to_ns)
}

#[cfg(test)]
mod tests {
    use super::{Taken, whole};
    use harness::slices::Slice;

    fn slice(began_ns: u64, ended_ns: u64, blocked: u64, cut: u64) -> Slice {
        Slice {
            began_ns,
            ended_ns,
            blocked,
            cut,
        }
    }

    #[test]
    fn the_slice_that_the_end_cut_is_left_out_but_where_it_is_the_only_one() {
        // The other one had the CPU after the second slice only.
        let other = [slice(60, 80, 0, 0)];
        let own = [
            slice(10, 30, 0, 0),
            slice(45, 50, 1, 0),
            slice(90, 99, 0, 1),
        ];
        let (all, cut) = whole(&own, &other);
        let first = Taken {
            length_ns: 20,
            wait_ns: None,
            taken_away: true,
            turn_ns: None,
        };
        let second = Taken {
            length_ns: 5,
            wait_ns: Some(15),
            taken_away: false,
            turn_ns: Some(25),
        };
        assert_eq!((all, cut), (vec![first, second], false));
        let (all, cut) = whole(&[slice(10, 500, 0, 1)], &other);
        assert_eq!((all.len(), all[0].length_ns, cut), (1, 490, true));
        assert_eq!(whole(&[], &other), (Vec::new(), false));
    }
}
