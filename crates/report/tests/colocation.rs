//! Neighbours: the table of pairs as a log of 2022 laid it out, and matrices of
//! ratios. After a change that is meant: `UPDATE_GOLDEN=1 cargo test -p pontage-report --test
//! colocation`, then read the difference.

mod golden;
#[path = "synthetic/colocation.rs"]
mod neighbours;
mod synthetic;

use analysis::{ExperimentTable, RunView};
use golden::golden;
use report::figure::{self, matrix::tone};
use report::{colocation, html, svg, terminal};
use std::path::PathBuf;

const KINDS: [&str; 14] = [
    "alu",
    "image",
    "interpreter",
    "events",
    "tree",
    "strings",
    "graph",
    "chase_l2",
    "chase_llc",
    "memcpy",
    "clflushopt",
    "clwb",
    "msync",
    "syscall",
];

fn view(table: ExperimentTable) -> RunView {
    let mut view = synthetic::run();
    view.head.findings.clear();
    view.head.experiments = vec![table.head.clone()];
    view.head.points = table.points.iter().map(|p| p.head.clone()).collect();
    view.tables = vec![table];
    view
}

/// What a terminal of this width shows of the experiment.
fn shown(table: ExperimentTable, width: usize) -> String {
    let text = terminal::render(&view(table), width, false);
    let at = text.find("Experiments").expect("there is one");
    text[at..].to_owned()
}

/// Writes pages to look at: `SHOW_MATRIX=folder`.
fn show(name: &str, page: &str) {
    if let Some(folder) = std::env::var_os("SHOW_MATRIX") {
        std::fs::write(PathBuf::from(folder).join(name), page).expect("the folder is there");
    }
}

#[test]
fn pairs_are_laid_out_as_in_the_log() {
    for width in [50, 80, 180] {
        let text = shown(neighbours::pairs(), width);
        golden(&format!("colocation-{width}.txt"), &text);
    }
}

/// Every gain that the log prints, from its own times and rates.
#[test]
fn gains_are_those_of_the_log() {
    let text = shown(neighbours::pairs(), 180);
    for part in [
        "+7.79 %", "-9.40 %", "+9.79 %", "+5.87 %", "+6.43 %", "-8.48 %", "+7.80 %", "-10.10 %",
        "+13.40 %", "+4.53 %", "+13.98 %", "-17.70 %",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert!(text.contains("74.06 frames/s -> 79.83 frames/s | perlbench"));
    assert!(text.contains("39.99 s -> 43.75 s"));
}

#[test]
fn every_line_of_pairs_fits() {
    for width in [50, 80, 100, 140, 180] {
        for table in [neighbours::pairs(), neighbours::odd_pairs()] {
            for line in shown(table, width).lines() {
                let fits = line.chars().count() <= width || line.contains("enable: ");
                assert!(fits, "{width}: {line}");
            }
        }
    }
}

#[test]
fn a_member_that_was_not_measured_says_why_and_long_commands_are_cut() {
    let table = neighbours::odd_pairs();
    let text = shown(table.clone(), 100);
    assert!(
        text.contains("AVX skipped: AVX2 is not on this processor"),
        "{text}"
    );
    assert!(text.contains("make -C /usr/src/linu..."), "{text}");
    assert!(text.contains("make -C /us...&AVX"), "{text}");
    assert!(!text.contains("cmd:"), "{text}");
    let page = html::render(&view(table));
    assert!(page.contains("make -C /usr/src/linux -j2 modules"));
    assert!(page.contains("skipped: AVX2 is not on this processor"));
}

#[test]
fn the_page_and_programs_have_the_same_pairs() {
    let view = view(neighbours::pairs());
    let page = html::render(&view);
    show("pairs.html", &page);
    assert!(page.contains("74.06 frames/s → 79.83 frames/s"));
    assert!(page.contains("Gain by mixing: 6 + 6 tasks, smt sibling, processes"));
    let [first, second] = ["<td>270/270</td>", "<td>270/250</td>"];
    assert!(page.contains(first) && page.contains(second));
    let json = colocation::json(&view);
    let pairs = json["pairs"].as_array().expect("a list");
    assert_eq!(pairs.len(), 6);
    assert_eq!(pairs[0]["a"]["kind"], "AVX");
    assert_eq!(pairs[0]["a"]["speed"], "frames/s");
    assert_eq!(pairs[0]["settings"]["a_tasks"], 2);
    let gain = pairs[0]["b"]["gain"].as_f64().expect("a number");
    assert!((gain + 0.0940).abs() < 1e-4, "{gain}");
    let evidence = &pairs[0]["evidence_per_s"][1];
    assert_eq!(evidence["neighbour"], "perlbench");
    assert_eq!(evidence["LOC"]["there"], 250.3);
    assert!(evidence["faults"]["here"].is_null());
}

#[test]
fn words_stand_in_the_order_of_the_plan_and_have_their_names() {
    let view = view(neighbours::matrix(&KINDS, false));
    let figures = figure::all(&view);
    let matrix = figures[0].matrix.as_ref().expect("a matrix");
    assert_eq!(matrix.rows.names, KINDS);
    assert_eq!(matrix.columns.names[..3], ["spin", "alu", "image"]);
    let picture = svg::file(&figures[0], &report::Foot::default()).expect("drawn");
    show("slowdown.svg", &picture);
    assert_eq!(picture.matches("rotate(-50, ").count(), 15, "names lean");
    assert!(!picture.contains("rotate(270"));
    let page = html::render(&view);
    show("slowdown.html", &page);
    assert!(page.contains("no difference from 1 shown"));
    assert!(page.contains("skipped: no clwb on this processor; enable: another machine</title>"));
    let cells = &colocation::json(&view)["cells"];
    assert_eq!(cells.as_array().map(Vec::len), Some(14 * 15));
    assert_eq!(cells[2]["neighbour"], "image");
    assert!(cells[2]["slowdown"]["median"].is_number());
}

#[test]
fn a_wide_matrix_goes_on_below_itself() {
    for width in [60, 100] {
        let text = shown(neighbours::matrix(&KINDS, false), width);
        golden(&format!("slowdown-{width}.txt"), &text);
        assert!(text.lines().all(|line| line.chars().count() <= width));
    }
    let text = shown(neighbours::matrix(&KINDS, false), 240);
    assert!(text.contains("clflushopt") && !text.contains("11=memcpy"));
}

#[test]
fn long_commands_are_cut_beside_the_cells_and_whole_in_their_titles() {
    let line = "cmd:make -C /usr/src/linux -j2 modules";
    let view = view(neighbours::matrix(&["alu", line], false));
    let figure = &figure::all(&view)[0];
    let picture = svg::inline(figure).expect("drawn").into_string();
    let (drawn, titles) = picture.split_at(picture.find("<title>").expect("titles"));
    assert!(drawn.contains("cmd:make -C /usr/src/...") && !drawn.contains("modules"));
    assert!(titles.contains(line));
    assert!(
        shown(view.tables[0].clone(), 80)
            .lines()
            .all(|l| l.chars().count() <= 80)
    );
}

#[test]
fn settings_that_a_matrix_cannot_show_have_figures_of_their_own() {
    let view = view(neighbours::matrix(&KINDS[..3], true));
    let figures = figure::all(&view);
    let titles: Vec<&str> = figures.iter().map(|f| f.title.as_str()).collect();
    let title = "Slowdown of the row's work";
    assert_eq!(
        titles,
        [format!("{title}: mm separate"), format!("{title}: mm same")]
    );
    assert_ne!(figures[0].id, figures[1].id);
    assert!(
        figures
            .iter()
            .all(|f| f.notes.iter().all(|n| !n.contains("share a cell")))
    );
}

#[test]
fn ratios_have_two_hues_around_one() {
    let view = view(neighbours::matrix(&KINDS, false));
    let figure = &figure::all(&view)[0];
    let at = |value| tone::tone(figure, value);
    assert_ne!(at(0.8).hue, at(1.2).hue);
    assert!(at(1.0).strength < 1e-9);
    assert!(at(1.1).strength > 0.15, "a tenth is seen");
    assert!(at(2.0).strength < at(4.0).strength);
    let (low, high) = figure.y.range;
    for (share, value) in [(0.0, low), (1.0, high)] {
        assert!((tone::value_at(figure, share) - value).abs() < 1e-9);
    }
    let middle = tone::middle(figure).expect("two hues");
    assert!((tone::value_at(figure, middle) - 1.0).abs() < 1e-9);
}
