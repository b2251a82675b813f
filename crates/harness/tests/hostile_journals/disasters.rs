//! Journals and folders that no run has made so.

use crate::scene::{FOREIGN, NOBODY, Scene, is_root, mode};
use crate::{Disaster, Tried};
use std::fs::File;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::PathBuf;
use std::process::Command;

pub const ALL: &[Disaster] = &[
    ("a_good_journal_is_undone", a_good_journal_is_undone),
    ("a_journal_of_another_user", a_journal_of_another_user),
    ("a_folder_of_another_user", a_folder_of_another_user),
    ("a_journal_that_is_a_link", a_journal_that_is_a_link),
    ("a_folder_that_is_a_link", a_folder_that_is_a_link),
    (
        "a_folder_that_others_can_write_to",
        a_folder_that_others_can_write_to,
    ),
    (
        "a_folder_that_others_can_read",
        a_folder_that_others_can_read,
    ),
    (
        "a_journal_that_others_can_write_to",
        a_journal_that_others_can_write_to,
    ),
    ("a_journal_with_a_second_name", a_journal_with_a_second_name),
    (
        "a_fifo_in_the_place_of_a_journal",
        a_fifo_in_the_place_of_a_journal,
    ),
    (
        "a_device_in_the_place_of_a_journal",
        a_device_in_the_place_of_a_journal,
    ),
    (
        "a_sparse_journal_of_a_gibibyte",
        a_sparse_journal_of_a_gibibyte,
    ),
];

const NAME: &str = "journal-1.jsonl";

fn a_good_journal_is_undone() -> Tried {
    let scene = Scene::new();
    let path = scene.good_journal(NAME);
    scene.is_restored();
    assert!(!path.exists());
    Ok(())
}

fn a_journal_of_another_user() -> Tried {
    let scene = Scene::new();
    let path = scene.good_journal(NAME);
    if is_root() {
        chown(&path, Some(NOBODY), None).unwrap();
    } else {
        let Some(foreign) = foreign_file() else {
            return Err("only root can make files of others".to_owned());
        };
        std::fs::rename(foreign, &path).unwrap();
    }
    scene.refuses("it belongs to user ");
    assert!(path.exists());
    Ok(())
}

fn foreign_file() -> Option<PathBuf> {
    let file = std::env::temp_dir().join("of-root");
    (std::env::var_os(FOREIGN).is_some() && file.exists()).then_some(file)
}

fn a_folder_of_another_user() -> Tried {
    let scene = Scene::new();
    scene.good_journal(NAME);
    if is_root() {
        chown(scene.state(), Some(NOBODY), None).unwrap();
        scene.refuses("it belongs to user 65534");
        return Ok(());
    }
    let Some(foreign) = std::env::var_os(FOREIGN).map(PathBuf::from) else {
        return Err("only root can make folders of others".to_owned());
    };
    let restored = harness::journal::restore(scene.root(), &foreign);
    assert!(
        restored[0].to_string().contains("it belongs to user 0"),
        "{restored:?}"
    );
    Ok(())
}

fn a_journal_that_is_a_link() -> Tried {
    let scene = Scene::new();
    let path = scene.good_journal(NAME);
    let elsewhere = scene.path("elsewhere.jsonl");
    std::fs::rename(&path, &elsewhere).unwrap();
    symlink(&elsewhere, &path).unwrap();
    scene.refuses("it is a symbolic link");
    Ok(())
}

fn a_folder_that_is_a_link() -> Tried {
    let scene = Scene::new();
    scene.good_journal(NAME);
    std::fs::rename(scene.state(), scene.path("elsewhere")).unwrap();
    symlink(scene.path("elsewhere"), scene.state()).unwrap();
    for ending in ["", "/", "/."] {
        let name = format!("{}{ending}", scene.state().display());
        let restored = harness::journal::restore(scene.root(), name.as_ref());
        assert_eq!(restored.len(), 1, "{restored:?}");
        assert!(
            restored[0].to_string().contains("it is a symbolic link"),
            "{restored:?}"
        );
        scene.is_untouched();
    }
    Ok(())
}

fn a_folder_that_others_can_write_to() -> Tried {
    let scene = Scene::new();
    for wide in [0o770, 0o707, 0o777] {
        scene.good_journal(NAME);
        mode(&scene.state(), wide);
        // The second time as well: looking must not make it trustworthy.
        for _ in 0..2 {
            scene.refuses("others may write to it");
        }
        // It may be any folder that the user has named: it stays as it is.
        assert_eq!(mode_of(&scene.state()), wide);
        mode(&scene.state(), 0o700);
        std::fs::remove_file(scene.state().join(NAME)).unwrap();
    }
    Ok(())
}

fn a_folder_that_others_can_read() -> Tried {
    let scene = Scene::new();
    scene.good_journal(NAME);
    for wide in [0o755, 0o750, 0o1700, 0o2700] {
        mode(&scene.state(), wide);
        scene.refuses("chmod 700");
        assert_eq!(mode_of(&scene.state()), wide);
    }
    mode(&scene.state(), 0o700);
    scene.is_restored();
    Ok(())
}

fn mode_of(path: &std::path::Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o7777
}

fn a_journal_that_others_can_write_to() -> Tried {
    let scene = Scene::new();
    for wide in [0o660, 0o602] {
        mode(&scene.good_journal(NAME), wide);
        scene.refuses("others may write to it");
    }
    Ok(())
}

fn a_journal_with_a_second_name() -> Tried {
    let scene = Scene::new();
    let path = scene.good_journal(NAME);
    std::fs::hard_link(&path, scene.path("second")).unwrap();
    scene.refuses("it has a second name");
    Ok(())
}

/// Opening it would wait for ever.
fn a_fifo_in_the_place_of_a_journal() -> Tried {
    let scene = Scene::new();
    let fifo = scene.state().join(NAME);
    let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    scene.refuses("it is a FIFO");
    Ok(())
}

fn a_device_in_the_place_of_a_journal() -> Tried {
    let scene = Scene::new();
    let path = scene.state().join(NAME);
    symlink("/dev/zero", &path).unwrap();
    scene.refuses("it is a symbolic link");
    std::fs::remove_file(&path).unwrap();
    // A copy of the null device.
    let made = Command::new("mknod")
        .arg(&path)
        .args(["c", "1", "3"])
        .output();
    if !made.is_ok_and(|o| o.status.success()) {
        return Err("only root can make devices".to_owned());
    }
    scene.refuses("it is not a regular file");
    Ok(())
}

fn a_sparse_journal_of_a_gibibyte() -> Tried {
    let scene = Scene::new();
    let path = scene.good_journal(NAME);
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(1 << 30)
        .unwrap();
    scene.refuses("it has 1073741824 bytes");
    Ok(())
}
