//! The entries of `docs/gallery`, which are part of the program.

use crate::entry::Entry;

/// Names and texts, the latest first.
const TEXTS: [(&str, &str); 4] = [
    (
        "epyc-zen5-guest",
        include_str!("../machines/epyc-zen5-guest.json"),
    ),
    (
        "epyc-zen3-guest",
        include_str!("../machines/epyc-zen3-guest.json"),
    ),
    (
        "epyc-zen1-guest",
        include_str!("../machines/epyc-zen1-guest.json"),
    ),
    (
        "xeon-granite-rapids-guest",
        include_str!("../machines/xeon-granite-rapids-guest.json"),
    ),
];

/// All entries that are built in.
pub fn built_in() -> Vec<Entry> {
    let texts = TEXTS.iter().map(|(_, text)| Entry::parse(text));
    texts.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_file_of_the_gallery_is_built_in_and_is_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("machines");
        let files = folder.read_dir().unwrap().flatten();
        let names = files.map(|f| f.file_name().to_string_lossy().into_owned());
        let mut files: Vec<String> = names
            .filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()))
            .collect();
        files.sort();
        let mut listed: Vec<&str> = TEXTS.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(files, listed);
        for (name, text) in TEXTS {
            let entry = Entry::parse(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(entry.name, name);
            assert!(!entry.about.is_empty(), "{name} says nothing of itself");
        }
    }
}
