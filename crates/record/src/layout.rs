//! Names of the files of a run folder, and names of the folders.

use chrono::{DateTime, SecondsFormat, Utc};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::Path;
use std::time::SystemTime;

/// Everything but the samples.
pub const HEAD: &str = "run.json";
/// Samples while the run is not complete.
pub const STREAM: &str = "samples.stream";
/// Folder of a run's traces.
pub const TRACES: &str = "traces";
/// Bytes that a resumed run cut off behind the last whole frame of its stream.
pub const CUT: &str = "samples.stream.cut";

/// Whether a file at `path` is one of those that a record in the same folder is made of: nothing
/// that is drawn from a record may take their place.
pub fn is_of_record(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    // Through a link to a file it is that file which is replaced.
    let target = path.canonicalize();
    let target = target.as_deref().unwrap_or(path);
    let folder = files::output::folder_of(target);
    let own = |name: &str| {
        let suffixes = [".parquet", ".copies", ".stream"];
        matches!(name, HEAD | CUT | SUMMARY) || suffixes.iter().any(|s| name.ends_with(s))
    };
    let name = target.file_name().and_then(|n| n.to_str()).unwrap_or(name);
    let is_run = |folder: &Path| folder.join(HEAD).is_file();
    (own(name) && is_run(folder))
        || (folder.ends_with(TRACES) && folder.parent().is_some_and(is_run))
}

/// File name of the copies that an experiment recorded: Parquet, under a suffix of its own,
/// so that all `*.parquet` of a run, or of many, are tables of samples.
pub(crate) fn copies_file(experiment: &str) -> String {
    format!("{}.copies", experiment.replace('/', "-"))
}

/// File of the summaries: Parquet as well, a row for each metric of each point.
pub const SUMMARY: &str = "run.summary";

/// Longest host part of a folder name, in characters.
const HOST_CHARS: usize = 48;

/// Name of a run folder: `20261121T002946Z-host-4kq7wz`. Sorting by name is sorting by
/// time; the host is cut down to letters, digits and `-`, so that the name
/// needs no quoting and is valid on every file system. What is behind it is drawn anew each
/// time: nodes of a fleet share a host's name, and begin in the same second.
pub fn run_id(now: SystemTime, host: &str) -> String {
    let time = DateTime::<Utc>::from(now).format("%Y%m%dT%H%M%SZ");
    format!("{time}-{}-{}", plain_host(host), drawn())
}

/// Characters of what is drawn: 29 bits. No vowels, which make words.
const DRAWN: usize = 6;
const LETTERS: &[u8; 30] = b"0123456789bcdfghjkmnpqrstvwxyz";

/// From the seed that the system gives each process for its hash maps.
fn drawn() -> String {
    let bits = RandomState::new().build_hasher().finish();
    let letter = |byte: u8| char::from(LETTERS[usize::from(byte) % LETTERS.len()]);
    bits.to_le_bytes()
        .into_iter()
        .take(DRAWN)
        .map(letter)
        .collect()
}

/// Whether a folder's name is one that `run_id` gives or gave, or one with a number behind.
pub fn is_run_id(name: &str) -> bool {
    let Some((time, host)) = name.split_once("Z-") else {
        return false;
    };
    let digits =
        |text: &str, count| text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
    let time = time.split_once('T');
    let timed = time.is_some_and(|(day, second)| digits(day, 8) && digits(second, 6));
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    timed && !host.is_empty() && host.bytes().all(plain)
}

/// `2026-11-21T00:29:46Z`.
pub fn rfc3339_utc(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn plain_host(host: &str) -> String {
    let mut plain = String::new();
    for c in host.chars().take(HOST_CHARS) {
        if c.is_ascii_alphanumeric() {
            plain.push(c.to_ascii_lowercase());
        } else if !plain.is_empty() && !plain.ends_with('-') {
            plain.push('-');
        }
    }
    let plain = plain.trim_end_matches('-');
    if plain.is_empty() { "host" } else { plain }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn a_run_is_known_by_its_name_and_nothing_else_is() {
        let id = run_id(UNIX_EPOCH, "Lab_1");
        assert!(is_run_id(&id) && is_run_id(&format!("{id}-2")));
        for other in [
            "",
            "notes",
            "20231114T221320Z-",
            "20231114T221320Z-A",
            "2023T1Z-a",
            "../x",
        ] {
            assert!(!is_run_id(other), "{other}");
        }
    }

    #[test]
    fn names_hold_utc_time_and_a_harmless_host() {
        // `date -u -d @1700000000` is Tue Nov 14 22:13:20 UTC 2023.
        let time = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let stem = |host: &str| {
            let id = run_id(time, host);
            assert!(is_run_id(&id), "{id}");
            id[..id.len() - DRAWN - 1].to_owned()
        };
        assert_eq!(
            stem("Lab_1.example.org"),
            "20231114T221320Z-lab-1-example-org"
        );
        assert_eq!(stem("../../etc"), "20231114T221320Z-etc");
        assert_eq!(stem(""), "20231114T221320Z-host");
        assert_eq!(stem(&"x".repeat(300)).len(), 17 + HOST_CHARS);
        assert_eq!(rfc3339_utc(time), "2023-11-14T22:13:20Z");
    }

    #[test]
    fn runs_of_one_second_and_one_host_have_names_of_their_own() {
        let ids: std::collections::BTreeSet<String> =
            (0..1000).map(|_| run_id(UNIX_EPOCH, "node")).collect();
        // Of 30^6 names; two of a thousand fall together in one of 1500 such tests.
        assert!(ids.len() >= 999, "{}", ids.len());
    }

    #[test]
    fn the_files_of_a_record_are_known_behind_links_too() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let own = [
            "run.json",
            "samples.stream",
            "copies-trace.copies.stream",
            "mem-latency.parquet",
            "copies-trace.copies",
            "run.summary",
            "traces/point-1.dat",
        ];
        assert!(!own.iter().any(|name| is_of_record(&at(name))));
        std::fs::create_dir(at("traces")).unwrap();
        std::fs::write(at("run.json"), "").unwrap();
        std::fs::write(at("report.html"), "").unwrap();
        std::os::unix::fs::symlink("run.json", at("page.html")).unwrap();
        for name in own.into_iter().chain(["page.html"]) {
            assert!(is_of_record(&at(name)), "{name}");
        }
        assert!(!is_of_record(&at("report.html")) && !is_of_record(&at("x/run.json")));
    }
}
