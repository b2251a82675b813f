//! File systems to compare: the scratch folder's, and those that a user has
//! mounted for it. Nothing is mounted here.

use harness::{Context, SetupError};
use machine::medium::Medium;
use std::path::{Path, PathBuf};

/// Words of the axis.
pub const MOUNTS: &[&str] = &["scratch", "ordered", "writeback", "journal", "external"];

/// A folder to write in, and what it is mounted on.
///
/// # Errors
/// `Skip` with the commands that make the mount.
pub fn folder(mount: &str, context: &Context) -> Result<(PathBuf, Medium), SetupError> {
    let folder = match mount {
        "scratch" => context.scratch.clone(),
        other => Path::new("/mnt").join(format!("pontage-{other}")),
    };
    let medium = Medium::of(&folder).map_err(|_| {
        let reason = format!("nothing is mounted at {}", folder.display());
        SetupError::skip(reason, remedy(mount))
    })?;
    if mount != "scratch" {
        suits(mount, &medium)?;
    } else if medium.is_memory() {
        let system = &medium.file_system;
        return Err(SetupError::skip(
            format!("the scratch folder is on {system}, which has no journal"),
            "put it on a disk: TMPDIR=/var/tmp pontage run persist/journal --full",
        ));
    }
    Ok((folder, medium))
}

/// Whether the mount is what its name says.
fn suits(mount: &str, medium: &Medium) -> Result<(), SetupError> {
    let own = medium.mount_point.ends_with(format!("pontage-{mount}"));
    let right = match mount {
        "external" => medium.journal_is_elsewhere(),
        mode => medium.data_mode.as_deref() == Some(mode),
    };
    if own && right {
        return Ok(());
    }
    let reason = format!(
        "the mount at /mnt/pontage-{mount} is of another kind: {}",
        medium.describe()
    );
    Err(SetupError::skip(reason, remedy(mount)))
}

/// Commands that make and mount the file system, on loop devices.
fn remedy(mount: &str) -> String {
    let image = format!("/var/tmp/pontage-{mount}.img");
    let place = format!("/mnt/pontage-{mount}");
    let make = match mount {
        "external" => format!(
            "truncate -s 128M /var/tmp/pontage-log.img && L=$(sudo losetup -f --show \
             /var/tmp/pontage-log.img) && sudo mke2fs -q -b 4096 -O journal_dev $L && truncate -s 1G \
             {image} && sudo mke2fs -q -t ext4 -b 4096 -J device=$L {image}"
        ),
        _ => format!("truncate -s 1G {image} && mke2fs -q -t ext4 -b 4096 {image}"),
    };
    let options = match mount {
        "external" => "loop".to_owned(),
        mode => format!("loop,data={mode}"),
    };
    let mut text = format!(
        "{make} && sudo mkdir -p {place} && sudo mount -o {options} {image} {place} && sudo chmod \
         1777 {place}"
    );
    if mount == "external" {
        text += "; for a journal on a NUMA node take a block device of that node for $L: cat \
                 /sys/block/*/device/numa_node";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{MOUNTS, remedy, suits};
    use machine::medium::Medium;

    fn medium(place: &str, mode: &str, journal: &str) -> Medium {
        Medium {
            file_system: "ext4".to_owned(),
            device: "/dev/loop3".to_owned(),
            mount_point: place.into(),
            options: "rw".to_owned(),
            data_mode: Some(mode.to_owned()),
            journal: Some(journal.to_owned()),
        }
    }

    #[test]
    fn a_mount_has_to_be_what_its_name_says() {
        let right = medium("/mnt/pontage-writeback", "writeback", "loop3");
        assert_eq!(suits("writeback", &right), Ok(()));
        // A folder of that name that nothing is mounted at is on another mount.
        assert!(suits("writeback", &medium("/", "writeback", "loop3")).is_err());
        assert!(
            suits(
                "writeback",
                &medium("/mnt/pontage-writeback", "ordered", "loop3")
            )
            .is_err()
        );
        let outside = medium("/mnt/pontage-external", "ordered", "loop4");
        assert_eq!(suits("external", &outside), Ok(()));
        assert!(
            suits(
                "external",
                &medium("/mnt/pontage-external", "ordered", "loop3")
            )
            .is_err()
        );
    }

    #[test]
    fn each_remedy_mounts_where_it_is_looked_for() {
        for mount in MOUNTS.iter().filter(|m| **m != "scratch") {
            let text = remedy(mount);
            assert!(text.contains(&format!("/mnt/pontage-{mount} &&")), "{text}");
        }
        assert!(remedy("external").contains("numa_node"));
    }
}
