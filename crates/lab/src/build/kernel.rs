//! A kernel of our own: Debian's source with a configuration from the clone.
//! Its folder is kept, so that a run that was interrupted goes on where it was
//! and a changed option rebuilds only what it touches. A stamp, written last,
//! says of what it is whole.

use crate::command;
use crate::data::Architecture;
use crate::fetch::kernel::Unpacked;
use crate::stop::{Stop, cannot};
use crate::workshop::Workshop;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;

/// Files between two words about how far it is.
const FILES_A_WORD: usize = 250;

const STAMP: &str = "pontage-built";
const LOG: &str = "pontage-build.log";

/// What to build, and what lies ready for it.
#[derive(Debug)]
pub struct Wanted<'a> {
    pub name: &'a str,
    pub architecture: Architecture,
    /// The source; its folder is named as its package, with the version.
    pub tree: PathBuf,
    /// The file of options.
    pub config: PathBuf,
    pub busybox: PathBuf,
}

/// The kernel, built unless it is there and of this source and configuration.
///
/// # Errors
/// An option that came out otherwise, or whatever the compiler says.
pub fn build(shop: Workshop, wanted: &Wanted) -> Result<Unpacked, Stop> {
    let tree = wanted.tree.file_name().unwrap_or_default();
    let tree = tree.to_string_lossy();
    let version = tree.split('_').nth(1).unwrap_or("0");
    let id = format!("{}_{version}", wanted.name);
    let folder = shop.cache.path("own").join(&id);
    let options = fs::read_to_string(&wanted.config).map_err(cannot("read", &wanted.config))?;
    let (target, image) = wanted.architecture.kernel_image();
    let image = folder.join(image);
    let stamp = folder.join(STAMP);
    let whole = format!("{tree}\n{}\n{options}", wanted.architecture.compiler());
    if !image.is_file() || fs::read_to_string(&stamp).ok().as_ref() != Some(&whole) {
        let _ = fs::remove_file(&stamp);
        fs::create_dir_all(&folder).map_err(cannot("make", &folder))?;
        configure(shop, wanted, &folder, &options)?;
        compile(shop, wanted, &folder, target)?;
        fs::write(&stamp, &whole).map_err(cannot("write", &stamp))?;
    }
    let release = folder.join("include/config/kernel.release");
    let release = fs::read_to_string(&release).map_err(cannot("read", &release))?;
    Ok(Unpacked {
        release: release.trim().to_owned(),
        architecture: wanted.architecture,
        image,
        headers: folder,
        busybox: wanted.busybox.clone(),
        modules: None,
        id,
    })
}

/// The smallest configuration with `options` over it, whole.
fn configure(shop: Workshop, wanted: &Wanted, folder: &Path, options: &str) -> Result<(), Stop> {
    let name = wanted.name;
    let doing = format!("configure {name}");
    shop.run(make(wanted, folder).arg("tinyconfig"), &doing)?;
    let path = folder.join(".config");
    let smallest = fs::read_to_string(&path).map_err(cannot("read", &path))?;
    // The last word on an option counts.
    fs::write(&path, format!("{smallest}{options}")).map_err(cannot("write", &path))?;
    shop.run(make(wanted, folder).arg("olddefconfig"), &doing)?;
    let got = fs::read_to_string(&path).map_err(cannot("read", &path))?;
    let lost = lost(options, &got);
    if lost.is_empty() {
        return Ok(());
    }
    Err(Stop::failed(format!(
        "cannot configure {name}: these options have other values: {}",
        lost.join(", ")
    ))
    .hint(format!(
        "to see what they depend on: make -C {} O={} menuconfig",
        wanted.tree.display(),
        folder.display()
    )))
}

/// Lines of `options` that the configuration does not hold.
fn lost(options: &str, got: &str) -> Vec<String> {
    let name = |line: &str| {
        line.strip_prefix("# ")
            .and_then(|l| l.strip_suffix(" is not set"))
            .map(str::to_owned)
    };
    let is_lost = |line: &&str| match name(line) {
        // What depends on something that is off is not even mentioned.
        Some(off) if off.starts_with("CONFIG_") => {
            got.lines().any(|l| l.starts_with(&format!("{off}=")))
        }
        _ => line.starts_with("CONFIG_") && !got.lines().any(|l| l == *line),
    };
    options.lines().filter(is_lost).map(str::to_owned).collect()
}

/// The image, and what modules are built against.
fn compile(shop: Workshop, wanted: &Wanted, folder: &Path, target: &str) -> Result<(), Stop> {
    let (name, say) = (wanted.name, shop.say);
    say(&format!(
        "building kernel {name}: takes minutes, only once; after Ctrl-C the same command \
         continues it"
    ));
    let log = folder.join(LOG);
    let mut make = make(wanted, folder);
    let file = fs::File::create(&log).map_err(cannot("make", &log))?;
    make.args([target, "modules"]);
    make.stdout(Stdio::piped()).stderr(file);
    let failed = |cause: String| Stop::failed(format!("cannot build kernel {name}: {cause}"));
    let mut child = make.spawn().map_err(|e| failed(e.to_string()))?;
    let lines = child.stdout.take().map(|out| BufReader::new(out).lines());
    let mut files = 0;
    for _ in lines.into_iter().flatten().map_while(Result::ok) {
        if shop.stop.load(Ordering::Relaxed) {
            end(&child);
        }
        files += 1;
        if files % FILES_A_WORD == 0 {
            say(&format!("building kernel {name}: {files} steps done"));
        }
    }
    let status = child.wait().map_err(|e| failed(e.to_string()))?;
    // Ctrl-C ends make too; that is then not its own failure.
    if shop.stop.load(Ordering::Relaxed) {
        return Err(Stop::Interrupted);
    }
    if status.success() {
        return Ok(());
    }
    let output = fs::read_to_string(&log).unwrap_or_default();
    Err(failed(format!("{status}\n{}", command::tail(&output)))
        .hint(format!("full output: {}", log.display())))
}

/// Asks make to end, which then ends all it has started and removes what is
/// half done; its own death would leave them at work.
fn end(make: &Child) {
    let mut kill = command::tied("kill");
    let _ = kill.args(["-TERM", &make.id().to_string()]).output();
}

fn make(wanted: &Wanted, folder: &Path) -> Command {
    let mut make = super::make(&wanted.tree, wanted.architecture);
    make.arg(format!("O={}", folder.display()));
    // Or each build would be of another kernel.
    make.args(["KBUILD_BUILD_USER=lab", "KBUILD_BUILD_HOST=pontage"]);
    make
}

#[cfg(test)]
mod tests {
    use super::lost;

    #[test]
    fn an_option_that_came_out_otherwise_is_named() {
        let options = "# What for.\nCONFIG_A=y\nCONFIG_B=y\nCONFIG_N=8\nCONFIG_S=\"-x\"\n\
                       # CONFIG_OFF is not set\n# CONFIG_ON is not set\n";
        let got = "CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_N=80\nCONFIG_S=\"-x\"\n\
                   CONFIG_ON=m\nCONFIG_ON_TOO=y\n";
        assert_eq!(
            lost(options, got),
            ["CONFIG_B=y", "CONFIG_N=8", "# CONFIG_ON is not set"]
        );
        assert_eq!(lost(options, "CONFIG_A=y\n").len(), 3);
    }
}
