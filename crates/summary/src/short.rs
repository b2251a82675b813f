//! The rows of the toll map that are worth a line where there is room for few.

use crate::toll::{Standing, TollCell, TollMap, TollRow};
use record::TollGroup;

impl TollMap {
    /// Rows worth their line, in the order of the groups, within one by their cost at the smallest
    /// size.
    pub fn short(&self, most: usize) -> Vec<&TollRow> {
        let measured = || self.rows.iter().filter(|row| row.is_measured());
        let mut rows: Vec<&TollRow> = measured()
            .filter(|row| row.usual || row.is_cheapest_somewhere())
            .collect();
        if rows.is_empty() {
            // Of records from before there were groups.
            rows = measured().collect();
        }
        // The floors and the farthest groups go first where there are too many.
        while rows.len() > most {
            // A way that is the best with a partner only is worth less than the one in use.
            let least = |row: &&TollRow| {
                let sized = row.cells.iter().filter_map(TollCell::toll);
                let best = sized.into_iter().any(|t| t.standing == Standing::Cheapest);
                let near = row.group.is_some_and(|group| group <= TollGroup::Tasks);
                match (best, row.usual) {
                    (true, usual) => 2 * u8::from(near) + 1 + u8::from(usual),
                    (false, usual) => 2 * u8::from(usual && near),
                }
            };
            let worth = rows.iter().map(least).min().unwrap_or(0);
            let Some(at) = rows.iter().rposition(|row| least(row) == worth) else {
                break;
            };
            rows.remove(at);
        }
        rows.sort_by(|a, b| {
            let at = |row: &TollRow| (row.group.is_none(), row.group);
            let by_group = at(a).cmp(&at(b));
            by_group.then(first_ns(a).total_cmp(&first_ns(b)))
        });
        rows
    }
}

fn first_ns(row: &TollRow) -> f64 {
    let first = row.cells.iter().find_map(TollCell::toll);
    first.map_or(f64::INFINITY, |toll| toll.ns.center)
}
