//! The experiments that a program knows, in the order of the report.

use crate::experiment::Listed;
use crate::nearest;
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

/// No experiment has this id or matches this glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot find experiment {id}: no such id or glob{}", nearest::hint(.near))]
pub struct Unknown {
    pub id: String,
    /// Ids that read like it, nearest first.
    pub near: Vec<String>,
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
        let area = pattern.strip_suffix('/').unwrap_or(pattern);
        let selected =
            |id: &str| glob(pattern, id) || id.split_once('/').is_some_and(|(of, _)| of == area);
        let found: Vec<&Listed> = self.listed.iter().filter(|l| selected(l.id)).collect();
        if found.is_empty() {
            return Err(Unknown {
                id: pattern.to_owned(),
                near: nearest::nearest(pattern, self.listed.iter().map(|l| l.id)),
            });
        }
        Ok(found)
    }
}

/// `*` matches any run of characters. Each piece between stars is taken where it
/// comes first, so that no pattern takes long.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut left) = text.strip_prefix(head) else {
        return false;
    };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let tail = pieces.pop().unwrap_or_default();
    for piece in pieces {
        match left.split_once(piece) {
            Some((_, behind)) => left = behind,
            None => return false,
        }
    }
    left.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::glob;

    #[test]
    fn stars_stand_for_anything_and_take_no_time() {
        let good = [
            ("a/b", "a/b"),
            ("*", ""),
            ("*", "mem/line"),
            ("mem/*", "mem/line"),
            ("*/line", "mem/line"),
            ("m*m/*n*", "mem/line"),
            ("**l**", "mem/line"),
            ("mem/line*", "mem/line"),
        ];
        for (pattern, text) in good {
            assert!(glob(pattern, text), "{pattern} {text}");
        }
        let bad = [
            ("", "a"),
            ("mem", "mem/line"),
            ("mem/*", "memory"),
            ("*line/", "mem/line"),
            ("*e*x*", "mem/line"),
            ("a*a", "a"),
        ];
        for (pattern, text) in bad {
            assert!(!glob(pattern, text), "{pattern} {text}");
        }
        let endless = "*".repeat(40) + "x";
        assert!(!glob(&endless, &"y".repeat(40)));
    }
}
