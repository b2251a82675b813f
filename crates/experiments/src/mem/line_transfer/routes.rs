//! Which pairs of CPUs are visited.

use super::pair::METHODS;
use catalogue::{Grid, Preset};
use record::{CpuPlace, MachineCard, Placement};

/// Places of the usable CPUs; numbered from 0 and unrelated where the machine
/// does not tell.
pub fn places(card: &MachineCard) -> Vec<CpuPlace> {
    if !card.places.is_empty() {
        return card.places.clone();
    }
    let unknown = |cpu| CpuPlace {
        cpu,
        core: cpu,
        cluster: None,
        last_level: None,
        socket: 0,
        node: None,
    };
    (0..card.cpus.max(1)).map(unknown).collect()
}

/// Up to here quick visits every ordered pair.
const FEW: usize = 4;
/// Up to here full visits every ordered pair with every method.
const SOME: usize = 16;
/// Up to here full visits both directions of a pair.
const MANY: usize = 64;
/// The largest matrix; of more CPUs every n-th is taken.
const MOST: usize = 128;
/// Time for all points of one preset and process, ms.
const QUICK_MS: u64 = 2_000;
const FULL_MS: u64 = 120_000;

/// Grids of `mem/line_transfer`: all ordered pairs of CPUs where there are few, else
/// representatives of each distance.
pub fn grids(preset: Preset, card: &MachineCard) -> Vec<Grid> {
    let places = places(card);
    if let [only] = places.as_slice() {
        // A point to be skipped, and to say why.
        return vec![grid(30, only.cpu, &[only.cpu], METHODS)];
    }
    let brief = representatives(&places);
    match preset {
        Preset::Quick if places.len() <= FEW => visit(&all_ordered(&places), METHODS, QUICK_MS),
        Preset::Quick => visit(&brief, METHODS, QUICK_MS),
        Preset::Full if places.len() <= SOME => visit(&all_ordered(&places), METHODS, FULL_MS),
        Preset::Full => {
            let thinned = thin(&places);
            let pairs = match thinned.len() <= MANY {
                true => all_ordered(&thinned),
                false => all_unordered(&thinned),
            };
            let mut grids = visit(&pairs, &METHODS[..1], FULL_MS);
            grids.extend(visit(&brief, METHODS, FULL_MS / 10));
            grids
        }
    }
}

/// Of each relation, that which is unknown among them, a pair with the first CPU and one with the last, in both
/// directions.
fn representatives(places: &[CpuPlace]) -> Vec<(u32, u32)> {
    let mut chosen = Vec::new();
    let ends = [places.first(), places.last()].into_iter().flatten();
    for end in ends {
        for relation in Placement::ALL.map(Some).into_iter().chain([None]) {
            let is = |p: &&CpuPlace| p.cpu != end.cpu && Placement::of(end, p) == relation;
            if let Some(other) = places.iter().find(is) {
                chosen.extend([(end.cpu, other.cpu), (other.cpu, end.cpu)]);
            }
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

fn all_unordered(places: &[CpuPlace]) -> Vec<(u32, u32)> {
    let from = (1..).zip(places);
    let pairs = from.flat_map(|(next, a)| places[next..].iter().map(|b| (a.cpu, b.cpu)));
    pairs.collect()
}

fn all_ordered(places: &[CpuPlace]) -> Vec<(u32, u32)> {
    let pairs = places
        .iter()
        .flat_map(|a| places.iter().map(|b| (a.cpu, b.cpu)));
    pairs.filter(|(from, to)| from != to).collect()
}

fn thin(places: &[CpuPlace]) -> Vec<CpuPlace> {
    let step = places.len().div_ceil(MOST).max(1);
    places.iter().step_by(step).copied().collect()
}

/// A grid for each `from`, sharing `budget_ms` among all points.
fn visit(pairs: &[(u32, u32)], methods: &[&str], budget_ms: u64) -> Vec<Grid> {
    let points = (pairs.len() * methods.len()).max(1) as u64;
    let each = (budget_ms / points).clamp(8, 100);
    let of_one = |same: &[(u32, u32)]| {
        let to: Vec<u32> = same.iter().map(|p| p.1).collect();
        grid(each, same[0].0, &to, methods)
    };
    pairs.chunk_by(|a, b| a.0 == b.0).map(of_one).collect()
}

fn grid(budget_ms: u64, from: u32, to: &[u32], methods: &[&str]) -> Grid {
    Grid::new(budget_ms)
        .ints("from", [i64::from(from)])
        .ints("to", to.iter().map(|cpu| i64::from(*cpu)))
        .words("method", methods)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use record::AxisValue;
    use std::collections::BTreeSet;

    /// Sockets of eight cores with two threads each, four cores to a cache;
    /// threads of a core are numbered half the machine apart.
    pub fn machine(cpus: u32) -> MachineCard {
        let cores = (cpus / 2).max(1);
        let place = |cpu: u32| {
            let core = if cpus > 2 { cpu % cores } else { cpu };
            CpuPlace {
                cpu,
                core,
                cluster: None,
                last_level: Some(core / 4 * 4),
                socket: core / 8,
                node: Some(core / 8),
            }
        };
        MachineCard {
            cpus,
            places: (0..cpus).map(place).collect(),
            ..MachineCard::default()
        }
    }

    fn points(grids: &[Grid]) -> usize {
        let of = |g: &Grid| g.values.iter().map(|(_, v)| v.len()).product::<usize>();
        grids.iter().map(of).sum()
    }

    fn seconds(grids: &[Grid]) -> f64 {
        let of = |g: &Grid| points(std::slice::from_ref(g)) as f64 * g.budget_ns as f64;
        grids.iter().map(of).sum::<f64>() / 1e9
    }

    fn pairs(grids: &[Grid]) -> Vec<(u32, u32)> {
        let number = |v: &AxisValue| v.as_int().unwrap_or(-1) as u32;
        let mut found = Vec::new();
        for grid in grids {
            let from = number(&grid.values[0].1[0]);
            found.extend(grid.values[1].1.iter().map(|to| (from, number(to))));
        }
        found
    }

    #[test]
    fn one_cpu_leaves_a_point_to_say_why() {
        for preset in [Preset::Quick, Preset::Full] {
            let grids = grids(preset, &machine(1));
            assert_eq!(pairs(&grids), [(0, 0)]);
        }
    }

    #[test]
    fn two_cpus_are_visited_in_both_directions_by_all_methods() {
        for preset in [Preset::Quick, Preset::Full] {
            let grids = grids(preset, &machine(2));
            assert_eq!(pairs(&grids), [(0, 1), (1, 0)]);
            assert_eq!(points(&grids), 6);
        }
        // Also where the machine says nothing of its CPUs but their number.
        let bare = MachineCard {
            cpus: 2,
            ..MachineCard::default()
        };
        assert_eq!(pairs(&grids(Preset::Quick, &bare)).len(), 2);
    }

    #[test]
    fn quick_visits_every_relation_and_stays_short() {
        for cpus in [8, 64, 512] {
            let card = machine(cpus);
            let grids = grids(Preset::Quick, &card);
            let visited: BTreeSet<Placement> = pairs(&grids)
                .iter()
                .filter_map(|(a, b)| Placement::between(&card.places, *a, *b))
                .collect();
            let expected = match cpus {
                8 => 2,
                _ => 4,
            };
            assert_eq!(visited.len(), expected, "{cpus} CPUs");
            assert!(
                points(&grids) <= 48 && seconds(&grids) <= 2.1,
                "{cpus} CPUs"
            );
        }
    }

    #[test]
    fn full_visits_all_pairs_and_stays_bounded() {
        let all = |cpus: u32| {
            let pairs = pairs(&grids(Preset::Full, &machine(cpus)));
            pairs.into_iter().collect::<BTreeSet<_>>().len()
        };
        assert_eq!(all(8), 8 * 7);
        assert_eq!(all(64), 64 * 63);
        assert!((96 * 95 / 2..96 * 95 / 2 + 16).contains(&all(96)));
        for cpus in [64, 128, 512, 4096] {
            let grids = grids(Preset::Full, &machine(cpus));
            assert!(points(&grids) <= 8300, "{cpus} CPUs: {}", points(&grids));
            assert!(seconds(&grids) <= 135.0, "{cpus} CPUs: {}", seconds(&grids));
        }
    }
}
