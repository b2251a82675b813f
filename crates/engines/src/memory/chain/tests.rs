//! Every chain is one closed cycle through all of its elements, in bounds.

use super::{Chain, Layout, SETTLING_LOADS, SETTLING_ROUNDS, UNROLL, settling_rounds};
use crate::memory::{Mapping, Pages};
use harness::SetupError;
use proptest::prelude::*;
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::rc::Rc;
use testbed::caches::context;

fn nonzero(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).expect("test constants are above zero")
}

fn layouts() -> impl Strategy<Value = Layout> {
    let steps = (4u32..13).prop_map(|p| nonzero(1 << p));
    let lines = prop_oneof![Just(32), Just(64), Just(128)].prop_map(nonzero);
    prop_oneof![
        steps.prop_map(Layout::Stride),
        lines.clone().prop_map(|line| Layout::RandomLines { line }),
        lines.prop_map(|line| Layout::RandomPages {
            page: nonzero(4096),
            line
        }),
    ]
}

fn chain(bytes: usize, layout: Layout, seed: u64) -> Result<Chain, SetupError> {
    let mapping = Mapping::new(bytes, Pages::Base, &context())?;
    Chain::new(Rc::new(mapping), bytes, layout, seed)
}

proptest! {
    #[test]
    fn elements_lie_apart_and_in_bounds(layout in layouts(), kib in 1usize..200) {
        let bytes = kib * 1024;
        let offsets: HashSet<usize> =
            (0..layout.count(bytes)).map(|i| layout.offset(i)).collect();
        prop_assert_eq!(offsets.len(), layout.count(bytes));
        prop_assert!(offsets.iter().all(|o| o % 8 == 0 && o + 8 <= bytes));
    }

    #[test]
    fn chains_verify_before_and_after_any_walk(
        layout in layouts(),
        kib in 8usize..200,
        seed: u64,
        turns in 0u64..300,
    ) {
        let mut chain = chain(kib * 1024, layout, seed).expect("8 KiB hold two elements");
        prop_assert_eq!(chain.verify(), Ok(()));
        chain.walk(turns * UNROLL);
        prop_assert_eq!(chain.verify(), Ok(()));
    }
}

#[test]
fn one_line_a_page_uses_all_sets_of_a_way_of_any_length() {
    let (page, line) = (nonzero(4096), nonzero(64));
    let layout = Layout::RandomPages { page, line };
    for sets in [64, 128, 256, 512] {
        let mut used = vec![0; sets];
        (0..4 * sets).for_each(|i| used[layout.offset(i) / 64 % sets] += 1);
        assert!(
            used.iter().all(|lines| *lines == 4),
            "{sets} sets: {used:?}"
        );
    }
}

#[test]
fn small_sets_settle_in_all_rounds_and_no_set_in_too_many_loads() {
    assert_eq!(settling_rounds(2), SETTLING_ROUNDS);
    for count in (1..24).map(|power| 3usize << power) {
        let rounds = settling_rounds(count);
        assert!(count * rounds <= SETTLING_LOADS, "{count}: {rounds}");
        let more = count * (rounds + 1) > SETTLING_LOADS;
        assert!(rounds == SETTLING_ROUNDS || more, "{count}: {rounds}");
    }
}

#[test]
fn a_set_too_small_for_two_elements_is_a_skip() {
    let layout = Layout::Stride(nonzero(4096));
    let refused = chain(4096, layout, 1).expect_err("one element is no chain");
    assert!(matches!(refused, SetupError::Skip { .. }), "{refused}");
}

#[test]
fn unaligned_and_outlying_elements_are_refused() {
    let mapping = || Rc::new(Mapping::new(4096, Pages::Base, &context()).expect("one page"));
    assert!(Chain::visiting(mapping(), &[0, 12]).is_err());
    assert!(Chain::visiting(mapping(), &[0, 1 << 30]).is_err());
    assert!(Chain::visiting(mapping(), &[]).is_err());
}

#[test]
fn a_chain_that_misses_elements_is_found_out() {
    let mapping = Rc::new(Mapping::new(4096, Pages::Base, &context()).expect("one page"));
    let offsets: Vec<usize> = (0..8).map(|i| i * 64).collect();
    let chain = Chain::visiting(Rc::clone(&mapping), &offsets).expect("eight elements fit");
    let base = mapping.base().as_ptr();
    let relink = |from: usize, to: usize| {
        // SAFETY: both offsets are aligned and inside the page.
        unsafe { base.add(from).cast::<usize>().write(base as usize + to) };
    };
    relink(192, 0);
    assert!(
        chain
            .verify()
            .unwrap_err()
            .to_string()
            .contains("closes after 4 of 8")
    );
    relink(192, 320);
    assert!(chain.verify().is_err());
    relink(192, 1 << 20);
    assert!(chain.verify().unwrap_err().to_string().contains("leaves"));
}

#[test]
fn a_walk_that_lost_its_place_is_found_out() {
    let mut chain = chain(64 << 10, Layout::Stride(nonzero(64)), 1).expect("1024 elements");
    chain.walk(3 * UNROLL);
    chain.walked += 1;
    assert!(
        chain
            .verify()
            .unwrap_err()
            .to_string()
            .contains("not at element")
    );
}

#[test]
fn memory_beyond_what_is_available_is_a_skip() {
    let mut context = context();
    context.memory_available_bytes = 1 << 20;
    let refused = Mapping::new(2 << 20, Pages::Base, &context).expect_err("2 MiB of 1 MiB");
    assert!(matches!(refused, SetupError::Skip { .. }), "{refused}");
}

#[test]
fn huge_pages_are_obtained_or_skipped_with_a_remedy() {
    match Mapping::new(1, Pages::Thp, &context()) {
        Ok(mapping) => {
            assert!(mapping.note().contains("huge pages"), "{}", mapping.note());
            assert_eq!(mapping.base().as_ptr() as usize % mapping.page_bytes(), 0);
        }
        Err(SetupError::Skip { remedy, .. }) => assert!(!remedy.is_empty()),
        Err(other) => panic!("{other}"),
    }
}
