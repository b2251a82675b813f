//! Points in blocks: those that are compared are together, each setting once.

use super::{Block, sampling};
use crate::experiment::Listed;
use crate::recipe::Recipe;
use harness::{Point, Sampling, Shape};
use record::{AxisValue, Setting};
use std::collections::{HashMap, HashSet};

/// Settings as one key for hash tables. Bytes, because a plan may look up two million
/// of them and a list of settings has two texts for each axis.
#[derive(Debug, Clone, Eq, Hash)]
#[allow(
    clippy::derived_hash_with_manual_eq,
    reason = "equal as derived; tests count how often it is asked"
)]
struct Place(Vec<u8>);

/// Never occurs in UTF-8, so different settings never have the same bytes.
const END_OF_TEXT: u8 = 0xff;

impl Place {
    fn of<'s>(settings: impl Iterator<Item = &'s Setting>) -> Place {
        let mut bytes = Vec::new();
        for Setting { axis, value } in settings {
            bytes.extend_from_slice(axis.as_bytes());
            bytes.push(END_OF_TEXT);
            match value {
                AxisValue::Int(number) => {
                    bytes.push(0);
                    bytes.extend_from_slice(&number.to_ne_bytes());
                }
                AxisValue::Word(word) => {
                    bytes.push(1);
                    bytes.extend_from_slice(word.as_bytes());
                    bytes.push(END_OF_TEXT);
                }
            }
        }
        Place(bytes)
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Place) -> bool {
        #[cfg(test)]
        tests::COMPARED.with(|count| count.set(count.get() + 1));
        self.0 == other.0
    }
}

/// The blocks of one experiment in the making.
pub struct Blocks<'a> {
    listed: &'a Listed,
    recipe: &'a Recipe,
    blocks: Vec<Block>,
    seen: HashSet<Place>,
    /// Of the blocks with compared axes, by what their points have in common.
    homes: HashMap<(Place, Shape, u64), usize>,
}

impl<'a> Blocks<'a> {
    /// No blocks yet of one experiment under a recipe.
    pub fn new(listed: &'a Listed, recipe: &'a Recipe) -> Self {
        Blocks {
            listed,
            recipe,
            blocks: Vec::new(),
            seen: HashSet::new(),
            homes: HashMap::new(),
        }
    }

    /// Whether no grid before asked for it.
    pub fn is_new(&mut self, settings: &[Setting]) -> bool {
        self.seen.insert(Place::of(settings.iter()))
    }

    /// Puts a point into the block that it is compared in, or opens a new one.
    pub fn place(&mut self, point: Point, budget_ns: u64) {
        let shape = (self.listed.experiment.shape)(&point);
        let has_compared = point.settings.iter().any(|s| self.is_compared(s));
        let next = self.blocks.len();
        let home = match has_compared {
            true => {
                let fixed = point.settings.iter().filter(|s| !self.is_compared(s));
                let home = self.homes.entry((Place::of(fixed), shape, budget_ns));
                *home.or_insert(next)
            }
            false => next,
        };
        match self.blocks.get_mut(home) {
            Some(block) => block.points.push(point),
            None => self.blocks.push(Block {
                points: vec![point],
                sampling: Sampling {
                    singly: self.listed.experiment.singly,
                    ..sampling(shape, self.recipe, budget_ns)
                },
            }),
        }
    }

    /// The blocks, in the order in which they are measured.
    pub fn into_blocks(self) -> Vec<Block> {
        self.blocks
    }

    fn is_compared(&self, setting: &Setting) -> bool {
        let mut axes = self.listed.experiment.axes.iter();
        axes.any(|a| a.compared && a.name == setting.axis)
    }
}

#[cfg(test)]
mod tests {
    use super::Place;
    use crate::made::catalogue;
    use crate::plan::{PlanError, plan};
    use crate::recipe::{Recipe, parse};
    use record::{AxisValue, MachineCard, Setting};
    use std::cell::Cell;
    use std::collections::HashSet;

    thread_local! {
        /// How often this thread compared two places.
        pub static COMPARED: Cell<u64> = const { Cell::new(0) };
    }

    fn recipe(axes: &str) -> Recipe {
        let text = format!("title='t'\n[[experiment]]\nid='mem/bandwidth'\naxes={{{axes}}}");
        parse("x", &text).unwrap()
    }

    #[test]
    fn a_hundred_thousand_points_are_planned_with_work_for_each() {
        const SIZES: u64 = 10_000;
        let ranges: Vec<String> = (0..SIZES.div_ceil(4000))
            .map(|n| format!("{}..{}:+1", 1 + n * 4000, (n + 1) * 4000))
            .collect();
        let size = format!("size='{}'", ranges.join(","));
        COMPARED.set(0);
        let planned = plan(&catalogue(), &recipe(&size), &MachineCard::default()).unwrap();
        let points: u64 = planned.experiments[0]
            .blocks
            .iter()
            .map(|b| b.points.len() as u64)
            .sum();
        assert!(points >= 100_000, "{points}");
        // Two look-ups a point, and now and then one that only shares a hash.
        assert!(
            COMPARED.get() < 3 * points,
            "{} for {points}",
            COMPARED.get()
        );
        let heads = planned.point_heads();
        assert!(heads.iter().map(|h| h.index).eq(0..points as u32));
    }

    #[test]
    fn no_two_settings_are_one_place() {
        let number = |axis: &str, value: i64| Setting {
            axis: axis.to_owned(),
            value: AxisValue::Int(value),
        };
        let word = |axis: &str, value: &str| Setting {
            axis: axis.to_owned(),
            value: AxisValue::Word(value.to_owned()),
        };
        let bytes_of_1 = String::from_utf8(1i64.to_ne_bytes().to_vec()).unwrap();
        let all = [
            vec![],
            vec![number("a", 1)],
            vec![number("a", 256)],
            vec![number("b", 1)],
            vec![number("a", 1), number("b", 1)],
            vec![word("a", "1")],
            vec![word("a", &bytes_of_1)],
            vec![word("ab", "c")],
            vec![word("a", "bc")],
            vec![word("a", "b"), word("c", "d")],
            vec![word("a", "bc"), word("", "d")],
        ];
        let places: HashSet<Place> = all.iter().map(|s| Place::of(s.iter())).collect();
        assert_eq!(places.len(), all.len());
    }

    #[test]
    fn compared_points_share_a_block_and_each_stands_once() {
        let planned = plan(
            &catalogue(),
            &recipe("size='64,4096,64'"),
            &MachineCard::default(),
        )
        .unwrap();
        let blocks = &planned.experiments[0].blocks;
        let mut seen = HashSet::new();
        for block in blocks {
            assert!(block.points.iter().all(|p| seen.insert(p.settings.clone())));
            let size = |p: &harness::Point| p.int("size");
            assert!(
                block
                    .points
                    .iter()
                    .all(|p| size(p) == size(&block.points[0]))
            );
        }
        assert!(
            blocks.iter().any(|b| b.points.len() > 1),
            "some are compared"
        );
    }

    #[test]
    fn a_plan_too_large_is_refused_with_its_number_before_it_is_made() {
        let error = plan(
            &catalogue(),
            &recipe("size='1..4096:+1,5001..9096:+1', cores='1..4096:+1'"),
            &MachineCard::default(),
        );
        let Err(PlanError::TooMany {
            experiment, points, ..
        }) = error
        else {
            panic!("{:?}", error.map(|p| p.point_heads().len()));
        };
        assert_eq!(experiment, "mem/bandwidth");
        assert!(points >= 8192 * 4096, "{points}");
    }
}
