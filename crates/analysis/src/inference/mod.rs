//! Conclusions about the machine: what is claimed, from which methods, and how sure.
//!
//! A method that measures a quantity can be misled, and repeating it does not help: the
//! prefetcher that brings the neighbouring line brings it every time. So a quantity has
//! several methods of different kinds, each with what misleads it. It is concluded where
//! two kinds agree and every other answer is explained by something that is known to
//! mislead its method. How sure that is was counted on simulated machines whose truth is
//! known (`patterns`).

mod agree;
mod conclude;
mod forms;
mod patterns;

pub use agree::agree;
pub use conclude::{Concluded, conclude};
pub use forms::{Agreement, Answer, Fooler, Kind, Makes, Method, Quantity, Says};
pub use patterns::Patterns;
