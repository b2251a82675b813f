//! A catalogue made up for tests.

use crate::prose::Prose;
use crate::{AxisSpec, Catalogue, Experiment, Grid, Listed, Quantities};
use record::Unit;

const fn axis(name: &'static str, words: &'static [&'static str]) -> AxisSpec {
    AxisSpec {
        name,
        unit: Unit::Count,
        doc: "",
        words,
        compared: !words.is_empty(),
    }
}

/// Sizes by cores, with ten kernels that are compared.
static BANDWIDTH: Experiment = Experiment {
    axes: &[
        axis("size", &[]),
        axis("cores", &[]),
        axis("kernel", KERNELS),
    ],
    grids: |_, _| {
        let sizes = Grid::new(10).ints("size", [64, 4096]);
        vec![sizes.ints("cores", [1]).words("kernel", KERNELS)]
    },
    ..Experiment::EMPTY
};
const KERNELS: &[&str] = &["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

/// A catalogue with made-up experiments.
pub fn catalogue() -> Catalogue {
    let listed = Listed {
        id: "mem/bandwidth",
        experiment: &BANDWIDTH,
        prose: Prose::default(),
    };
    Catalogue::new(vec![listed], Quantities::NONE)
}
