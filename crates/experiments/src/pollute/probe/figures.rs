//! What is drawn of the probe.

use catalogue::Figure;
use record::{FigureHead, MarkKind};

/// Figures of `pollute/probe`: share evicted over bytes copied, by placement and
/// buffer.
pub fn figures() -> Vec<FigureHead> {
    let figure = |title: String, y, placement, buffer| {
        let figure = Figure::of(title, "copied", y).log_x();
        let figure = figure.series(&["method", "set", "history"]);
        let figure = figure.only(&[("placement", placement), ("buffer", buffer)]);
        figure.marks(&[MarkKind::CacheSizes]).reading(reading(y))
    };
    let copies = [
        ("walking copies", "walking"),
        ("copies in place", "in_place"),
    ];
    let here = copies.iter().flat_map(|(copies, buffer)| {
        let near = format!("What {copies} on the same CPU evict from its near caches");
        let all = format!("What {copies} on the same CPU evict");
        [
            figure(near, "evicted_near", "same_cpu", buffer),
            figure(all, "evicted_all", "same_cpu", buffer),
        ]
    });
    let there = copies.iter().map(|(copies, buffer)| {
        let title = format!("What {copies} on a CPU of the same cache evict");
        figure(title, "evicted_all", "same_cache", buffer)
    });
    here.chain(there).collect()
}

fn reading(y: &str) -> &'static str {
    match y {
        "evicted_near" => {
            "Share of a set that was in the caches before the last level and is not after this \
             many bytes were copied: it must be fetched from the last level, or from memory. The \
             notes of each point say how many turns count."
        }
        _ => {
            "Share of a set that was in the caches and is in none after this many bytes were \
             copied. `flush` is an eviction of known share, `none` the control. The notes of each \
             point give the error of the threshold and the number of turns that count."
        }
    }
}
