//! Ours and a peer's, measured in turns.

use super::numbers::{median, scatter, spread, summary};
use super::row::Row;
use std::ops::RangeInclusive;

/// Runs whose range a reader of five runs would see.
const BLOCK: usize = 5;

/// What was measured of both, in the same unit.
pub struct Turns {
    pub ours: Vec<f64>,
    pub peers: Vec<f64>,
    pub unit: &'static str,
}

impl Turns {
    /// `ours` and `peers` in turn, ABBA, so that each pair sees the same state of the
    /// machine.
    pub fn about(
        count: usize,
        unit: &'static str,
        ours: impl Fn() -> Result<f64, String>,
        peers: impl Fn() -> Result<f64, String>,
    ) -> Result<Turns, String> {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for turn in 0..count {
            if turn % 2 == 0 {
                here.push(ours()?);
            }
            there.push(peers()?);
            if turn % 2 == 1 {
                here.push(ours()?);
            }
        }
        Ok(Turns {
            ours: here,
            peers: there,
            unit,
        })
    }

    /// The median of the ratios of the turns must lie in `target`.
    pub fn row(&self, what: &str, peer: &str, target: RangeInclusive<f64>) -> Row {
        let theirs = format!("{} {peer}", summary(&self.peers, self.unit));
        let ours = summary(&self.ours, self.unit);
        Row::paired(what, (&self.ours, ours), (&self.peers, theirs), target)
    }

    /// The ratio of the medians must lie in `target`.
    pub fn medians(&self, what: &str, peer: &str, target: RangeInclusive<f64>) -> Row {
        let side = |turns: &[f64], more: &str| (median(turns), summary(turns, self.unit) + more);
        let peers = side(&self.peers, &format!(" {peer}"));
        Row::ratio(what, side(&self.ours, ""), peers, target)
    }

    /// The range of five runs, as a reader of five runs sees it. The machine's own
    /// slow spells decide each block for one or the other, so there are many: in half
    /// of them ours may be the wider by chance, not in more. The scatter of all runs
    /// is given with it.
    pub fn spread(&self, peer: &str) -> Row {
        let blocks = self.ours.chunks(BLOCK).zip(self.peers.chunks(BLOCK));
        let narrow = blocks.filter(|(m, t)| spread(m) <= spread(t)).count();
        let of = self.ours.len().div_ceil(BLOCK);
        Row::share(
            &format!("its range over {BLOCK} runs is no wider"),
            narrow as f64 / of as f64,
            &format!(
                "in {narrow} of {of}; MAD of all runs {:.2} % against {:.2} % {peer}",
                scatter(&self.ours) * 100.0,
                scatter(&self.peers) * 100.0
            ),
            0.5,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Turns;
    use crate::bench::row::table;

    #[test]
    fn a_wider_range_than_the_peer_is_missed() {
        let narrow = vec![100.0, 101.0, 99.0, 100.0, 102.0];
        let wide = vec![100.0, 110.0, 90.0, 100.0, 120.0];
        let spread = |ours: &[f64], peers: &[f64]| {
            let turns = Turns {
                ours: ours.to_vec(),
                peers: peers.to_vec(),
                unit: "ns",
            };
            table(&[turns.spread("perf")])
        };
        assert!(spread(&narrow, &wide).ends_with("yes"));
        let missed = spread(&wide, &narrow);
        assert!(missed.ends_with("NO") && missed.contains("in 0 of 1"));
    }
}
