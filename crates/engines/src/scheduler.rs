//! Tasks that want the same CPU, and what the scheduler made of them: child
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
