//! Combinations of a grid's values, counted before they are made.

use crate::{Grid, setting};
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
pub fn product(grid: &Grid) -> impl Iterator<Item = Vec<Setting>> {
    (0..count(grid)).map(|number| combination(grid, number))
}

/// One combination. `number` is read in mixed radix: one digit for each axis, the
/// last axis the least significant.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the remainder is below the length of a list, a usize"
)]
fn combination(grid: &Grid, mut number: u64) -> Vec<Setting> {
    let mut settings = Vec::with_capacity(grid.values.len());
    for (axis, values) in grid.values.iter().rev() {
        let size = values.len() as u64;
        let value = values[(number % size) as usize].clone();
        settings.push(setting(axis, value));
        number /= size;
    }
    settings.reverse();
    settings
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
            let made = product(&grid(sizes)).count() as u64;
            assert_eq!(count(&grid(sizes)), made, "{sizes:?}");
        }
        let made: Vec<Vec<Option<i64>>> = product(&grid(&[2, 1, 3]))
            .map(|row| row.iter().map(|s| s.value.as_int()).collect())
            .collect();
        let wanted = [
            [0, 0, 0],
            [0, 0, 1],
            [0, 0, 2],
            [1, 0, 0],
            [1, 0, 1],
            [1, 0, 2],
        ];
        assert_eq!(made, wanted.map(|row| row.map(Some).to_vec()));
        assert_eq!(count(&grid(&[4096, 4096, 4096])), 1 << 36);
        assert_eq!(count(&grid(&[4096; 6])), u64::MAX, "2^72");
        assert_eq!(count(&grid(&[4096, 4096, 4096, 4096, 4096, 0])), 0);
    }
}
