//! The host's own list of package archives, in both of its formats, so that
//! the project names no archive itself.

use std::fmt::Write;
use std::fs;
use std::path::Path;

/// One archive with one or more suites.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Archive {
    pub addresses: Vec<String>,
    pub suites: Vec<String>,
    pub components: Vec<String>,
    /// Files of keys, or a key itself.
    pub signed_by: Option<String>,
    pub trusted: bool,
}

/// Every archive of packages that the tree at `root` names, in the order of
/// apt. Broken or switched-off entries are left out, as apt would refuse them.
pub fn read(root: &Path) -> Vec<Archive> {
    let text = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let mut archives = one_line(&text(&root.join("etc/apt/sources.list")));
    let mut parts: Vec<_> = fs::read_dir(root.join("etc/apt/sources.list.d"))
        .map(|entries| entries.filter_map(|e| Some(e.ok()?.path())).collect())
        .unwrap_or_default();
    parts.sort();
    for part in parts {
        match part.extension().and_then(|e| e.to_str()) {
            Some("list") => archives.extend(one_line(&text(&part))),
            Some("sources") => archives.extend(stanzas(&text(&part))),
            _ => {}
        }
    }
    archives
}

/// `deb [options] ADDRESS SUITE COMPONENT...`
fn one_line(text: &str) -> Vec<Archive> {
    text.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<Archive> {
    let line = line.split('#').next()?.trim();
    let mut rest = line.strip_prefix("deb")?;
    if !rest.starts_with([' ', '\t']) {
        return None;
    }
    rest = rest.trim_start();
    let mut archive = Archive::default();
    if let Some((options, behind)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
        rest = behind;
        for (name, value) in options.split_whitespace().filter_map(|o| o.split_once('=')) {
            match name {
                "signed-by" => archive.signed_by = Some(value.to_owned()),
                "trusted" => archive.trusted = value == "yes",
                _ => {}
            }
        }
    }
    let mut words = rest.split_whitespace().map(str::to_owned);
    archive.addresses.push(words.next()?);
    archive.suites.push(words.next()?);
    archive.components = words.collect();
    Some(archive)
}

/// Paragraphs of `Field: values`, a value going on in indented lines.
fn stanzas(text: &str) -> Vec<Archive> {
    let mut archives = Vec::new();
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in text.lines().chain([""]) {
        if line.trim().is_empty() {
            archives.extend(stanza(&std::mem::take(&mut fields)));
        } else if line.starts_with('#') {
        } else if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = fields.last_mut() {
                // A lone dot stands for an empty line, as in keys.
                let more = line.trim();
                let _ = write!(value, "\n{}", if more == "." { "" } else { more });
            }
        } else if let Some((name, value)) = line.split_once(':') {
            fields.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    archives
}

fn stanza(fields: &[(String, String)]) -> Option<Archive> {
    let field = |name: &str| {
        fields
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    };
    let words = |name: &str| -> Vec<String> {
        let all = field(name).unwrap_or_default().split_whitespace();
        all.map(str::to_owned).collect()
    };
    let off = matches!(field("enabled"), Some("no" | "false" | "off" | "0"));
    if off || !words("types").iter().any(|t| t == "deb") {
        return None;
    }
    let archive = Archive {
        addresses: words("uris"),
        suites: words("suites"),
        components: words("components"),
        signed_by: field("signed-by").map(|v| v.trim().to_owned()),
        trusted: field("trusted") == Some("yes"),
    };
    (!archive.addresses.is_empty() && !archive.suites.is_empty()).then_some(archive)
}

/// The archives that carry `wanted` (a code name), where the host, which is on
/// `host` (its code name), takes its own release and the updates to it.
pub fn of_suite(archives: &[Archive], host: &str, wanted: &str) -> Vec<Archive> {
    let translated = |suite: &String| {
        let ending = suite
            .strip_prefix(host)
            .or_else(|| suite.strip_prefix(wanted))?;
        matches!(ending, "" | "-security" | "-updates").then(|| format!("{wanted}{ending}"))
    };
    archives
        .iter()
        .filter(|archive| archive.components.iter().any(|c| c == "main"))
        .filter_map(|archive| {
            let suites: Vec<String> = archive.suites.iter().filter_map(translated).collect();
            (!suites.is_empty()).then(|| Archive {
                suites,
                ..archive.clone()
            })
        })
        .collect()
}

/// The archives as a `.sources` file for `architectures`; only `main`.
pub fn written(archives: &[Archive], architectures: &[&str]) -> String {
    let mut text = String::new();
    for archive in archives {
        let _ = writeln!(text, "Types: deb\nURIs: {}", archive.addresses.join(" "));
        let _ = writeln!(
            text,
            "Suites: {}\nComponents: main",
            archive.suites.join(" ")
        );
        let _ = writeln!(text, "Architectures: {}", architectures.join(" "));
        if let Some(signed_by) = &archive.signed_by {
            let lines: Vec<&str> = signed_by
                .lines()
                .map(|l| if l.is_empty() { "." } else { l })
                .collect();
            let _ = writeln!(text, "Signed-By: {}", lines.join("\n "));
        }
        if archive.trusted {
            text.push_str("Trusted: yes\n");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Archive, of_suite, read, stanzas, written};
    use proptest::prelude::*;
    use std::fs;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn both_formats_are_read_in_order() {
        let root = tempfile::tempdir().unwrap();
        let parts = root.path().join("etc/apt/sources.list.d");
        fs::create_dir_all(&parts).unwrap();
        fs::write(
            root.path().join("etc/apt/sources.list"),
            "# none\ndeb-src http://a.example/debian bookworm main\n\
             deb [arch=amd64 signed-by=/k.gpg] http://a.example/debian bookworm main contrib # x\n",
        )
        .unwrap();
        fs::write(
            parts.join("b.sources"),
            "Types: deb deb-src\nURIs: http://b.example/debian\nSuites: bookworm-security sid\n\
             # a remark\nComponents: main\nSigned-By:\n -----BEGIN KEY-----\n .\n abc\n\n\
             Types: deb\nURIs: http://c.example\nSuites: x\nComponents: main\nEnabled: no\n",
        )
        .unwrap();
        fs::write(parts.join("c.list.off"), "deb http://d.example x main\n").unwrap();
        let archives = read(root.path());
        assert_eq!(archives.len(), 2, "{archives:?}");
        assert_eq!(archives[0].signed_by.as_deref(), Some("/k.gpg"));
        assert_eq!(archives[0].components, words("main contrib"));
        assert_eq!(archives[1].suites, words("bookworm-security sid"));
        // What was understood is written so that it is understood again.
        let again = stanzas(&written(&archives, &["amd64", "arm64"]));
        assert_eq!(again[1], archives[1]);
    }

    #[test]
    fn other_suites_are_left_out_and_a_newer_host_serves_the_older_release() {
        let archive = |suites: &str, components: &str| Archive {
            addresses: words("http://a.example"),
            suites: words(suites),
            components: words(components),
            ..Archive::default()
        };
        let host = [
            archive("trixie trixie-updates trixie-backports", "main"),
            archive("nodistro", "main"),
            archive("trixie", "contrib"),
        ];
        let found = of_suite(&host, "trixie", "bookworm");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].suites, words("bookworm bookworm-updates"));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(?s).{0,200}", fields in "(Types|URIs|Suites|deb|[ :\\n\\[\\]]){0,40}") {
            for text in [&text, &fields] {
                super::one_line(text);
                stanzas(text);
            }
        }
    }
}
