//! Tasks that compete for one CPU, and how the scheduler shared it: child
//! processes of a known kind of work under known policies, each of which
//! writes down when it had the CPU.

pub mod held;
pub mod play;
pub mod policy;
pub mod replay;
pub mod rival;
pub mod settings;
pub mod traced;
pub mod turns;
pub mod work;
