//! Readers of bytes and text stand anything.

use probe::counters::reading::{Count, Times, totals};
use probe::counters::{State, Table};
use proptest::prelude::*;

const GOOD: &str = include_str!("../../data/counters/intel-sapphire-rapids.toml");

proptest! {
    #[test]
    fn any_bytes_are_a_reading_or_an_error(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        ids in prop::collection::vec(any::<u64>(), 0..8),
    ) {
        let mut into = Vec::new();
        if totals(&bytes, &ids, &mut into).is_ok() {
            prop_assert_eq!(into.len(), ids.len());
        }
    }

    #[test]
    fn a_reading_is_found_by_id_in_any_order(
        values in prop::collection::vec(any::<u64>(), 1..8),
        enabled in any::<u64>(), running in any::<u64>(), turn in 0usize..8,
        cut in 0usize..200,
    ) {
        let ids: Vec<u64> = (0..values.len() as u64).map(|i| i * 7 + 3).collect();
        let mut pairs: Vec<(u64, u64)> = values.iter().copied().zip(ids.iter().copied()).collect();
        let turns = turn % pairs.len();
        pairs.rotate_left(turns);
        let mut words = vec![values.len() as u64, enabled, running];
        words.extend(pairs.iter().flat_map(|(v, id)| [*v, *id]));
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
        let mut into = Vec::new();
        totals(&bytes, &ids, &mut into).unwrap();
        let read: Vec<u64> = into.iter().map(|t| t.value).collect();
        prop_assert_eq!(read, values);
        prop_assert!(into.iter().all(|t| (t.enabled_ns, t.running_ns) == (enabled, running)));
        let short = &bytes[..cut.min(bytes.len() - 1)];
        prop_assert!(totals(short, &ids, &mut into).is_err());
    }

    #[test]
    fn counts_are_never_negative_nor_endless(
        before in any::<(u64, u64, u64)>(), after in any::<(u64, u64, u64)>(),
    ) {
        let times = |(value, enabled_ns, running_ns)| Times { value, enabled_ns, running_ns };
        let count = Count::between(times(before), times(after));
        prop_assert!(count.value >= 0.0 && count.value.is_finite());
        if let State::Scaled { share } = count.state {
            prop_assert!(share > 0.0 && share <= 1.0);
        }
    }

    #[test]
    fn any_text_is_a_table_or_an_error(text in ".{0,300}") {
        let _ = Table::parse(&text);
    }

    #[test]
    fn a_damaged_table_is_a_table_or_an_error(
        at in any::<prop::sample::Index>(), length in 0usize..40, noise in "[ -~\n]{0,20}",
    ) {
        let start = at.index(GOOD.len());
        let end = (start + length).min(GOOD.len());
        let damaged = format!("{}{noise}{}", &GOOD[..start], &GOOD[end..]);
        let _ = Table::parse(&damaged);
    }
}

#[test]
fn what_is_wrong_with_a_table_is_named() {
    let head = "core = \"x\"\nsource = \"y\"\nbranches_include_mispredicted = true\n";
    let event = |rest: &str| {
        Table::parse(&format!(
            "{head}[[event]]\ngroup = \"arch\"\nalias = \"A\"\nkind = \"raw\"\n{rest}"
        ))
    };
    assert!(event("codes = [{ name = \"a\", config = 1 }]").is_ok());
    assert!(
        event("")
            .unwrap_err()
            .to_string()
            .contains("either codes or absent")
    );
    assert!(
        event("codez = []")
            .unwrap_err()
            .to_string()
            .contains("codez")
    );
    let group = Table::parse(&format!(
        "{head}[[event]]\ngroup = \"arc\"\nalias = \"A\"\nkind = \"raw\"\nabsent = \"no\""
    ));
    assert!(group.unwrap_err().to_string().contains("no group arc"));
}
