//! The .dat files of I/OAT-CFTU from a recorded run, to the byte, and what
//! happens where the run does not fit them. Refresh with UPDATE_GOLDEN=1.

use record::{AxisValue, PointState, Run, RunHead, RunState, RunWriter, Sample, Setting, moment};
use report::export::cftu::{Exported, write};
use std::fs;
use std::path::{Path, PathBuf};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn fixture() -> Run {
    Run::open(&here("../../fixtures/records/v1-offload")).unwrap()
}

/// A run and its export, kept until the end of the test.
struct Case {
    folder: tempfile::TempDir,
    exported: Exported,
}

impl Case {
    fn of(run: &Run) -> Case {
        let folder = tempfile::tempdir().unwrap();
        let exported = write(run, &folder.path().join("dat")).unwrap();
        Case { folder, exported }
    }

    /// The fixture with its points and samples changed; without its copies.
    fn changed(change: impl Fn(&mut RunHead, &mut Vec<Vec<Sample>>)) -> Case {
        let from = fixture();
        let mut head = from.head().clone();
        let mut samples: Vec<Vec<Sample>> = head
            .points
            .iter()
            .map(|p| {
                from.samples(&p.experiment)
                    .unwrap()
                    .remove(&p.index)
                    .unwrap_or_default()
            })
            .collect();
        change(&mut head, &mut samples);
        let work = tempfile::tempdir().unwrap();
        let states: Vec<PointState> = head.points.iter().map(|p| p.state.clone()).collect();
        for point in &mut head.points {
            point.state = PointState::Pending;
        }
        let mut writer = RunWriter::create(work.path(), head.clone()).unwrap();
        for ((mut point, samples), state) in
            head.points.clone().into_iter().zip(samples).zip(states)
        {
            point.state = state;
            writer.append_point(&point, &samples).unwrap();
        }
        head.state = RunState::Complete;
        writer.close(head).unwrap();
        Case::of(&Run::open(writer.folder()).unwrap())
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join("dat").join(name)).unwrap_or_default()
    }

    fn skips(&self) -> String {
        let skipped = self.exported.skipped.iter();
        let lines = skipped.map(|s| format!("{}: {} ({})\n", s.what, s.reason, s.remedy));
        lines.collect()
    }
}

const MSG: &str = "micro-benchmark_Msg/risultati";

fn only_context(head: &mut RunHead, samples: &mut Vec<Vec<Sample>>, keep: &str) {
    let kept = |p: &record::PointHead| {
        p.value("context")
            .is_none_or(|c| *c == AxisValue::from(keep))
    };
    let mut at = 0;
    samples.retain(|_| {
        at += 1;
        kept(&head.points[at - 1])
    });
    head.points.retain(|p| kept(p));
    for (index, point) in (0..).zip(&mut head.points) {
        point.index = index;
    }
}

#[test]
fn every_file_is_as_the_study_writes_it() {
    let case = Case::of(&fixture());
    let golden = here("tests/golden/cftu");
    for file in &case.exported.files {
        let name = file.strip_prefix(case.folder.path().join("dat")).unwrap();
        let text = fs::read_to_string(file).unwrap();
        let expected = golden.join(name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::create_dir_all(expected.parent().unwrap()).unwrap();
            fs::write(&expected, &text).unwrap();
        }
        assert_eq!(
            fs::read_to_string(&expected).unwrap(),
            text,
            "{}",
            name.display()
        );
    }
    assert_eq!(case.exported.files.len(), 21);
}

#[test]
fn one_context_needs_no_folder() {
    let case = Case::changed(|head, samples| only_context(head, samples, "cpu"));
    assert!(
        case.text(&format!("{MSG}/micro-benchmark_from_nc_5.dat"))
            .starts_with("3\t64\t")
    );
    assert!(
        case.text("README.txt")
            .contains("offload/latency: measured with context=cpu")
    );
    assert!(
        case.skips()
            .contains("trace/risultati/*.dat: the run has no recorded copies")
    );
}

#[test]
fn without_starts_there_is_still_a_synthesis() {
    let case = Case::changed(|head, samples| {
        for experiment in &mut head.experiments {
            experiment.metrics.truncate(1);
        }
        samples.iter_mut().for_each(|s| s.retain(|s| s.metric == 0));
    });
    let synth = case.text(&format!("{MSG}/cpu/micro-benchmark_from_5_synth.dat"));
    assert!(
        synth.starts_with("64\t104\t114\t109.1250\t13.8393\t108.5000\n"),
        "{synth}"
    );
    assert!(
        case.text(&format!("{MSG}/cpu/micro-benchmark_from_5.dat"))
            .is_empty()
    );
    let skips = case.skips();
    assert!(
        skips.contains("micro-benchmark_from_5.dat: the run does not say when"),
        "{skips}"
    );
    assert!(
        skips.contains("measures_from.dat: the run does not say when"),
        "{skips}"
    );
}

#[test]
fn what_the_files_cannot_tell_apart_is_not_mixed() {
    let case = Case::changed(|head, _| {
        for (index, point) in head.points.iter_mut().enumerate() {
            point.settings.push(Setting {
                axis: "wait".into(),
                value: if index.is_multiple_of(2) {
                    "irq"
                } else {
                    "poll"
                }
                .into(),
            });
        }
    });
    assert!(case.exported.files.is_empty());
    let said = "the files cannot tell wait=irq,poll of offload/bandwidth apart \
                (measure one with: pontage run offload/bandwidth --axis wait=irq)";
    assert!(case.skips().contains(said), "{}", case.skips());
}

#[test]
fn batches_sizes_beyond_the_menu_and_single_copies_are_reported() {
    let batched = Case::changed(|_, samples| samples[0].iter_mut().for_each(|s| s.ops = 10));
    assert!(
        batched
            .skips()
            .contains("its samples are of several copies each")
    );
    let huge = Case::changed(|head, _| {
        head.points[1].settings[4].value = AxisValue::Int((1 << 30) + 1);
    });
    assert!(
        huge.skips()
            .contains("1073741825 bytes are above the study's largest size")
    );
    let single = Case::changed(|_, samples| samples[0].retain(|s| s.process == 0 && s.index == 0));
    let readme = single.text("README.txt");
    assert!(
        readme.contains("64 bytes have fewer than two copies"),
        "{readme}"
    );
    assert_eq!(
        single
            .text(&format!("{MSG}/cpu/micro-benchmark_from_5.dat"))
            .lines()
            .count(),
        9
    );
}

#[test]
fn repetitions_missing_channels_and_fractions_are_reported() {
    let case = Case::changed(|head, samples| {
        let is = |p: &record::PointHead, channel: &str| {
            p.experiment == "offload/bandwidth" && p.value("channel") == Some(&channel.into())
        };
        let at = head.points.iter().position(|p| is(p, "0")).unwrap();
        let again: Vec<Sample> = samples[at]
            .iter()
            .map(|s| Sample {
                index: 1,
                elapsed_ns: s.elapsed_ns + 0.4,
                ..s.clone()
            })
            .collect();
        samples[at].extend(again);
    });
    let file = "micro-benchmark_Band/risultati/measures_from.dat";
    let text = case.text(file);
    assert_eq!(
        text.matches("total_band= 2694.138933\n").count(),
        1,
        "{text}"
    );
    let readme = case.text("README.txt");
    for said in [
        format!("{file}: 3 repetitions of 2 sizes, one block each"),
        format!("{file}: 1 block with channels missing"),
        "offload/bandwidth: 1 time rounded".to_owned(),
    ] {
        assert!(readme.contains(&said), "{said}: {readme}");
    }
}

#[test]
fn a_moment_of_another_clock_is_kept_to_the_nanosecond() {
    let t0_ns = 1_384_270_020_290_328_601;
    let case = Case::changed(|_, samples| {
        let [seconds, nanoseconds] = moment::parts(t0_ns);
        for sample in &mut samples[0] {
            match sample.metric {
                1 => sample.value = seconds,
                2 => sample.value = nanoseconds,
                _ => {}
            }
        }
    });
    let text = case.text(&format!("{MSG}/cpu/micro-benchmark_from_5.dat"));
    assert!(
        text.starts_with("3\t64\t1384270020290328601\t1384270020290328705\t104\n"),
        "{text}"
    );
}

#[test]
fn parquet_has_the_recorded_copies_too() {
    use report::export::{Format, Selection, Target, export};
    let run = fixture();
    let view = analysis::load(&run).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let all = Selection::default();
    let target = Target::Folder(folder.path());
    let files = export(&run, &view, (Format::Parquet, &all), target)
        .unwrap()
        .files;
    let copies = files.last().unwrap();
    assert_eq!(copies.file_name().unwrap(), "copies-trace.copies");
    let stored = run.folder().join("copies-trace.copies.parquet");
    assert_eq!(fs::read(copies).unwrap(), fs::read(stored).unwrap());
}

#[test]
fn copies_through_an_iov_iter_are_left_out_and_reported() {
    let from = fixture();
    let mut head = from.head().clone();
    head.points.clear();
    head.state = RunState::Running;
    let work = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(work.path(), head.clone()).unwrap();
    let mut copies = from.copies("copies/trace").unwrap().unwrap();
    copies[0].operation = record::CopyOperation::IterFromUser;
    copies[1].operation = record::CopyOperation::IterToUser;
    copies[2].operation = record::CopyOperation::IterToUser;
    copies[3].process = Some(4711);
    writer.append_copies("copies/trace", &copies).unwrap();
    // Killed: nobody closes it.
    drop(writer);
    let run = Run::open(&work.path().join(&head.id)).unwrap();
    let case = Case::of(&run);
    let lines = |name: &str| {
        case.text(&format!("trace/risultati/{name}"))
            .lines()
            .count()
    };
    assert_eq!(lines("mem_trace_from.dat"), 0);
    assert_eq!(lines("mem_trace_to.dat"), 0);
    assert_eq!(lines("__mem_trace_to.dat"), 1);
    let skipped =
        "trace/risultati: 1 copies by copy_from_iter, 2 by copy_to_iter: the study traced";
    assert!(case.skips().contains(skipped), "{}", case.skips());
    assert!(case.text("README.txt").contains("2 by copy_to_iter"));
    let process = "of 4 recorded copies, 1 have the number of their process";
    assert!(case.text("README.txt").contains(process));
}

#[test]
fn a_killed_recording_still_has_the_figures_of_the_study() {
    let from = fixture();
    let mut head = from.head().clone();
    head.points.clear();
    head.state = RunState::Running;
    head.experiments = analysis::copies::heads(None);
    let work = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(work.path(), head.clone()).unwrap();
    let copies = from.copies("copies/trace").unwrap().unwrap();
    writer.append_copies("copies/trace", &copies).unwrap();
    drop(writer);
    let view = analysis::load(&Run::open(&work.path().join(&head.id)).unwrap()).unwrap();
    let figures = report::figure::all(&view);
    let drawn = |number: &str| {
        let title = format!("I/OAT-CFTU figure {number}: ");
        let of = figures
            .iter()
            .find(|f| f.title.starts_with(&title))
            .unwrap();
        let marks = of.series.iter().flat_map(|s| &s.points);
        marks
            .map(|p| (p.x, p.y.center))
            .filter(|p| p.1 > 0.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(drawn("2.21"), [(8.0, 1.0), (1024.0, 1.0)]);
    // By DMA, and a line of its own in 2.26.
    assert_eq!(drawn("2.22"), [(8192.0, 1.0)]);
    assert_eq!(drawn("2.24"), [(64.0, 1.0)]);
    assert_eq!(drawn("2.26").len(), 2);
    let none = figures
        .iter()
        .find(|f| f.title.contains("figure 2.23"))
        .unwrap();
    assert!(none.is_empty());
    assert!(
        none.notes.iter().any(|n| n.contains("no such copy")),
        "{:?}",
        none.notes
    );
}
