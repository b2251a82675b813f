//! The tallies that go with every comparison of neighbours, and where a turn gets them.
//! Without them the causes of a slowdown cannot be separated.

use super::corun::Stay;
use super::occupancy::{OCCUPANCY, occupancy};
use crate::interrupts::Counts;
use catalogue::Tally;
use harness::windows::Window;
use record::Unit;

const fn a_second(name: &'static str, doc: &'static str) -> Tally {
    Tally::new(name, Unit::Count, doc)
}

const OF_THE_KERNEL: [Tally; 12] = [
    Tally::new(
        "longest",
        Unit::Nanoseconds,
        "the longest unit of work: an interrupted or a slow one",
    )
    .explains(),
    a_second("switches", "preemptions of the measured task per second"),
    a_second("faults", "page faults of the measured task per second"),
    a_second(
        "timer",
        "timer interrupts of the measured CPU per second (LOC)",
    ),
    a_second("timer_there", "the same on its neighbour's CPU"),
    a_second(
        "reschedule",
        "rescheduling interrupts of the measured CPU per second (RES)",
    ),
    a_second("reschedule_there", "the same on its neighbour's CPU"),
    a_second(
        "function_call",
        "function call interrupts of the measured CPU per second, without shootdowns (CAL)",
    ),
    a_second("function_call_there", "the same on its neighbour's CPU"),
    a_second("tlb", "TLB shootdowns of the measured CPU per second"),
    a_second("tlb_there", "the same on its neighbour's CPU"),
    a_second(
        "context_switches",
        "context switches of the whole machine per second: the kernel counts no others",
    ),
];

/// Both rows, one behind the other.
const fn joined<const N: usize>(first: &[Tally], second: &[Tally]) -> [Tally; N] {
    assert!(N == first.len() + second.len());
    let mut all = [first[0]; N];
    let mut at = 1;
    while at < N {
        all[at] = match at < first.len() {
            true => first[at],
            false => second[at - first.len()],
        };
        at += 1;
    }
    all
}

/// In the order of [`evidence`].
pub const EVIDENCE: [Tally; 16] = joined(&OF_THE_KERNEL, &OCCUPANCY);

/// An experiment's own tally, and the evidence behind it.
pub const fn behind(own: Tally) -> [Tally; EVIDENCE.len() + 1] {
    joined(&[own], &EVIDENCE)
}

/// Kinds of interrupts in the order of the tallies, here and there.
const KINDS: [&str; 4] = ["timer", "reschedule", "function_call", "tlb"];

/// The tallies of a stay; NAN where the kernel does not report them.
pub fn evidence(stay: &Stay) -> Vec<f64> {
    let Window {
        elapsed_ns,
        longest_ns,
        usage,
        ..
    } = stay.window;
    let rate = |count: u64, over_ns: u64| match over_ns {
        0 => f64::NAN,
        ns => count as f64 * 1e9 / ns as f64,
    };
    let mut all = vec![
        longest_ns as f64,
        rate(usage.involuntary_switches, elapsed_ns),
        rate(usage.minor_faults + usage.major_faults, elapsed_ns),
    ];
    let met = |counts: &Counts, name| rate(counts.named(name), stay.met.over_ns);
    for kind in KINDS {
        all.extend([&stay.met.here, &stay.met.there].map(|counts| met(counts, kind)));
    }
    all.push(met(&stay.met.here, "context_switches"));
    all.extend(occupancy(&stay.here, &stay.there));
    all
}

#[cfg(test)]
mod tests {
    use super::{EVIDENCE, OF_THE_KERNEL, evidence};
    use crate::tasks::corun::Stay;

    #[test]
    fn every_tally_has_a_value_and_what_was_not_read_is_none() {
        let mut stay = Stay::default();
        stay.window.elapsed_ns = 500_000_000;
        stay.window.usage.minor_faults = 3;
        let all = evidence(&stay);
        assert_eq!(all.len(), EVIDENCE.len());
        assert!((all[2] - 6.0).abs() < 1e-9);
        assert!(
            all[3..].iter().all(|v| v.is_nan()),
            "interrupts were not read"
        );
        stay.met.over_ns = 1_000_000_000;
        let (values, filled) = (evidence(&stay), OF_THE_KERNEL.len());
        assert!(values[3..filled].iter().all(|v| *v == 0.0));
        assert!(values[filled..].iter().all(|v| v.is_nan()), "no resctrl");
    }
}
