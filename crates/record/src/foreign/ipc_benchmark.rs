//! The JSON of `ipc-benchmark` (Advanced Operating Systems, Lab 2, Cambridge).
//!
//! Years differ: `buffer_size` is also spelt `buffersize`, blocks are missing or
//! lie inside one another, numbers come as text. What is needed is looked for
//! by name in every block.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// One file.
#[derive(Debug, Clone, PartialEq)]
pub struct IpcBenchmark {
    /// Facts of the machine, as named there: `hw.model`, `kern.ostype`.
    pub facts: Vec<(String, String)>,
    pub buffer_bytes: u64,
    pub total_bytes: u64,
    /// One of [`MODES`].
    pub mode: String,
    /// `pipe`, `local`, `tcp`.
    pub ipc_type: String,
    /// `arch`, `dcache`, `none`.
    pub pmc_type: String,
    /// In the order of the file.
    pub samples: Vec<ForeignSample>,
}

/// Words of ipc-benchmark for one thread, two threads and two processes.
pub const MODES: [&str; 3] = ["1thread", "2thread", "2proc"];

/// One iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignSample {
    pub elapsed_ns: f64,
    /// Whatever else was counted, for the whole iteration, as named there:
    /// `msgsnd`, `CPU_CYCLES`. Without `bandwidth`, which follows from the time.
    pub counts: Vec<(String, f64)>,
}

/// Why a file is none, naming what is missing or odd.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotReadable(String);

/// Bandwidth and time of a sample may disagree by this share: both are rounded.
const AGREEMENT: f64 = 0.01;
/// More is no file of that program: an iteration takes some hundred bytes, and
/// two dozen things are counted at the most. A document takes tens of times its
/// length in memory, and every name becomes a metric.
pub const LARGEST_FILE_BYTES: usize = 16 << 20;
const MOST_SAMPLES: usize = 100_000;
const MOST_NAMES: usize = 64;
/// Seconds of an iteration: from a turn of its clock to 30 years.
const TIMES_S: std::ops::RangeInclusive<f64> = 1e-9..=1e9;
/// What a counter of 64 bits holds.
const LARGEST_COUNT: f64 = u64::MAX as f64;

impl IpcBenchmark {
    /// # Errors
    /// Says which part is missing, of the wrong type, or contradicts another.
    pub fn parse(text: &str) -> Result<IpcBenchmark, NotReadable> {
        if text.len() > LARGEST_FILE_BYTES {
            return Err(NotReadable(format!(
                "it is longer than {LARGEST_FILE_BYTES} bytes"
            )));
        }
        let document: Value = serde_json::from_str(text)
            .map_err(|e| NotReadable(format!("it is not a JSON document: {e}")))?;
        let document = document
            .as_object()
            .ok_or_else(|| NotReadable("it is not a JSON object".to_owned()))?;
        let benchmark = block(document, "benchmark_configuration")
            .ok_or_else(|| missing("benchmark_configuration (run ipc-benchmark with -j -v)"))?;
        let bytes = |names: [&str; 2]| {
            names
                .iter()
                .find_map(|name| benchmark.get(*name))
                .and_then(whole_number)
                .filter(|n| *n > 0 && i64::try_from(*n).is_ok())
                .ok_or_else(|| missing(names[0]))
        };
        let word = |name: &str, fallback: &str| {
            let found = benchmark.get(name).and_then(Value::as_str);
            found.unwrap_or(fallback).to_owned()
        };
        let total_bytes = bytes(["total_size", "totalsize"])?;
        Ok(IpcBenchmark {
            facts: facts(document),
            buffer_bytes: bytes(["buffer_size", "buffersize"])?,
            total_bytes,
            mode: Some(word("mode", ""))
                .filter(|mode| MODES.contains(&mode.as_str()))
                .ok_or_else(|| missing(&format!("mode that is one of {}", MODES.join(", "))))?,
            ipc_type: word("ipctype", ""),
            pmc_type: word("pmctype", "none"),
            samples: samples(document, total_bytes)?,
        })
    }

    /// A fact by name.
    pub fn fact(&self, name: &str) -> Option<&str> {
        let found = self.facts.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

fn missing(what: &str) -> NotReadable {
    NotReadable(format!("it has no {what}"))
}

fn block<'a>(document: &'a Map<String, Value>, name: &str) -> Option<&'a Map<String, Value>> {
    document.get(name).and_then(Value::as_object)
}

/// Numbers and texts of all blocks but the benchmark's own.
fn facts(document: &Map<String, Value>) -> Vec<(String, String)> {
    let blocks = document
        .iter()
        .filter(|(name, _)| !name.starts_with("benchmark_"))
        .filter_map(|(_, value)| value.as_object());
    let mut facts = Vec::new();
    for (name, value) in blocks.flatten() {
        match value {
            Value::String(text) => facts.push((name.clone(), text.clone())),
            Value::Number(n) => facts.push((name.clone(), n.to_string())),
            _ => {}
        }
    }
    facts
}

fn samples(
    document: &Map<String, Value>,
    total_bytes: u64,
) -> Result<Vec<ForeignSample>, NotReadable> {
    let list = document.get("benchmark_samples").and_then(Value::as_array);
    let list = list.filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| missing("benchmark_samples"))?;
    if list.len() > MOST_SAMPLES {
        return Err(NotReadable(format!("it has {} samples", list.len())));
    }
    let one = |(index, value): (usize, &Value)| {
        sample(value, total_bytes).map_err(|cause| {
            let number = index + 1;
            NotReadable(format!("sample {number} of benchmark_samples: {cause}"))
        })
    };
    let samples: Vec<ForeignSample> = list.iter().enumerate().map(one).collect::<Result<_, _>>()?;
    few_names(&samples)?;
    Ok(samples)
}

fn few_names(samples: &[ForeignSample]) -> Result<(), NotReadable> {
    let counts = samples.iter().flat_map(|s| &s.counts);
    let names: BTreeSet<&str> = counts.map(|(name, _)| name.as_str()).collect();
    match names.len() {
        0..=MOST_NAMES => Ok(()),
        many => Err(NotReadable(format!(
            "its samples count {many} things, ipc-benchmark at most {MOST_NAMES}"
        ))),
    }
}

/// What is wrong with one entry of `benchmark_samples`.
#[derive(Debug, thiserror::Error)]
enum SampleFault {
    #[error("it is not an object")]
    NotAnObject,
    #[error("it has no time above zero")]
    NoTime,
    #[error("its time is {seconds:e} s")]
    Time { seconds: f64 },
    #[error("its bandwidth is {stated} KiB/s, its size and time give {follows:.2}")]
    Bandwidth { stated: f64, follows: f64 },
    #[error("{0:?} is not a name for a count")]
    CountName(String),
    #[error("its {name} is {value:e}")]
    Count { name: String, value: f64 },
}

fn sample(value: &Value, total_bytes: u64) -> Result<ForeignSample, SampleFault> {
    let entries = value.as_object().ok_or(SampleFault::NotAnObject)?;
    let of = |name: &str| entries.get(name).and_then(number);
    let seconds = of("time").filter(|s| *s > 0.0).ok_or(SampleFault::NoTime)?;
    if !TIMES_S.contains(&seconds) {
        return Err(SampleFault::Time { seconds });
    }
    if let Some(stated) = of("bandwidth") {
        let follows = total_bytes as f64 / seconds / 1024.0;
        if (stated - follows).abs() > AGREEMENT * follows {
            return Err(SampleFault::Bandwidth { stated, follows });
        }
    }
    Ok(ForeignSample {
        elapsed_ns: seconds * 1e9,
        counts: counts(entries)?,
    })
}

fn counts(entries: &Map<String, Value>) -> Result<Vec<(String, f64)>, SampleFault> {
    let mut counts = Vec::new();
    for (name, value) in entries {
        let Some(value) = number(value) else { continue };
        if ["bandwidth", "time"].contains(&name.as_str()) {
            continue;
        }
        if !is_name(name) {
            return Err(SampleFault::CountName(name.clone()));
        }
        if !(0.0..=LARGEST_COUNT).contains(&value) {
            let name = name.clone();
            return Err(SampleFault::Count { name, value });
        }
        counts.push((name.clone(), value));
    }
    Ok(counts)
}

/// Names of events and fields of a C program: what is made of them, a metric and
/// words in a table, needs no quoting.
fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.:-".contains(c);
    (1..=64).contains(&name.len()) && name.chars().all(plain)
}

/// A finite number, also one that is written as text.
fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    };
    number.filter(|n: &f64| n.is_finite())
}

fn whole_number(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_u64(),
    }
}

#[cfg(test)]
mod tests {
    use super::{IpcBenchmark, LARGEST_FILE_BYTES, MOST_NAMES, MOST_SAMPLES};
    use proptest::prelude::*;

    /// The shape and the figures that the lab's document prints.
    pub const PRINTED: &str = r#"{
        "hardware_configuration": {
            "hw.machine": "arm64", "hw.model": "ARM Cortex-A72 r0p3", "hw.ncpu": 4,
            "hw.physmem": 8419033088,
            "hw.pagesizes": [{"pagesize": 4096}, {"pagesize": 2097152}],
            "hw.cpubfreq.arm_freq": 600000000
        },
        "os_configuration": {"kern.ostype": "FreeBSD", "kern.hostname": "rpi4-046"},
        "benchmark_configuration": {
            "buffer_size": 131072, "total_size": 16777216, "msgcount": 128,
            "mode": "2thread", "ipctype": "pipe", "pmctype": "arch", "iterations": 1
        },
        "benchmark_samples": [{
            "bandwidth": 609733.59, "time": "0.026870752", "stime": "0.023513",
            "utime": "0.000165", "msgsnd": 128, "msgrcv": 256, "nvcsw": 523, "nivcsw": 0,
            "INST_RETIRED": 7807526, "CPU_CYCLES": 10659620, "CYCLES_PER_INSTRUCTION": 1.365301
        }]
    }"#;

    #[test]
    fn the_printed_sample_is_read() {
        let read = IpcBenchmark::parse(PRINTED).expect("as printed");
        assert_eq!((read.buffer_bytes, read.total_bytes), (131_072, 16_777_216));
        assert_eq!(
            (read.mode.as_str(), read.ipc_type.as_str()),
            ("2thread", "pipe")
        );
        assert_eq!(read.fact("hw.model"), Some("ARM Cortex-A72 r0p3"));
        assert_eq!(read.fact("hw.ncpu"), Some("4"));
        let sample = &read.samples[0];
        assert!((sample.elapsed_ns - 26_870_752.0).abs() < 1.0);
        let count = |name: &str| {
            sample
                .counts
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, v)| *v)
        };
        assert_eq!(count("msgrcv"), Some(256.0));
        assert_eq!(count("stime"), Some(0.023_513));
        assert_eq!(count("CYCLES_PER_INSTRUCTION"), Some(1.365_301));
        assert_eq!(count("bandwidth"), None);
    }

    #[test]
    fn both_spellings_of_the_sizes_are_one() {
        let other = PRINTED
            .replace("buffer_size", "buffersize")
            .replace("total_size", "totalsize");
        assert_eq!(IpcBenchmark::parse(&other), IpcBenchmark::parse(PRINTED));
    }

    #[test]
    fn what_is_missing_or_odd_is_named() {
        for (from, to, expected) in [
            ("benchmark_configuration", "x", "benchmark_configuration"),
            ("buffer_size", "x", "buffer_size"),
            ("16777216", "0", "total_size"),
            ("benchmark_samples", "x", "benchmark_samples"),
            (
                "\"0.026870752\"",
                "\"soon\"",
                "sample 1 of benchmark_samples: it has no time",
            ),
            ("609733.59", "1.0", "its bandwidth is 1 KiB/s"),
            (
                "\"bandwidth\": 609733.59, \"time\": \"0.026870752\"",
                "\"time\": 1e300",
                "its time is 1e300 s",
            ),
            ("7807526", "-1", "its INST_RETIRED is -1"),
            ("7807526", "1e300", "its INST_RETIRED is 1e300"),
            ("INST_RETIRED", "IN\\nST", "\"IN\\nST\" is not a name"),
            (
                "\"2thread\"",
                "\"3thread\"",
                "no mode that is one of 1thread",
            ),
            ("131072", "9223372036854775808", "no buffer_size"),
            ("{", "[", "not a JSON document"),
        ] {
            let odd = PRINTED.replacen(from, to, 1);
            let why = IpcBenchmark::parse(&odd).expect_err(expected).to_string();
            assert!(why.contains(expected), "{why}");
        }
        assert!(IpcBenchmark::parse("[]").is_err());
    }

    #[test]
    fn what_takes_too_much_is_no_such_file() {
        let long = format!("{PRINTED}{}", " ".repeat(LARGEST_FILE_BYTES));
        let counts: String = (0..=MOST_NAMES).map(|i| format!("\"C{i}\": 1,")).collect();
        let wide = PRINTED.replace("\"msgsnd\"", &format!("{counts}\"msgsnd\""));
        let one = "{\"time\": 1},".repeat(MOST_SAMPLES);
        let many = PRINTED.replace("[{\n            \"band", &format!("[{one}{{\"band"));
        assert_ne!(many, PRINTED);
        for (text, expected) in [
            (long, "longer than"),
            (wide, "count 74 things"),
            (many, "samples"),
        ] {
            let why = IpcBenchmark::parse(&text).expect_err(expected).to_string();
            assert!(why.contains(expected), "{why}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,200}") {
            let _ = IpcBenchmark::parse(&text);
        }

        /// One edit anywhere in a good file: read or refused, never a panic, and
        /// what is read makes sense.
        #[test]
        fn no_edit_makes_it_panic(at in 0usize..PRINTED.len(), with in "[\\x20-\\x7e]{0,3}") {
            let mut edited = PRINTED.to_owned();
            edited.replace_range(at..=at, &with);
            if let Ok(read) = IpcBenchmark::parse(&edited) {
                prop_assert!(read.buffer_bytes > 0 && !read.samples.is_empty());
                prop_assert!(read.samples.iter().all(|s| s.elapsed_ns > 0.0));
            }
        }
    }
}
