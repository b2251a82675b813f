//! The .dat files of I/OAT-CFTU become runs, and runs become those files: there
//! and back to the byte.

mod program;

use program::{Program, head, run_folder};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(name)
}

/// The .dat files below a folder: path from there, and text.
fn dat_files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "dat") {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

fn exported(program: &Program, run: &Path, to: &str) -> BTreeMap<String, String> {
    let folder = program.out().join(to);
    let (run, folder) = (run.to_str().unwrap(), folder.to_str().unwrap());
    let ended = program.run(&["export", run, "--format", "cftu", "--out", folder]);
    assert_eq!(ended.status, 0, "{ended:?}");
    dat_files(Path::new(folder))
}

#[test]
fn what_was_exported_comes_back_to_the_byte() {
    let program = Program::new();
    let first = exported(&program, &fixture("records/v1-offload"), "dat");
    assert_eq!(first.len(), 20);
    let folder = program.out().join("dat");
    let imported = program.run(&["import", "cftu", folder.to_str().unwrap()]);
    assert_eq!(imported.status, 0, "{imported:?}");
    assert!(!imported.stderr.contains("note:"), "{imported:?}");
    let again = exported(&program, &run_folder(&program), "again");
    assert_eq!(again, first);
}

#[test]
fn the_records_of_the_document_are_recorded_with_what_is_odd_about_them() {
    let program = Program::new();
    let printed = fixture("foreign/cftu/printed");
    let imported = program.run(&["import", "cftu", printed.to_str().unwrap()]);
    assert_eq!(imported.status, 0, "{imported:?}");
    assert!(
        imported
            .stderr
            .contains("mem_trace_from.dat:1: its address")
    );
    let run = run_folder(&program);
    let notes = head(&run)["conditions"]["notes"].to_string();
    for said in [
        "mem_trace_from.dat:1: its address",
        "measures_from.dat:4: a channel",
    ] {
        assert!(notes.contains(said), "{notes}");
    }
    assert!(
        imported.stdout.contains("minimum 96 ns, maximum 115 ns"),
        "{imported:?}"
    );
    // Back again, the address has 16 digits and every channel its own number.
    let again = exported(&program, &run, "again");
    for (name, text) in dat_files(&printed) {
        if name.ends_with("_synth.dat") {
            assert!(!again.contains_key(&name), "one copy has no variance");
            continue;
        }
        let mut expected = text.replace("0xfffffffff8144c129", "0xffffffff8144c129");
        if name.ends_with("measures_from.dat") {
            let mut place = -1;
            let numbered = text.lines().map(|line| match line.split_once("\t1024") {
                Some((_, rest)) => {
                    place += 1;
                    format!("{place}\t1024{rest}\n")
                }
                None => format!("{line}\n"),
            });
            expected = numbered.collect();
        }
        assert_eq!(again[&name], expected, "{name}");
    }
}

#[test]
fn a_synthesis_is_held_against_its_measurements() {
    let program = Program::new();
    exported(&program, &fixture("records/v1-offload"), "dat");
    let cpu = program.out().join("dat/micro-benchmark_Msg/risultati/cpu");
    let synth = cpu.join("micro-benchmark_from_5_synth.dat");
    let text = fs::read_to_string(&synth).unwrap();
    fs::write(&synth, text.replacen("13.8393", "12.1094", 1)).unwrap();
    let imported = program.run(&["import", "cftu", cpu.to_str().unwrap()]);
    assert_eq!(imported.status, 0, "{imported:?}");
    let said = "micro-benchmark_from_5_synth.dat:1: the synthesis says 64 104 114 109.1250 \
                12.1094 108.5000, the measurements give 64 104 114 109.1250 13.8393 108.5000";
    assert!(imported.stderr.contains(said), "{imported:?}");
}

#[test]
fn pasted_tables_and_files_with_other_names_are_read() {
    let program = Program::new();
    let folder = program.out().join("pasted/shared");
    fs::create_dir_all(&folder).unwrap();
    let row =
        "| 0 | 1024 | 300 | 1384270020290328601 | 1384270020290437344 | 108743 | 2694.138933 |";
    fs::write(
        folder.join("Measures-To.dat"),
        format!("{row}\n|---|---|---|---|---|---|---|\n"),
    )
    .unwrap();
    fs::write(
        folder.join("measure_qsort.dat"),
        "qsort_small 1 2 1 3 4 0.5\n",
    )
    .unwrap();
    let imported = program.run(&[
        "import",
        "cftu",
        program.out().join("pasted").to_str().unwrap(),
    ]);
    assert_eq!(imported.status, 0, "{imported:?}");
    for said in [
        "measure_qsort.dat is left out",
        "Measures-To.dat:1: no total_band follows",
    ] {
        assert!(imported.stderr.contains(said), "{said}: {imported:?}");
    }
    assert!(imported.stdout.contains("context=shared") || imported.stdout.contains("2 points"));
    let run = run_folder(&program);
    let again = exported(&program, &run, "again");
    let band = &again["micro-benchmark_Band/risultati/measures_to.dat"];
    assert!(band.ends_with("\ntotal_band= 2694.138933\n"), "{band}");
    // The same files again, of another context: a folder for each.
    assert!(
        head(&run)["points"][0]["settings"]
            .to_string()
            .contains("shared")
    );
}

#[test]
fn recorded_copies_are_drawn_as_the_figures_of_the_study() {
    let program = Program::new();
    let folder = program.out().join("traces");
    fs::create_dir_all(&folder).unwrap();
    let line =
        |n: u32, size: u32| format!("{n}\t{n}\t{size}\t0\t100\t150\t50\t0xffffffff81000000\tCPU\n");
    let lines: String = (0..4)
        .map(|n| line(n, if n < 3 { 100 } else { 4096 }))
        .collect();
    fs::write(folder.join("mem_trace_from.dat"), &lines).unwrap();
    fs::write(folder.join("mem_trace_to.dat"), line(0, 8)).unwrap();
    let imported = program.run(&["import", "cftu", folder.to_str().unwrap()]);
    assert_eq!(imported.status, 0, "{imported:?}");
    let run = run_folder(&program);
    let svg = program.out().join("svg");
    let (run, svg) = (run.to_str().unwrap(), svg.to_str().unwrap());
    let drawn = program.run(&["report", run, "--svg", svg]);
    assert_eq!(drawn.status, 0, "{drawn:?}");
    let figure = |n: u32| fs::read_to_string(format!("{svg}/copies-trace-{n}.svg")).unwrap();
    for (n, title) in [
        (1, "I/OAT-CFTU figure 2.21: invocations of copy_from_user()"),
        (2, "I/OAT-CFTU figure 2.22: invocations of copy_to_user()"),
        (
            5,
            "I/OAT-CFTU figure 2.25: invocations of copy_from_user() and __copy_from_user()",
        ),
        (
            6,
            "I/OAT-CFTU figure 2.26: invocations of copy_to_user() and __copy_to_user()",
        ),
    ] {
        assert!(figure(n).contains(title), "{title}");
    }
    // Three copies of 64 to 127 bytes and one of 4096.
    let page = fs::read_to_string(Path::new(run).join("report.html")).unwrap();
    assert!(page.contains("figure 2.21"));
}
