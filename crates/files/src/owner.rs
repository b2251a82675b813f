//! Whose files are believed: our own and root's, who can do what he likes anyway.

use std::sync::OnceLock;

/// What `/proc/self/uid_map` holds outside of user namespaces, and the number that stands
/// for users without one inside (user_namespaces(7)); a kernel may have another set.
const EVERYBODY: [&str; 3] = ["0", "0", "4294967295"];
const OVERFLOW: u32 = 65534;

/// Whether links and folders of this user lead where they are to lead. In a user
/// namespace (a container without root) the machine's root is one of those who have no
/// number there, and cannot be separated from the others.
pub fn is_believed(uid: u32) -> bool {
    static OVERFLOW_HERE: OnceLock<Option<u32>> = OnceLock::new();
    let without_number = OVERFLOW_HERE.get_or_init(|| {
        let read = |path: &str| std::fs::read_to_string(path).ok();
        overflow(
            &read("/proc/self/uid_map")?,
            read("/proc/sys/kernel/overflowuid"),
        )
    });
    uid == rustix::process::geteuid().as_raw() || uid == 0 || Some(uid) == *without_number
}

/// None where every user has a number.
fn overflow(uid_map: &str, overflow_uid: Option<String>) -> Option<u32> {
    if uid_map.split_whitespace().eq(EVERYBODY) {
        return None;
    }
    Some(
        overflow_uid
            .and_then(|text| text.trim().parse().ok())
            .unwrap_or(OVERFLOW),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_root_only_in_a_user_namespace() {
        let of =
            |map: &str, overflow_uid: Option<&str>| overflow(map, overflow_uid.map(str::to_owned));
        assert_eq!(
            of("         0          0 4294967295\n", Some("65534\n")),
            None
        );
        assert_eq!(of("0 1000 1\n", Some("99\n")), Some(99));
        assert_eq!(of("0 1000 1\n1 100000 65536\n", None), Some(65534));
    }
}
