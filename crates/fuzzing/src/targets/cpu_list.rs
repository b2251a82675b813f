//! Lists of CPUs as the kernel and people write them: `0-3,8-15:1/2`.

use machine::CpuList;

/// Runs the target on one input; a panic is a finding.
pub fn body(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let Ok(list) = text.parse::<CpuList>() else {
        return;
    };
    let numbers = list.numbers();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    let again: CpuList = list.to_string().parse().expect("as printed");
    assert_eq!(again, list);
}
