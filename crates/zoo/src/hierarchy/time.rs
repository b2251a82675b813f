//! The one clock.

/// Simulated time, and how long a cycle is just now.
#[derive(Debug, Clone)]
pub struct Time {
    /// Since the beginning, in ns.
    pub now_ns: f64,
    /// Of one cycle, in ns.
    pub cycle_ns: f64,
    nominal_ns: f64,
    /// Sum of all thefts so far, in ns.
    pub stolen_ns: f64,
    /// Timer interrupts so far.
    pub ticks: u64,
    /// What the coarse clock shows, in ns.
    pub coarse_ns: f64,
}

impl Time {
    /// The beginning.
    pub fn new(clock_ghz: f64) -> Self {
        Time {
            now_ns: 0.0,
            cycle_ns: 1.0 / clock_ghz,
            nominal_ns: 1.0 / clock_ghz,
            stolen_ns: 0.0,
            ticks: 0,
            coarse_ns: 0.0,
        }
    }

    /// The clock runs at its own speed and this share above it.
    pub fn set_speed(&mut self, share: f64) {
        self.cycle_ns = self.nominal_ns / (1.0 + share);
    }
}
