//! A run folder from another user: nothing outside it is written, whatever stands in
//! it and whatever its head calls things.

mod common;

use common::{experiment, metric, outcome, point, small_head};
use record::{RecordError, Run, RunState, RunWriter, Unit};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const VICTIM: &str = "what another user keeps\n";

/// A run that can be resumed, with a torn tail, and a file outside it.
fn interrupted(place: &Path) -> (PathBuf, PathBuf) {
    let victim = place.join("victim");
    fs::write(&victim, VICTIM).unwrap();
    let mut writer = RunWriter::create(&place.join("runs"), small_head("r")).unwrap();
    let (done, samples) = outcome(writer.head(), 0, 5);
    writer.append_point(&done, &samples).unwrap();
    let folder = writer.folder().to_owned();
    drop(writer);
    let stream = folder.join("samples.stream");
    let mut bytes = fs::read(&stream).unwrap();
    bytes.extend(b"root::0:0:::\n");
    fs::write(&stream, bytes).unwrap();
    (folder, victim)
}

#[test]
fn a_link_in_the_folder_is_refused_before_anything_is_written() {
    for name in [
        "samples.stream.cut",
        ".run.json.part",
        ".copy-memcpy.parquet.part",
        "copies-trace.copies.stream",
        "copies-trace.copies.stream.cut",
        "traces/.a.dat.part",
    ] {
        let place = tempfile::tempdir().unwrap();
        let (folder, victim) = interrupted(place.path());
        let link = folder.join(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&victim, &link).unwrap();
        let before = fs::read(folder.join("run.json")).unwrap();
        let refused = RunWriter::resume(&folder).unwrap_err();
        assert!(
            matches!(refused, RecordError::NotResumable { .. }),
            "{name}: {refused}"
        );
        assert!(refused.to_string().contains("is not a regular file"));
        assert_eq!(fs::read_to_string(&victim).unwrap(), VICTIM, "{name}");
        assert_eq!(fs::read(folder.join("run.json")).unwrap(), before);
    }
}

#[test]
fn a_folder_of_traces_elsewhere_and_a_stream_that_is_a_link_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let (folder, _) = interrupted(place.path());
    fs::create_dir(place.path().join("elsewhere")).unwrap();
    symlink(place.path().join("elsewhere"), folder.join("traces")).unwrap();
    assert!(RunWriter::resume(&folder).is_err());
    fs::remove_file(folder.join("traces")).unwrap();
    let stream = place.path().join("stream");
    fs::rename(folder.join("samples.stream"), &stream).unwrap();
    let before = fs::read(&stream).unwrap();
    symlink(&stream, folder.join("samples.stream")).unwrap();
    assert!(RunWriter::resume(&folder).is_err());
    assert_eq!(fs::read(&stream).unwrap(), before, "not even cut back");
}

/// What is written to it is written to another file too.
#[test]
fn a_file_with_a_second_name_is_refused() {
    for name in ["samples.stream", "samples.stream.cut"] {
        let place = tempfile::tempdir().unwrap();
        let (folder, victim) = interrupted(place.path());
        if name != "samples.stream" {
            fs::hard_link(&victim, folder.join(name)).unwrap();
        } else {
            fs::remove_file(&victim).unwrap();
            fs::hard_link(folder.join(name), &victim).unwrap();
        }
        let before = fs::read(&victim).unwrap();
        let refused = RunWriter::resume(&folder).unwrap_err().to_string();
        assert!(refused.contains("has a second name"), "{refused}");
        assert_eq!(fs::read(&victim).unwrap(), before, "not even cut back");
    }
}

#[test]
fn a_link_that_is_put_there_meanwhile_is_not_followed() {
    let place = tempfile::tempdir().unwrap();
    let (folder, victim) = interrupted(place.path());
    let mut writer = RunWriter::resume(&folder).unwrap();
    for name in [".run.json.part", ".copy-memcpy.parquet.part"] {
        symlink(&victim, folder.join(name)).unwrap();
    }
    for name in ["run.json", "copy-memcpy.parquet"] {
        let _ = fs::remove_file(folder.join(name));
        symlink(&victim, folder.join(name)).unwrap();
    }
    let head = writer.head().clone();
    writer.update_head(&head).unwrap();
    writer.close(head).unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), VICTIM);
    // The bytes that were cut off went to a file next to the stream, and are appended to a file only.
    let cut = folder.join("samples.stream.cut");
    assert!(!fs::read(&cut).unwrap().is_empty());
}

#[test]
fn experiments_with_the_names_of_paths_stay_in_their_folder() {
    let ids = ["../../escaped", "..", ".", "/tmp/escaped", "a/../../b", ""];
    let place = tempfile::tempdir().unwrap();
    let runs = place.path().join("deep/runs");
    let mut head = small_head("r");
    head.points.clear();
    head.experiments.clear();
    for (index, id) in ids.iter().enumerate() {
        let time = vec![metric("time", Unit::Nanoseconds)];
        head.experiments.push(experiment(id, Vec::new(), time));
        let index = u32::try_from(index).unwrap();
        head.points.push(point(index, id, Vec::new()).into());
    }
    let mut writer = RunWriter::create(&runs, head).unwrap();
    for index in 0..u32::try_from(ids.len()).unwrap() {
        let (done, samples) = outcome(writer.head(), index, 5);
        writer.append_point(&done, &samples).unwrap();
        writer.append_copies(&done.experiment, &[]).unwrap();
    }
    let mut head = writer.head().clone();
    head.state = RunState::Complete;
    writer.close(head).unwrap();
    let run = Run::open(writer.folder()).unwrap();
    for id in ids {
        assert_eq!(run.samples(id).unwrap().len(), 1, "{id:?}");
    }
    let outside = |folder: &Path| {
        let names = fs::read_dir(folder).unwrap();
        names.map(|e| e.unwrap().file_name()).collect::<Vec<_>>()
    };
    assert_eq!(outside(place.path()), ["deep"]);
    assert_eq!(outside(&place.path().join("deep")), ["runs"]);
    assert_eq!(outside(&runs), ["r"]);
    assert!(!Path::new("/tmp/escaped.parquet").exists());
}
