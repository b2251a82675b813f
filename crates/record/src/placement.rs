//! Where a second CPU is, seen from the first: the only words for it, in axes,
//! flags, JSON and sentences.

use crate::machine_card::CpuPlace;

/// What two CPUs have in common. Nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Placement {
    SameCpu,
    SmtSibling,
    /// Something smaller than the last-level cache: the second level of a module
    /// of cores, or what the kernel calls a cluster.
    SameCluster,
    SameCache,
    SameSocket,
    OtherSocket,
}

impl Placement {
    /// Nearest first.
    pub const ALL: [Placement; 6] = [
        Placement::SameCpu,
        Placement::SmtSibling,
        Placement::SameCluster,
        Placement::SameCache,
        Placement::SameSocket,
        Placement::OtherSocket,
    ];

    /// The words of an axis `placement`, in the order of [`Placement::ALL`].
    pub const WORDS: &'static [&'static str] = &[
        "same_cpu",
        "smt_sibling",
        "same_cluster",
        "same_cache",
        "same_socket",
        "other_socket",
    ];

    /// As axes, flags and JSON have it.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// Inverse of [`Placement::word`].
    pub fn named(word: &str) -> Option<Placement> {
        Self::ALL.into_iter().find(|p| p.word() == word)
    }

    /// As a sentence has it: `threads of one core`.
    pub fn text(self) -> &'static str {
        match self {
            Placement::SameCpu => "one CPU",
            Placement::SmtSibling => "threads of one core",
            Placement::SameCluster => "cores of one cluster",
            Placement::SameCache => "cores under one last-level cache",
            Placement::SameSocket => "cores of one socket that share no cache",
            Placement::OtherSocket => "cores of two sockets",
        }
    }

    /// None where the kernel does not report whether they share a cache.
    pub fn of(a: &CpuPlace, b: &CpuPlace) -> Option<Placement> {
        let shared = |x: Option<u32>, y: Option<u32>| Some(x? == y?);
        if a.cpu == b.cpu {
            return Some(Placement::SameCpu);
        }
        if a.core == b.core {
            return Some(Placement::SmtSibling);
        }
        if shared(a.cluster, b.cluster) == Some(true) {
            return Some(Placement::SameCluster);
        }
        match shared(a.last_level, b.last_level) {
            Some(true) => Some(Placement::SameCache),
            _ if a.socket != b.socket => Some(Placement::OtherSocket),
            Some(false) => Some(Placement::SameSocket),
            None => None,
        }
    }

    /// As [`Placement::of`], by number; None where a place is not known.
    pub fn between(places: &[CpuPlace], from: u32, to: u32) -> Option<Placement> {
        let place = |cpu| places.iter().find(|p| p.cpu == cpu);
        Placement::of(place(from)?, place(to)?)
    }

    /// Two CPUs of which the kernel reports no cache count as near: most machines
    /// without topology have one cache.
    pub fn or_near(placement: Option<Placement>) -> Placement {
        placement.unwrap_or(Placement::SameCache)
    }
}

#[cfg(test)]
mod tests {
    use super::Placement;
    use crate::machine_card::CpuPlace;

    fn place(cpu: u32, cluster: Option<u32>, last_level: Option<u32>, socket: u32) -> CpuPlace {
        CpuPlace {
            cpu,
            core: cpu,
            cluster,
            last_level,
            socket,
            node: None,
        }
    }

    #[test]
    fn every_placement_is_found_by_its_word() {
        assert_eq!(Placement::ALL.len(), Placement::WORDS.len());
        for placement in Placement::ALL {
            assert_eq!(Placement::named(placement.word()), Some(placement));
        }
        assert_eq!(Placement::OtherSocket.word(), "other_socket");
        assert_eq!(Placement::named("sibling"), None);
    }

    #[test]
    fn the_nearest_thing_in_common_decides() {
        let here = place(0, Some(0), Some(0), 0);
        let seen = |there| Placement::of(&here, &there);
        assert_eq!(seen(here), Some(Placement::SameCpu));
        let sibling = CpuPlace { cpu: 8, ..here };
        assert_eq!(seen(sibling), Some(Placement::SmtSibling));
        let there = place(1, Some(0), Some(0), 0);
        assert_eq!(seen(there), Some(Placement::SameCluster));
        let there = place(2, Some(2), Some(0), 0);
        assert_eq!(seen(there), Some(Placement::SameCache));
        // A core without a cluster, seen from one with.
        let there = place(2, None, Some(0), 0);
        assert_eq!(seen(there), Some(Placement::SameCache));
        let there = place(3, Some(3), Some(3), 0);
        assert_eq!(seen(there), Some(Placement::SameSocket));
        let there = place(4, Some(4), Some(4), 1);
        assert_eq!(seen(there), Some(Placement::OtherSocket));
    }

    #[test]
    fn caches_that_the_kernel_does_not_report_are_not_guessed() {
        let bare = |cpu, socket| place(cpu, None, None, socket);
        assert_eq!(Placement::of(&bare(0, 0), &bare(1, 0)), None);
        let two_sockets = Placement::of(&bare(0, 0), &bare(1, 1));
        assert_eq!(two_sockets, Some(Placement::OtherSocket));
        assert_eq!(Placement::between(&[bare(0, 0)], 0, 1), None);
    }
}
