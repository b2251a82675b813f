//! Where the inputs lie, and how those that are committed are chosen.

use crate::tools::{Tools, built};
use fuzzing::Target;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Longer ones are not committed.
const MOST_FILE_BYTES: u64 = 32 << 10;

/// `fuzz/corpus/TARGET`: small, and replayed by `cargo test`.
pub fn committed(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target.name)
}

/// Keeps, of what is committed and of what the fuzzer has found since, the
/// smallest set of files that passes the same edges. Counting how often each is
/// passed would keep a thousand files for some readers. A name that no hash has
/// (of a seed, of a regression) is never taken away.
pub fn shrink(targets: &[Target]) -> Result<ExitCode, String> {
    let tools = built(targets)?;
    for target in targets {
        let committed = committed(target);
        let before = files(&committed)?.len();
        let kept = tempfile::tempdir().map_err(|e| e.to_string())?;
        for file in files(&committed)?.iter().filter(|f| !is_hash(f)) {
            copy(file, kept.path())?;
        }
        merge(&tools, target, kept.path(), &committed)?;
        for file in files(&committed)?.iter().filter(|f| is_hash(f)) {
            fs::remove_file(file).map_err(|e| format!("cannot remove {}: {e}", file.display()))?;
        }
        for file in files(kept.path())?.iter().filter(|f| is_hash(f)) {
            copy(file, &committed)?;
        }
        let after = files(&committed)?;
        let bytes: u64 = after.iter().map(|f| size(f)).sum();
        println!(
            "{:14} {before} files before, {} now, {bytes} bytes",
            target.name,
            after.len()
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn merge(tools: &Tools, target: &Target, into: &Path, committed: &Path) -> Result<(), String> {
    let mut command = tools.program(target);
    command
        .args(["-merge=1", "-set_cover_merge=1", "-use_counters=0"])
        .arg("-timeout=20")
        .arg(format!(
            "-max_len={}",
            MOST_FILE_BYTES.min(target.most_bytes.into())
        ))
        .arg(into)
        .arg(committed)
        .arg(tools.working(target));
    let output = command.output().map_err(|e| e.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "cannot merge the corpus of {}: {}",
            target.name,
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// libFuzzer calls a file by its SHA-1.
fn is_hash(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.len() == 40 && name.chars().all(|c| c.is_ascii_hexdigit())
}

fn copy(file: &Path, folder: &Path) -> Result<(), String> {
    let name = file.file_name().unwrap_or_default();
    fs::copy(file, folder.join(name))
        .map(drop)
        .map_err(|e| format!("cannot copy {}: {e}", file.display()))
}

/// By name; none where there is no folder.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let cannot = |e: std::io::Error| format!("cannot list {}: {e}", folder.display());
    let mut files = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(folder).map_err(cannot)? {
            files.push(entry.map_err(cannot)?.path());
        }
    }
    files.sort();
    Ok(files)
}

/// Bytes of a file; 0 where it cannot be read.
pub fn size(file: &Path) -> u64 {
    file.metadata().map_or(0, |m| m.len())
}
