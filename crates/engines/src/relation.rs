//! How near two CPUs are, as the machine card says.

use record::CpuPlace;

/// What two CPUs have in common. Nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    Core,
    /// Something smaller than the last-level cache: the second level of a module
    /// of cores, or what the kernel calls a cluster.
    Cluster,
    LastLevel,
    Socket,
    Machine,
}

impl Relation {
    pub const ALL: [Relation; 5] = [
        Relation::Core,
        Relation::Cluster,
        Relation::LastLevel,
        Relation::Socket,
        Relation::Machine,
    ];

    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Relation::Core => "threads of one core",
            Relation::Cluster => "cores of one cluster",
            Relation::LastLevel => "cores under one last-level cache",
            Relation::Socket => "cores of one socket that share no cache",
            Relation::Machine => "cores of two sockets",
        }
    }

    /// None where the kernel does not tell whether they share a cache.
    #[must_use]
    pub fn of(a: &CpuPlace, b: &CpuPlace) -> Option<Relation> {
        let shared = |x: Option<u32>, y: Option<u32>| Some(x? == y?);
        if a.core == b.core {
            return Some(Relation::Core);
        }
        if shared(a.cluster, b.cluster) == Some(true) {
            return Some(Relation::Cluster);
        }
        match shared(a.last_level, b.last_level) {
            Some(true) => Some(Relation::LastLevel),
            _ if a.socket != b.socket => Some(Relation::Machine),
            Some(false) => Some(Relation::Socket),
            None => None,
        }
    }
}

/// Relation of two CPUs; None where a place is not known.
#[must_use]
pub fn between(places: &[CpuPlace], from: u32, to: u32) -> Option<Relation> {
    let place = |cpu| places.iter().find(|p| p.cpu == cpu);
    Relation::of(place(from)?, place(to)?)
}

#[cfg(test)]
mod tests {
    use super::Relation;
    use record::CpuPlace;

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
    fn the_nearest_thing_in_common_decides() {
        let here = place(0, Some(0), Some(0), 0);
        let relation = |there| Relation::of(&here, &there);
        assert_eq!(relation(here), Some(Relation::Core));
        let there = place(1, Some(0), Some(0), 0);
        assert_eq!(relation(there), Some(Relation::Cluster));
        let there = place(2, Some(2), Some(0), 0);
        assert_eq!(relation(there), Some(Relation::LastLevel));
        // A core without a cluster beside one with.
        let there = place(2, None, Some(0), 0);
        assert_eq!(relation(there), Some(Relation::LastLevel));
        let there = place(3, Some(3), Some(3), 0);
        assert_eq!(relation(there), Some(Relation::Socket));
        let there = place(4, Some(4), Some(4), 1);
        assert_eq!(relation(there), Some(Relation::Machine));
    }

    #[test]
    fn caches_that_nobody_tells_of_are_not_guessed() {
        let bare = |cpu, socket| place(cpu, None, None, socket);
        assert_eq!(Relation::of(&bare(0, 0), &bare(1, 0)), None);
        let two_sockets = Relation::of(&bare(0, 0), &bare(1, 1));
        assert_eq!(two_sockets, Some(Relation::Machine));
    }
}
