//! Families of points of this machine that did not change, compared: how often the gate fails,
//! and how many rows cannot be compared. For a quiet machine; not part of any test.
//!
//! `cargo xtask truth real-gate [FAMILIES] [--seconds OF_EACH] [--folder DIR]`. Each family is
//! kept in DIR/families.jsonl when it is done: with the same folder an interrupted command goes on.

use super::real_family::{Family, Place};
use crate::command::{cargo, succeed};
use crate::files;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

const FAMILIES: usize = 20;
/// So all of them take twenty minutes.
const SECONDS: u64 = 60;

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
struct Wish {
    families: usize,
    seconds: u64,
    folder: Option<PathBuf>,
}

impl Wish {
    fn of(words: &[&str]) -> Result<Wish, String> {
        let mut wish = Wish {
            families: FAMILIES,
            seconds: SECONDS,
            folder: None,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} takes a value"));
            match *word {
                "--seconds" => wish.seconds = number(value()?)?,
                "--folder" => wish.folder = Some(PathBuf::from(value()?)),
                families => wish.families = number(families)?,
            }
        }
        Ok(wish)
    }
}

fn number<N: std::str::FromStr>(word: &str) -> Result<N, String> {
    let wrong = |_| {
        format!(
            "real-gate takes a number of families, --seconds and --folder; {word:?} is no number"
        )
    };
    word.parse().map_err(wrong)
}

/// Measures pairs of runs, compares each pair alone and with all runs before it, then as many
/// studies of `pontage ab` with equal sides.
pub fn run(root: &Path, words: &[&str]) -> Result<String, String> {
    let wish = Wish::of(words)?;
    succeed(cargo(root).args(["build", "-q", "--release", "-p", "pontage"]))?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let program = target.join("release/pontage");
    files::must_be_built(&program)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |since| since.as_secs());
    let own = || target.join(format!("real-gate-{now}"));
    let folder = wish.folder.clone().unwrap_or_else(own);
    let place = Place::new(program, folder, wish.seconds)?;
    all(&place, &wish)
}

/// Those that are kept, then the others.
fn all(place: &Place, wish: &Wish) -> Result<String, String> {
    let file = place.out.join("families.jsonl");
    let mut families = match file.is_file() {
        true => kept(&files::read(&file)?)?,
        false => Vec::new(),
    };
    let left = wish.families.saturating_sub(families.len());
    println!(
        "{} families in {}, {left} of them to be measured: about {} minutes",
        wish.families,
        place.out.display(),
        (left as u64 * wish.seconds).div_ceil(60)
    );
    println!("{}", Family::HEAD);
    for (at, family) in (1..).zip(&families) {
        println!("{}", family.row(at));
    }
    while families.len() < wish.families {
        let family = place.family();
        append(&file, &family)?;
        println!("{}", family.row(families.len() + 1));
        families.push(family);
    }
    Ok(sum(&families))
}

fn kept(text: &str) -> Result<Vec<Family>, String> {
    text.lines().map(Family::parse).collect()
}

fn append(file: &Path, family: &Family) -> Result<(), String> {
    let wrong = |e| format!("cannot write {}: {e}", file.display());
    let opened = OpenOptions::new().create(true).append(true).open(file);
    writeln!(opened.map_err(wrong)?, "{}", family.line()).map_err(wrong)
}

fn sum(families: &[Family]) -> String {
    let failed = |of: fn(&Family) -> Option<i64>| {
        let gates = families.iter().filter(|f| of(f) == Some(1));
        gates.count()
    };
    let mut shares: Vec<f64> = families.iter().filter_map(|f| f.not_comparable).collect();
    shares.sort_by(f64::total_cmp);
    let middle = shares.get(shares.len() / 2).copied().unwrap_or(f64::NAN);
    let lost = families.iter().filter(|f| f.lost.is_some()).count();
    format!(
        "false gates of {}: {} alone, {} with other runs known, {} by ab; {lost} not measured to \
         the end; not comparable, middle: {middle:.0} %",
        families.len(),
        failed(|f| f.alone),
        failed(|f| f.known),
        failed(|f| f.ab)
    )
}

#[cfg(test)]
mod tests {
    use super::{Wish, all};
    use crate::truth::real_family::Place;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};

    #[test]
    fn the_words_are_a_number_and_two_options() {
        let wish = Wish::of(&["6", "--seconds", "30", "--folder", "/x"]).unwrap();
        let folder = Some(PathBuf::from("/x"));
        assert_eq!((wish.families, wish.seconds, wish.folder), (6, 30, folder));
        assert!(Wish::of(&["six"]).unwrap_err().contains("six"));
        assert!(
            Wish::of(&["--seconds"])
                .unwrap_err()
                .contains("takes a value")
        );
    }

    /// Counts its runs: the fifth fails, the comparison after the seventh calls a change.
    const FAKE: &str = r#"#!/bin/sh
here=$(dirname "$0")
runs=$(cat "$here/count" 2>/dev/null || echo 0)
case "$1" in
run)
    runs=$((runs + 1)); echo $runs > "$here/count"
    [ $runs -eq 5 ] && exit 2
    while [ "$1" != --out ]; do shift; done
    mkdir -p "$2/run-$(printf %03d $runs)" ;;
compare)
    echo '{"gate":{"judged":90,"rows":100}}'
    [ $runs -ge 7 ] && exit 1 || exit 0 ;;
ab) exit 77 ;;
esac
"#;

    fn fake(folder: &Path) -> PathBuf {
        let program = folder.join("pontage");
        fs::write(&program, FAKE).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program
    }

    #[test]
    fn a_lost_run_costs_its_family_only_and_an_interrupted_command_goes_on() {
        let folder = std::env::temp_dir().join(format!("real-gate-test-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let place = Place::new(fake(&folder), folder.join("out"), 60).unwrap();
        let wish = |families| Wish {
            families,
            seconds: 60,
            folder: None,
        };
        let two = all(&place, &wish(2)).unwrap();
        assert!(
            two.starts_with("false gates of 2: 0 alone, 0 with"),
            "{two}"
        );
        let four = all(&place, &wish(4)).unwrap();
        assert!(
            four.starts_with(
                "false gates of 4: 1 alone, 1 with other runs known, 0 by ab; 1 not measured to \
                 the end; not comparable, middle: 10 %"
            ),
            "{four}"
        );
        assert_eq!(
            fs::read_to_string(folder.join("count")).unwrap().trim(),
            "7"
        );
        fs::remove_dir_all(folder).unwrap();
    }
}
