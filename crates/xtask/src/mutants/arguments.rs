//! `[--seed N] [--sample N] [CRATE...]`.

/// So many of each crate.
const SAMPLE: usize = 150;
const SEED: u64 = 16;

/// Which mutants of which crates are tried.
#[derive(Debug, PartialEq, Eq)]
pub struct Arguments {
    pub seed: u64,
    pub sample: usize,
    pub crates: Vec<String>,
}

impl Arguments {
    /// `all`: the crates that are tried where none is named.
    pub fn parse(words: &[&str], all: &[&str]) -> Result<Arguments, String> {
        let mut wanted = Arguments {
            seed: SEED,
            sample: SAMPLE,
            crates: Vec::new(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut number = || {
                let value = words.next().and_then(|value| value.parse().ok());
                value.ok_or_else(|| format!("cannot read {word}: a number must follow it"))
            };
            match *word {
                "--seed" => wanted.seed = number()?,
                "--sample" => wanted.sample = number()? as usize,
                name => wanted.crates.push(name.to_owned()),
            }
        }
        if wanted.crates.is_empty() {
            wanted.crates = all.iter().map(|&name| name.to_owned()).collect();
        }
        Ok(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::Arguments;

    #[test]
    fn what_is_left_out_is_as_always() {
        let all = Arguments::parse(&[], &["a", "b"]).unwrap();
        assert_eq!((all.sample, all.crates.len()), (150, 2));
        let some = Arguments::parse(&["--sample", "3", "b", "--seed", "9"], &["a", "b"]).unwrap();
        let expected = Arguments {
            seed: 9,
            sample: 3,
            crates: vec!["b".to_owned()],
        };
        assert_eq!(some, expected);
        assert!(Arguments::parse(&["--seed"], &[]).is_err());
    }
}
