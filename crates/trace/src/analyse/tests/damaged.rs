//! Whatever bytes a capture holds, analyses end.

use crate::analyse::compare::compare;
use crate::analyse::explain::explain;
use crate::analyse::functions::CallTree;
use crate::analyse::summary::Summary;
use crate::analyse::{Known, Pass, Symbols};
use crate::{Capture, CpuPages, file};
use proptest::prelude::*;
use std::path::Path;

fn fixture(name: &str) -> Capture {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/traces");
    file::open(&Path::new(folder).join(name)).unwrap()
}

#[test]
fn the_captured_one_is_as_the_kernel_made_it() {
    let summary = Summary::of(&fixture("x86-6.18-sched-timer.dat"));
    assert!(summary.known.states.told);
    assert_eq!((summary.pass.events, summary.pass.gaps), (1890, 0));
    assert_eq!((summary.ticks.hz, summary.wheel.hz), (Some(250), Some(250)));
    assert!(summary.ticks.by_name);
    // Every expiry was preceded by leaving the wheel.
    let wheel = &summary.wheel;
    assert!(wheel.expiries > 5 && wheel.expiries == wheel.detaches);
    assert!(wheel.against_bucket && wheel.late_jiffies_max >= Some(0));
    let chains = &summary.chains;
    assert!(chains.raises > 5 && chains.raises == chains.raises_in_interrupt);
    for (cpu, span) in summary.tasks.cpus.iter().zip(&summary.pass.cpus) {
        let sum = cpu.busy_ns + cpu.idle_ns + cpu.unknown_ns;
        assert_eq!(sum, span.length_ns());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn damage_is_no_panic(
        hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..200),
        written: bool,
    ) {
        let name = if written { "written-function-graph.dat" } else { "x86-6.18-sched-timer.dat" };
        let whole = fixture(name);
        let cpus = whole.cpus.iter().map(|cpu| {
            let mut bytes = cpu.to_vec().unwrap();
            for (at, value) in &hits {
                let at = at.index(bytes.len());
                bytes[at] = *value;
            }
            CpuPages::owned(cpu.cpu, bytes)
        });
        let capture = Capture::new(whole.head.clone(), cpus.collect()).unwrap();
        let summary = Summary::of(&capture);
        let _ = (explain(&summary), compare(&summary, &summary));
        let (known, symbols) = (Known::of(&capture), Symbols::parse(&capture.head.kallsyms));
        let mut tree = CallTree::new(&known, &symbols, None);
        Pass::over(&capture, &known, &mut [&mut tree]);
        let _ = tree.lines(&symbols, 0.0);
    }
}
