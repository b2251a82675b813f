//! Light and heavy side by side, on the terminal and as a page. After a change
//! that is meant: `UPDATE_GOLDEN=1 cargo test -p pontage-report --test under_load`, then read
//! the difference.

mod golden;
mod synthetic;

use analysis::under_load::{Measured, Taken, UnderLoad, Verdict, compare};
use analysis::{RunView, summarise};
use golden::golden;
use record::{Disturbance, Sample};
use report::html::under_load::page;
use report::terminal::under_load::document;
use std::collections::BTreeMap;
use synthetic::Wobble;

fn terminal(b: &UnderLoad, width: usize, colour: bool) -> String {
    report::document::terminal::write(&document(b, width), width, colour)
}

/// How a path behaves under load: its times, and every how manieth is late by
/// which factor.
#[derive(Clone, Copy)]
struct Under {
    slower: f64,
    late: Option<(usize, f64)>,
    samples: u32,
}

const CALM: Under = Under {
    slower: 1.0,
    late: None,
    samples: 4000,
};

fn under_load(experiment: &str, point: usize) -> Under {
    match (experiment, point) {
        ("copy/memcpy", 0..4) => Under {
            slower: 1.4,
            ..CALM
        },
        ("copy/memcpy", 7) => Under {
            samples: 60,
            ..CALM
        },
        ("switch/context", _) => Under {
            late: Some((50, 9.0)),
            samples: 400,
            ..CALM
        },
        ("syscall/read", _) => Under {
            samples: 12,
            ..CALM
        },
        _ => CALM,
    }
}

fn samples(seed: u64, median: f64, how: Under) -> Vec<Sample> {
    let mut wobble = Wobble::new(seed);
    (0..how.samples)
        .map(|index| {
            let late = how
                .late
                .filter(|(every, _)| (index as usize).is_multiple_of(*every));
            let value = median * how.slower * wobble.around(0.03) * late.map_or(1.0, |l| l.1);
            Sample {
                metric: 0,
                process: 0,
                index,
                ops: 1000,
                elapsed_ns: value * 1000.0,
                floor_ns: 0.0,
                value,
                cpu: 0,
                disturbance: Disturbance::default(),
                yardstick: None,
            }
        })
        .collect()
}

const EXPERIMENTS: [&str; 4] = [
    "syscall/getppid",
    "syscall/read",
    "switch/context",
    "copy/memcpy",
];

fn made(load: &str) -> (RunView, Taken) {
    let mut view = synthetic::run();
    let mut taken = Taken::default();
    view.tables
        .retain(|t| EXPERIMENTS.contains(&t.head.id.as_str()));
    for table in &mut view.tables {
        table.points.truncate(9);
        let mut all = BTreeMap::new();
        for (at, point) in table.points.iter().enumerate() {
            let Some(median) = point.median_ns() else {
                continue;
            };
            let how = match load {
                "light" => CALM,
                _ => under_load(&table.head.id, at),
            };
            let drawn = samples(at as u64 + load.len() as u64, median, how);
            taken.add(&table.head.id, point.head.index, &drawn);
            all.insert(point.head.index, drawn);
        }
        let heads: Vec<_> = table.points.iter().map(|p| p.head.clone()).collect();
        *table = summarise(&table.head, &heads, &all);
    }
    view.head.id = format!("20260101T120000Z-{load}");
    view.head.conditions.load = load.to_owned();
    if load != "light" {
        view.head.conditions.load_detail = vec!["stress-ng --cpu 1 --stream 1".to_owned()];
        view.head.conditions.load_busy = Some(0.99);
        view.head.conditions.steal_share = Some(0.011);
    }
    (view, taken)
}

fn laid() -> UnderLoad {
    laid_with(|_| ())
}

fn laid_with(change: impl FnOnce(&mut RunView)) -> UnderLoad {
    let ((mut light, of_light), (mut heavy, of_heavy)) = (made("light"), made("heavy"));
    change(&mut light);
    heavy.head.tool_version = "0.2.0 <i>".to_owned();
    compare(
        Measured {
            view: &light,
            taken: &of_light,
        },
        Measured {
            view: &heavy,
            taken: &of_heavy,
        },
    )
    .expect("a pair")
}

#[test]
fn the_answer_stands_at_the_top_of_the_terminal() {
    let laid = laid();
    for verdict in [
        Verdict::Predictable,
        Verdict::Slower,
        Verdict::Unpredictable,
        Verdict::Undecided,
    ] {
        assert!(laid.count(verdict) > 0, "{verdict:?}");
    }
    golden("under-load-80.txt", &terminal(&laid, 80, false));
    golden("under-load-140.txt", &terminal(&laid, 140, false));
    assert!(terminal(&laid, 80, true).contains('\x1b'));
}

#[test]
fn lines_fit() {
    for width in [70, 80, 100, 140] {
        for line in terminal(&laid(), width, false).lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn the_page_says_the_same_and_is_whole() {
    let laid = laid();
    let page = page(&laid).expect("drawn");
    let words = |text: &str| text.replace('\n', " ");
    for said in [
        "Which paths stay predictable under load?",
        "different version: 0.1.0 and 0.2.0 &lt;i&gt;",
        "heavy run: 1.1 % of the CPU time was stolen",
        "probably predictable",
        "slower but steady",
        "fewer than 20 samples say nothing about a tail",
        "the largest of",
    ] {
        assert!(words(&page).contains(said), "{said}");
    }
    // A pair of table rows and a pair of bars for each path.
    let paths = laid.paths().count();
    assert_eq!(page.matches("<td class=\"word\">").count(), 2 * paths);
    assert_eq!(
        page.matches("<svg class=\"plot\"").count(),
        EXPERIMENTS.len()
    );
    for (open, close) in [
        ("<div", "</div>"),
        ("<section", "</section>"),
        ("<svg", "</svg>"),
    ] {
        assert_eq!(
            page.matches(open).count(),
            page.matches(close).count(),
            "{open}"
        );
    }
    for forbidden in [" src=", " style=", "#0072b2", "http://", "<i>"] {
        let outside = page.split("<script").next().unwrap_or_default();
        let outside = outside.split("</style>").nth(1).unwrap_or_default();
        assert!(!outside.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn one_reason_for_all_is_part_of_the_answer() {
    let laid = laid_with(|light| light.head.conditions.busy_before = Some(0.7));
    let text = terminal(&laid, 1000, false);
    let said = "20 undecided. Why: the light run was not light.";
    assert!(text.contains(said), "{text}");
}

#[test]
fn nothing_in_common_is_said_not_drawn() {
    let mut laid = laid();
    laid.series.clear();
    let text = terminal(&laid, 80, false);
    assert!(
        text.contains("No path was measured in both runs."),
        "{text}"
    );
    assert!(!page(&laid).expect("drawn").contains("<svg class=\"plot\""));
}
