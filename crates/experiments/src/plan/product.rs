//! Combinations of a grid's values, counted before they are made.

use crate::Grid;
use record::Setting;

/// Points of a run at most: more are a typing error, and would fill the memory.
pub const MOST_POINTS: u64 = 2_000_000;

/// How many combinations there are; the largest number where more.
pub fn count(grid: &Grid) -> u64 {
    let sizes = grid.values.iter().map(|(_, values)| values.len() as u64);
    // Where one axis has no value there is no point, whatever the others have.
    match sizes.clone().any(|size| size == 0) {
        true => 0,
        false => sizes.fold(1, u64::saturating_mul),
    }
}

/// Every combination, the last axis fastest.
pub fn product(grid: &Grid) -> Vec<Vec<Setting>> {
    let mut rows: Vec<Vec<Setting>> = vec![Vec::new()];
    for (axis, values) in &grid.values {
        rows = rows
            .iter()
            .flat_map(|row| {
                values.iter().map(move |value| {
                    let mut longer = Vec::with_capacity(row.len() + 1);
                    longer.extend_from_slice(row);
                    longer.push(Setting {
                        axis: (*axis).to_owned(),
                        value: value.clone(),
                    });
                    longer
                })
            })
            .collect();
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::{count, product};
    use crate::Grid;

    #[test]
    fn what_is_counted_is_what_is_made() {
        let grid = |sizes: &[i64]| {
            let axes = ["a", "b", "c", "d", "e", "f"];
            let empty = Grid::new(1);
            let with = |grid: Grid, (axis, size): (&&'static str, &i64)| grid.ints(axis, 0..*size);
            axes.iter().zip(sizes).fold(empty, with)
        };
        for sizes in [&[][..], &[3], &[2, 3, 4], &[5, 0, 4], &[1, 1]] {
            let made = product(&grid(sizes)).len() as u64;
            assert_eq!(count(&grid(sizes)), made, "{sizes:?}");
        }
        assert_eq!(count(&grid(&[4096, 4096, 4096])), 1 << 36);
        assert_eq!(count(&grid(&[4096; 6])), u64::MAX, "2^72");
        assert_eq!(count(&grid(&[4096, 4096, 4096, 4096, 4096, 0])), 0);
    }
}
