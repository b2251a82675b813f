//! The experiments that a program knows, in the order of the report.

use crate::experiment::Listed;
use crate::selection::{self, Unknown};
use analysis::inference::{Answer, Quantity};

/// Experiments by id, and what is concluded from several of them.
#[derive(Clone)]
pub struct Catalogue {
    listed: Vec<Listed>,
    quantities: Quantities,
}

/// What is concluded about a machine from the answers of several experiments.
#[derive(Clone, Copy)]
pub struct Quantities {
    /// In the order of the report.
    pub all: &'static [Quantity],
    /// Answers that follow from those of several experiments. Each stands in place of what the same
    /// method said of the same quantity in one.
    pub derived: fn(&[Answer]) -> Vec<Answer>,
}

impl Quantities {
    /// None are concluded.
    pub const NONE: Quantities = Quantities {
        all: &[],
        derived: |_| Vec::new(),
    };
}

impl Catalogue {
    /// Of the experiments listed, in this order, and the quantities that they measure.
    pub fn new(listed: Vec<Listed>, quantities: Quantities) -> Self {
        Catalogue { listed, quantities }
    }

    /// What is concluded about a machine.
    pub fn quantities(&self) -> Quantities {
        self.quantities
    }

    /// In the order of the report.
    pub fn iter(&self) -> std::slice::Iter<'_, Listed> {
        self.listed.iter()
    }

    /// The experiment with this id.
    pub fn find(&self, id: &str) -> Option<&Listed> {
        self.listed.iter().find(|l| l.id == id)
    }

    /// Experiments whose id equals or matches `pattern`, or that are of this area
    /// (`mem`, `mem/`).
    ///
    /// # Errors
    /// When none does.
    pub fn matching(&self, pattern: &str) -> Result<Vec<&Listed>, Unknown> {
        let selected = selection::matching(pattern, self.listed.iter().map(|l| l.id))?;
        let is_selected = |l: &&Listed| selected.contains(&l.id);
        Ok(self.listed.iter().filter(is_selected).collect())
    }
}
