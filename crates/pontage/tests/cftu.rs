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
    let found = program.run(&["report", run.to_str().unwrap(), "--all"]);
    assert!(
        found.stdout.contains("minimum 96 ns, maximum 115 ns"),
        "{found:?}"
    );
    // Back again, the address has 16 digits and every channel its own number.
    let again = exported(&program, &run, "again");
    for (name, text) in dat_files(&printed) {
        if name.ends_with("_synth.dat") {
            assert!(!again.contains_key(&name), "one copy has no variance");
            continue;
        }
        if name.ends_with("synthesis_x.dat") {
            // One of the 300 runs is printed; the synthesis of all is in the notes.
            let one = "qsort_small\t1\t4238.9570\t4238\t157283.0000\t0.624352\n";
            assert_eq!(again[&name], one);
            assert!(notes.contains("synthesis_x.dat:1: the synthesis has qsort_small 300"));
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
    let said = "micro-benchmark_from_5_synth.dat:1: the synthesis has 64 104 114 109.1250 12.1094 \
                108.5000, the measurements give 64 104 114 109.1250 13.8393 108.5000";
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
    fs::write(folder.join("mem_qsort.dat"), "qsort_small 1 2 1 3 4 0.5\n").unwrap();
    let imported = program.run(&[
        "import",
        "cftu",
        program.out().join("pasted").to_str().unwrap(),
    ]);
    assert_eq!(imported.status, 0, "{imported:?}");
    for said in [
        "mem_qsort.dat is left out",
        "Measures-To.dat:1: no total_band follows",
    ] {
        assert!(imported.stderr.contains(said), "{said}: {imported:?}");
    }
    assert!(imported.stdout.contains("Time      362 ns"), "{imported:?}");
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

/// From user memory three copies of 100 bytes, two of them by the routine of two
/// underscores, and one of 4096; one of 8 to it.
fn traces(program: &Program) -> PathBuf {
    let folder = program.out().join("traces");
    fs::create_dir_all(&folder).unwrap();
    let line = |n: u32, size: u32, dt: u32| {
        format!("{n}\t{n}\t{size}\t0\t100\t150\t{dt}\t0xffffffff8100000{n}\tCPU\n")
    };
    for (name, lines) in [
        (
            "mem_trace_from",
            [line(0, 100, 50), line(1, 4096, 50)].concat(),
        ),
        (
            "__mem_trace_from",
            [line(0, 100, 50), line(1, 100, 70)].concat(),
        ),
        ("mem_trace_to", line(0, 8, 50)),
    ] {
        fs::write(folder.join(format!("{name}.dat")), lines).unwrap();
    }
    folder
}

#[test]
fn imported_traces_have_the_figures_of_our_own_recordings() {
    let program = Program::new();
    let folder = traces(&program);
    let imported = program.run(&["import", "cftu", folder.to_str().unwrap()]);
    assert_eq!(imported.status, 0, "{imported:?}");
    let run = run_folder(&program);
    let svg = program.out().join("svg");
    let drawn = program.run(&[
        "report",
        run.to_str().unwrap(),
        "--svg",
        svg.to_str().unwrap(),
    ]);
    assert_eq!(drawn.status, 0, "{drawn:?}");
    let own: Vec<String> = analysis::copies::heads(None)
        .iter()
        .flat_map(|head| head.figures.iter().map(|f| f.title.clone()))
        .collect();
    let of_import = head(&run)["experiments"].as_array().unwrap().clone();
    let figures = of_import
        .iter()
        .flat_map(|e| e["figures"].as_array().unwrap());
    let titles: Vec<&str> = figures.map(|f| f["title"].as_str().unwrap()).collect();
    assert_eq!(titles, own);
    for (n, title) in (1..).zip(&own[..2]) {
        let picture = fs::read_to_string(svg.join(format!("copies-trace-{n}.svg"))).unwrap();
        assert!(picture.contains(title), "{title}");
    }
    assert!(own[0].starts_with("I/OAT-CFTU figure 2.21: "), "{}", own[0]);
    assert!(svg.join("copies-callers-1.svg").exists());
}

#[test]
fn imported_traces_are_counted_as_our_own_recordings_are() {
    let program = Program::new();
    let folder = traces(&program);
    let imported = program.run(&["import", "cftu", folder.to_str().unwrap()]);
    assert_eq!(imported.status, 0, "{imported:?}");
    let folder = run_folder(&program);
    let view = analysis::load(&record::Run::open(&folder).unwrap()).unwrap();
    let points = || view.tables.iter().flat_map(|t| &t.points);
    let of = |label: &str| points().find(|p| p.head.label() == label).unwrap();
    let values =
        |label: &str| [0, 1, 2].map(|metric| of(label).summary(metric).unwrap().median.center);
    // Time, copies, bytes. The time is the printed one, not that of its ends.
    let one = "operation=copy_from_user routines=one engine=cpu size=64";
    assert_eq!(values(one), [50.0, 1.0, 100.0]);
    let unchecked = one.replace("copy_from", "__copy_from");
    assert_eq!(values(&unchecked), [50.0, 2.0, 200.0]);
    let both = one.replace("one", "both");
    assert_eq!(values(&both), [50.0, 3.0, 300.0]);
    let slow = "operation=__copy_from_user caller=0xffffffff81000001";
    assert_eq!(values(slow), [70.0, 1.0, 100.0]);
    let from = |label: &str| {
        let notes = of(label).head.notes.iter();
        notes.filter(|n| n.starts_with("from ")).count()
    };
    assert_eq!((from(one), from(&both)), (1, 2));
    for (routine, why) in [
        ("__copy_to_user", "no file of __copy_to_user was imported"),
        ("copy_to_iter", "the study did not trace copy_to_iter"),
    ] {
        let state = &of(&format!("operation={routine} routines=one")).head.state;
        assert!(format!("{state:?}").contains(why), "{state:?}");
    }
}

#[test]
fn an_imported_run_is_judged_against_ours_where_it_is_asked_for() {
    let program = Program::new();
    let ours = fixture("records/v1-offload");
    exported(&program, &ours, "dat");
    let folder = program.out().join("dat");
    let imported = program.run(&["import", "cftu", folder.to_str().unwrap()]);
    // The bandwidth was measured in one context: its files have no folder.
    let expected = "hint: the files do not say what copied (context=unstated)";
    assert!(imported.stderr.contains(expected), "{imported:?}");
    let theirs = run_folder(&program);
    let pair = ["compare", theirs.to_str().unwrap(), ours.to_str().unwrap()];
    let refused = program.run(&pair);
    for said in [
        "nothing was compared: different cpu model",
        " --across-machines",
    ] {
        assert!(refused.stderr.contains(said), "{refused:?}");
    }
    let differs = "cpus (nothing stated in A, 2 in B)";
    assert!(refused.stdout.contains(differs), "{refused:?}");
    let judged = program.run(&[&pair[..], &["--across-machines"]].concat());
    let same = "0 of 14 values differ";
    assert!(judged.stdout.contains(same), "{judged:?}");
    // The files lack most of what the run has.
    assert_eq!(judged.status, 77, "{judged:?}");
    let few = "no verdict: only 14 of 75 points can be compared";
    assert!(judged.stderr.contains(few), "{judged:?}");
    // From a folder that says it, nothing is left to tell.
    let cpu = folder.join("micro-benchmark_Msg/risultati/cpu");
    let said = program.run(&["import", "cftu", cpu.to_str().unwrap(), "--out", "stated"]);
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
}

/// Runs of two programs in two systems, those of the second not counted.
const PROGRAMS: [(&str, &str); 4] = [
    (
        "measure_ideal_from_to_16.dat",
        "susan[s]_small\t1000\t1900\t900\t1431\t9\t0.628931\n\
         susan[s]_small\t2000\t3100\t1100\t1433\t0\t0.000000\n\
         qsort_small\t55698518635\t55702757592\t4238957\t157283\t982\t0.624352\n",
    ),
    (
        "synthesis_ideal_from_to_16.dat",
        "susan[s]_small\t2\t1.0000\t1\t1432.0000\t0.314465\n\
         qsort_small\t1\t4238.9570\t4238\t157283.0000\t0.624352\n",
    ),
    (
        "measure_cpu_from_to_16.dat",
        "susan[s]_small\t1000\t1950\t950\tnan\tnan\tnan\n",
    ),
    (
        "synthesis_cpu_from_to_16.dat",
        "susan[s]_small\t1\t0.9500\t0\tnan\tnan\n",
    ),
];

#[test]
fn programs_beside_copies_come_back_to_the_byte_and_have_their_figures() {
    let program = Program::new();
    let folder = program.out().join("cache");
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in PROGRAMS {
        fs::write(folder.join(name), text).unwrap();
    }
    let imported = program.run(&["import", "cftu", folder.to_str().unwrap()]);
    assert_eq!((imported.status, imported.stderr.as_str()), (0, ""));
    let run = run_folder(&program);
    let again = exported(&program, &run, "again");
    let expected = PROGRAMS.map(|(name, text)| {
        let path = format!("micro-benchmark_Cache_2CPU/risultati/{name}");
        (path, text.to_owned())
    });
    assert_eq!(again, BTreeMap::from(expected));
    let readme = fs::read_to_string(program.out().join("again/README.txt")).unwrap();
    assert!(
        readme.contains("nan there: the run counted no events"),
        "{readme}"
    );
    let head = head(&run).to_string();
    for said in ["figure 2.27: misses", "figure 2.39: time", "susan_s_small"] {
        assert!(head.contains(said), "{said}: {head}");
    }
    assert!(
        !head.contains("figure 2.28"),
        "no program of the large test"
    );
}

#[test]
fn a_synthesis_alone_and_a_name_that_says_nothing_are_reported() {
    let program = Program::new();
    let printed = "foreign/cftu/printed/micro-benchmark_Cache_2CPU/risultati/synthesis_x.dat";
    let imported = program.run(&["import", "cftu", fixture(printed).to_str().unwrap()]);
    assert_eq!(imported.status, 77, "nothing is measured: {imported:?}");
    let expected = "300 runs, mean 4408.6608 us, maximum 4599 us, mean references 157189.8800, mean \
                misses 2.245550 %";
    let head = head(&run_folder(&program)).to_string();
    assert!(head.contains(expected), "{head}");
    let hint = "hint: the name of a file does not say what copied during the programs";
    assert!(imported.stderr.contains(hint), "{imported:?}");
    let cut_off = fixture("foreign/cftu/malformed/measure_qsort.dat");
    let refused = program.run(&["import", "cftu", cut_off.to_str().unwrap()]);
    let why = "measure_qsort.dat:2: it has 3 fields, a line of a program's runs has 7";
    assert!(refused.stderr.contains(why), "{refused:?}");
    assert!(
        refused
            .stderr
            .contains("an example: qsort_small 55698518635")
    );
}
