//! Where the partner runs, seen from the CPU under test.

use crate::relation::{Relation, between};
use analysis::ExperimentTable;
use harness::{Context, SetupError};
use record::MachineCard;

/// From near to far.
pub const PLACEMENTS: &[&str] = &[
    "same_cpu",
    "smt_sibling",
    "same_cluster",
    "same_cache",
    "same_socket",
    "other_socket",
];

/// Where two CPUs are looked for that stand for the others: cores of their own, as
/// near as they come.
const PREFERRED: [&str; 6] = [
    "same_cache",
    "same_cluster",
    "smt_sibling",
    "same_socket",
    "other_socket",
    "same_cpu",
];

/// The placement that stands for two CPUs on this machine: what quick measures and
/// the toll map shows.
#[must_use]
pub fn near(card: &MachineCard) -> &'static str {
    if card.cpus < 2 {
        return "same_cpu";
    }
    let pairs = card.places.iter().enumerate();
    let found: Vec<&str> = pairs
        .flat_map(|(i, a)| card.places[i + 1..].iter().map(move |b| (a, b)))
        .map(|(a, b)| word(Relation::of(a, b)))
        .collect();
    let first = PREFERRED.into_iter().find(|word| found.contains(word));
    first.unwrap_or(PREFERRED[0])
}

/// The same, of what was measured.
#[must_use]
pub fn near_measured(table: &ExperimentTable) -> Option<&'static str> {
    let has = |wanted: &&str| {
        let mut points = table.points.iter();
        points.any(|p| p.word("placement") == *wanted && p.median_ns().is_some())
    };
    PREFERRED.into_iter().find(has)
}

/// Where the two sides run, as a sentence has it.
#[must_use]
pub fn said(placement: &str) -> &'static str {
    match placement {
        "same_cpu" => "on one CPU",
        "smt_sibling" => "on two threads of a core",
        "same_cluster" => "on two CPUs of one cluster",
        "same_cache" => "on two CPUs of one cache",
        "same_socket" => "on two CPUs of one socket",
        _ => "on two sockets",
    }
}

/// A CPU of this placement.
///
/// # Errors
/// `Skip` where this machine, or what this process may use of it, has none.
pub fn partner_cpu(placement: &str, context: &Context) -> Result<u32, SetupError> {
    if placement == "same_cpu" {
        return Ok(context.test_cpu);
    }
    let mut there = others(context).filter(|cpu| of(*cpu, context) == placement);
    there.next().ok_or_else(|| {
        SetupError::skip(
            format!(
                "no other CPU that this process may use is {} of CPU {}",
                lies(placement),
                context.test_cpu
            ),
            remedy(context),
        )
    })
}

/// The placements that exist here, near to far.
#[must_use]
pub fn existing(context: &Context) -> Vec<&'static str> {
    let has =
        |word: &str| word == "same_cpu" || others(context).any(|cpu| of(cpu, context) == word);
    PLACEMENTS.iter().copied().filter(|w| has(w)).collect()
}

fn others(context: &Context) -> impl Iterator<Item = u32> + '_ {
    let cpus = context.cpus.iter().copied();
    cpus.filter(|cpu| *cpu != context.test_cpu)
}

/// The word for where `cpu` lies, seen from the CPU under test. What the card
/// does not tell counts as near: most machines without topology have one cache.
fn of(cpu: u32, context: &Context) -> &'static str {
    word(between(&context.card.places, context.test_cpu, cpu))
}

fn word(relation: Option<Relation>) -> &'static str {
    match relation {
        Some(Relation::Core) => "smt_sibling",
        Some(Relation::Cluster) => "same_cluster",
        Some(Relation::LastLevel) | None => "same_cache",
        Some(Relation::Socket) => "same_socket",
        Some(Relation::Machine) => "other_socket",
    }
}

fn lies(placement: &str) -> &'static str {
    match placement {
        "smt_sibling" => "a hardware thread of the core",
        "same_cluster" => "another core of the cluster",
        "same_cache" => "under the last-level cache, and no nearer than that,",
        "same_socket" => "on the socket, under another cache,",
        _ => "on another socket than that",
    }
}

fn remedy(context: &Context) -> String {
    format!("--axis placement={}", existing(context).join(","))
}

#[cfg(test)]
mod tests {
    use super::{PLACEMENTS, existing, near, partner_cpu};
    use harness::{Context, SetupError};
    use machine::cache::{Cache, CacheKind};
    use record::{CpuPlace, MachineCard};
    use std::path::Path;
    use testbed::context;

    /// The usable CPUs of a stored machine, seen from one of them.
    fn stored(name: &str, test_cpu: u32) -> Context {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.join("../../fixtures/machines").join(name).join("root");
        seen(&machine::read(&root), test_cpu)
    }

    fn seen(machine: &machine::Machine, test_cpu: u32) -> Context {
        let (context, _scratch) = context();
        Context {
            card: harness::card::card(machine),
            cpus: machine.usable_cpus().numbers().to_vec(),
            test_cpu,
            ..context
        }
    }

    /// The placements that exist, each with its CPU.
    fn places(context: &Context) -> Vec<(&'static str, u32)> {
        let have = existing(context);
        let mut found = Vec::new();
        for word in PLACEMENTS {
            match partner_cpu(word, context) {
                Ok(cpu) => found.push((*word, cpu)),
                Err(SetupError::Skip { reason, remedy }) => {
                    assert!(reason.contains("no other CPU"), "{reason}");
                    assert_eq!(remedy, format!("--axis placement={}", have.join(",")));
                }
                Err(SetupError::Fail(why)) => panic!("{why}"),
            }
        }
        assert_eq!(found.iter().map(|f| f.0).collect::<Vec<_>>(), have);
        found
    }

    #[test]
    fn two_cpus_stand_for_others_by_what_the_machine_has() {
        for (name, expected) in [
            ("xeon-two-socket", "same_cache"),
            ("raspberry-pi-4", "same_cache"),
        ] {
            assert_eq!(near(&stored(name, 0).card), expected, "{name}");
        }
        let threads = MachineCard {
            cpus: 2,
            places: [0, 1]
                .map(|cpu| CpuPlace {
                    cpu,
                    core: 0,
                    cluster: None,
                    last_level: Some(0),
                    socket: 0,
                    node: None,
                })
                .to_vec(),
            ..MachineCard::default()
        };
        assert_eq!(near(&threads), "smt_sibling", "a cloud guest of one core");
        let untold = MachineCard {
            cpus: 2,
            ..MachineCard::default()
        };
        assert_eq!(near(&untold), "same_cache");
        assert_eq!(near(&MachineCard::default()), "same_cpu");
    }

    #[test]
    fn two_sockets_have_no_cluster_and_no_second_cache_in_a_socket() {
        // Allowed: 0-2 and 4-6, of which 2 and 6 are the other socket's.
        let xeon = stored("xeon-two-socket", 1);
        let expected = [
            ("same_cpu", 1),
            ("smt_sibling", 5),
            ("same_cache", 0),
            ("other_socket", 2),
        ];
        assert_eq!(places(&xeon), expected);
    }

    #[test]
    fn a_socket_with_several_last_level_caches_has_a_far_side() {
        // The container may use 0 to 3: no two threads of a core.
        let epyc = stored("epyc-container", 2);
        let expected = [("same_cpu", 2), ("same_cache", 3), ("same_socket", 0)];
        assert_eq!(places(&epyc), expected);
    }

    #[test]
    fn four_cores_under_one_second_level_are_near() {
        let pi = stored("raspberry-pi-4", 3);
        assert_eq!(places(&pi), [("same_cpu", 3), ("same_cache", 0)]);
    }

    #[test]
    fn modules_of_cores_are_clusters() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let pi = here.join("../../fixtures/machines/raspberry-pi-4/root");
        let mut mixed = machine::read(&pi);
        let second = mixed.caches.iter_mut().find(|c| c.level == 2).unwrap();
        second.instances = vec!["0-1".parse().unwrap(), "2-3".parse().unwrap()];
        let third = Cache {
            level: 3,
            kind: CacheKind::Unified,
            instances: vec!["0-3".parse().unwrap()],
            ..second.clone()
        };
        mixed.caches.push(third);
        let expected = [("same_cpu", 3), ("same_cluster", 2), ("same_cache", 0)];
        assert_eq!(places(&seen(&mixed, 3)), expected);
    }

    #[test]
    fn without_a_card_every_other_cpu_is_near_and_one_cpu_is_alone() {
        let (mut bare, _scratch) = context();
        (bare.test_cpu, bare.cpus) = (4, vec![2, 4, 7]);
        assert_eq!(places(&bare), [("same_cpu", 4), ("same_cache", 2)]);
        bare.cpus = vec![4];
        assert_eq!(places(&bare), [("same_cpu", 4)]);
    }
}
