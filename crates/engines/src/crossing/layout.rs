//! Grids, figures and toll rows of the two crossing experiments, which differ
//! in the direction only.

use catalogue::{AxisSpec, Grid, Preset, doubling, toll_row};
use record::{FigureHead, MarkKind, TollGroup, TollHead, Unit};

/// Columns of the toll map, bytes.
const TOLL_SIZES: [i64; 5] = [64, 4 << 10, 64 << 10, 1 << 20, 16 << 20];
const LARGEST_BYTES: i64 = 32 << 20;

/// The axes, with the paths of one direction.
pub const fn axes(paths: &'static [&'static str]) -> [AxisSpec; 3] {
    [
        AxisSpec::word("path", "system call that makes the kernel copy", paths),
        AxisSpec::word(
            "cache",
            "where the data of both sides is before the call",
            &["hot", "cold"],
        ),
        AxisSpec::number("size", Unit::Bytes, "bytes moved by one call"),
    ]
}

/// Points of a preset. `paths` begins with the plain memory file; those that
/// end in `_thp` and `_hugetlb` hold it in huge pages.
pub fn grids(preset: Preset, paths: &[&str]) -> Vec<Grid> {
    let (huge, plain): (Vec<&str>, Vec<&str>) = paths.iter().partition(|p| is_huge(p));
    match preset {
        Preset::Quick => vec![
            grid(60, &plain, &["hot"], &TOLL_SIZES),
            grid(60, &plain[..1], &["cold"], &TOLL_SIZES),
            grid(60, &huge, &["hot"], &[1 << 20]),
        ],
        Preset::Full => {
            let sizes: Vec<i64> = doubling(1, LARGEST_BYTES).collect();
            vec![
                grid(400, paths, &["hot"], &sizes),
                grid(4000, paths, &["cold"], &sizes),
            ]
        }
    }
}

fn is_huge(path: &str) -> bool {
    path.ends_with("_thp") || path.ends_with("_hugetlb")
}

fn grid(budget_ms: u64, paths: &[&str], caches: &[&str], sizes: &[i64]) -> Grid {
    Grid::new(budget_ms)
        .words("path", paths)
        .words("cache", caches)
        .ints("size", sizes.iter().copied())
}

/// Time, time without the call itself, and bandwidth.
pub fn figures() -> Vec<FigureHead> {
    let figure = |y: &str, title: &str, reading: &str| FigureHead {
        title: title.to_owned(),
        x: "size".to_owned(),
        x_log2: true,
        y: y.to_owned(),
        y_log: true,
        series: vec!["path".to_owned(), "cache".to_owned()],
        marks: vec![MarkKind::CacheSizes, MarkKind::PageSize],
        reading: reading.to_owned(),
        ..FigureHead::default()
    };
    vec![
        figure(
            "latency",
            "Time of one call",
            "The flat part on the left is the fixed cost of the call, the rising part on the \
             right is the copy.",
        ),
        figure(
            "net",
            "Time of one call minus a call for one byte",
            "The cost of the bytes alone: each sample minus the one-byte call measured next to \
             it. Small sizes scatter around zero and may be missing on the logarithmic axis; \
             the table has them.",
        ),
        figure(
            "bandwidth",
            "Bytes moved per second, call included",
            "GB/s = 10^9 bytes per second, bytes counted once (copied, not read + written).",
        ),
    ]
}

/// Rows of the toll map: the plain file hot and cold, the others hot.
pub fn toll(what: &str, paths: &[&str]) -> Vec<TollHead> {
    let plain = paths.iter().filter(|p| !is_huge(p));
    let group = match what {
        "copy_to_user" => TollGroup::Read,
        _ => TollGroup::Write,
    };
    let row = |path: &str, cache: &str, label: String| TollHead {
        group: Some(group),
        way: match cache {
            "hot" => path.to_owned(),
            _ => format!("{path}, not cached"),
        },
        condition: match cache {
            "hot" => String::new(),
            _ => "data not cached".to_owned(),
        },
        ..toll_row(label, &[("path", path), ("cache", cache)])
    };
    let mut rows = Vec::new();
    for (index, path) in plain.enumerate() {
        if index == 0 {
            rows.push(TollHead {
                usual: true,
                ..row(path, "hot", format!("{what} via {path}, hot"))
            });
            rows.push(row(path, "cold", format!("{what} via {path}, cold")));
        } else {
            rows.push(row(path, "hot", format!("{what} via {path}")));
        }
    }
    rows
}
