//! Mounted file systems that this crate cares about.
//!
//! Source: proc_pid_mounts(5), fstab(5) for the escapes.

use crate::problem::Flaw;
use crate::source::Source;
use crate::text::{Unexpected, lines};
use serde::{Deserialize, Serialize};

/// Mounts in the namespace of this process (proc_mounts(5)).
pub const PATH: &str = "/proc/self/mounts";

/// Types kept (`ext4` and `xfs` only when mounted with `dax`).
pub const KINDS: [&str; 7] = [
    "tracefs",
    "debugfs",
    "cgroup",
    "cgroup2",
    "hugetlbfs",
    "resctrl",
    "securityfs",
];

/// One mounted file system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    pub point: String,
    pub kind: String,
    pub options: Vec<String>,
}

impl Mount {
    /// Whether it is mounted with `option`.
    pub fn has(&self, option: &str) -> bool {
        self.options.iter().any(|o| o == option)
    }
}

/// Reads [`PATH`], in its order.
pub fn read(source: &Source) -> Vec<Mount> {
    source.lines(PATH, parse).unwrap_or_default()
}

/// Lines `device point type options 0 0`.
pub fn parse(text: &str) -> (Vec<Mount>, Vec<Flaw>) {
    lines(text, |_, line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, point, kind, options, ..] = words[..] else {
            return match words[..] {
                [] => Ok(None),
                _ => Err(Unexpected::new("device, point, type", line)),
            };
        };
        let mount = Mount {
            point: unescaped(point),
            kind: kind.to_owned(),
            options: options.split(',').map(str::to_owned).collect(),
        };
        let direct = |o: &String| o == "dax" || o.starts_with("dax=");
        let kept = KINDS.contains(&kind) || mount.options.iter().any(direct);
        Ok(kept.then_some(mount))
    })
}

/// White space and backslash in a path are written in octal: `\040`.
pub(crate) fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let digits = rest.get(at + 1..at + 4);
        let byte = digits.and_then(|d| u8::from_str_radix(d, 8).ok());
        match byte.filter(u8::is_ascii) {
            Some(byte) => {
                out.push(char::from(byte));
                rest = &rest[at + 4..];
            }
            None => {
                out.push('\\');
                rest = &rest[at + 1..];
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keeps_the_file_systems_that_matter() {
        let text = "proc /proc proc rw 0 0\nnodev /sys/kernel/tracing tracefs rw,nosuid 0 0\n\
                    /dev/pmem0 /mnt/a\\040b xfs rw,dax=always 0 0\n";
        let (mounts, flaws) = parse(text);
        assert!(flaws.is_empty());
        assert_eq!(mounts.len(), 2);
        assert!(mounts[0].has("nosuid"));
        assert_eq!(mounts[1].point, "/mnt/a b");
        assert_eq!(parse("x y\n").1[0].line, 1);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(?s).*") {
            let _ = parse(&text);
            unescaped(&text);
        }

        #[test]
        fn anything_close_to_an_escape_is_read(text in "[\\\\0-9ä]{0,12}") {
            unescaped(&text);
        }
    }
}
