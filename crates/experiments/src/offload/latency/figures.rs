//! Pictures and rows of the toll map.

use catalogue::{Figure, toll_row};
use record::{FigureHead, MarkKind, TollGroup, TollHead};

/// Figures of `offload/latency`: time and CPU time of a copy over its size, by
/// direction and cache state.
pub fn figures() -> Vec<FigureHead> {
    let mut figures = Vec::new();
    for direction in DIRECTIONS {
        for (cache, word) in [("warm", ""), ("flushed", ", caches flushed")] {
            let title = format!("copy_{direction}{word}: CPU and DMA");
            figures.push(figure(title, "latency", direction, cache).reading(
                "One copy, by what copies it and when its pages are pinned. The CPU's line starts \
                 near zero, the engine's lines at the cost of a request; the crossing is the \
                 break-even size.",
            ));
        }
    }
    let title = "Phases of a copy by DMA (exclusive, copy_from_user)".to_owned();
    let phases = figure(title, "phased", "from_user", "warm").only(&[("context", "exclusive")]);
    let below = ["pin", "map", "submit", "wait", "unmap", "unpin", "cpu_copy"];
    figures.push(phases.below(&below).reading(
        "Each panel is one phase of the copies above it; the copies are longer by the clock \
         readings between the phases.",
    ));
    for direction in DIRECTIONS {
        let title = format!("CPU time of the calling task, copy_{direction}");
        figures.push(figure(title, "cpu_time", direction, "warm").reading(
            "CPU time of the task itself. Interrupts and threads of the engine's driver are not \
             included: for a software engine that is the whole copy.",
        ));
    }
    figures
}

const DIRECTIONS: [&str; 2] = ["from_user", "to_user"];

fn figure(title: String, y: &str, direction: &str, cache: &str) -> Figure {
    let figure = Figure::of(title, "size", y).log_x().log_y();
    let figure = figure.series(&["context", "pages"]);
    let marks = [MarkKind::CacheSizes, MarkKind::PageSize];
    let figure = figure.only(&[("direction", direction), ("cache", cache)]);
    figure.marks(&marks)
}

/// The CPU hot and cold, and DMA under each policy with and without pinning.
/// Other axes are left open: the first measured point of the plan fills a cell.
pub fn toll() -> Vec<TollHead> {
    let of = |direction: &str| {
        let row = |label: &str, context, pages, cache| {
            let settings = [
                ("direction", direction),
                ("context", context),
                ("pages", pages),
                ("cache", cache),
            ];
            TollHead {
                group: Some(TollGroup::Engine),
                condition: format!("{direction}, {cache}"),
                ..toll_row(format!("copy_{direction} {label}"), &settings)
            }
        };
        [
            row("in the kernel, hot", "cpu", "pinned", "warm"),
            row("in the kernel, flushed", "cpu", "pinned", "flushed"),
            row("by DMA exclusive, pinned", "exclusive", "pinned", "warm"),
            row(
                "by DMA exclusive, pin per copy",
                "exclusive",
                "pin_per_copy",
                "warm",
            ),
            row("by DMA shared, pinned", "shared", "pinned", "warm"),
            row(
                "by DMA shared, pin per copy",
                "shared",
                "pin_per_copy",
                "warm",
            ),
        ]
    };
    ["to_user", "from_user"].into_iter().flat_map(of).collect()
}
