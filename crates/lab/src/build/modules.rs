//! Kernel modules: a folder with a Kbuild file, and files of the kernel's own
//! source, each built against the headers of the guest's kernel.

use super::tree;
use crate::cache::emptied;
use crate::command;
use crate::data::FromSource;
use crate::fetch::kernel::Unpacked;
use crate::stop::{Stop, cannot};
use crate::workshop::{Workshop, own_name};
use std::fs;
use std::path::{Path, PathBuf};

/// How strict a build is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Our own code: every warning that the kernel's `W=1` and sparse know.
    Ours,
    /// Code of others: the warnings that the kernel always enables.
    Theirs,
}

/// Builds the modules of `from`, a folder of the clone; says where they lie.
///
/// # Errors
/// Whatever the compiler says, warnings included.
pub fn build(shop: Workshop, kernel: &Unpacked, from: &Path) -> Result<PathBuf, Stop> {
    if !["Kbuild", "Makefile"]
        .iter()
        .any(|name| from.join(name).is_file())
    {
        return Err(Stop::failed(format!(
            "cannot build {}: it has no Kbuild file",
            from.display()
        )));
    }
    let real = from.canonicalize().map_err(cannot("find", from))?;
    let name = from.file_name().unwrap_or_default().to_string_lossy();
    let folder = folder(shop, kernel, &own_name(&name, real));
    tree::copy(from, &folder)?;
    make(shop, kernel, &folder, Strictness::Ours)?;
    Ok(folder)
}

/// Builds files of the kernel's own source, which lie under `source`, out of
/// tree: flat in one folder, next to their headers.
///
/// # Errors
/// As `build`.
pub fn from_source(
    shop: Workshop,
    kernel: &Unpacked,
    wanted: &FromSource,
    source: &Path,
) -> Result<PathBuf, Stop> {
    let name = own_name(&wanted.package, (&wanted.files, source));
    let folder = folder(shop, kernel, &name);
    let names: Vec<&str> = wanted
        .files
        .iter()
        .filter_map(|f| f.rsplit('/').next())
        .collect();
    let mut kbuild = String::new();
    for (file, name) in wanted.files.iter().zip(&names) {
        let path = source.join(file);
        let text = fs::read_to_string(&path).map_err(cannot("read", &path))?;
        tree::write_if_changed(&folder.join(name), flat(&text, &names).as_bytes())?;
        if let Some(stem) = name.strip_suffix(".c") {
            kbuild.push_str(&format!("obj-m += {stem}.o\n"));
        }
    }
    tree::write_if_changed(&folder.join("Kbuild"), kbuild.as_bytes())?;
    make(shop, kernel, &folder, Strictness::Theirs)?;
    Ok(folder)
}

fn folder(shop: Workshop, kernel: &Unpacked, name: &str) -> PathBuf {
    shop.cache.path("build").join(&kernel.id).join(name)
}

/// Rewrites includes of `names`, which now lie in the same folder.
fn flat(text: &str, names: &[&str]) -> String {
    let mut flat = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let quoted = line
            .trim_start()
            .strip_prefix("#include")
            .and_then(|rest| rest.trim_start().strip_prefix('"')?.split_once('"'));
        let name = quoted.and_then(|(path, _)| path.rsplit('/').next());
        match (quoted, name.filter(|n| names.contains(n))) {
            (Some((path, _)), Some(name)) => flat.push_str(&line.replacen(path, name, 1)),
            _ => flat.push_str(line),
        }
    }
    flat
}

fn make(
    shop: Workshop,
    kernel: &Unpacked,
    folder: &Path,
    strictness: Strictness,
) -> Result<(), Stop> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    (shop.say)(&format!("building {name} for {}", kernel.release));
    let mut make = super::make(&kernel.headers, kernel.architecture);
    make.arg(format!("M={}", folder.display()));
    // Types of the kernel's are for BPF, and need a pahole as new as the kernel.
    make.arg("CONFIG_DEBUG_INFO_BTF_MODULES=");
    if strictness == Strictness::Ours {
        make.args(["W=1", "C=1"]);
    }
    make.arg("modules");
    let output = command::output(&mut make, &format!("build {name}"), shop.stop)?;
    let text = command::both(&output);
    let warnings = warnings(&text);
    if output.status.success() && warnings.is_empty() {
        return Ok(());
    }
    // Or the next make would find nothing to do, and so nothing wrong.
    emptied(folder)?;
    let shown = if warnings.is_empty() {
        command::tail(&text)
    } else {
        warnings.join("\n")
    };
    Err(Stop::failed(format!(
        "cannot build {name} for {}: the compiler complains\n{shown}",
        kernel.release
    )))
}

fn warnings(text: &str) -> Vec<&str> {
    let warns = |line: &&str| {
        let lower = line.to_ascii_lowercase();
        lower.contains("warning:") && !lower.contains("the compiler differs from the one")
    };
    text.lines().filter(warns).collect()
}

#[cfg(test)]
mod tests {
    use super::{flat, warnings};

    #[test]
    fn includes_of_neighbours_become_flat() {
        let text =
            "#include <linux/x.h>\n#include \"../dmaengine.h\"\n# include \"far/y.h\"\nint a;";
        assert_eq!(
            flat(text, &["dmaengine.h", "z.c"]),
            "#include <linux/x.h>\n#include \"dmaengine.h\"\n# include \"far/y.h\"\nint a;"
        );
    }

    #[test]
    fn warnings_of_compiler_and_linker_are_seen() {
        let text = "  CC [M]  a.o\na.c:1:2: warning: unused variable 'x'\n\
                    WARNING: modpost: missing MODULE_DESCRIPTION()\n\
                    warning: the compiler differs from the one used to build the kernel\n";
        assert_eq!(warnings(text).len(), 2);
    }
}
