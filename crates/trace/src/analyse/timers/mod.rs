//! Timers of the wheel: from the interrupt to the function (`chain`), and each
//! timer from its start to its expiry (`wheel`, `life`).

mod chain;
mod life;
mod wheel;

pub use chain::{ChainSums, Chains};
pub use life::{Life, LifeEvent, Step};
pub use wheel::{FunctionTimers, Wheel, WheelSums};
