//! Light and heavy side by side, on times of known distribution.

mod fit;
mod made;
mod series;
mod verdicts;
