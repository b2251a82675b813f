//! Which ids a word selects: an id, an area, a glob.

use crate::nearest;

/// No experiment has this id or matches this glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot find experiment {id}: no such id or glob{}", nearest::hint(.near))]
pub struct Unknown {
    pub id: String,
    /// Ids that read like it, nearest first.
    pub near: Vec<String>,
}

/// Those of `ids` that equal or match `pattern`, or are of this area (`mem`, `mem/`).
///
/// # Errors
/// When none is.
pub fn matching<'a>(
    pattern: &str,
    ids: impl Iterator<Item = &'a str> + Clone,
) -> Result<Vec<&'a str>, Unknown> {
    let area = pattern.strip_suffix('/').unwrap_or(pattern);
    let selected =
        |id: &&str| glob(pattern, id) || id.split_once('/').is_some_and(|(of, _)| of == area);
    let found: Vec<&str> = ids.clone().filter(selected).collect();
    if found.is_empty() {
        return Err(Unknown {
            id: pattern.to_owned(),
            near: nearest::nearest(pattern, ids),
        });
    }
    Ok(found)
}

/// `*` matches any run of characters. Each piece between stars is taken where it
/// comes first, so that no pattern takes long.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut left) = text.strip_prefix(head) else {
        return false;
    };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let tail = pieces.pop().unwrap_or_default();
    for piece in pieces {
        match left.split_once(piece) {
            Some((_, behind)) => left = behind,
            None => return false,
        }
    }
    left.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::{glob, matching};

    #[test]
    fn stars_stand_for_anything_and_take_no_time() {
        let good = [
            ("a/b", "a/b"),
            ("*", ""),
            ("*", "mem/line"),
            ("mem/*", "mem/line"),
            ("*/line", "mem/line"),
            ("m*m/*n*", "mem/line"),
            ("**l**", "mem/line"),
            ("mem/line*", "mem/line"),
        ];
        for (pattern, text) in good {
            assert!(glob(pattern, text), "{pattern} {text}");
        }
        let bad = [
            ("", "a"),
            ("mem", "mem/line"),
            ("mem/*", "memory"),
            ("*line/", "mem/line"),
            ("*e*x*", "mem/line"),
            ("a*a", "a"),
        ];
        for (pattern, text) in bad {
            assert!(!glob(pattern, text), "{pattern} {text}");
        }
        let endless = "*".repeat(40) + "x";
        assert!(!glob(&endless, &"y".repeat(40)));
    }

    #[test]
    fn an_id_an_area_and_a_glob_select_in_the_order_of_the_ids() {
        let ids = ["mem/line", "mem/latency", "ipc/pipe", "memory/x"];
        let of = |pattern| matching(pattern, ids.into_iter()).unwrap();
        assert_eq!(of("ipc/pipe"), ["ipc/pipe"]);
        assert_eq!(of("mem"), ["mem/line", "mem/latency"]);
        assert_eq!(of("mem/"), of("mem"));
        assert_eq!(of("*/l*"), ["mem/line", "mem/latency"]);
        let unknown = matching("mem/lin", ids.into_iter()).unwrap_err();
        assert_eq!(unknown.near.first().unwrap(), "mem/line");
        assert!(matching("", ids.into_iter()).is_err());
    }
}
