//! Placing: values to pixels, and labels so that they do not overlap.

use super::canvas::text_width_px;
use crate::figure::{Axis, Mark, MarkRole, Shade};

/// Height of one row of labels.
pub const ROW_PX: f64 = 14.0;

/// A straight map from an axis to a stretch of pixels.
#[derive(Debug, Clone, Copy)]
pub struct Map {
    low: f64,
    high: f64,
    log: bool,
    from_px: f64,
    to_px: f64,
}

impl Map {
    /// Of an axis between two places on the canvas.
    pub fn new(axis: &Axis, from_px: f64, to_px: f64) -> Map {
        let log = axis.scale.is_log();
        let place = |v: f64| {
            if log {
                v.max(f64::MIN_POSITIVE).ln()
            } else {
                v
            }
        };
        Map {
            low: place(axis.range.0),
            high: place(axis.range.1),
            log,
            from_px,
            to_px,
        }
    }

    /// Pixel of a value, held inside the axis: an interval may reach beyond it.
    pub fn px(&self, value: f64) -> f64 {
        let v = match self.log {
            true if value <= 0.0 => self.low,
            true => value.ln(),
            false => value,
        };
        let span = self.high - self.low;
        let share = if span > 0.0 {
            (v - self.low) / span
        } else {
            0.5
        };
        let share = match share.is_finite() {
            true => share.clamp(0.0, 1.0),
            false => 0.0,
        };
        self.from_px + share * (self.to_px - self.from_px)
    }
}

/// A mark's label with its row, from the top.
#[derive(Debug, Clone)]
pub struct PlacedMark<'a> {
    pub mark: &'a Mark,
    pub row: usize,
    /// Label stands left of its line, where the right side has no room.
    pub leftward: bool,
}

/// Rows for the labels of vertical lines: references above, measured below, so
/// that the same quantity from two sources is read one under the other.
pub fn marks<'a>(marks: &'a [Mark], x: &Map, right_px: f64) -> Vec<PlacedMark<'a>> {
    let mut placed: Vec<PlacedMark<'a>> = Vec::new();
    let mut taken: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut first_row = 0;
    for role in [MarkRole::Reference, MarkRole::Knee] {
        first_row = taken.len().max(first_row);
        for mark in marks.iter().filter(|m| m.role == role) {
            let width = text_width_px(&mark.label) + 8.0;
            let at = x.px(mark.x.center);
            let leftward = at + width > right_px;
            let span = if leftward {
                (at - width, at)
            } else {
                (at, at + width)
            };
            let free = |row: &Vec<(f64, f64)>| row.iter().all(|t| t.1 <= span.0 || t.0 >= span.1);
            let row = (first_row..taken.len())
                .find(|r| free(&taken[*r]))
                .unwrap_or(taken.len().max(first_row));
            if row >= taken.len() {
                taken.resize(row + 1, Vec::new());
            }
            taken[row].push(span);
            placed.push(PlacedMark {
                mark,
                row,
                leftward,
            });
        }
    }
    placed
}

/// Name of a region with the middle of its text and its row, from the top.
#[derive(Debug, Clone, Copy)]
pub struct PlacedName<'a> {
    pub name: &'a str,
    pub middle_px: f64,
    pub row: usize,
}

/// Names over the middles of their regions, in as many rows as keep them
/// apart, between `left` and `right`.
pub fn names<'a>(regions: &'a [Shade], x: &Map, left: f64, right: f64) -> Vec<PlacedName<'a>> {
    let mut ends: Vec<f64> = Vec::new();
    regions
        .iter()
        .map(|region| {
            let half = text_width_px(&region.name) / 2.0 + 3.0;
            let wanted = f64::midpoint(x.px(region.from), x.px(region.to));
            let middle_px = wanted.min(right - half).max(left + half);
            // Regions come in order, so a row is free behind its last name.
            let free = ends.iter().position(|end| *end <= middle_px - half);
            let row = free.unwrap_or(ends.len());
            if row == ends.len() {
                ends.push(0.0);
            }
            ends[row] = middle_px + half;
            PlacedName {
                name: &region.name,
                middle_px,
                row,
            }
        })
        .collect()
}

/// Moves labels apart to at least `gap`, inside `[top, bottom]`, keeping their
/// order. Returns the new positions in the order given.
pub fn spread(wanted: &[f64], gap: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    let needed = gap * wanted.len().saturating_sub(1) as f64;
    let gap = if needed > bottom - top && needed > 0.0 {
        gap * (bottom - top) / needed
    } else {
        gap
    };
    let mut placed = vec![0.0; wanted.len()];
    let mut floor = top;
    for i in &order {
        placed[*i] = wanted[*i].max(floor);
        floor = placed[*i] + gap;
    }
    let mut ceiling = bottom;
    for i in order.iter().rev() {
        placed[*i] = placed[*i].min(ceiling);
        ceiling = placed[*i] - gap;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Scale;
    use proptest::prelude::*;
    use record::Unit;

    #[test]
    fn log_axes_place_decades_evenly_and_hold_the_rest() {
        let axis = Axis {
            label: String::new(),
            unit: Unit::Count,
            scale: Scale::Log10,
            range: (1.0, 100.0),
        };
        let map = Map::new(&axis, 0.0, 200.0);
        assert!((map.px(10.0) - 100.0).abs() < 1e-9);
        assert_eq!(map.px(-5.0), 0.0);
        assert_eq!(map.px(1e9), 200.0);
        assert_eq!(map.px(f64::NAN), 0.0);
    }

    #[test]
    fn names_of_narrow_regions_stand_in_rows() {
        let axis = Axis {
            label: String::new(),
            unit: Unit::Count,
            scale: Scale::Linear,
            range: (0.0, 300.0),
        };
        let map = Map::new(&axis, 0.0, 300.0);
        let shade = |from, to| Shade {
            from,
            to,
            name: "ten letter".to_owned(),
        };
        let regions = [shade(0.0, 20.0), shade(20.0, 40.0), shade(40.0, 300.0)];
        let placed = names(&regions, &map, 0.0, 300.0);
        let rows: Vec<usize> = placed.iter().map(|p| p.row).collect();
        assert_eq!(rows, [0, 1, 0]);
        assert!(placed[0].middle_px >= 30.0, "held inside the plot");
        assert_eq!(placed[2].middle_px, 170.0);
    }

    proptest! {
        #[test]
        fn spread_labels_keep_order_distance_and_place(
            wanted in proptest::collection::vec(0.0f64..300.0, 1..20)
        ) {
            let placed = spread(&wanted, 13.0, 0.0, 300.0);
            let mut order: Vec<usize> = (0..wanted.len()).collect();
            order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
            for pair in order.windows(2) {
                prop_assert!(placed[pair[1]] - placed[pair[0]] >= 13.0 - 1e-6);
            }
            for p in placed {
                prop_assert!((-1e-6..=300.0 + 1e-6).contains(&p));
            }
        }
    }
}
