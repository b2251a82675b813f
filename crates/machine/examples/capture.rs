//! Copy the files that describe this machine into a folder, as a fixture:
//!
//!     cargo run -p pontage-machine --example capture -- DIR
//!
//! Exactly the files that the readers looked at are copied, and of those that
//! say more about the system than the readers use, only the lines used. The
//! host name becomes `fixture`.

use machine::source::{Source, Touched};
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: capture DIR");
        return ExitCode::from(2);
    };
    match capture(&folder) {
        Ok(files) => {
            println!("{files} files below {}", folder.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!(
                "cannot capture this machine into {}: {error}",
                folder.display()
            );
            ExitCode::from(2)
        }
    }
}

fn capture(folder: &Path) -> io::Result<usize> {
    let source = Source::new(Path::new("/"));
    let _ = machine::read_from(&source);
    let mut files = 0;
    for touched in source.touched() {
        files += usize::from(store(folder, &touched)?);
    }
    Ok(files)
}

/// Folders come into being with the files in them. Memory groups are named
/// after whatever runs on the machine and are left out.
fn store(folder: &Path, touched: &Touched) -> io::Result<bool> {
    let (Touched::File(path) | Touched::Link(path) | Touched::Folder(path)) = touched;
    let target = folder.join(path.trim_start_matches('/'));
    let names_a_group = path.ends_with("memory.limit_in_bytes") || path.ends_with("memory.max");
    if names_a_group || matches!(touched, Touched::Folder(_)) {
        return Ok(false);
    }
    if let Some(parent) = target.parent() {
        std::fs::create_dir_all(parent)?;
    }
    if let Touched::Link(_) = touched {
        symlink(std::fs::read_link(path)?, &target)?;
        return Ok(true);
    }
    // Devices and files without content matter only by being there.
    let content = match std::fs::metadata(path) {
        Ok(kind) if kind.is_file() => std::fs::read(path).unwrap_or_default(),
        _ => Vec::new(),
    };
    std::fs::write(target, reduced(path, content))?;
    Ok(true)
}

/// What the readers use of a file, in the file's own form.
fn reduced(path: &str, content: Vec<u8>) -> Vec<u8> {
    if path == "/proc/config.gz" {
        return reduced_config(&content).unwrap_or(content);
    }
    let text = String::from_utf8_lossy(&content);
    let keep = |wanted: &dyn Fn(&str) -> bool| {
        let lines = text.lines().filter(|line| wanted(line));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    let reduced = match path {
        "/proc/sys/kernel/hostname" => "fixture\n".to_owned(),
        machine::boot::PATH => command_line(&text),
        machine::mounts::PATH => keep(&|line| !machine::mounts::parse(line).0.is_empty()),
        "/proc/self/smaps" => keep(&|line| line.starts_with("KernelPageSize"))
            .lines()
            .take(1)
            .map(|line| format!("{line}\n"))
            .collect(),
        "/proc/self/cgroup" => keep(&|line| line.contains("cpu") || line.starts_with("0::")),
        "/proc/stat" => keep(&|line| line.starts_with("cpu")),
        "/proc/filesystems" => keep(&|line| line.contains("trace") || line.contains("debug")),
        _ => return content,
    };
    reduced.into_bytes()
}

fn command_line(text: &str) -> String {
    let words = machine::boot::parse(text)
        .into_iter()
        .map(|(name, value)| match value {
            Some(value) => format!("{name}={value}"),
            None => name,
        });
    words.collect::<Vec<_>>().join(" ") + "\n"
}

fn reduced_config(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut text = String::new();
    io::Read::read_to_string(&mut flate2::read::GzDecoder::new(content), &mut text)?;
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for (option, value) in machine::config::parse(&text).0 {
        writeln!(out, "CONFIG_{option}={value}")?;
    }
    out.finish()
}
