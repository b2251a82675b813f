//! Surroundings for the tests of set-ups, on any machine.

use harness::Context;
use record::MachineCard;

/// A context that knows nothing of the machine's caches.
pub fn context() -> Context {
    Context {
        card: MachineCard::default(),
        test_cpu: 0,
        partner_cpu: None,
        cpus: vec![0],
        memory_available_bytes: 256 << 20,
        scratch: std::env::temp_dir(),
    }
}
