//! Programs of the host with the libraries they need, to be run in a guest of the
//! host's architecture: Pontage itself and what it calls.

use crate::command;
use crate::data::HostProgram;
use crate::stop::Stop;
use crate::workshop::Workshop;
use std::path::{Path, PathBuf};

/// What goes into the guest: the file here, and its path there.
pub type Placed = (PathBuf, PathBuf);

/// `binary`, which is Pontage, and its libraries.
///
/// # Errors
/// Where it cannot be stripped or the loader does not know its libraries.
pub fn pontage(shop: Workshop, binary: &Path) -> Result<Vec<Placed>, Stop> {
    let lean = shop.folder("programs")?.join("pontage");
    // A development build is mostly what debuggers read.
    let mut strip = command::tied("strip");
    strip.arg("-o").args([&lean, binary]);
    shop.run(&mut strip, "strip pontage")?;
    with_libraries(shop, &lean)
}

/// A program that is installed here, and its libraries.
///
/// # Errors
/// Where it is missing or the loader does not know its libraries.
pub fn installed(shop: Workshop, program: &HostProgram) -> Result<Vec<Placed>, Stop> {
    let found = command::find(&program.name).ok_or_else(|| {
        Stop::skip(
            format!("not installed: {}", program.name),
            format!("apt-get install {}", program.package),
        )
    })?;
    with_libraries(shop, &found)
}

/// The program goes to `/tests`, where a test's command finds it, each library
/// to where the loader looks.
fn with_libraries(shop: Workshop, program: &Path) -> Result<Vec<Placed>, Stop> {
    let what = format!("list the libraries of {}", program.display());
    let listed = shop.run(command::tied("ldd").arg(program), &what)?;
    let mut placed: Vec<Placed> = libraries(&listed).map(|l| (l.clone(), l)).collect();
    let name = program.file_name().unwrap_or_default();
    placed.push((program.to_owned(), Path::new("/tests").join(name)));
    Ok(placed)
}

/// Every absolute path that ldd names.
fn libraries(listed: &str) -> impl Iterator<Item = PathBuf> + '_ {
    let path = |line: &str| {
        line.split_whitespace()
            .find(|w| w.starts_with('/'))
            .map(PathBuf::from)
    };
    listed.lines().filter_map(path)
}

#[cfg(test)]
mod tests {
    use super::libraries;

    #[test]
    fn loader_and_libraries_are_found() {
        let listed = "\tlinux-vdso.so.1 (0x7ff)\n\tlibc.so.6 => /lib/x/libc.so.6 (0x7f)\n\
                      \t/lib64/ld-linux-x86-64.so.2 (0x7f)\n";
        let found: Vec<_> = libraries(listed).collect();
        assert_eq!(found.len(), 2);
        assert!(found[1].ends_with("ld-linux-x86-64.so.2"));
    }
}
