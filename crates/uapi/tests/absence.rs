//! From files below a root folder to the cause and the remedy.

use std::fs;
use std::path::Path;
use uapi::facts::{Facts, Obstacle};
use uapi::{Device, Error};

const RELEASE: &str = "6.1.0-56-amd64";

/// A tree of files; a text that begins with `->` is a link.
struct Tree(tempfile::TempDir);

impl Tree {
    /// A stock kernel with headers, and nothing of ours.
    fn stock() -> Tree {
        let tree = Tree(tempfile::tempdir().unwrap());
        tree.with("proc/sys/kernel/osrelease", RELEASE)
            .with("proc/modules", "")
            .with(
                "sys/kernel/security/lockdown",
                "[none] integrity confidentiality",
            )
            .with("usr/src/linux-headers/Makefile", "")
            .with(&below("build"), "->/usr/src/linux-headers")
            .with(
                &below("modules.dep"),
                "kernel/drivers/dma/ioat/ioatdma.ko: kernel/dca.ko\n",
            )
    }

    fn with(self, path: &str, text: &str) -> Tree {
        let place = self.0.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        match text.strip_prefix("->") {
            Some(target) => std::os::unix::fs::symlink(target, place).unwrap(),
            None => fs::write(place, text).unwrap(),
        }
        self
    }

    fn without(self, path: &str) -> Tree {
        let place = self.0.path().join(path);
        match place.is_dir() {
            true => fs::remove_dir_all(place).unwrap(),
            false => fs::remove_file(place).unwrap(),
        }
        self
    }

    fn loaded(self) -> Tree {
        self.with("sys/module/cftu/version", "0.1.0")
    }

    fn obstacle(&self) -> Option<Obstacle> {
        Facts::read(self.0.path()).obstacle()
    }

    /// Sentence and remedy of opening the device there.
    fn sentence_and_remedy(&self) -> (String, String) {
        let error = Device::open_below(self.0.path()).unwrap_err();
        assert!(matches!(error, Error::Absent(_)));
        error.skip().unwrap()
    }
}

fn below(path: &str) -> String {
    format!("lib/modules/{RELEASE}/{path}")
}

#[test]
fn not_built_and_the_headers_are_there() {
    let (reason, remedy) = Tree::stock().sentence_and_remedy();
    assert_eq!(
        reason,
        "there is no /dev/cftu: module cftu is neither loaded nor installed"
    );
    assert_eq!(remedy, "make -C kernel && sudo insmod kernel/cftu/cftu.ko");
}

#[test]
fn installed_by_dkms_and_not_loaded() {
    let tree = Tree::stock().without(&below("modules.dep"));
    let tree = tree.with(&below("modules.dep"), "a.ko:\nupdates/dkms/cftu.ko.xz:\n");
    assert_eq!(tree.obstacle(), Some(Obstacle::NotLoaded));
    assert_eq!(tree.sentence_and_remedy().1, "sudo modprobe cftu");
}

#[test]
fn headers_that_are_missing_or_were_removed() {
    let never = Tree::stock().without(&below("build"));
    let removed = Tree::stock().without("usr/src/linux-headers");
    for tree in [never, removed] {
        let (reason, remedy) = tree.sentence_and_remedy();
        assert!(
            reason.contains("no /lib/modules/6.1.0-56-amd64/build"),
            "{reason}"
        );
        assert!(
            remedy.contains("apt-get install linux-headers-$(uname -r)"),
            "{remedy}"
        );
        assert!(remedy.contains("DKMS"), "{remedy}");
    }
}

#[test]
fn a_relative_link_to_the_headers_counts() {
    let tree = Tree::stock().without(&below("build"));
    let tree = tree.with(&below("build"), "->../../../usr/src/linux-headers");
    assert_eq!(tree.obstacle(), Some(Obstacle::NotBuilt));
}

#[test]
fn secure_boot_locks_the_kernel_down() {
    for mode in ["integrity", "confidentiality"] {
        let all = "none integrity confidentiality".replace(mode, &format!("[{mode}]"));
        let tree = Tree::stock().without("sys/kernel/security/lockdown");
        let (reason, remedy) = tree
            .with("sys/kernel/security/lockdown", &all)
            .sentence_and_remedy();
        assert!(
            reason.contains(&format!("locked down [{mode}] (Secure Boot)")),
            "{reason}"
        );
        assert!(remedy.starts_with("sign cftu.ko"), "{remedy}");
        assert!(
            remedy.ends_with("or disable Secure Boot in the firmware"),
            "{remedy}"
        );
    }
}

#[test]
fn a_signed_module_is_tried_first() {
    let tree = Tree::stock()
        .with("sys/module/module/parameters/sig_enforce", "Y\n")
        .with(&below("../x"), "")
        .without(&below("modules.dep"))
        .with(&below("modules.dep"), "extra/cftu.ko:\n");
    let (reason, remedy) = tree.sentence_and_remedy();
    assert!(reason.contains("module.sig_enforce=Y"), "{reason}");
    assert!(remedy.starts_with("sudo modprobe cftu; "), "{remedy}");
}

#[test]
fn kernels_that_load_no_modules() {
    let built_without = Tree::stock().without("proc/modules");
    assert_eq!(built_without.obstacle(), Some(Obstacle::NoModules));
    let switched_off = Tree::stock().with("proc/sys/kernel/modules_disabled", "1\n");
    assert_eq!(switched_off.obstacle(), Some(Obstacle::ModulesDisabled));
}

#[test]
fn loaded_without_a_device_file() {
    let bare = Tree::stock().loaded();
    assert_eq!(bare.obstacle(), Some(Obstacle::NoNode { container: false }));
    let contained = bare.with(".dockerenv", "");
    assert!(
        contained
            .sentence_and_remedy()
            .1
            .contains("--device /dev/cftu")
    );
}

#[test]
fn a_stored_tree_has_no_module_to_ask() {
    let tree = Tree::stock().loaded().with("dev/cftu", "");
    assert_eq!(tree.obstacle(), None);
    assert!(tree.sentence_and_remedy().0.starts_with("a stored tree"));
}

#[test]
fn an_empty_tree_panics_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        Facts::read(folder.path()).obstacle(),
        Some(Obstacle::NoModules)
    );
    assert_eq!(Facts::read(Path::new("/nowhere/at/all")), Facts::default());
}

#[test]
fn every_obstacle_has_words_and_a_remedy() {
    let all = [
        Obstacle::NoModules,
        Obstacle::ModulesDisabled,
        Obstacle::NotLoaded,
        Obstacle::NotBuilt,
        Obstacle::NotPermitted,
        Obstacle::StoredTree,
        Obstacle::NoNode { container: false },
        Obstacle::OtherAbi {
            module: Some(2),
            module_version: None,
        },
    ];
    for obstacle in all {
        assert!(!obstacle.to_string().is_empty() && !obstacle.remedy().is_empty());
    }
}
