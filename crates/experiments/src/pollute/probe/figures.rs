//! What is drawn of the probe.

use catalogue::only;
use record::{FigureHead, MarkKind};

pub fn figures() -> Vec<FigureHead> {
    let figure = |title: &str, y: &str, (placement, buffer): (&str, &str)| FigureHead {
        title: title.to_owned(),
        x: "copied".to_owned(),
        x_log2: true,
        y: y.to_owned(),
        series: ["method", "set", "history"].map(str::to_owned).to_vec(),
        only: only(&[("placement", placement), ("buffer", buffer)]),
        marks: vec![MarkKind::CacheSizes],
        reading: reading(y).to_owned(),
        ..FigureHead::default()
    };
    let here = |buffer| ("same_cpu", buffer);
    let near = |buffer| ("same_cache", buffer);
    vec![
        figure(
            "What walking copies on the same CPU drive out of its near caches",
            "evicted_near",
            here("walking"),
        ),
        figure(
            "What walking copies on the same CPU evict",
            "evicted_all",
            here("walking"),
        ),
        figure(
            "What copies in place on the same CPU drive out of its near caches",
            "evicted_near",
            here("in_place"),
        ),
        figure(
            "What copies in place on the same CPU evict",
            "evicted_all",
            here("in_place"),
        ),
        figure(
            "What walking copies on a CPU of the same cache evict",
            "evicted_all",
            near("walking"),
        ),
        figure(
            "What copies in place on a CPU of the same cache evict",
            "evicted_all",
            near("in_place"),
        ),
    ]
}

fn reading(y: &str) -> &'static str {
    match y {
        "evicted_near" => {
            "Share of a set that was in the caches below the last level and is not after so many \
             bytes were copied: it has to be fetched from the last level, or from memory. The \
             notes of each point say how many turns count."
        }
        _ => {
            "Share of a set that was in the caches and is in none after so many bytes were \
             copied. `flush` is an eviction of known share, `none` the control. The notes of each \
             point say how far the threshold errs and how many turns count."
        }
    }
}
