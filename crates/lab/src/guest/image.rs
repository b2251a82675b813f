//! The guest's first file system, in memory: busybox, init, modules, tests.

use crate::cache::emptied;
use crate::command::{self, quoted};
use crate::data::{Module, Test};
use crate::fetch::kernel::Unpacked;
use crate::stop::{Stop, cannot};
use crate::workshop::Workshop;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What is put into a guest.
#[derive(Debug)]
pub struct Content<'a> {
    pub kernel: &'a Unpacked,
    /// `lab/guest/init`.
    pub init: PathBuf,
    /// Modules of the stock kernel by name; what they need comes along.
    pub stock: Vec<String>,
    pub modules: &'a [Module],
    /// Folders in which built modules lie.
    pub built: Vec<PathBuf>,
    pub programs: Vec<PathBuf>,
    pub tests: Vec<Test>,
    /// Further files: here, and their place in the guest.
    pub placed: Vec<(PathBuf, PathBuf)>,
}

/// Writes the guest's memory image into `folder` and says where it is.
///
/// # Errors
/// A module that is not there, or the file system.
pub fn pack(shop: Workshop, content: &Content, folder: &Path) -> Result<PathBuf, Stop> {
    let tree = folder.join("initramfs");
    emptied(&tree)?;
    for name in ["bin", "dev", "lab", "proc", "sys", "tests", "tmp", "root"] {
        let made = tree.join(name);
        fs::create_dir(&made).map_err(cannot("make", &made))?;
    }
    place(&content.kernel.busybox, &tree.join("bin/busybox"), true)?;
    place(&content.init, &tree.join("init"), true)?;
    for program in &content.programs {
        let name = program.file_name().unwrap_or_default();
        place(program, &tree.join("tests").join(name), true)?;
    }
    for (from, to) in &content.placed {
        place(from, &tree.join(to.strip_prefix("/").unwrap_or(to)), true)?;
    }
    stock_modules(shop, content, &tree)?;
    built_modules(content, &tree)?;
    let tests: String = content
        .tests
        .iter()
        .map(|t| format!("{}\t{}\n", t.name, t.run))
        .collect();
    write(&tree.join("lab/tests"), &tests)?;
    let image = folder.join("initramfs.cpio.gz");
    // The same bytes from the same files: a guest whose clock counts instructions
    // counts those that unpack it.
    let script = format!(
        "cd {} && find . -exec touch -h -d @0 {{}} + && find . | LC_ALL=C sort | \
         cpio --quiet --reproducible -o -H newc -R 0:0 | gzip -n -1 > {}",
        quoted(&tree),
        quoted(&image)
    );
    shop.script(&script, "pack the guest's files")?;
    fs::remove_dir_all(&tree).map_err(cannot("remove", &tree))?;
    Ok(image)
}

fn place(from: &Path, to: &Path, executable: bool) -> Result<(), Stop> {
    let folder = to.parent().unwrap_or(to);
    fs::create_dir_all(folder).map_err(cannot("make", folder))?;
    fs::copy(from, to).map_err(cannot("copy", from))?;
    let mode = if executable { 0o755 } else { 0o644 };
    fs::set_permissions(to, fs::Permissions::from_mode(mode)).map_err(cannot("change", to))
}

fn write(path: &Path, text: &str) -> Result<(), Stop> {
    fs::write(path, text).map_err(cannot("write", path))
}

/// Modules of the stock kernel in the order in which they can be inserted.
fn stock_modules(shop: Workshop, content: &Content, tree: &Path) -> Result<(), Stop> {
    let mut files: Vec<PathBuf> = Vec::new();
    let kernel = content.kernel;
    let root = kernel.modules.as_deref();
    for (name, root) in content.stock.iter().filter_map(|name| Some((name, root?))) {
        // Without the host's own rules, which may replace a module by a command.
        let mut modprobe = command::tied("modprobe");
        modprobe.args(["-C", "/dev/null", "-S", &kernel.release, "-d"]);
        modprobe.arg(root).args(["--show-depends", name]);
        let doing = format!("find module {name} of {}", kernel.release);
        let listed = shop.run(&mut modprobe, &doing)?;
        let file = |line: &str| {
            line.strip_prefix("insmod ")
                .map(|l| PathBuf::from(l.trim()))
        };
        for file in listed.lines().filter_map(file) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    let mut order = String::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let plain = name.trim_end_matches(".xz").to_owned();
        let to = tree.join("lab").join(&plain);
        if name == plain {
            place(&file, &to, false)?;
        } else {
            // busybox inserts plain files only.
            let script = format!("xz -dc {} > {}", quoted(&file), quoted(&to));
            shop.script(&script, &format!("unpack {name}"))?;
        }
        order.push_str(&format!("{plain}\n"));
    }
    write(&tree.join("lab/stock"), &order)
}

fn built_modules(content: &Content, tree: &Path) -> Result<(), Stop> {
    let mut order = String::new();
    for module in content.modules {
        let name = format!("{}.ko", module.name);
        let found = content.built.iter().find_map(|folder| below(folder, &name));
        let Some(file) = found else {
            let cause = format!("cannot find module {name}: nothing built it");
            return Err(Stop::failed(cause));
        };
        place(&file, &tree.join("lab").join(&name), false)?;
        if !module.only_carry {
            order.push_str(&format!("{name} {}\n", module.parameters));
        }
    }
    write(&tree.join("lab/modules"), &order)
}

/// The file of that name in a folder or below it: a Kbuild file may lead on.
fn below(folder: &Path, name: &str) -> Option<PathBuf> {
    let here = folder.join(name);
    if here.is_file() {
        return Some(here);
    }
    let entries = fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.iter().find_map(|folder| below(folder, name))
}

#[cfg(test)]
mod tests {
    use super::below;
    use std::fs;

    #[test]
    fn a_module_is_found_in_a_folder_of_its_own() {
        let home = tempfile::tempdir().unwrap();
        let inner = home.path().join("swdma");
        fs::create_dir_all(home.path().join("cftu")).unwrap();
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("swdma.ko"), "").unwrap();
        assert_eq!(below(home.path(), "swdma.ko"), Some(inner.join("swdma.ko")));
        assert_eq!(below(home.path(), "cftu.ko"), None);
    }
}
