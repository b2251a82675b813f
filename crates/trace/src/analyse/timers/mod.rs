//! Timers of the wheel: from the interrupt to the function (`chain`), and each
//! timer from its start to its expiry (`wheel`, `life`).

mod chain;
mod jiffies;
mod life;
mod stage;
mod wheel;

pub use chain::{ChainSums, Chains, PassageSink};
pub use jiffies::{Jiffies, TickTimes};
pub use life::{Life, LifeEvent, Step};
pub use stage::{Passage, Stage, Stages};
pub use wheel::{Expired, ExpirySink, FunctionTimers, Wheel, WheelSums, wheel_step};
