//! How fast memory hands out lines, however many are asked for.

/// Misses that a core has under way at once, prefetched ones with them: its second level keeps
/// 32 to 64 of them.
const UNDER_WAY: f64 = 32.0;

/// When memory can begin the next line of one CPU.
#[derive(Debug, Clone)]
pub struct Bandwidth {
    memory_ns: f64,
    free_ns: f64,
}

impl Bandwidth {
    /// Memory whose lines take so long, in ns.
    pub fn new(memory_ns: f64) -> Self {
        Bandwidth {
            memory_ns,
            free_ns: 0.0,
        }
    }

    /// As many lines as can be are under way: what need not be fetched is not.
    #[inline]
    pub fn is_used_up(&self, now_ns: f64) -> bool {
        self.free_ns - now_ns >= self.memory_ns
    }

    /// Fetches a line: what it waits for those before it, in ns.
    #[inline]
    pub fn wait_ns(&mut self, now_ns: f64) -> f64 {
        let begins_ns = self.free_ns.max(now_ns);
        self.free_ns = begins_ns + self.memory_ns / UNDER_WAY;
        begins_ns - now_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_alone_waits_for_nothing_and_the_33rd_at_once_is_too_many() {
        let mut bandwidth = Bandwidth::new(96.0);
        assert_eq!(bandwidth.wait_ns(5.0), 0.0);
        assert_eq!(bandwidth.wait_ns(5.0), 3.0);
        assert_eq!(bandwidth.wait_ns(100.0), 0.0);
        assert!(!bandwidth.is_used_up(100.0));
        (0..31).for_each(|_| {
            bandwidth.wait_ns(100.0);
        });
        assert!(bandwidth.is_used_up(100.0) && !bandwidth.is_used_up(104.0));
    }
}
