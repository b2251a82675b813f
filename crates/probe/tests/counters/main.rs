//! Groups of counters: tables, readings, refusals, noise.

mod encodings;
mod groups;
mod live;
mod noise;
mod replay;
mod steps;
