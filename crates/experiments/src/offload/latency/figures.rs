//! Pictures and rows of the toll map.

use catalogue::only;
use record::{FigureHead, MarkKind, TollHead};

pub fn figures() -> Vec<FigureHead> {
    let mut figures = Vec::new();
    for (direction, routine) in [("from_user", "copy_from_user"), ("to_user", "copy_to_user")] {
        for (cache, word) in [("warm", ""), ("flushed", ", caches flushed")] {
            figures.push(figure(
                &format!("{routine}{word}: CPU and DMA"),
                "latency",
                &[("direction", direction), ("cache", cache)],
                "One copy, by what copies it and by when its pages are pinned. The CPU's line \
                 begins near zero, those of the engine with what it costs to ask; where they \
                 cross the engine has earned that back.",
            ));
        }
    }
    figures.push(FigureHead {
        below: ["pin", "map", "submit", "wait", "unmap", "unpin", "cpu_copy"]
            .map(str::to_owned)
            .to_vec(),
        ..figure(
            "Phases of a copy by DMA (exclusive, copy_from_user)",
            "phased",
            &[
                ("direction", "from_user"),
                ("cache", "warm"),
                ("context", "exclusive"),
            ],
            "Each panel is one phase of the copies above it, which reading the clock between \
             the phases lengthens.",
        )
    });
    for direction in ["from_user", "to_user"] {
        figures.push(figure(
            &format!("CPU time of the calling task, copy_{direction}"),
            "cpu_time",
            &[("direction", direction), ("cache", "warm")],
            "What the task itself spends. Interrupts and threads of the engine's driver are not \
             in it: for a software engine that is everything.",
        ));
    }
    figures
}

fn figure(title: &str, y: &str, settings: &[(&str, &str)], reading: &str) -> FigureHead {
    FigureHead {
        title: title.to_owned(),
        x: "size".to_owned(),
        x_log2: true,
        y: y.to_owned(),
        y_log: true,
        series: vec!["context".to_owned(), "pages".to_owned()],
        only: only(settings),
        marks: vec![MarkKind::CacheSizes, MarkKind::PageSize],
        reading: reading.to_owned(),
        ..FigureHead::default()
    }
}

/// The CPU hot and cold, and DMA under each policy with and without pinning.
/// Other axes are left open: the first measured point of the plan fills a cell.
pub fn toll() -> Vec<TollHead> {
    let row = |direction: &str, label: &str, settings: [(&str, &str); 3]| TollHead {
        label: format!("copy_{direction} {label}"),
        size_axis: "size".to_owned(),
        only: {
            let mut all = only(&[("direction", direction)]);
            all.extend(only(&settings));
            all
        },
    };
    let mut rows = Vec::new();
    for direction in ["to_user", "from_user"] {
        for (label, cache) in [
            ("in the kernel, hot", "warm"),
            ("in the kernel, flushed", "flushed"),
        ] {
            let settings = [("context", "cpu"), ("pages", "pinned"), ("cache", cache)];
            rows.push(row(direction, label, settings));
        }
        for policy in ["exclusive", "shared"] {
            for (pinning, pages) in [("pinned", "pinned"), ("pin per copy", "pin_per_copy")] {
                let label = format!("by DMA {policy}, {pinning}");
                let settings = [("context", policy), ("pages", pages), ("cache", "warm")];
                rows.push(row(direction, &label, settings));
            }
        }
    }
    rows
}
