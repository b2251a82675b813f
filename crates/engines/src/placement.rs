//! Which CPU a partner gets, and which placements this machine has.

use analysis::ExperimentTable;
use harness::{Context, SetupError};
use record::{MachineCard, Placement};

/// Where a representative pair of CPUs is looked for: on cores of their own, as near
/// to each other as possible.
const PREFERRED: [Placement; 6] = [
    Placement::SameCache,
    Placement::SameCluster,
    Placement::SmtSibling,
    Placement::SameSocket,
    Placement::OtherSocket,
    Placement::SameCpu,
];

/// The representative placement of two CPUs on this machine: what quick measures and
/// the toll map shows.
pub fn near(card: &MachineCard) -> &'static str {
    if card.cpus < 2 {
        return Placement::SameCpu.word();
    }
    let pairs = card.places.iter().enumerate();
    let found: Vec<Placement> = pairs
        .flat_map(|(i, a)| card.places[i + 1..].iter().map(move |b| (a, b)))
        .map(|(a, b)| Placement::or_near(Placement::of(a, b)))
        .collect();
    let first = PREFERRED.into_iter().find(|p| found.contains(p));
    first.unwrap_or(PREFERRED[0]).word()
}

/// The same, of what was measured.
pub fn near_measured(table: &ExperimentTable) -> Option<&'static str> {
    let has = |wanted: &&str| {
        let mut points = table.points.iter();
        points.any(|p| p.word("placement") == *wanted && p.median_ns().is_some())
    };
    PREFERRED.into_iter().map(Placement::word).find(has)
}

/// Where the two sides run, as a sentence has it: `on threads of one core`.
pub fn phrase(placement: &str) -> String {
    let known = Placement::named(placement);
    format!("on {}", known.map_or(placement, |p| p.text()))
}

/// A CPU of this placement: the partner that the run keeps free of load and of its
/// own coordinator, where that is one.
///
/// # Errors
/// `Skip` where this machine, or what this process may use of it, has none.
pub fn partner_cpu(placement: &str, context: &Context) -> Result<u32, SetupError> {
    if placement == Placement::SameCpu.word() {
        return Ok(context.test_cpu);
    }
    let there = others(context).filter(|cpu| seen(*cpu, context) == placement);
    let last_choice = |cpu: &u32| context.partner_cpu != Some(*cpu);
    there.min_by_key(last_choice).ok_or_else(|| {
        let text = Placement::named(placement).map_or(placement, |p| p.text());
        SetupError::skip(
            format!(
                "no other CPU that this process may use is {placement} of CPU {} ({text})",
                context.test_cpu
            ),
            remedy(context),
        )
    })
}

/// The placements that exist here, near to far.
pub fn existing(context: &Context) -> Vec<&'static str> {
    let here = |word: &str| word == Placement::SameCpu.word();
    let has = |word: &str| here(word) || others(context).any(|cpu| seen(cpu, context) == word);
    let words = Placement::WORDS.iter().copied();
    words.filter(|word| has(word)).collect()
}

fn others(context: &Context) -> impl Iterator<Item = u32> + '_ {
    let cpus = context.cpus.iter().copied();
    cpus.filter(|cpu| *cpu != context.test_cpu)
}

/// The word for where `cpu` is, seen from the CPU under test.
fn seen(cpu: u32, context: &Context) -> &'static str {
    let placement = Placement::between(&context.card.places, context.test_cpu, cpu);
    Placement::or_near(placement).word()
}

fn remedy(context: &Context) -> String {
    let words = existing(context).join(",");
    format!("pontage run --axis placement={words}, or --placement with one of them")
}

#[cfg(test)]
mod tests {
    use super::{existing, near, partner_cpu};
    use harness::{Context, SetupError};
    use machine::cache::{Cache, CacheKind};
    use record::{CpuPlace, MachineCard, Placement};
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
            partner_cpu: None,
            ..context
        }
    }

    /// The placements that exist, each with its CPU.
    fn places(context: &Context) -> Vec<(&'static str, u32)> {
        let have = existing(context);
        let mut found = Vec::new();
        for word in Placement::WORDS {
            match partner_cpu(word, context) {
                Ok(cpu) => found.push((*word, cpu)),
                Err(SetupError::Skip { reason, remedy }) => {
                    assert!(reason.contains("no other CPU"), "{reason}");
                    let wanted = format!("--axis placement={}, ", have.join(","));
                    assert!(remedy.contains(&wanted), "{remedy}");
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
        let bare = MachineCard {
            cpus: 2,
            ..MachineCard::default()
        };
        assert_eq!(near(&bare), "same_cache");
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
    fn of_several_the_partner_that_the_run_keeps_free_is_taken() {
        let mut pi = stored("raspberry-pi-4", 1);
        for (partner, expected) in [(None, 0), (Some(2), 2), (Some(3), 3), (Some(7), 0)] {
            pi.partner_cpu = partner;
            let chosen = partner_cpu("same_cache", &pi).expect("four cores");
            assert_eq!(chosen, expected, "{partner:?}");
        }
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
