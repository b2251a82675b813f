//! Writing, closing, resuming and reading back.

mod common;

use common::{outcome, small_head};
use parquet::basic::Type;
use parquet::file::reader::{FileReader, SerializedFileReader};
use proptest::prelude::*;
use record::{
    Disturbance, PointState, RecordError, Run, RunState, RunWriter, Sample, SummaryRow, Yardstick,
    list_runs,
};
use std::fs;
use std::path::Path;

/// A run in `parent` with the first `count` points of the small head appended.
fn begun(parent: &Path, id: &str, count: u32) -> RunWriter {
    let head = small_head(id);
    let mut writer = RunWriter::create(parent, head.clone()).unwrap();
    for index in 0..count {
        let (point, samples) = outcome(&head, index, 5);
        writer.append_point(&point, &samples).unwrap();
    }
    writer
}

fn assert_holds_points(run: &Run, count: u32) {
    let head = small_head("any");
    for index in 0..count {
        let (point, samples) = outcome(&head, index, 5);
        let stored = run.samples(&point.experiment).unwrap();
        assert_eq!(
            stored.get(&index).cloned().unwrap_or_default(),
            samples,
            "point {index}"
        );
        assert_eq!(run.head().points[index as usize].state, point.state);
    }
    for point in &run.head().points[count as usize..] {
        assert_eq!(point.state, PointState::Pending);
    }
}

#[test]
fn a_closed_run_reads_back_and_its_stream_is_gone() {
    let parent = tempfile::tempdir().unwrap();
    let mut writer = begun(parent.path(), "r", 8);
    let mut head = small_head("r");
    head.state = RunState::Complete;
    let folder = parent.path().join("r");
    let streamed = Run::open(&folder)
        .unwrap()
        .table_bytes("copy/memcpy")
        .unwrap();
    writer.close(head).unwrap();
    assert_eq!(
        fs::read(folder.join("copy-memcpy.parquet")).unwrap(),
        streamed
    );
    let folder = parent.path().join("r");
    assert!(!folder.join("samples.stream").exists());
    let run = Run::open(&folder).unwrap();
    assert_eq!(run.head().state, RunState::Complete);
    assert!(run.recovery().is_none());
    assert_holds_points(&run, 8);
    assert!(run.table_bytes("copy/module").unwrap().starts_with(b"PAR1"));
    assert_eq!(
        Run::open(&folder.join("run.json")).unwrap().folder(),
        folder
    );
}

#[test]
fn an_unclosed_run_opens_as_running_then_as_incomplete() {
    let parent = tempfile::tempdir().unwrap();
    let writer = begun(parent.path(), "r", 3);
    let folder = parent.path().join("r");
    assert_eq!(Run::open(&folder).unwrap().head().state, RunState::Running);
    drop(writer);
    let run = Run::open(&folder).unwrap();
    assert!(matches!(run.head().state, RunState::Incomplete { .. }));
    assert!(run.recovery().unwrap().is_clean());
    assert_holds_points(&run, 3);
}

#[test]
fn an_incomplete_run_keeps_its_stream_and_can_be_finished() {
    let parent = tempfile::tempdir().unwrap();
    let mut writer = begun(parent.path(), "r", 3);
    let mut head = small_head("r");
    head.state = RunState::Incomplete {
        reason: "interrupted by SIGINT".into(),
    };
    writer.close(head).unwrap();
    let (point, samples) = outcome(&small_head("r"), 3, 5);
    let closed = writer.append_point(&point, &samples).unwrap_err();
    assert!(matches!(closed, RecordError::Closed { .. }));
    drop(writer);
    let folder = parent.path().join("r");
    assert!(folder.join("copy-memcpy.parquet").exists());

    let mut writer = RunWriter::resume(&folder).unwrap();
    assert_eq!(writer.done().into_iter().collect::<Vec<_>>(), [0, 1, 2]);
    for index in 3..8 {
        let (point, samples) = outcome(&small_head("r"), index, 5);
        writer.append_point(&point, &samples).unwrap();
    }
    let mut head = writer.head().clone();
    head.state = RunState::Complete;
    writer.close(head).unwrap();
    assert_holds_points(&Run::open(&folder).unwrap(), 8);
    let refused = RunWriter::resume(&folder).unwrap_err();
    assert!(refused.to_string().ends_with("it is complete"), "{refused}");
}

#[test]
fn complete_with_pending_points_is_stored_as_incomplete() {
    let parent = tempfile::tempdir().unwrap();
    let mut writer = begun(parent.path(), "r", 2);
    let mut head = small_head("r");
    head.state = RunState::Complete;
    writer.close(head).unwrap();
    let run = Run::open(&parent.path().join("r")).unwrap();
    let reason = "6 points were not measured".to_owned();
    assert_eq!(run.head().state, RunState::Incomplete { reason });
    assert!(run.folder().join("samples.stream").exists());
}

#[test]
fn a_run_is_never_overwritten_and_has_one_writer() {
    let parent = tempfile::tempdir().unwrap();
    let writer = begun(parent.path(), "r", 1);
    let same_second = RunWriter::create(parent.path(), small_head("r")).unwrap();
    assert_eq!(same_second.folder(), parent.path().join("r-2"));
    assert_eq!(same_second.head().id, "r-2");
    let locked = RunWriter::resume(&parent.path().join("r")).unwrap_err();
    assert!(matches!(locked, RecordError::Locked { .. }));
    assert!(locked.hint().unwrap().contains("fuser"));
    drop(writer);
    assert!(RunWriter::resume(&parent.path().join("r")).is_ok());
    let outside = RunWriter::create(parent.path(), small_head("../r")).unwrap_err();
    assert!(matches!(outside, RecordError::BadName { .. }));
}

#[test]
fn a_failed_attempt_is_superseded_and_processes_add_up() {
    let parent = tempfile::tempdir().unwrap();
    let head = small_head("r");
    let mut writer = RunWriter::create(parent.path(), head.clone()).unwrap();
    let (mut point, samples) = outcome(&head, 1, 5);
    point.state = PointState::Failed {
        reason: "contents differ".into(),
    };
    writer.append_point(&point, &samples[..4]).unwrap();
    point.state = PointState::Done;
    let (first, second) = samples.split_at(10);
    writer.append_point(&point, first).unwrap();
    writer.append_point(&point, second).unwrap();
    drop(writer);
    let run = Run::open(&parent.path().join("r")).unwrap();
    assert_eq!(run.samples("copy/memcpy").unwrap()[&1], samples);
    assert_eq!(run.head().points[1].state, PointState::Done);
}

#[test]
fn a_head_updated_without_points_does_not_forget_what_was_appended() {
    let parent = tempfile::tempdir().unwrap();
    let mut writer = begun(parent.path(), "r", 2);
    let mut head = small_head("r");
    head.conditions.notes.push("not pinned".into());
    writer.update_head(&head).unwrap();
    assert_eq!(writer.done().len(), 2);
    let run = Run::open(&parent.path().join("r")).unwrap();
    assert_eq!(run.head().conditions.notes, ["not pinned"]);
}

#[test]
fn points_of_unknown_experiments_are_refused() {
    let parent = tempfile::tempdir().unwrap();
    let mut writer = begun(parent.path(), "r", 0);
    let stray = common::point(99, "no/such", Vec::new());
    assert!(matches!(
        writer.append_point(&stray, &[]),
        Err(RecordError::Unstorable { .. })
    ));
    assert!(matches!(
        Run::open(&parent.path().join("r"))
            .unwrap()
            .samples("no/such"),
        Err(RecordError::UnknownExperiment { .. })
    ));
}

#[test]
fn numbers_that_json_cannot_hold_do_not_make_a_run_unreadable() {
    let parent = tempfile::tempdir().unwrap();
    let mut head = small_head("r");
    head.instrument.drift_ppm = f64::NAN;
    head.instrument.clock_hz = f64::INFINITY;
    drop(RunWriter::create(parent.path(), head).unwrap());
    let run = Run::open(&parent.path().join("r")).unwrap();
    assert!(run.head().instrument.drift_ppm.is_nan());
}

#[test]
fn axes_named_like_our_columns_and_words_on_number_axes_are_kept() {
    let parent = tempfile::tempdir().unwrap();
    let mut head = small_head("r");
    head.experiments[1].axes[0].name = "process".into();
    head.experiments[1].axes[0].unit = record::Unit::Count;
    head.points.truncate(2);
    head.points[1].settings = vec![common::setting("process", "all")];
    let mut writer = RunWriter::create(parent.path(), head.clone()).unwrap();
    for index in 0..2 {
        let (point, samples) = outcome(&head, index, 5);
        writer.append_point(&point, &samples).unwrap();
    }
    head.state = RunState::Complete;
    writer.close(head.clone()).unwrap();
    let run = Run::open(&parent.path().join("r")).unwrap();
    assert_eq!(
        run.samples("copy/memcpy").unwrap()[&1],
        outcome(&head, 1, 5).1
    );
    let bytes = run.table_bytes("copy/memcpy").unwrap();
    let names = |needle: &[u8]| bytes.windows(needle.len()).any(|w| w == needle);
    assert!(names(b"axis_process") && names(b"all"));
}

#[test]
fn runs_are_listed_oldest_first_with_the_broken_ones_named() {
    let parent = tempfile::tempdir().unwrap();
    drop(begun(parent.path(), "20240101T000000Z-b", 1));
    drop(begun(parent.path(), "20230101T000000Z-a", 1));
    fs::create_dir(parent.path().join("other")).unwrap();
    let broken = parent.path().join("zz");
    fs::create_dir(&broken).unwrap();
    fs::write(broken.join("run.json"), "{").unwrap();
    let runs = list_runs(parent.path()).unwrap();
    let names: Vec<_> = runs.iter().map(|r| r.folder.file_name().unwrap()).collect();
    assert_eq!(names, ["20230101T000000Z-a", "20240101T000000Z-b", "zz"]);
    assert!(runs[0].head.is_ok() && runs[2].head.is_err());
    assert!(list_runs(&parent.path().join("missing")).is_err());
}

fn any_sample() -> impl Strategy<Value = Sample> {
    let float = prop::num::f64::ANY.prop_filter("NaN is not equal to itself", |v| !v.is_nan());
    let counts = any::<(u32, u32, u32, u32, u32, Option<u64>, Option<u32>)>();
    let numbers = (
        0..3_u16,
        any::<u16>(),
        any::<u32>(),
        any::<u64>(),
        any::<u16>(),
    );
    (numbers, (float.clone(), float.clone(), float), counts).prop_map(|(n, f, d)| Sample {
        metric: n.0,
        process: n.1,
        index: n.2,
        ops: n.3,
        cpu: n.4,
        elapsed_ns: f.0,
        floor_ns: f.1,
        value: f.2,
        disturbance: Disturbance {
            voluntary_switches: d.0,
            involuntary_switches: d.1,
            minor_faults: d.2,
            major_faults: d.3,
            migrations: d.4,
            steal_ns: d.5,
            interrupts: d.6,
            bracket_batches: d.0,
            off_cpu_ns: d.5,
        },
        yardstick: d.6.map(|n| Yardstick {
            link_ns: f.0,
            burst_ns: f64::from(n),
        }),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// Any samples, through the stream and through the tables.
    #[test]
    fn stream_and_tables_give_back_every_bit(
        all in prop::collection::vec(prop::collection::vec(any_sample(), 0..12), 8)) {
        let parent = tempfile::tempdir().unwrap();
        let mut head = small_head("r");
        let mut writer = RunWriter::create(parent.path(), head.clone()).unwrap();
        for (point, samples) in head.points.iter_mut().zip(&all) {
            point.state = PointState::Done;
            writer.append_point(point, samples).unwrap();
        }
        let streamed = Run::open(&parent.path().join("r")).unwrap();
        head.state = RunState::Complete;
        let before: Vec<_> = head.experiments.iter().map(|e| streamed.samples(&e.id).unwrap()).collect();
        writer.close(head.clone()).unwrap();
        let closed = Run::open(&parent.path().join("r")).unwrap();
        for (experiment, before) in head.experiments.iter().zip(before) {
            let after = closed.samples(&experiment.id).unwrap();
            prop_assert_eq!(&after, &before);
            for (index, samples) in after {
                prop_assert_eq!(&samples, &all[index as usize]);
            }
        }
        let stored: usize = head.experiments.iter()
            .map(|e| closed.samples(&e.id).unwrap().values().map(Vec::len).sum::<usize>()).sum();
        prop_assert_eq!(stored, all.iter().map(Vec::len).sum::<usize>());
    }
}

#[test]
fn what_interrupted_a_point_adds_up_over_processes() {
    let parent = tempfile::tempdir().unwrap();
    let head = small_head("r");
    let mut writer = RunWriter::create(parent.path(), head.clone()).unwrap();
    let met = |count| {
        Some(Box::new(record::InterruptsHead {
            over_ns: 10,
            rows: vec![record::InterruptRow {
                name: "LOC".to_owned(),
                here: Some(count),
                total: 2 * count,
                ..record::InterruptRow::default()
            }],
            ..record::InterruptsHead::default()
        }))
    };
    let (mut point, samples) = outcome(&head, 1, 5);
    assert_eq!(point.state, PointState::Done);
    let mut failed = point.clone();
    failed.state = PointState::Failed {
        reason: "once".to_owned(),
    };
    failed.interrupts = met(100);
    writer.append_point(&failed, &[]).unwrap();
    for count in [3, 4] {
        point.interrupts = met(count);
        writer.append_point(&point, &samples).unwrap();
    }
    let rows = |head: &record::RunHead| {
        let met = head.points[1].interrupts.clone().expect("it was counted");
        (met.over_ns, met.rows[0].here, met.rows[0].total)
    };
    assert_eq!(rows(writer.head()), (20, Some(7), 14));
    let folder = parent.path().join("r");
    assert_eq!(rows(Run::open(&folder).unwrap().head()), (20, Some(7), 14));
    let head = writer.head().clone();
    writer.close(head).unwrap();
    assert_eq!(rows(Run::open(&folder).unwrap().head()), (20, Some(7), 14));
}

#[test]
fn points_without_interrupts_are_written_as_before_there_were_any() {
    let point = &small_head("r").points[0];
    let plain = serde_json::to_value(point).unwrap();
    assert!(plain.get("interrupts").is_none(), "{plain}");
    let conditions = serde_json::to_value(record::Conditions::default()).unwrap();
    assert!(conditions.get("interrupts").is_none(), "{conditions}");
}

#[test]
fn a_word_on_an_axis_of_numbers_is_kept() {
    let parent = tempfile::tempdir().unwrap();
    let mut head = small_head("r");
    head.points[1].settings[0] = common::setting("size", "line");
    let mut writer = RunWriter::create(parent.path(), head.clone()).unwrap();
    let (point, samples) = outcome(&head, 1, 5);
    writer.append_point(&point, &samples).unwrap();
    let run = Run::open(writer.folder()).unwrap();
    // A column has one type in all tables; words among numbers have a column of their own.
    for (experiment, words) in [
        ("copy/memcpy", Some(Type::BYTE_ARRAY)),
        ("copy/module", None),
    ] {
        let table = run.table_bytes(experiment).unwrap();
        let file = SerializedFileReader::new(bytes::Bytes::from(table)).unwrap();
        let columns = file.metadata().file_metadata().schema_descr();
        let of = |name: &str| {
            let column = columns.columns().iter().find(|c| c.name() == name);
            column.map(|c| c.physical_type())
        };
        assert_eq!(of("size_bytes"), Some(Type::INT64), "{experiment}");
        assert_eq!(of("size_word"), words, "{experiment}");
    }
}

#[test]
fn the_summary_of_a_run_is_read_back_and_a_resumed_run_has_none() {
    let parent = tempfile::tempdir().unwrap();
    let mut writer = begun(parent.path(), "r", 3);
    let row = |point: u32| SummaryRow {
        experiment: "copy/memcpy".into(),
        point,
        settings: "size=4096".into(),
        metric: "time".into(),
        unit: "ns".into(),
        samples: 10,
        effective: 7.25,
        median: 12.5,
        low: (point > 0).then_some(12.0),
        high: (point > 0).then_some(13.0),
        method: "process-t".into(),
        verdict: Some("clean".into()),
        ..SummaryRow::default()
    };
    let rows = [row(0), row(1), row(2)];
    writer.write_summary(&rows).unwrap();
    let head = writer.head().clone();
    writer.close(head).unwrap();
    let folder = parent.path().join("r");
    let run = Run::open(&folder).unwrap();
    assert_eq!(run.summary().unwrap().as_deref(), Some(&rows[..]));
    drop(writer);
    drop(RunWriter::resume(&folder).unwrap());
    assert_eq!(Run::open(&folder).unwrap().summary().unwrap(), None);
}

#[test]
fn a_stream_without_a_whole_header_says_why_it_holds_nothing() {
    let parent = tempfile::tempdir().unwrap();
    drop(begun(parent.path(), "r", 3));
    let folder = parent.path().join("r");
    let stream = folder.join("samples.stream");
    let stored = fs::read(&stream).unwrap();
    fs::write(&stream, &stored[..9]).unwrap();
    let run = Run::open(&folder).unwrap();
    let recovery = run.recovery().unwrap();
    assert_eq!((recovery.kept_bytes, recovery.dropped_bytes), (0, 9));
    let cause = recovery.cause.as_deref();
    assert_eq!(cause, Some("the stream ends inside its header"));
}
