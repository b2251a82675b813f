//! Real cores as data: one TOML file for each, embedded in the crate.

mod describe;

pub use describe::{Coherence, Core, Flush, Inclusion, Level, Policy, Prefetcher, Tlb, Utag, Walk};

/// Cores that no method was tuned on: what is claimed of methods is judged on these.
pub const UNTOUCHED: [&str; 4] = ["zen4", "sapphire-rapids", "neoverse-v1", "cortex-a53"];

/// The files, with what they are called in messages.
const FILES: [(&str, &str); 16] = [
    ("zen2", include_str!("../cores/zen2.toml")),
    ("zen3", include_str!("../cores/zen3.toml")),
    ("zen4", include_str!("../cores/zen4.toml")),
    ("zen5", include_str!("../cores/zen5.toml")),
    ("skylake-sp", include_str!("../cores/skylake-sp.toml")),
    ("icelake-sp", include_str!("../cores/icelake-sp.toml")),
    (
        "sapphire-rapids",
        include_str!("../cores/sapphire-rapids.toml"),
    ),
    ("neoverse-n1", include_str!("../cores/neoverse-n1.toml")),
    ("neoverse-v1", include_str!("../cores/neoverse-v1.toml")),
    ("neoverse-v2", include_str!("../cores/neoverse-v2.toml")),
    ("cortex-a72", include_str!("../cores/cortex-a72.toml")),
    ("cortex-a53", include_str!("../cores/cortex-a53.toml")),
    ("apple-m1", include_str!("../cores/apple-m1.toml")),
    ("cortex-a8", include_str!("../cores/cortex-a8.toml")),
    ("cortex-a9", include_str!("../cores/cortex-a9.toml")),
    ("power9", include_str!("../cores/power9.toml")),
];

/// Why a description cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// No TOML, or other fields than a core has.
    #[error("cannot read the core {name}: {cause}")]
    Unreadable {
        /// The file's name without its ending.
        name: String,
        /// What the parser says.
        cause: Box<toml::de::Error>,
    },
    /// Numbers that do not fit one another.
    #[error("cannot build the core {name}: {complaint}")]
    Impossible {
        /// The file's name without its ending.
        name: String,
        /// Which numbers.
        complaint: String,
    },
}

/// Every core, in the order of the files. A file that cannot be used is left out; a test
/// reads them all, so none is.
pub fn all() -> Vec<Core> {
    FILES
        .iter()
        .filter_map(|(name, text)| parse(name, text).ok())
        .collect()
}

/// The core of that name.
pub fn named(name: &str) -> Option<Core> {
    let (name, text) = FILES.iter().find(|(known, _)| *known == name)?;
    parse(name, text).ok()
}

/// A core from the text of its file. `name` is for messages.
pub fn parse(name: &str, text: &str) -> Result<Core, Unusable> {
    let core: Core = toml::from_str(text).map_err(|cause| Unusable::Unreadable {
        name: name.to_owned(),
        cause: Box::new(cause),
    })?;
    match core.complaint() {
        None => Ok(core),
        Some(complaint) => Err(Unusable::Impossible {
            name: name.to_owned(),
            complaint,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_describes_a_core_that_can_be_built() {
        for (name, text) in FILES {
            let core = parse(name, text).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(core.name, name);
            assert!(!core.sources.is_empty(), "{name}: says no source");
            assert!(text.starts_with("# "), "{name}: its head says what it is");
        }
        assert_eq!(all().len(), FILES.len());
    }

    #[test]
    fn names_are_unique_and_the_untouched_exist() {
        let names: BTreeSet<String> = all().into_iter().map(|core| core.name).collect();
        assert_eq!(names.len(), FILES.len());
        assert!(UNTOUCHED.iter().all(|name| named(name).is_some()));
        assert!(named("zen1").is_none());
    }

    #[test]
    fn a_capacity_that_is_no_product_is_refused() {
        let text = FILES[0]
            .1
            .replace("bytes = 32768\nways = 8", "bytes = 32768\nways = 7");
        let refused = parse("zen2", &text).unwrap_err().to_string();
        assert!(refused.contains("L1d: 32768 bytes"), "{refused}");
    }

    #[test]
    fn an_unknown_field_is_refused() {
        let text = format!("colour = 1\n{}", FILES[0].1);
        assert!(matches!(
            parse("x", &text),
            Err(Unusable::Unreadable { .. })
        ));
    }
}
