//! Figures and the row of the toll map that all transports have in common.

use crate::placement::near;
use catalogue::{only, toll_row};
use record::{
    AxisValue, FigureHead, MachineCard, MarkKind, RoundTripHead, Setting, TollGroup, TollHead,
};

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
/// measures. `way` names it where there is little room.
pub fn toll(card: &MachineCard, label: &str, way: &str) -> Vec<TollHead> {
    let mut stream = toll_row(label, &between("stream", near(card)));
    stream
        .only
        .extend(["buffer", "total"].map(|axis| number(axis, 0)));
    let round_trip = |partner: &str, place: &str, state: &str| {
        let mut there_and_back = only(&between("round_trip", place));
        there_and_back.extend(only(&[("partner", state)]));
        there_and_back.push(number("size", ROUND_TRIP_BYTES));
        RoundTripHead {
            partner: partner.to_owned(),
            only: there_and_back,
        }
    };
    vec![TollHead {
        group: Some(TollGroup::Tasks),
        way: way.to_owned(),
        round_trips: vec![
            round_trip("awake", near(card), "awake"),
            round_trip("asleep", near(card), "idle"),
            round_trip("one CPU", "same_cpu", "idle"),
        ],
        ..stream
    }]
}

/// The same of a way that programs use without having chosen it.
pub fn usual_toll(card: &MachineCard, label: &str, way: &str) -> Vec<TollHead> {
    let row = |row| TollHead { usual: true, ..row };
    toll(card, label, way).into_iter().map(row).collect()
}

/// Size of the message of the round trips that the toll map shows, bytes.
const ROUND_TRIP_BYTES: i64 = 64;

fn between<'a>(pattern: &'a str, placement: &'a str) -> [(&'a str, &'a str); 3] {
    [
        ("pattern", pattern),
        ("mode", "2threads"),
        ("placement", placement),
    ]
}
