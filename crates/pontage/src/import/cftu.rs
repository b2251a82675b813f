//! The `.dat` files of the I/OAT-CFTU measurements become one run.

mod collection;
mod heads;
mod ids;
#[cfg(test)]
mod round_trip;
mod trace;

use crate::arguments;
use crate::failure::{Failure, Outcome};
use crate::run::close;
use analysis::RunView;
use analysis::copies::TRACE;
use collection::Collection;
use record::foreign::cftu::{DatFile, DatName, LARGEST_FILE_BYTES};
use record::{PointState, RunWriter, Sample};
use std::fs;
use std::path::{Path, PathBuf};

/// Names of folders that say what copied, as the exporter makes them.
const CONTEXTS: [&str; 4] = ["cpu", "exclusive", "shared", "priority"];
/// Of a file where no folder says it; the files themselves do not.
const UNSTATED: &str = "unstated";
/// Folders within folders that are looked into.
const DEEPEST: u32 = 16;
/// Notes of a file that are kept one by one.
const MOST_NOTES: usize = 20;
/// Samples stored at a time: a frame of the record holds some million.
const SAMPLES_AT_ONCE: usize = 1 << 18;

/// # Errors
/// A file that cannot be read, or none of these; a line that is none, with its
/// number; a record that cannot be written.
pub(super) fn run(arguments: &arguments::Import) -> Outcome {
    let collection = collected(&arguments.files)?;
    for note in &collection.notes {
        harness::message!("note: {note}");
    }
    if collection.has_context(UNSTATED) {
        harness::message!(
            "hint: the files do not say what copied (context={UNSTATED}); to hold them against \
             other runs, import them from below a folder called {}",
            CONTEXTS.join(", ")
        );
    }
    if collection.has_odd_copier() {
        harness::message!(
            "hint: the name of a file does not say what copied during the programs; to hold it \
             against other runs, call it measure_cpu_from_224.dat, measure_ideal_to_4096.dat, \
             measure_dma_from_to_16.dat or alike"
        );
    }
    let (writer, view) = recorded(collection, &arguments.out)?;
    close::show(&view, writer.folder())
}

fn collected(paths: &[PathBuf]) -> Result<Collection, Failure> {
    let mut collection = Collection::default();
    for path in paths {
        let kind = fs::metadata(path).map_err(|e| cannot(path, &e))?;
        if kind.is_dir() {
            of_folder(path, &mut collection)?;
        } else {
            let name = name_of(path).map_err(|cause| unnamed(path, cause))?;
            add(path, name, &mut collection)?;
        }
    }
    collection.end();
    Ok(collection)
}

fn of_folder(folder: &Path, collection: &mut Collection) -> Result<(), Failure> {
    let mut files = Vec::new();
    list(folder, DEEPEST, &mut files).map_err(|e| cannot(folder, &e))?;
    // The system without copies first, as in our own figures.
    files.sort_by_cached_key(|f| (!f.to_string_lossy().contains("_ideal"), f.clone()));
    let mut read = 0;
    for file in files {
        match name_of(&file) {
            Ok(name) => {
                add(&file, name, collection)?;
                read += 1;
            }
            Err(cause) => collection
                .notes
                .push(format!("{} is left out: {cause}", file.display())),
        }
    }
    if read == 0 {
        return Err(unnamed(folder, "it holds no .dat file of the study"));
    }
    Ok(())
}

/// Files called `.dat` in the folder and below it; links to folders are not
/// followed.
fn list(folder: &Path, deep: u32, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let is_dat = || {
            path.extension()
                .is_some_and(|e| e.eq_ignore_ascii_case("dat"))
        };
        if entry.file_type()?.is_dir() {
            if deep > 0 {
                list(&path, deep - 1, files)?;
            }
        } else if is_dat() {
            files.push(path);
        }
    }
    Ok(())
}

fn name_of(path: &Path) -> Result<DatName, &'static str> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    DatName::parse(&name).ok_or("its name does not say what was copied where")
}

fn add(path: &Path, name: DatName, collection: &mut Collection) -> Result<(), Failure> {
    let text = text_of(path).map_err(|e| cannot(path, &e))?;
    let file = DatFile::parse(name, &text).map_err(|line| {
        let (file, why) = (path.display(), line.why);
        Failure::new(format!("cannot import {file}:{}: {}", line.line, why.cause)).hint(why.remedy)
    })?;
    let shown = path.display().to_string();
    let notes = file.notes.iter().take(MOST_NOTES);
    let notes = notes.map(|note| format!("{shown}:{note}"));
    collection.notes.extend(notes);
    let more = file.notes.len().saturating_sub(MOST_NOTES);
    let more = (more > 0).then(|| format!("{shown}: {more} more such lines"));
    collection.notes.extend(more);
    collection.add(&shown, context_of(path), file);
    Ok(())
}

/// The nearest folder above the file that is called like a context.
fn context_of(path: &Path) -> &'static str {
    let mut above = path.ancestors().skip(1).filter_map(Path::file_name);
    let context = above.find_map(|name| CONTEXTS.into_iter().find(|context| name == *context));
    context.unwrap_or(UNSTATED)
}

/// What is no text becomes a line that is none.
fn text_of(path: &Path) -> Result<String, String> {
    let bytes = files::input::read(path, LARGEST_FILE_BYTES as u64);
    let bytes = bytes.map_err(|e| e.to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cannot(path: &Path, cause: &dyn std::fmt::Display) -> Failure {
    Failure::new(format!("cannot import {}: {cause}", path.display()))
        .hint("name files or folders as: pontage import cftu micro-benchmark_Msg/risultati")
}

fn unnamed(path: &Path, cause: &str) -> Failure {
    Failure::new(format!("cannot import {}: {cause}", path.display())).hint(
        "its files are called mem_trace_from.dat, micro-benchmark_from_5.dat, \
         micro-benchmark_to_nc_5_synth.dat, measures_from_to.dat, \
         measure_cpu_from_224.dat and so on",
    )
}

fn recorded(collection: Collection, out: &Path) -> Result<(RunWriter, RunView), Failure> {
    let head = heads::run_head(&collection);
    let mut writer = RunWriter::create(out, head)?;
    if let Some(trace) = &collection.trace {
        writer.write_copies(TRACE, &trace.copies)?;
    }
    for (point, samples) in &collection.points {
        append(&mut writer, point, samples)?;
    }
    close::completed(writer)
}

/// In portions: they add up.
fn append(
    writer: &mut RunWriter,
    point: &record::PointHead,
    samples: &[Sample],
) -> Result<(), Failure> {
    if point.state != PointState::Done {
        writer.append_point(point, &[])?;
    }
    for portion in samples.chunks(SAMPLES_AT_ONCE) {
        writer.append_point(point, portion)?;
    }
    Ok(())
}
