//! What else goes on around the measured code.

use super::kernel::Kernel;

/// What disturbs the measured code, and where its partner is.
#[derive(Debug, Clone, PartialEq)]
pub struct Surroundings {
    /// What a load takes longer than its due, as a share of it: exponential, so that this
    /// is its mean as well as its standard deviation.
    pub noise: f64,
    /// Another task on the shared last level and on memory.
    pub neighbour: Option<Neighbour>,
    /// Share of time that the hypervisor gives to others.
    pub stolen_share: f64,
    /// Mean length of one theft, in ns.
    pub stolen_ns: f64,
    /// Timer interrupts in a second; 0: none.
    pub tick_hz: f64,
    /// What one of them costs, in ns.
    pub tick_ns: f64,
    /// What the kernel says of its ticks, and what else interrupts.
    pub kernel: Kernel,
    /// What lies under the virtual addresses.
    pub guest: Guest,
    /// How far the clock's speed wanders, as a share; 0: it stands.
    pub drift: f64,
    /// CPU 1 is a thread of CPU 0's core.
    pub smt_sibling: bool,
    /// CPU 1 is of the same cluster: caches that cores share are one.
    pub partner_shares_llc: bool,
}

/// A task on the shared last level and on memory, which comes and goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// Shortest and longest phase in which it runs, or does not, in ns.
    pub phase_ns: [f64; 2],
    /// Lines that it brings into the last level at once.
    pub burst_lines: u32,
    /// Time from one burst to the next, in ns.
    pub burst_every_ns: f64,
    /// What an access to the last level takes longer while it runs, as a mean share.
    pub last_level_share: f64,
    /// What an access to memory takes longer while it runs, as a mean share.
    pub memory_share: f64,
}

/// What lies under the virtual addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guest {
    /// The machine itself.
    Bare,
    /// A guest whose memory the host backs by huge pages.
    HugeHost,
    /// A guest whose memory the host backs by base pages: its huge pages are pieces.
    SmallHost,
}

impl Surroundings {
    /// Nothing at all happens: for exact comparisons.
    pub fn still() -> Self {
        Surroundings {
            noise: 0.0,
            neighbour: None,
            stolen_share: 0.0,
            stolen_ns: 0.0,
            tick_hz: 0.0,
            tick_ns: 0.0,
            kernel: Kernel::default(),
            guest: Guest::Bare,
            drift: 0.0,
            smt_sibling: false,
            partner_shares_llc: true,
        }
    }

    /// A machine on which nothing else runs: ticks, and a little noise.
    pub fn quiet() -> Self {
        Surroundings {
            noise: 0.01,
            tick_hz: 250.0,
            tick_ns: 2_000.0,
            ..Surroundings::still()
        }
    }

    /// As quiet, but for a task that streams through the last level: 3 GB/s of lines of
    /// 64 bytes.
    pub fn neighbour() -> Self {
        Surroundings {
            neighbour: Some(Neighbour {
                phase_ns: [0.5e6, 5.0e6],
                burst_lines: 512,
                burst_every_ns: 10_000.0,
                last_level_share: 0.25,
                memory_share: 0.4,
            }),
            ..Surroundings::quiet()
        }
    }

    /// The same under a kernel that a seed draws for this machine: its rate of ticks, and in
    /// some of them what misleads those who look for it.
    #[must_use]
    pub fn drawn(self, machine: &str, seed: u64) -> Self {
        let (tick_hz, kernel) = Kernel::drawn(machine, seed);
        Surroundings {
            tick_hz,
            kernel,
            ..self
        }
    }

    /// As quiet, in a guest on huge pages that loses this share of its time, a third of a
    /// millisecond at once.
    pub fn stolen(share: f64) -> Self {
        Surroundings {
            stolen_share: share,
            stolen_ns: 300_000.0,
            guest: Guest::HugeHost,
            ..Surroundings::quiet()
        }
    }
}
