//! The list of all experiments: one word each, in the order of the report.
//!
//! Explicit on purpose. Link-time registration loses entries silently under
//! some linkers, and an experiment that vanishes is the worst bug of a
//! laboratory.

use crate::experiment::Listed;
use crate::prose;

macro_rules! experiments {
    ($($area:ident: $($name:ident)+;)+) => {
        $(pub mod $area { $(pub mod $name;)+ })+

        /// Every experiment, in the order of the report.
        #[must_use]
        pub fn all() -> Vec<Listed> {
            vec![$($(Listed {
                experiment: &$area::$name::EXPERIMENT,
                prose: prose::parse(include_str!(concat!(
                    stringify!($area), "/", stringify!($name), ".rs"
                ))),
            },)+)+]
        }
    };
}

experiments! {
    cpu: clock;
    mem: latency line associativity bandwidth;
    copy: memcpy to_user from_user;
    syscall: getppid read write stat fstat open;
    switch: context;
    ipc: memcpy pipe shm_ring futex eventfd process_vm vmsplice splice mq_posix;
}

/// The experiment with this id.
#[must_use]
pub fn find(id: &str) -> Option<Listed> {
    all().into_iter().find(|l| l.experiment.id == id)
}
