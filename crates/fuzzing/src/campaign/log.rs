//! What libFuzzer prints: `#12 INITED cov: 3 ft: 4 corp: 1/1b ...`.

/// At one moment: edges of the control flow that were reached, and features
/// (edges by how often, compared values).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    pub edges: u64,
    pub features: u64,
}

/// What one run of a target printed about its work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    pub executions: u64,
    /// Of the corpus as it was.
    pub begin: Coverage,
    pub end: Coverage,
}

impl Progress {
    /// From what libFuzzer printed to standard error; the last values count.
    pub fn read(log: &str) -> Progress {
        let mut progress = Progress::default();
        for line in log.lines() {
            let Some(rest) = line.strip_prefix('#') else {
                if let Some(count) = line.strip_prefix("stat::number_of_executed_units:") {
                    progress.executions = count.trim().parse().unwrap_or(progress.executions);
                }
                continue;
            };
            let words: Vec<&str> = rest.split_whitespace().collect();
            let behind = |name: &str| {
                let at = words.iter().position(|word| *word == name)?;
                words.get(at + 1)?.parse().ok()
            };
            let Some((edges, features)) = behind("cov:").zip(behind("ft:")) else {
                continue;
            };
            let executions = words.first().and_then(|n| n.parse().ok());
            progress.executions = executions.unwrap_or(progress.executions);
            progress.end = Coverage { edges, features };
            if words.get(1) == Some(&"INITED") {
                progress.begin = progress.end;
            }
        }
        progress
    }
}

/// The inputs that it kept, also those that an earlier run had found.
pub fn kept(log: &str) -> Vec<&str> {
    let behind = log
        .lines()
        .map(|line| line.split_once("Test unit written to "));
    behind.flatten().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::{Coverage, Progress, kept};

    #[test]
    fn inputs_that_were_kept_are_named() {
        let log = "SUMMARY: libFuzzer: deadly signal\nMS: 0 ; base unit: 69e7\n\n\n\
            artifact_prefix='/a b/'; Test unit written to /a b/crash-da39\nBase64: \n";
        assert_eq!(kept(log), ["/a b/crash-da39"]);
        assert_eq!(kept("SUMMARY: libFuzzer: deadly signal\n"), [""; 0]);
    }

    #[test]
    fn begin_and_end_are_libfuzzers() {
        let log = "INFO: seed corpus: files: 2\n#2\tpulse  cov: 9 ft: 9 corp: 1/1b\n\
            #3\tINITED cov: 10 ft: 12 corp: 1/1b exec/s: 0 rss: 30Mb\n\
            #8\tREDUCE cov: 20 ft: 31 corp: 2/18Kb lim: 4 exec/s: 4 rss: 30Mb L: 8/8 MS: 1 Erase-\n\
            # odd\n";
        let begin = Coverage {
            edges: 10,
            features: 12,
        };
        let end = Coverage {
            edges: 20,
            features: 31,
        };
        let progress = |executions| Progress {
            executions,
            begin,
            end,
        };
        assert_eq!(Progress::read(log), progress(8));
        let whole = format!("{log}stat::number_of_executed_units: 99\nDone\n");
        assert_eq!(Progress::read(&whole), progress(99));
        assert_eq!(Progress::read("error while loading"), Progress::default());
    }
}
