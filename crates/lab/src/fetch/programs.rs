//! Programs of Debian for the guest's processor, with the libraries they need.

use super::apt::Apt;
use super::package::unpack;
use crate::build::host_programs::Placed;
use crate::command;
use crate::data::{Architecture, DebianProgram};
use crate::stop::{Stop, cannot};
use crate::workshop::Workshop;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Fetches and unpacks the packages of `program`; it goes into the folder of the tests, its
/// libraries to where the loader looks.
///
/// # Errors
/// As apt; where a library is in none of the packages.
pub fn fetch(
    shop: Workshop,
    apt: &Apt,
    program: &DebianProgram,
    architecture: Architecture,
) -> Result<Vec<Placed>, Stop> {
    let named = |name: &String| format!("{name}:{}", architecture.debian());
    let packages: Vec<String> = program.packages.iter().map(named).collect();
    let first = packages.first().map_or("", String::as_str);
    let folder = crate::workshop::own_name(&apt.newest(first)?, &packages);
    let root = shop.cache.whole(&format!("guest/{folder}"), |root| {
        for file in apt.fetch(&packages)? {
            unpack(shop, &file, root)?;
            let _ = fs::remove_file(file);
        }
        Ok(())
    })?;
    let file = root.join(&program.path);
    let mut have = BTreeMap::new();
    for below in ["lib", "usr/lib"] {
        list(&root.join(below), &mut have)?;
    }
    let libraries = needed(&file, &have, |file| names(shop, file))?;
    let mut placed: Vec<Placed> = libraries
        .into_iter()
        .map(|(name, file)| (file, place(&name, architecture)))
        .collect();
    let name = file.file_name().unwrap_or_default();
    placed.push((file.clone(), Path::new("/tests").join(name)));
    Ok(placed)
}

fn place(library: &str, architecture: Architecture) -> PathBuf {
    let loader = Path::new(architecture.loader());
    match loader.file_name().is_some_and(|name| name == library) {
        true => loader.to_owned(),
        false => Path::new("/lib").join(library),
    }
}

/// Files and links to files below a folder, by name. A link may lead to nowhere here.
fn list(folder: &Path, into: &mut BTreeMap<String, PathBuf>) -> Result<(), Stop> {
    for entry in fs::read_dir(folder).map_err(cannot("read", folder))? {
        let path = entry.map_err(cannot("read", folder))?.path();
        let is_link = path.is_symlink();
        if path.is_dir() && !is_link {
            list(&path, into)?;
        } else if path.is_file() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            into.entry(name.into_owned()).or_insert(path);
        }
    }
    Ok(())
}

/// The libraries that `program` needs, and those that they need.
fn needed(
    program: &Path,
    have: &BTreeMap<String, PathBuf>,
    names: impl Fn(&Path) -> Result<Vec<String>, Stop>,
) -> Result<BTreeMap<String, PathBuf>, Stop> {
    let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut left = vec![program.to_owned()];
    while let Some(file) = left.pop() {
        for name in names(&file)? {
            if found.contains_key(&name) {
                continue;
            }
            let Some(library) = have.get(&name) else {
                let cause = format!("cannot find {name}, which {} needs", file.display());
                return Err(Stop::failed(cause).hint("add its package to the scenario"));
            };
            left.push(library.clone());
            found.insert(name, library.clone());
        }
    }
    Ok(found)
}

/// What readelf says that a file needs; it reads those of every processor.
fn names(shop: Workshop, file: &Path) -> Result<Vec<String>, Stop> {
    let doing = format!("list what {} needs", file.display());
    let said = shop.run(command::tied("readelf").arg("-d").arg(file), &doing)?;
    Ok(said.lines().filter_map(name).collect())
}

/// ` 0x01 (NEEDED)  Shared library: [libc.so.6]`
fn name(line: &str) -> Option<String> {
    let (_, behind) = line.split_once("(NEEDED)")?;
    let (name, _) = behind.split_once('[')?.1.split_once(']')?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{name, needed, place};
    use crate::data::Architecture;
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    #[test]
    fn readelfs_lines_are_understood() {
        let line = " 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]";
        assert_eq!(name(line).as_deref(), Some("libc.so.6"));
        assert_eq!(name(" 0x0e (SONAME) Library soname: [libdw.so.1]"), None);
    }

    #[test]
    fn libraries_of_libraries_go_along_and_a_missing_one_is_named() {
        let names = |file: &Path| {
            let needs: &[&str] = match file.to_str().unwrap() {
                "perf" => &["a", "b"],
                "/x/a" => &["b", "c"],
                // Two may need each other.
                "/x/c" => &["a"],
                _ => &[],
            };
            Ok(needs.iter().map(|&n| n.to_owned()).collect())
        };
        let mut have: BTreeMap<String, PathBuf> = ["a", "b", "c", "d"]
            .map(|n| (n.to_owned(), PathBuf::from(format!("/x/{n}"))))
            .into();
        let found = needed(Path::new("perf"), &have, names).unwrap();
        assert_eq!(found.into_keys().collect::<Vec<_>>(), ["a", "b", "c"]);
        have.remove("c");
        let said = needed(Path::new("perf"), &have, names).unwrap_err();
        assert!(said.to_string().contains("cannot find c, which /x/a needs"));
    }

    #[test]
    fn the_loader_is_where_programs_say_it_is() {
        let at = |library| place(library, Architecture::Amd64);
        assert_eq!(
            at("ld-linux-x86-64.so.2"),
            Path::new("/lib64/ld-linux-x86-64.so.2")
        );
        assert_eq!(at("libc.so.6"), Path::new("/lib/libc.so.6"));
    }
}
