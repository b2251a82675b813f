//! Sorting: words by their letters, points by their distance. Stand for the sorts of
//! embedded systems that copies were seen to slow down; memory is touched all over, and
//! branches are hard to foresee.

mod points;
mod quick;
#[cfg(test)]
mod tests;
mod words;

pub use points::build as points;
pub use words::build as words;
