use crate::analyse::compare::compare;
use crate::analyse::explain::explain;
use crate::analyse::summary::Summary;
use crate::testing::Making;
use crate::{Capture, CpuPages, CpuStat};

/// Two tasks by turns, slices of `length` ns, each woken `late` ns before.
fn turns(length: u64, late: u64, lose: bool) -> Capture {
    let mut m = Making::new();
    m.switch(0, 0, 0, 0, 1);
    for turn in 1..2000u64 {
        let at = turn * length;
        let (now, next) = if turn % 2 == 0 { (2, 1) } else { (1, 2) };
        m.wake("sched_waking", 0, at - late - turn % 7, now, next, 0);
        if lose && turn == 1000 {
            m.lose(0, Some(77));
        }
        m.switch(0, at, now, 1, next);
    }
    m.capture()
}

#[test]
fn sentences_have_the_numbers_and_their_definitions() {
    let summary = Summary::of(&turns(100_000, 5_000, true));
    let sentences = explain(&summary);
    assert!(
        sentences
            .iter()
            .all(|s| !s.definition.is_empty() && s.text.ends_with('.'))
    );
    let text: Vec<&str> = sentences.iter().map(|s| s.text.as_str()).collect();
    let has = |part: &str| assert!(text.iter().any(|t| t.contains(part)), "{part}: {text:#?}");
    has("Events lost: 77 (gaps: 1); ");
    has("Largest shares: t1 [1]");
    has("Fairness among the 2 tasks that competed for the CPU: 1.000.");
    has("Wake-up latency: median 5.");
    has("in that time it ran t");
    let losses = || sentences.iter().filter(|s| s.topic == "lost events");
    assert!(losses().count() > 0 && losses().all(|s| s.alarm));
}

#[test]
fn what_the_kernel_lost_is_an_alarm_and_nothing_lost_is_none() {
    let sentences = |dropped: u32| {
        let mut capture = turns(100_000, 5_000, false);
        capture.head.cpu_stats.push(CpuStat {
            cpu: 0,
            text: format!("dropped events: {dropped}\n"),
        });
        let sentences = explain(&Summary::of(&capture));
        let losses = sentences.into_iter().filter(|s| s.topic == "lost events");
        losses.collect::<Vec<_>>()
    };
    let [lost] = &sentences(5)[..] else {
        panic!("one sentence");
    };
    assert_eq!(
        lost.text,
        "The kernel's ring buffers lost 5 events while recording."
    );
    assert!(lost.alarm && sentences(0).iter().all(|s| !s.alarm));
}

#[test]
fn a_page_that_cannot_be_read_is_an_alarm() {
    let whole = turns(100_000, 5_000, false);
    let mut bytes = whole.cpus[0].to_vec().unwrap();
    // The first event: type_len 0, and a length in array[0] that is longer than its page
    // (include/linux/ring_buffer.h).
    bytes[16..20].fill(0);
    bytes[20..24].copy_from_slice(&0x7fff_fffc_u32.to_le_bytes());
    let head = whole.head.clone();
    let capture = Capture::new(head, vec![CpuPages::owned(0, bytes)]).unwrap();
    let sentences = explain(&Summary::of(&capture));
    let losses: Vec<_> = sentences
        .iter()
        .filter(|s| s.topic == "lost events")
        .collect();
    let cause = "Pages that could not be read: 1; the first: ";
    assert!(
        losses.iter().any(|s| s.text.starts_with(cause)),
        "{losses:#?}"
    );
    assert!(losses.iter().all(|s| s.alarm), "{losses:#?}");
}

#[test]
fn only_what_lies_apart_differs() {
    let a = Summary::of(&turns(100_000, 5_000, false));
    let b = Summary::of(&turns(100_000, 9_000, false));
    let found = compare(&a, &b);
    let differing: Vec<&str> = found
        .measures
        .iter()
        .filter(|m| m.differs)
        .map(|m| m.name.as_str())
        .collect();
    // Who waits longer is runnable longer.
    assert_eq!(
        differing,
        [
            "wake-up latency, median",
            "wake-up latency, p99",
            "runnable tasks"
        ]
    );
    assert_eq!(
        found.histograms[0].classes,
        [(4096, 1999, 0), (8192, 0, 1999)]
    );
    assert!(compare(&a, &a).measures.iter().all(|m| !m.differs));
}

/// A value without an interval: two of them cannot be shown to differ.
#[test]
fn an_imbalance_has_no_interval() {
    let mut m = Making::new();
    m.switch(0, 0, 0, 0, 1);
    m.switch(0, 1_000_000, 1, 1, 0);
    // CPU 1 is idle for the second half.
    m.switch(1, 0, 0, 0, 2);
    m.switch(1, 500_000, 2, 1, 0);
    m.switch(1, 1_000_000, 0, 0, 2);
    let summary = Summary::of(&m.capture());
    let measures = compare(&summary, &summary).measures;
    let imbalance = measures.iter().find(|m| m.name == "load imbalance");
    let measured = imbalance.and_then(|m| m.a).expect("two CPUs");
    assert!((measured.value - 1.0 / 3.0).abs() < 1e-9, "{measured:?}");
    assert_eq!(
        (measured.low, measured.high),
        (f64::NEG_INFINITY, f64::INFINITY)
    );
}

#[test]
fn nothing_recorded_is_nothing_said() {
    let empty = Summary::of(&Making::new().capture());
    assert_eq!(explain(&empty).len(), 2);
    assert!(
        compare(&empty, &empty)
            .measures
            .iter()
            .all(|m| m.a.is_none() && !m.differs)
    );
}
