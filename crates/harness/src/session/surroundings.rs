//! What the coordinator arranges around a run and puts back after it.

use crate::affinity;

/// Keeps the coordinating thread off the measuring CPUs while it lives.
#[derive(Debug)]
pub struct Aside {
    before: Vec<u32>,
}

impl Aside {
    /// On a CPU that does not measure, else on one that only some experiments
    /// use, else where it is.
    pub fn step(test_cpu: u32, partner_cpu: Option<u32>) -> Self {
        let before = affinity::allowed_cpus().unwrap_or_default();
        let without = |cpus: &[u32], cpu: Option<u32>| -> Vec<u32> {
            cpus.iter().copied().filter(|c| Some(*c) != cpu).collect()
        };
        let off_test = without(&before, Some(test_cpu));
        let off_both = without(&off_test, partner_cpu);
        let place = if off_both.is_empty() {
            off_test
        } else {
            off_both
        };
        if !place.is_empty() {
            // Refused: then it stays where it is, which only disturbs more.
            let _ = affinity::pin(&place);
        }
        Aside { before }
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if !self.before.is_empty() {
            // Was allowed before; a cpuset that shrank since has its own way.
            let _ = affinity::pin(&self.before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_coordinator_steps_aside_and_comes_back() {
        std::thread::spawn(|| {
            let before = affinity::allowed_cpus().unwrap();
            let test_cpu = before[0];
            let aside = Aside::step(test_cpu, None);
            let now = affinity::allowed_cpus().unwrap();
            assert_eq!(now.contains(&test_cpu), before.len() == 1);
            drop(aside);
            assert_eq!(affinity::allowed_cpus().unwrap(), before);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn with_one_cpu_it_stays() {
        std::thread::spawn(|| {
            let only = affinity::allowed_cpus().unwrap()[0];
            affinity::pin(&[only]).unwrap();
            let _aside = Aside::step(only, None);
            assert_eq!(affinity::allowed_cpus().unwrap(), [only]);
        })
        .join()
        .unwrap();
    }
}
