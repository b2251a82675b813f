//! Any text is read, or passed over; never a panic, never a number below 0.

use super::{Sums, hist, stat};
use bolero::check;

fn hold(sums: &Sums) {
    for row in sums.rows() {
        assert!(row.variance_ns2 >= 0.0 && row.average_ns >= 0.0, "{row:?}");
    }
}

#[test]
fn any_text_of_the_profile() {
    check!().for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let mut sums = Sums::default();
        stat::add(&mut sums, 0, &text);
        stat::add(&mut sums, 1, &format!("f {text} us {text}\n"));
        hold(&sums);
    });
}

#[test]
fn any_text_of_a_histogram() {
    check!().for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let mut sums = Sums::default();
        hist::add(&mut sums, &text);
        hist::add(
            &mut sums,
            &format!("{{ func: 1, common_cpu: 0 }} hitcount: {text} ns: {text}\n"),
        );
        hold(&sums);
    });
}
