//! Which events are counted together, where not all fit the counters that count: groups that
//! take turns.

use super::table::Event;

/// Events that a rate is made of: counted together or not at all as a rate.
const PAIRS: [[&str; 2]; 4] = [
    ["L1D_CACHE", "L1D_CACHE_REFILL"],
    ["L2D_CACHE", "L2D_CACHE_REFILL"],
    ["L1I_CACHE", "L1I_CACHE_REFILL"],
    ["BR_MIS_PRED", "BR_PRED"],
];
/// In every group that has room: by them groups are held against each other.
const COMMON: [&str; 2] = ["INST_RETIRED", "CPU_CYCLES"];

/// The events in groups that take turns, and those that no group can hold with the counters
/// that each needs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Split {
    pub groups: Vec<Vec<Event>>,
    /// Alias, and how many counters it needs.
    pub too_large: Vec<(String, usize)>,
}

/// Splits `events` for so many counters.
pub fn split(events: &[Event], counters: usize) -> Split {
    let mut split = Split::default();
    let is_common = |e: &&Event| COMMON.contains(&e.alias.as_str());
    let common: Vec<Event> = events.iter().filter(is_common).cloned().collect();
    for atom in atoms(events) {
        place(&mut split, &common, &atom, counters);
    }
    if split.groups.is_empty() {
        for event in &common {
            place(&mut split, &[], std::slice::from_ref(event), counters);
        }
        return split;
    }
    // Where no group had room for them they have one of their own.
    for event in &common {
        if !split
            .groups
            .iter()
            .flatten()
            .any(|e| e.alias == event.alias)
        {
            place(&mut split, &[], std::slice::from_ref(event), counters);
        }
    }
    split
}

/// Different codes of these events: each takes one counter.
pub fn counters_of(events: &[Event]) -> usize {
    let mut codes: Vec<_> = events
        .iter()
        .flat_map(|e| e.codes.iter().map(|code| code.of(e.kind)))
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes.len()
}

/// Pairs, and single events, but for the common ones.
fn atoms(events: &[Event]) -> Vec<Vec<Event>> {
    let mut atoms: Vec<Vec<Event>> = Vec::new();
    for event in events
        .iter()
        .filter(|e| !COMMON.contains(&e.alias.as_str()))
    {
        let alias = event.alias.as_str();
        let pair = PAIRS.iter().find(|pair| pair.contains(&alias));
        let of_pair = |atom: &&mut Vec<Event>| {
            let first = atom.first().map(|e| e.alias.as_str());
            pair.is_some_and(|pair| first.is_some_and(|f| pair.contains(&f)))
        };
        match atoms.iter_mut().find(of_pair) {
            Some(atom) => atom.push(event.clone()),
            None => atoms.push(vec![event.clone()]),
        }
    }
    atoms
}

fn place(split: &mut Split, common: &[Event], atom: &[Event], counters: usize) {
    let with = |group: &[Event]| [group, atom].concat();
    let fits = |group: &[Event]| counters_of(&with(group)) <= counters;
    if let Some(group) = split.groups.iter_mut().find(|group| fits(group)) {
        group.extend_from_slice(atom);
        return;
    }
    let first = common.get(..1).unwrap_or_default();
    for group in [common, first, &[]] {
        if fits(group) {
            split.groups.push(with(group));
            return;
        }
    }
    match atom {
        [event] => {
            let needs = counters_of(atom);
            split.too_large.push((event.alias.clone(), needs));
        }
        several => {
            for event in several {
                place(split, common, std::slice::from_ref(event), counters);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::{GroupName, Table};
    use machine::cpu::Cpu;

    fn cpu(vendor: &str, family: &str, model: &str) -> Cpu {
        Cpu {
            vendor: Some(vendor.into()),
            family: Some(family.into()),
            model_number: Some(model.into()),
            ..Cpu::default()
        }
    }

    fn names(group: GroupName, counters: usize) -> Vec<Vec<String>> {
        let events = Table::of(&cpu("AuthenticAMD", "25", "1")).events(group);
        let split = split(&events, counters);
        let of = |group: &Vec<Event>| group.iter().map(|e| e.alias.clone()).collect();
        split.groups.iter().map(of).collect()
    }

    #[test]
    fn what_fits_is_one_group_and_what_does_not_takes_turns_in_pairs() {
        assert_eq!(names(GroupName::Dcache, 6).len(), 1);
        let five = names(GroupName::Dcache, 5);
        assert_eq!(
            five,
            [
                [
                    "INST_RETIRED",
                    "CPU_CYCLES",
                    "L1D_CACHE",
                    "L1D_CACHE_REFILL"
                ],
                [
                    "INST_RETIRED",
                    "CPU_CYCLES",
                    "L2D_CACHE",
                    "L2D_CACHE_REFILL"
                ],
            ]
        );
        assert_eq!(
            names(GroupName::Arch, 5)
                .iter()
                .map(Vec::len)
                .collect::<Vec<_>>(),
            [5, 3]
        );
    }

    #[test]
    fn few_counters_leave_out_the_common_events_first_and_lose_none() {
        let three = names(GroupName::Dcache, 3);
        assert_eq!(three[0], ["INST_RETIRED", "L1D_CACHE", "L1D_CACHE_REFILL"]);
        assert_eq!(three[2], ["CPU_CYCLES"]);
        let two = names(GroupName::Dcache, 2);
        assert_eq!(two[0], ["L1D_CACHE", "L1D_CACHE_REFILL"]);
        assert_eq!(two.concat().len(), 6);
        let one = names(GroupName::Dcache, 1);
        assert_eq!(one.len(), 6, "no rate is left");
    }

    #[test]
    fn a_code_in_two_sums_takes_one_counter_and_a_sum_too_large_is_named() {
        let skylake = Table::of(&cpu("GenuineIntel", "6", "85"));
        assert_eq!(counters_of(&skylake.events(GroupName::Dcache)), 6);
        let walks = split(&skylake.events(GroupName::Tlbmem), 1);
        assert_eq!(walks.too_large, [("L1D_TLB_REFILL".to_owned(), 2)]);
    }
}
