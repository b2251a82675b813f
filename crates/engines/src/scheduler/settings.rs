//! What the kernel says of its scheduler: how long a slice should be, and how
//! much real-time tasks may have.

use machine::tunable::{
    BASE_SLICE_NS, MIN_GRANULARITY_NS, RR_TIMESLICE_MS, RT_PERIOD_US, RT_RUNTIME_US, Tunable,
};
use std::path::Path;

/// From /proc/sys/kernel and debugfs; None where they lack the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    /// `sched_rr_timeslice_ms`.
    pub rr_slice_ns: Option<u64>,
    /// `sched_rt_runtime_us` of `sched_rt_period_us`, ns; None: no limit.
    pub rt_share: Option<(u64, u64)>,
    /// EEVDF's `base_slice_ns`, CFS's `min_granularity_ns`: root only.
    pub fair_slice_ns: Option<u64>,
}

impl Settings {
    /// Reads below `root`, which is `/` but in tests.
    pub fn read(root: &Path) -> Settings {
        // A limit of -1 is none.
        let times = |file: Tunable, ns: u64| {
            let number: u64 = file.word_below(root)?.parse().ok()?;
            number.checked_mul(ns)
        };
        let runtime = times(RT_RUNTIME_US, 1_000);
        let period = times(RT_PERIOD_US, 1_000);
        Settings {
            rr_slice_ns: times(RR_TIMESLICE_MS, 1_000_000),
            rt_share: runtime.zip(period),
            fair_slice_ns: times(BASE_SLICE_NS, 1).or_else(|| times(MIN_GRANULARITY_NS, 1)),
        }
    }

    /// What bears on tasks of this policy, as a sentence.
    pub fn sentence(&self, policy: &str) -> Option<String> {
        let ms = |ns: u64| ns as f64 / 1e6;
        let limit = self.rt_share.map(|(runtime, period)| {
            format!(
                "real-time tasks may use {:.0} of every {:.0} ms while others wait \
                 (sched_rt_runtime_us, sched_rt_period_us)",
                ms(runtime),
                ms(period)
            )
        });
        match policy {
            "rr" => {
                let slice = self.rr_slice_ns?;
                let slice = format!("sched_rr_timeslice_ms is {:.0} ms", ms(slice));
                Some(limit.map_or(slice.clone(), |limit| format!("{slice}; {limit}")))
            }
            "fifo" | "deadline" => limit,
            _ => {
                let slice = self.fair_slice_ns?;
                Some(format!("the scheduler's base slice is {:.2} ms", ms(slice)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;

    #[test]
    fn no_limit_is_no_share() {
        let (context, _keep) = testbed::context();
        let root = &context.scratch;
        let folder = root.join("proc/sys/kernel");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("sched_rr_timeslice_ms"), "100\n").unwrap();
        std::fs::write(folder.join("sched_rt_runtime_us"), "-1\n").unwrap();
        std::fs::write(folder.join("sched_rt_period_us"), "1000000\n").unwrap();
        let settings = Settings::read(root);
        assert_eq!(settings.rr_slice_ns, Some(100_000_000));
        assert_eq!(settings.rt_share, None);
        assert_eq!(settings.sentence("fifo"), None);
        assert_eq!(
            settings.sentence("rr").as_deref(),
            Some("sched_rr_timeslice_ms is 100 ms")
        );
        std::fs::write(folder.join("sched_rt_runtime_us"), "950000\n").unwrap();
        let settings = Settings::read(root).sentence("fifo").unwrap();
        assert!(settings.contains("950 of every 1000 ms"), "{settings}");
    }
}
