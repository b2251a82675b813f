//! Where journals are kept when nobody says.

use super::folder::{Folder, Refusal};
use std::ffi::OsString;
use std::path::PathBuf;

/// Folders, the first that can be had is used: `$PONTAGE_STATE_DIR` alone where it
/// is set; for root /var/lib/pontage, /run/pontage; for others
/// `$XDG_STATE_HOME/pontage`, ~/.local/state/pontage, `$XDG_RUNTIME_DIR/pontage`,
/// /run/user/UID/pontage. None lies where everybody may write.
pub fn places() -> Vec<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    choices(user, |name| std::env::var_os(name))
}

fn choices(user: u32, variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let given = |name: &str| variable(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(dir) = given("PONTAGE_STATE_DIR") {
        return vec![dir];
    }
    if user == 0 {
        return vec!["/var/lib/pontage".into(), "/run/pontage".into()];
    }
    let home = given("HOME").map(|home| home.join(".local/state"));
    let runtime = PathBuf::from(format!("/run/user/{user}"));
    [
        given("XDG_STATE_HOME"),
        home,
        given("XDG_RUNTIME_DIR"),
        Some(runtime),
    ]
    .into_iter()
    .flatten()
    // A relative one is none (XDG Base Directory Specification).
    .filter(|folder| folder.is_absolute())
    .map(|folder| folder.join("pontage"))
    .collect()
}

/// Why no journal can be kept.
#[derive(Debug)]
pub enum NoFolder {
    Refused(Refusal),
    /// Neither of these can be made.
    Nowhere(Vec<(PathBuf, std::io::Error)>),
}

/// The first of `places` that is there or can be made.
///
/// # Errors
/// One that is there and is refused; none at all.
pub fn first(places: &[PathBuf]) -> Result<Folder, NoFolder> {
    let mut causes = Vec::new();
    for place in places {
        match Folder::make(place).map_err(NoFolder::Refused)? {
            Ok(folder) => return Ok(folder),
            Err(cause) => causes.push((place.clone(), cause)),
        }
    }
    Err(NoFolder::Nowhere(causes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(user: u32, set: &[(&str, &str)]) -> Vec<String> {
        let variable = |name: &str| {
            let found = set.iter().find(|(n, _)| *n == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let shown = |p: PathBuf| p.to_str().unwrap().to_owned();
        choices(user, variable).into_iter().map(shown).collect()
    }

    #[test]
    fn a_user_without_home_gets_no_place_that_everybody_can_write_to() {
        assert_eq!(of(7, &[]), ["/run/user/7/pontage"]);
        assert_eq!(
            of(7, &[("HOME", ""), ("TMPDIR", "/tmp")]),
            ["/run/user/7/pontage"]
        );
        assert_eq!(of(7, &[("HOME", "relative")]), ["/run/user/7/pontage"]);
        let runtime = [("XDG_RUNTIME_DIR", "/run/of/7")];
        assert_eq!(of(7, &runtime)[0], "/run/of/7/pontage");
    }

    #[test]
    fn what_is_set_comes_first_and_the_home_before_the_runtime() {
        let set = [("HOME", "/home/a"), ("XDG_STATE_HOME", "/s")];
        assert_eq!(
            of(7, &set)[..2],
            ["/s/pontage", "/home/a/.local/state/pontage"]
        );
        assert_eq!(of(0, &set), ["/var/lib/pontage", "/run/pontage"]);
        assert_eq!(of(0, &[("PONTAGE_STATE_DIR", "/x")]), ["/x"]);
    }

    #[test]
    fn where_nothing_can_be_made_all_places_are_named() {
        let places = [PathBuf::from("/dev/null/a"), PathBuf::from("/proc/b")];
        let Err(NoFolder::Nowhere(causes)) = first(&places) else {
            panic!("there is a folder")
        };
        assert_eq!(causes.len(), 2);
    }
}
