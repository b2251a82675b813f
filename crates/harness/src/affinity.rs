//! Which CPUs measure, and pinning to them.

use crate::subject::SetupError;
use machine::topology::{self, Topology};
use machine::{CpuList, Source};
use std::cmp::Reverse;
use std::io;
use std::path::Path;

/// CPUs chosen for measuring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    pub test_cpu: u32,
    /// On another core than `test_cpu` where there is one; None with one CPU.
    pub partner_cpu: Option<u32>,
    /// What a reader of the record should know of the choice.
    pub notes: Vec<String>,
}

/// 8192 CPUs, the kernel's largest NR_CPUS: a smaller mask is refused on such kernels.
type Mask = [u64; 128];
const NO_CPU: Mask = [0; 128];

/// CPUs the calling thread may run on (cpusets and taskset included).
///
/// # Errors
/// As sched_getaffinity(2).
pub fn allowed_cpus() -> io::Result<Vec<u32>> {
    let mut mask = NO_CPU;
    // SAFETY: the pointer is to a live array of the size given; the kernel
    // writes at most that many bytes.
    let failed =
        unsafe { libc::sched_getaffinity(0, size_of_val(&mask), mask.as_mut_ptr().cast()) < 0 };
    if failed {
        return Err(io::Error::last_os_error());
    }
    Ok((0..8192u32)
        .filter(|cpu| mask[*cpu as usize / 64] & (1 << (cpu % 64)) != 0)
        .collect())
}

/// Lets the calling thread run on these CPUs only. Allocates nothing: a forked child
/// may call it.
///
/// # Errors
/// As sched_setaffinity(2); a CPU beyond 8191 is `InvalidInput`.
pub fn pin(cpus: &[u32]) -> io::Result<()> {
    let mut mask = NO_CPU;
    for cpu in cpus {
        let word = mask
            .get_mut(*cpu as usize / 64)
            .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        *word |= 1 << (cpu % 64);
    }
    set(&mask)
}

/// Lets the calling thread run wherever its cpuset allows, also in a forked child.
///
/// # Errors
/// As sched_setaffinity(2).
pub fn unpin() -> io::Result<()> {
    set(&NO_CPU.map(|_| u64::MAX))
}

fn set(mask: &Mask) -> io::Result<()> {
    // SAFETY: the pointer is to a live array of the size given.
    match unsafe { libc::sched_setaffinity(0, size_of_val(mask), mask.as_ptr().cast()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Whether threads and processes of ours may be bound to `cpu`, tried with this thread,
/// which then goes back: asked before a partner is started, which could only fail.
///
/// # Errors
/// `Skip`: a sandbox refuses sched_setaffinity(2), or the CPU is not for us.
pub fn bindable(cpu: u32) -> Result<(), SetupError> {
    let tried = allowed_cpus().and_then(|before| {
        pin(&[cpu])?;
        pin(&before)
    });
    tried.map_err(|cause| {
        SetupError::skip(
            format!("cannot pin to CPU {cpu} (sched_setaffinity): {cause}"),
            format!("taskset -c {cpu} true (must succeed: allow sched_setaffinity)"),
        )
    })
}

/// Chooses among `allowed`: isolated CPUs first, then the fastest ones (on
/// machines whose cores differ), then those that share no core with CPU 0,
/// which takes most interrupts, then the lowest number.
pub fn choose(allowed: &[u32], root: &Path) -> Chosen {
    let cpus = Cpus::read(root);
    let mut notes = Vec::new();
    let choices = || allowed.iter().copied();
    let test_cpu = choices().min_by_key(|cpu| cpus.rank(*cpu)).unwrap_or(0);
    let others = choices().filter(|cpu| *cpu != test_cpu);
    let partner_cpu = others.min_by_key(|cpu| {
        let shares_core = cpus.share_core(test_cpu, *cpu);
        let elsewhere = cpus.socket(*cpu) != cpus.socket(test_cpu);
        (shares_core, elsewhere, cpus.rank(*cpu))
    });
    match partner_cpu {
        None => {
            notes.push("one CPU: experiments with two sides share it or are skipped".to_owned())
        }
        Some(cpu) if cpus.share_core(test_cpu, cpu) => notes.push(format!(
            "CPUs {test_cpu} and {cpu} are threads of one core: there is no other core"
        )),
        Some(_) => {}
    }
    if test_cpu == 0 && allowed.len() > 1 {
        notes.push("measuring on CPU 0, which takes most interrupts".to_owned());
    }
    Chosen {
        test_cpu,
        partner_cpu,
        notes,
    }
}

/// The few facts of the CPUs that the choice needs.
struct Cpus {
    topology: Topology,
    isolated: CpuList,
}

impl Cpus {
    fn read(root: &Path) -> Self {
        let source = Source::new(root);
        Cpus {
            topology: topology::read(&source),
            isolated: topology::isolated(&source),
        }
    }

    fn share_core(&self, cpu: u32, other: u32) -> bool {
        let cpu = self.topology.cpu(cpu);
        cpu.is_some_and(|cpu| cpu.siblings.contains(other))
    }

    fn socket(&self, cpu: u32) -> Option<u32> {
        Some(self.topology.cpu(cpu)?.socket)
    }

    /// Smaller is better.
    fn rank(&self, cpu: u32) -> (bool, Reverse<u32>, bool, bool, u32) {
        let known = self.topology.cpu(cpu);
        (
            !self.isolated.contains(cpu),
            Reverse(known.and_then(|cpu| cpu.capacity).unwrap_or(0)),
            cpu == 0,
            self.share_core(cpu, 0),
            cpu,
        )
    }
}

/// `0,2,5` for taskset and for people.
pub fn format_list(cpus: &[u32]) -> String {
    let words: Vec<String> = cpus.iter().map(u32::to_string).collect();
    words.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join("sys/devices/system/cpu").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Four CPUs, two cores: 0+2 and 1+3.
    fn smt() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "online", "0-3\n");
        for cpu in 0..4 {
            let pair = if cpu % 2 == 0 { "0,2\n" } else { "1,3\n" };
            write(
                root.path(),
                &format!("cpu{cpu}/topology/thread_siblings_list"),
                pair,
            );
            write(
                root.path(),
                &format!("cpu{cpu}/topology/physical_package_id"),
                "0\n",
            );
        }
        root
    }

    #[test]
    fn cpu_0_and_its_sibling_are_avoided_and_the_partner_is_another_core() {
        let root = smt();
        let chosen = choose(&[0, 1, 2, 3], root.path());
        assert_eq!(chosen.test_cpu, 1);
        assert_eq!(chosen.partner_cpu, Some(2));
    }

    #[test]
    fn isolated_cpus_come_first() {
        let root = smt();
        write(root.path(), "isolated", "2-3\n");
        let chosen = choose(&[0, 1, 2, 3], root.path());
        assert_eq!((chosen.test_cpu, chosen.partner_cpu), (3, Some(2)));
    }

    #[test]
    fn fast_cores_come_before_slow_ones() {
        let root = smt();
        for (cpu, capacity) in [(0, "400"), (1, "400"), (2, "1024"), (3, "1024")] {
            write(root.path(), &format!("cpu{cpu}/cpu_capacity"), capacity);
        }
        assert_eq!(choose(&[0, 1, 2, 3], root.path()).test_cpu, 3);
    }

    #[test]
    fn the_allowed_mask_is_respected_and_one_thread_pair_is_noted() {
        let root = smt();
        let chosen = choose(&[1, 3], root.path());
        assert_eq!((chosen.test_cpu, chosen.partner_cpu), (1, Some(3)));
        assert!(chosen.notes[0].contains("threads of one core"));
    }

    #[test]
    fn a_machine_with_one_cpu_has_no_partner() {
        let chosen = choose(&[0], Path::new("/nonexistent"));
        assert_eq!((chosen.test_cpu, chosen.partner_cpu), (0, None));
        assert!(chosen.notes[0].contains("one CPU"));
    }

    #[test]
    fn lists_as_taskset_takes_them() {
        assert_eq!(format_list(&[0, 2]), "0,2");
    }

    #[test]
    fn what_cannot_be_bound_is_a_skip_and_nothing_has_moved() {
        std::thread::spawn(|| {
            let before = allowed_cpus().unwrap();
            bindable(before[0]).unwrap();
            let Err(SetupError::Skip { reason, .. }) = bindable(8191) else {
                panic!("CPU 8191 is nobody's");
            };
            assert!(reason.contains("CPU 8191 (sched_setaffinity)"), "{reason}");
            assert_eq!(allowed_cpus().unwrap(), before);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn pinning_moves_this_thread() {
        // In a thread of its own: affinity is the thread's.
        std::thread::spawn(|| {
            let allowed = allowed_cpus().unwrap();
            let last = *allowed.last().unwrap();
            pin(&[last]).unwrap();
            assert_eq!(allowed_cpus().unwrap(), [last]);
            assert_eq!(crate::watch::current_cpu(), Some(last));
        })
        .join()
        .unwrap();
    }
}
