//! Figures and the row of the toll map that all transports have in common.

use crate::placement::near;
use catalogue::only;
use record::{AxisValue, FigureHead, MachineCard, MarkKind, Setting, TollHead};

/// One number on an axis.
pub(super) fn number(axis: &str, value: i64) -> Setting {
    Setting {
        axis: axis.to_owned(),
        value: AxisValue::Int(value),
    }
}

/// Bandwidth and cost of a streamed message by its size, and the round trip.
pub fn figures() -> Vec<FigureHead> {
    let stream = |title: &str, y: &str, reading: &str| FigureHead {
        title: title.to_owned(),
        x: "size".to_owned(),
        x_log2: true,
        y: y.to_owned(),
        y_log: true,
        series: ["mode", "placement", "buffer", "total"]
            .map(str::to_owned)
            .to_vec(),
        only: only(&[("pattern", "stream")]),
        marks: vec![MarkKind::CacheSizes, MarkKind::PageSize],
        reading: reading.to_owned(),
        ..FigureHead::default()
    };
    vec![
        FigureHead {
            below: ["voluntary_switches", "sender_calls", "receiver_calls"]
                .map(str::to_owned)
                .to_vec(),
            marks: vec![MarkKind::CacheSizes, MarkKind::PageSize, MarkKind::Knees],
            ..stream(
                "Bandwidth by size of the message",
                "bandwidth",
                "Where bandwidth rises in proportion to size, the cost is per message; where it is \
                 flat, per byte. Below: calls and switches of both sides per message; a step \
                 there explains a fall.",
            )
        },
        FigureHead {
            series: vec!["partner".to_owned(), "placement".to_owned()],
            only: only(&[("pattern", "round_trip")]),
            ..stream(
                "A round trip by state of the partner",
                "latency",
                "Awake to busy: the cost of waking the partner. Busy to idle: the cost of waking \
                 its CPU as well.",
            )
        },
    ]
}

/// The row of the toll map: streams between two threads on the two CPUs that quick
/// measures.
pub fn toll(card: &MachineCard, label: &str) -> Vec<TollHead> {
    let place = [
        ("pattern", "stream"),
        ("mode", "2threads"),
        ("placement", near(card)),
    ];
    let mut only = only(&place);
    only.extend(["buffer", "total"].map(|axis| number(axis, 0)));
    vec![TollHead {
        label: label.to_owned(),
        size_axis: "size".to_owned(),
        only,
    }]
}
