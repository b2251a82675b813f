//! The order in which a pass visits its cells.
//!
//! Two passes belong together and go in opposite directions, A B B A, so that a slow drift of
//! the machine falls on all cells alike. Which of the two comes first is drawn by lot: always the
//! same one, and a timer that fires every so many batches falls on the same cell each time
//! (a tick of 4 ms in every tenth block of batches of 100 us).

/// Whether the pass goes through the cells from the first to the last. The lot is the same in
/// each run, and another in each process.
pub fn forwards(process: u16, pass: usize) -> bool {
    let pair = (pass / 2) as u64;
    lot(u64::from(process) << 48 ^ pair) != pass.is_multiple_of(2)
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
fn lot(of: u64) -> bool {
    let mut bits = of.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ (bits >> 31)) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::forwards;

    #[test]
    fn two_passes_go_both_ways_and_which_comes_first_is_drawn() {
        for process in 0..5 {
            let first: Vec<bool> = (0..1000).map(|pair| forwards(process, 2 * pair)).collect();
            for (pair, first) in first.iter().enumerate() {
                assert_ne!(*first, forwards(process, 2 * pair + 1));
            }
            let ahead = first.iter().filter(|f| **f).count();
            assert!((430..570).contains(&ahead), "{ahead}");
            // No period that a timer could keep step with.
            for period in 1..50 {
                let same = (period..1000).filter(|at| first[*at] == first[at - period]);
                let share = same.count() as f64 / (1000 - period) as f64;
                assert!((0.4..0.6).contains(&share), "{period}: {share}");
            }
        }
        let of = |process| {
            (0..64)
                .map(|pass| forwards(process, pass))
                .collect::<Vec<_>>()
        };
        assert_ne!(of(0), of(1));
    }
}
