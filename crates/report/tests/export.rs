//! Exports of the fixture records against committed files.
//!
//! After a wanted change: `UPDATE_GOLDEN=1 cargo test -p pontage-report --test export`,
//! then read the diff.

use analysis::view::ContaminationLevel;
use analysis::{Contamination, ExperimentTable, Interval, Mode, PointView, RunView, Summary};
use record::{PointState, Run, RunState, RunWriter, Sample};
use report::export::{ExportError, Exported, Format, Selection, Target, export};
use stats::interval::Method;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn fixture(name: &str) -> Run {
    Run::open(&here("../../fixtures/records").join(name)).unwrap()
}

/// Summaries by hand: the exports are under test here, not the statistics.
fn summary(metric: u16, samples: &[Sample]) -> Summary {
    let mut values: Vec<f64> = samples
        .iter()
        .filter(|s| s.metric == metric)
        .map(|s| s.value)
        .collect();
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    let at = |share: usize| values[last * share / 100];
    Summary {
        at_best: None,
        metric,
        samples: u32::try_from(values.len()).unwrap(),
        processes: 2,
        effective: values.len() as f64,
        median: Interval {
            center: at(50),
            low: at(30),
            high: at(70),
            level: 0.95,
            method: Method::OrderStatistic,
            degrees: None,
        },
        min: at(0),
        max: at(100),
        mean: at(50),
        variance: 0.25,
        p25: at(25),
        p75: at(75),
        p90: Some(at(90)),
        p99: Some(at(99)),
        modes: vec![Mode {
            center: at(50),
            share: 1.0,
        }],
        modes_between_processes: false,
    }
}

fn view_of(run: &Run) -> RunView {
    let head = run.head().clone();
    let table = |experiment: &record::ExperimentHead| {
        let samples = run.samples(&experiment.id).unwrap();
        let points = head.points.iter().filter(|p| p.experiment == experiment.id);
        ExperimentTable {
            head: experiment.clone(),
            points: points
                .map(|p| point_view(p, experiment, &samples))
                .collect(),
        }
    };
    RunView {
        speeds: Vec::new(),
        tables: head.experiments.iter().map(table).collect(),
        head: head.clone(),
    }
}

fn point_view(
    head: &record::PointHead,
    experiment: &record::ExperimentHead,
    samples: &BTreeMap<u32, Vec<Sample>>,
) -> PointView {
    let samples = samples.get(&head.index).map_or(&[][..], |s| &s[..]);
    let metrics = if samples.is_empty() {
        0
    } else {
        experiment.metrics.len()
    };
    PointView {
        cycles: None,
        link_ns: None,
        burst_ns: None,
        head: head.clone().into(),
        summaries: (0..u16::try_from(metrics).unwrap())
            .map(|m| summary(m, samples))
            .collect(),
        contamination: (metrics > 0).then(|| Contamination {
            unknown: 0,
            level: ContaminationLevel::Clean,
            disturbed: 0,
            samples: u32::try_from(samples.len()).unwrap(),
            reason: String::new(),
        }),
        in_order: Vec::new(),
        histogram: None,
    }
}

fn streamed(run: &Run, format: Format) -> String {
    selected(run, format, &Selection::default()).0
}

/// The text, and what was said of it.
fn selected(run: &Run, format: Format, selection: &Selection) -> (String, Vec<String>) {
    let mut out = Vec::new();
    let target = Target::Stream(&mut out);
    let Exported { files, notes } =
        export(run, &view_of(run), (format, selection), target).unwrap();
    assert!(files.is_empty());
    (String::from_utf8(out).unwrap(), notes)
}

fn into_folder(run: &Run, format: Format, folder: &Path) -> Vec<PathBuf> {
    let all = Selection::default();
    let target = Target::Folder(folder);
    export(run, &view_of(run), (format, &all), target)
        .unwrap()
        .files
}

fn only(experiments: &[&str], metrics: &[&str]) -> Selection {
    let set = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
    Selection {
        experiments: (!experiments.is_empty()).then(|| set(experiments)),
        metrics: (!metrics.is_empty()).then(|| set(metrics)),
    }
}

fn assert_golden(name: &str, text: &str) {
    let path = here("tests/golden/export").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap();
    for (number, (want, have)) in expected.lines().zip(text.lines()).enumerate() {
        assert_eq!(want, have, "{name} line {}", number + 1);
    }
    assert_eq!(expected.len(), text.len(), "{name} has another length");
}

#[test]
fn csv_of_all_samples() {
    assert_golden("all.csv", &streamed(&fixture("v1-small"), Format::Samples));
}

#[test]
fn csv_of_summaries() {
    let text = streamed(&fixture("v1-small"), Format::Csv);
    assert_golden("summary.csv", &text);
}

#[test]
fn a_table_for_a_wiki() {
    assert_golden(
        "summary.md",
        &streamed(&fixture("v1-small"), Format::Markdown),
    );
}

#[test]
fn a_selection_leaves_out_the_rest_in_every_format() {
    let run = fixture("v1-small");
    let memcpy = only(&["copy/memcpy"], &[]);
    for format in Format::ALL {
        if format == Format::Parquet {
            continue;
        }
        let (text, _) = selected(&run, format, &memcpy);
        let named = |text: &str, id: &str| {
            // The Prometheus file says of the whole run what it was.
            let lines = text.lines().filter(|l| !l.contains("pontage_run_info"));
            lines.filter(|l| l.contains(id)).count()
        };
        assert!(named(&text, "copy/memcpy") > 0, "{format:?}");
        assert_eq!(named(&text, "syscall/getppid"), 0, "{format:?}: {text}");
    }
    let folder = tempfile::tempdir().unwrap();
    let target = Target::Folder(folder.path());
    let view = view_of(&run);
    let files = export(&run, &view, (Format::Parquet, &memcpy), target).unwrap();
    assert_eq!(files.files, [folder.path().join("copy-memcpy.parquet")]);

    let metric = only(&[], &["empty_call"]);
    let lines = |format| {
        let text = selected(&run, format, &metric).0;
        text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    for format in [Format::Csv, Format::Samples] {
        let lines = lines(format);
        assert!(!lines.is_empty(), "{format:?}");
        let wrong = lines.iter().find(|l| !l.contains(",empty_call,"));
        assert_eq!(wrong, None, "{format:?}");
    }
    let target = Target::Folder(folder.path());
    let error = export(&run, &view, (Format::Parquet, &metric), target).unwrap_err();
    assert!(error.hint().unwrap().contains("--samples"), "{error}");
}

#[test]
fn the_usual_series_are_few_and_the_file_counts_them() {
    let run = fixture("v1-small");
    let few = selected(&run, Format::Prometheus, &Selection::default());
    let all = selected(&run, Format::PrometheusAll, &Selection::default());
    let named = selected(&run, Format::Prometheus, &only(&["copy/memcpy"], &[]));
    let series = |text: &str| text.lines().filter(|l| !l.starts_with('#')).count();
    for (text, notes) in [&few, &all, &named] {
        let count = format!("# {} series", series(text));
        assert!(text.starts_with(&count), "{count}: {text}");
        assert_eq!(text.lines().next().unwrap(), format!("# {}", notes[0]));
    }
    assert!(few.1[0].contains("--experiment"), "{:?}", few.1);
    assert!(series(&few.0) < series(&all.0));
    assert!(!few.0.contains("pontage_median_low"), "{}", few.0);
    assert!(named.0.contains("pontage_median_low"), "{}", named.0);
    assert!(few.1[1].contains("copy/module"), "{:?}", few.1);
}

#[test]
fn json_summary() {
    assert_golden(
        "summary.json",
        &streamed(&fixture("v1-small"), Format::Json),
    );
}

#[test]
fn bencher_metric_format() {
    assert_golden("bmf.json", &streamed(&fixture("v1-small"), Format::Bmf));
}

#[test]
fn prometheus_text() {
    let text = streamed(&fixture("v1-small"), Format::PrometheusAll);
    assert_golden("pontage.prom", &text);
    // What promtool asks: each family in one piece, behind its own TYPE line.
    let mut closed: Vec<&str> = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let name = line.split('{').next().unwrap();
        if closed.last() != Some(&name) {
            assert!(!closed.contains(&name), "{name} is in two pieces");
            closed.push(name);
        }
    }
}

#[test]
fn a_run_that_crashed_exports_what_it_holds() {
    let run = fixture("v1-crashed");
    let csv = streamed(&run, Format::Samples);
    assert_eq!(csv.lines().count(), 1 + 100);
    assert!(
        streamed(&run, Format::Prometheus)
            .contains("pontage_run_complete{host=\"written-not-measured\"} 0.0")
    );
    let folder = tempfile::tempdir().unwrap();
    let files = into_folder(&run, Format::Parquet, folder.path());
    assert_eq!(files.len(), 3);
    assert!(fs::read(&files[1]).unwrap().starts_with(b"PAR1"));
}

#[test]
fn a_folder_gets_a_file_for_each_experiment_with_its_own_axes() {
    let run = fixture("v1-small");
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("made/here");
    let files = into_folder(&run, Format::Samples, &to);
    let names: Vec<_> = files
        .iter()
        .map(|f| f.file_name().unwrap().to_owned())
        .collect();
    assert_eq!(
        names,
        ["syscall-getppid.csv", "copy-memcpy.csv", "copy-module.csv"]
    );
    let getppid = fs::read_to_string(&files[0]).unwrap();
    assert!(getppid.starts_with("run,experiment,point,bytes_per_op,metric_index,"));
    assert_eq!(getppid.lines().count(), 1 + 20);
    assert_golden("copy-memcpy.csv", &fs::read_to_string(&files[1]).unwrap());
    assert_eq!(fs::read_to_string(&files[2]).unwrap().lines().count(), 1);

    let tables = into_folder(&run, Format::Parquet, &to);
    let original = here("../../fixtures/records/v1-small/copy-memcpy.parquet");
    assert_eq!(fs::read(&tables[1]).unwrap(), fs::read(original).unwrap());
    for format in [
        Format::Csv,
        Format::Markdown,
        Format::Json,
        Format::Bmf,
        Format::Prometheus,
    ] {
        let files = into_folder(&run, format, &to);
        assert_eq!(
            fs::read_to_string(&files[0]).unwrap(),
            streamed(&run, format)
        );
    }
}

/// A fixture's first point as a guest of QEMU would have taken it.
fn emulated(name: &str, folder: &Path) -> Run {
    let from = fixture(name);
    let mut head = from.head().clone();
    head.machine.emulated = Some("QEMU TCG (by cpuid)".to_owned());
    let mut point = head.points[0].clone();
    let samples = from.samples(&point.experiment).unwrap();
    head.points.truncate(1);
    head.points[0].state = PointState::Pending;
    let mut writer = RunWriter::create(folder, head.clone()).unwrap();
    point.state = PointState::Done;
    writer.append_point(&point, &samples[&point.index]).unwrap();
    head.points = writer.head().points.clone();
    head.state = RunState::Complete;
    writer.close(head).unwrap();
    Run::open(writer.folder()).unwrap()
}

#[test]
fn every_format_says_that_times_were_emulated() {
    let folder = tempfile::tempdir().unwrap();
    let run = emulated("v1-small", folder.path());
    for (format, rows) in [(Format::Samples, 20), (Format::Csv, 1)] {
        let csv = streamed(&run, format);
        assert_eq!(csv.lines().count(), 1 + rows);
        let mut lines = csv.lines();
        assert!(lines.next().unwrap().ends_with(",emulated"));
        assert!(lines.all(|l| l.ends_with(",true")), "{csv}");
    }
    let prometheus = streamed(&run, Format::Prometheus);
    for line in prometheus.lines().filter(|l| !l.starts_with('#')) {
        assert!(line.contains("emulated=\"true\""), "{line}");
    }
    let bmf = streamed(&run, Format::Bmf);
    assert!(bmf.contains("\"syscall/getppid (emulated)\": {"), "{bmf}");
    assert!(streamed(&run, Format::Json).contains("\"emulated\": \"QEMU TCG (by cpuid)\""));
    let to = folder.path().join("tables");
    let files = into_folder(&run, Format::Parquet, &to);
    let key = b"pontage.emulated";
    for file in files {
        let bytes = fs::read(file).unwrap();
        assert!(bytes.windows(key.len()).any(|w| w == key));
    }
    let offload = fixture("v1-offload");
    let readme = |run: &Run, to: &str| {
        let to = folder.path().join(to);
        report::export::cftu::write(run, &to).unwrap();
        fs::read_to_string(to.join("README.txt")).unwrap()
    };
    assert!(!readme(&offload, "real").contains("emulated"));
    let offload = emulated("v1-offload", folder.path());
    let said = "- emulated: times are meaningless outside this guest\n";
    assert!(readme(&offload, "played").contains(said));
}

struct ClosedPipe;

impl Write for ClosedPipe {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn errors_name_what_and_how_else() {
    let run = fixture("v1-small");
    let view = view_of(&run);
    let all = Selection::default();
    for format in Format::ALL {
        let target = Target::Stream(&mut ClosedPipe);
        let error = export(&run, &view, (format, &all), target).unwrap_err();
        match format {
            Format::Parquet => assert!(error.hint().unwrap().contains("--out DIR")),
            _ => assert!(
                matches!(&error, ExportError::Stream(e) if e.kind() == io::ErrorKind::BrokenPipe),
                "{error}"
            ),
        }
    }

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = export(&run, &view, (Format::Json, &all), Target::Folder(&file)).unwrap_err();
    assert!(error.to_string().contains("file"), "{error}");
}
