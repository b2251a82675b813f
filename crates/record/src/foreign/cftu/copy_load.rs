//! What `<x>` of `measure_<x>.dat` says. The study's script asks for it; ours is
//! system, operation, bytes: `cpu_from_to_16`.

use super::Direction;
use std::fmt;

/// The system without copies, as the study calls it.
const IDEAL: &str = "ideal";
/// Its word on the axis `copier`.
const NONE: &str = "none";
/// Of a file whose name does not say it.
pub const UNSTATED: &str = "unstated";
/// Longest copier kept of a name, characters.
const LONGEST: usize = 40;
/// Ends a copier that was longer: half a word might be another one, `ideal`, a
/// direction, a number of bytes.
const CUT: &str = "cut";

/// The copies that ran during the programs of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CopyLoad {
    /// Value of the axis `copier`: `none`, `cpu`, `dma`; of a name that says
    /// something else, that.
    pub copier: String,
    pub direction: Option<Direction>,
    pub size_bytes: Option<u64>,
}

impl CopyLoad {
    /// From the words of a name behind its first.
    pub(super) fn parse(words: &[&str]) -> Self {
        let plain = plain(&words.join("_"));
        let words: Vec<&str> = plain.split('_').filter(|w| !w.is_empty()).collect();
        let has = |word: &str| words.contains(&word);
        let both = has("both");
        let direction = Direction::of(has("from") || both, has("to") || both);
        let known = ["from", "to", "both", "user", "copy", "b", "byte", "bytes"];
        let mut rest = words;
        rest.retain(|w| !known.contains(w));
        let place = rest.iter().rposition(|w| size(w).is_some());
        let size_bytes = place.and_then(|at| size(rest.remove(at)));
        let copier = match rest.as_slice() {
            [] => UNSTATED.to_owned(),
            [IDEAL] => NONE.to_owned(),
            rest => shortened(rest.join("_")),
        };
        CopyLoad {
            copier,
            direction,
            size_bytes,
        }
    }
}

/// Bytes, as a record can hold them.
fn size(word: &str) -> Option<u64> {
    word.parse().ok().filter(|s| *s < 1 << 53)
}

/// What a name of a file may be made of: no way leads out of its folder.
fn plain(text: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    text.chars().map(kept).collect()
}

fn shortened(mut plain: String) -> String {
    if plain.len() > LONGEST {
        plain.truncate(LONGEST - CUT.len());
        plain.push_str(CUT);
    }
    plain
}

impl fmt::Display for CopyLoad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self.copier.as_str() {
            NONE => IDEAL.to_owned(),
            // From a record anything may come.
            other => plain(other),
        })?;
        f.write_str(match self.direction {
            Some(Direction::FromUser) => "_from",
            Some(Direction::Both) => "_from_to",
            Some(Direction::ToUser) => "_to",
            None => "",
        })?;
        match self.size_bytes {
            Some(size) => write!(f, "_{size}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DatName, Direction};

    #[test]
    fn names_say_system_operation_and_bytes() {
        for name in [
            "measure_cpu_from_to_16.dat",
            "synthesis_ideal_from_224.dat",
            "measure_dma_to_4096.dat",
            "measure_prova_2.dat",
            "measure_mine.dat",
        ] {
            assert_eq!(DatName::parse(name).expect(name).file(), name);
        }
        let load = |name: &str| match DatName::parse(name) {
            Some(DatName::Pollution { load, .. }) => load,
            other => panic!("{name}: {other:?}"),
        };
        let ideal = load("measure_ideal_from_user_224.dat");
        assert_eq!(
            (ideal.copier.as_str(), ideal.size_bytes),
            ("none", Some(224))
        );
        assert_eq!(ideal.direction, Some(Direction::FromUser));
        let long = load(&format!("measure_{}_top.dat", "x".repeat(37)));
        assert_eq!((long.copier.len(), long.direction), (40, None));
        let odd = load("Measure-qsort.DAT");
        assert_eq!((odd.copier.as_str(), odd.direction), ("qsort", None));
        assert_eq!(load("measure.dat").copier, "unstated");
        assert_eq!(load("synthesis_to_16064_b.dat").copier, "unstated");
        assert_eq!(load("measure_both_16.dat").direction, Some(Direction::Both));
    }

    #[test]
    fn what_was_written_is_read_as_the_same() {
        for odd in [
            "synthesis_cpu\u{fffd}\u{fffd}4.dat",
            "measure_../../x_+7.dat",
            "measure_a/b_both_9.dat",
            &format!("measure_{}_to_from_4.dat", "long".repeat(20)),
            &format!("measure_{}s.dat", "0".repeat(40)),
            &format!("measure_ideal_{}.dat", "x".repeat(40)),
            &format!("measure_{}_to.dat", "y_".repeat(20)),
        ] {
            let read = DatName::parse(odd).expect(odd);
            assert_eq!(DatName::parse(&read.file()), Some(read), "{odd}");
        }
    }

    /// A copier comes from a record too, which anybody may have written.
    #[test]
    fn no_copier_leads_out_of_the_folder() {
        let name = DatName::Pollution {
            load: super::CopyLoad {
                copier: "../../../etc/x\n".to_owned(),
                direction: None,
                size_bytes: Some(4),
            },
            synth: false,
        };
        assert_eq!(name.file(), "measure__________etc_x__4.dat");
    }
}
