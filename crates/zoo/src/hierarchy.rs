//! A machine's memory as seen by its loads: a pure simulation, from one seed.
//!
//! One clock stands for the time of the CPU that measures. A load costs its translation, the
//! level that has its line, and what is left of the way of a line that a prefetcher asked
//! for; around it happen ticks, thefts and a neighbour. Not simulated: instructions and
//! their caches, banks and rows of memory, write-backs, directories that evict, bandwidth of caches.

mod ages;
mod bandwidth;
mod caches;
mod contention;
mod counts;
mod cpu;
mod events;
mod frames;
mod kernel;
mod memory;
mod narrow;
mod noise;
mod owners;
mod paging;
mod placing;
mod prefetch;
mod prices;
mod recency;
mod replacement;
mod scheduler;
mod search;
mod sets;
mod sharing;
mod surroundings;
mod time;
mod tlb;
mod under_way;
mod walk;
mod way_hash;

pub use counts::Counts;
pub use kernel::Kernel;
pub use memory::{Memory, Round};
pub use scheduler::RealTime;
pub use sharing::CPUS;
pub use surroundings::{Guest, Neighbour, Surroundings};
