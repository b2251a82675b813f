//! A kernel with everything around it: image, modules, headers, the programs
//! that the headers call, and a busybox for its guest.

use super::apt::{Apt, by_version};
use super::busybox;
use super::package::unpack;
use crate::command;
use crate::data::{Architecture, Kernel, Packages};
use crate::stop::{Stop, cannot};
use crate::workshop::Workshop;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// One kernel with all that a guest and its modules take from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpacked {
    /// As `uname -r` says it.
    pub release: String,
    pub architecture: Architecture,
    /// What QEMU boots.
    pub image: PathBuf,
    /// Where modules are built against: `make -C`.
    pub headers: PathBuf,
    pub busybox: PathBuf,
    /// Folder under which `lib/modules` lies; without it everything is built in.
    pub modules: Option<PathBuf>,
    /// A name for what is built against exactly this kernel.
    pub id: String,
}

/// The newest kernel of its kind, fetched and unpacked unless it is there.
///
/// # Errors
/// As apt; fails where no package fits.
pub fn fetch(
    shop: Workshop,
    name: &str,
    kernel: &Kernel,
    from: &Packages,
) -> Result<Unpacked, Stop> {
    let apt = Apt::open(shop, &kernel.suite)?;
    let release = newest(&apt, name, from)?;
    let packages = packages(kernel.architecture, from, &release);
    let offers = apt.offers(&packages)?;
    // A package may be built anew under the same release.
    let image = Packages::name(&from.image, &release);
    let mut files = offers.iter().map(|offer| offer.file.as_str());
    let version = files.find_map(|f| f.strip_prefix(&image)?.strip_prefix('_')?.split('_').next());
    let version = version.map_or("0".to_owned(), |v| v.replace('%', ""));
    let folder = format!("kernels/{name}_{release}_{version}");
    let root = shop.cache.whole(&folder, |root| {
        let files = apt.fetch(&packages)?;
        (shop.say)(&format!("unpacking {release}"));
        for file in &files {
            unpack(shop, file, root)?;
        }
        busybox::lift(root)?;
        mend_headers(root, &shop.cache.path(&folder), from, &release)?;
        let mut depmod = command::tied("depmod");
        depmod.arg("-b").arg(root).arg(&release);
        shop.run(&mut depmod, "list what modules need")?;
        for file in files {
            let _ = fs::remove_file(file);
        }
        Ok(())
    })?;
    Ok(Unpacked {
        image: root.join("boot").join(format!("vmlinuz-{release}")),
        headers: root
            .join("usr/src")
            .join(format!("linux-headers-{release}")),
        busybox: root.join("busybox"),
        id: folder.trim_start_matches("kernels/").to_owned(),
        modules: Some(root),
        architecture: kernel.architecture,
        release,
    })
}

fn newest(apt: &Apt, name: &str, kernel: &Packages) -> Result<String, Stop> {
    let (before, after) = kernel
        .image
        .split_once("{release}")
        .unwrap_or((&kernel.image, ""));
    let pattern = kernel.image.replace("{release}", &kernel.release);
    apt.names(&pattern)?
        .into_iter()
        .max_by_key(|n| by_version(n))
        .and_then(|n| Some(n.strip_prefix(before)?.strip_suffix(after)?.to_owned()))
        .ok_or_else(|| {
            let cause = format!("cannot find kernel {name}: no package matches {pattern}");
            Stop::failed(cause).hint(format!("see the release in lab/kernels/{name}.toml"))
        })
}

/// The image comes first.
fn packages(architecture: Architecture, kernel: &Packages, release: &str) -> Vec<String> {
    let theirs = architecture.debian();
    let ours = Architecture::of_host().map_or(theirs, Architecture::debian);
    let named = |pattern: &str, architecture: &str| {
        let name = Packages::name(pattern, release);
        // What is the same for all is known under the host's architecture.
        match name.strip_suffix(":all") {
            Some(name) => format!("{name}:{ours}"),
            None => format!("{name}:{architecture}"),
        }
    };
    let mut packages = vec![named(&kernel.image, theirs)];
    packages.extend(kernel.headers.iter().map(|h| named(h, theirs)));
    packages.push(named(&kernel.kbuild, ours));
    packages.push(named("busybox-static", theirs));
    packages
}

/// Headers look for each other and for their programs at absolute places; they
/// are rewritten to where they will be, under `place`.
fn mend_headers(root: &Path, place: &Path, kernel: &Packages, release: &str) -> Result<(), Stop> {
    let sources = root.join("usr/src");
    for entry in fs::read_dir(&sources).map_err(cannot("read", &sources))? {
        let folder = entry.map_err(cannot("read", &sources))?.path();
        let makefile = folder.join("Makefile");
        let Ok(text) = fs::read_to_string(&makefile) else {
            continue;
        };
        let there = format!("include {}/usr/src/", place.display());
        let mended = text.replace("include /usr/src/", &there);
        if mended != text {
            fs::write(&makefile, mended).map_err(cannot("write", &makefile))?;
        }
    }
    let kbuild = Packages::name(&kernel.kbuild, release);
    let headers = sources.join(format!("linux-headers-{release}"));
    for part in ["scripts", "tools"] {
        let link = headers.join(part);
        if !link.exists() {
            let _ = fs::remove_file(&link);
            let target = Path::new("../../lib").join(&kbuild).join(part);
            symlink(target, &link).map_err(cannot("link", &link))?;
        }
        if !link.exists() {
            let missing = format!("cannot find {part} of {kbuild} for {release}");
            return Err(Stop::failed(missing));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{mend_headers, packages};
    use crate::data::{Architecture, Packages};
    use std::fs;

    fn kernel() -> Packages {
        Packages {
            release: "r".to_owned(),
            image: "linux-image-{release}".to_owned(),
            headers: vec!["linux-headers-{base}-common:all".to_owned()],
            kbuild: "linux-kbuild-{base}".to_owned(),
        }
    }

    #[test]
    fn programs_are_the_hosts_and_the_rest_is_the_guests() {
        let packages = packages(Architecture::Arm64, &kernel(), "6.1.0-9-arm64");
        assert_eq!(packages[0], "linux-image-6.1.0-9-arm64:arm64");
        let host = Architecture::of_host().unwrap().debian();
        assert_eq!(packages[1], format!("linux-headers-6.1.0-9-common:{host}"));
        assert_eq!(packages[2], format!("linux-kbuild-6.1.0-9:{host}"));
    }

    #[test]
    fn headers_find_each_other_where_they_will_be() {
        let root = tempfile::tempdir().unwrap();
        let headers = root.path().join("usr/src/linux-headers-6.1.0-9-arm64");
        fs::create_dir_all(&headers).unwrap();
        fs::create_dir_all(root.path().join("usr/lib/linux-kbuild-6.1.0-9/scripts")).unwrap();
        let makefile = headers.join("Makefile");
        fs::write(
            &makefile,
            "include /usr/src/linux-headers-6.1.0-9-common/Makefile\n",
        )
        .unwrap();
        let place = std::path::Path::new("/cache/k");
        let mend = || mend_headers(root.path(), place, &kernel(), "6.1.0-9-arm64");
        assert!(
            mend()
                .unwrap_err()
                .to_string()
                .contains("cannot find tools")
        );
        fs::create_dir_all(root.path().join("usr/lib/linux-kbuild-6.1.0-9/tools")).unwrap();
        mend().unwrap();
        assert_eq!(
            fs::read_to_string(&makefile).unwrap(),
            "include /cache/k/usr/src/linux-headers-6.1.0-9-common/Makefile\n"
        );
    }
}
