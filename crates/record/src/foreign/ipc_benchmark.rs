//! The JSON of `ipc-benchmark` (Advanced Operating Systems, Lab 2, Cambridge).
//!
//! Years differ: `buffer_size` is also spelt `buffersize`, blocks are missing or
//! lie inside one another, numbers come as text. What is needed is looked for
//! by name in every block.

use serde_json::{Map, Value};
use std::fmt;

/// One file.
#[derive(Debug, Clone, PartialEq)]
pub struct IpcBenchmark {
    /// Facts of the machine, as named there: `hw.model`, `kern.ostype`.
    pub facts: Vec<(String, String)>,
    pub buffer_bytes: u64,
    pub total_bytes: u64,
    /// `1thread`, `2thread`, `2proc`.
    pub mode: String,
    /// `pipe`, `local`, `tcp`.
    pub ipc_type: String,
    /// `arch`, `dcache`, `none`.
    pub pmc_type: String,
    /// In the order of the file.
    pub samples: Vec<ForeignSample>,
}

/// One iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignSample {
    pub elapsed_ns: f64,
    /// Whatever else was counted, for the whole iteration, as named there:
    /// `msgsnd`, `CPU_CYCLES`. Without `bandwidth`, which follows from the time.
    pub counts: Vec<(String, f64)>,
}

/// Why a file is none, naming what is missing or odd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotReadable(String);

impl fmt::Display for NotReadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotReadable {}

/// Bandwidth and time of a sample may disagree by this share: both are rounded.
const AGREEMENT: f64 = 0.01;
/// More is no file of that program.
const MOST_SAMPLES: usize = 1_000_000;

impl IpcBenchmark {
    /// # Errors
    /// Says which part is missing, of the wrong type, or contradicts another.
    pub fn parse(text: &str) -> Result<IpcBenchmark, NotReadable> {
        let document: Value = serde_json::from_str(text)
            .map_err(|e| NotReadable(format!("it is no JSON document: {e}")))?;
        let document = document
            .as_object()
            .ok_or_else(|| NotReadable("it is no JSON object".to_owned()))?;
        let benchmark = block(document, "benchmark_configuration")
            .ok_or_else(|| missing("benchmark_configuration (run ipc-benchmark with -j -v)"))?;
        let bytes = |names: [&str; 2]| {
            names
                .iter()
                .find_map(|name| benchmark.get(*name))
                .and_then(whole_number)
                .filter(|n| *n > 0)
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
            mode: word("mode", ""),
            ipc_type: word("ipctype", ""),
            pmc_type: word("pmctype", "none"),
            samples: samples(document, total_bytes)?,
        })
    }

    /// A fact by name.
    #[must_use]
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
    let list = document
        .get("benchmark_samples")
        .and_then(Value::as_array)
        .filter(|list| !list.is_empty())
        .ok_or_else(|| missing("benchmark_samples"))?;
    if list.len() > MOST_SAMPLES {
        return Err(NotReadable(format!("it has {} samples", list.len())));
    }
    let one = |(index, value): (usize, &Value)| {
        sample(value, total_bytes).map_err(|cause| {
            NotReadable(format!(
                "sample {} of benchmark_samples: {cause}",
                index + 1
            ))
        })
    };
    list.iter().enumerate().map(one).collect()
}

fn sample(value: &Value, total_bytes: u64) -> Result<ForeignSample, String> {
    let entries = value.as_object().ok_or("it is no object")?;
    let of = |name: &str| entries.get(name).and_then(number);
    let seconds = of("time")
        .filter(|s| *s > 0.0)
        .ok_or("it has no time above zero")?;
    if let Some(bandwidth) = of("bandwidth") {
        let follows = total_bytes as f64 / seconds / 1024.0;
        if (bandwidth - follows).abs() > AGREEMENT * follows {
            return Err(format!(
                "its bandwidth is {bandwidth} KiB/s, its size and time give {follows:.2}"
            ));
        }
    }
    let counts = entries
        .iter()
        .filter(|(name, _)| !["bandwidth", "time"].contains(&name.as_str()))
        .filter_map(|(name, value)| Some((name.clone(), number(value)?)))
        .collect();
    Ok(ForeignSample {
        elapsed_ns: seconds * 1e9,
        counts,
    })
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
    use super::IpcBenchmark;
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
        for (from, to, said) in [
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
            ("{", "[", "no JSON document"),
        ] {
            let odd = PRINTED.replacen(from, to, 1);
            let why = IpcBenchmark::parse(&odd).expect_err(said).to_string();
            assert!(why.contains(said), "{why}");
        }
        assert!(IpcBenchmark::parse("[]").is_err());
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
