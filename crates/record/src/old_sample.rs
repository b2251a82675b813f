//! A sample in a stream of schema 1 or 2. Tables of these lack columns instead.

use crate::sample::{Disturbance, Sample};
use serde::Deserialize;

/// The first schema whose samples are as they are now.
pub(crate) const LATER: u32 = 3;

/// Fields and their order as they were written.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
pub(crate) struct OldSample {
    metric: u16,
    process: u16,
    index: u32,
    ops: u64,
    elapsed_ns: f64,
    floor_ns: f64,
    value: f64,
    cpu: u16,
    disturbance: OldDisturbance,
}

/// Steal and interrupts were read around one sample, or not at all.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
struct OldDisturbance {
    voluntary_switches: u32,
    involuntary_switches: u32,
    minor_faults: u32,
    major_faults: u32,
    migrations: u32,
    steal_ns: Option<u64>,
    interrupts: Option<u32>,
}

impl From<OldSample> for Sample {
    fn from(old: OldSample) -> Sample {
        let seen = old.disturbance;
        Sample {
            metric: old.metric,
            process: old.process,
            index: old.index,
            ops: old.ops,
            elapsed_ns: old.elapsed_ns,
            floor_ns: old.floor_ns,
            value: old.value,
            cpu: old.cpu,
            disturbance: Disturbance {
                voluntary_switches: seen.voluntary_switches,
                involuntary_switches: seen.involuntary_switches,
                minor_faults: seen.minor_faults,
                major_faults: seen.major_faults,
                migrations: seen.migrations,
                off_cpu_ns: None,
                steal_ns: seen.steal_ns,
                interrupts: seen.interrupts,
                bracket_batches: u32::from(seen.steal_ns.is_some() || seen.interrupts.is_some()),
            },
            yardstick: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LATER, OldDisturbance, OldSample};
    use crate::sample::Sample;
    use crate::stream::{decode_point, encode_point};

    const HEAD: &str = r#"{"index":7,"experiment":"a/b","settings":[],"bytes_per_op":null,
        "state":{"state":"done"}}"#;

    #[test]
    fn samples_of_an_older_stream_are_read_and_what_they_lack_is_absent() {
        let old = OldSample {
            metric: 1,
            process: 2,
            index: 3,
            ops: 4,
            elapsed_ns: 5.0,
            floor_ns: 0.5,
            value: 1.125,
            cpu: 6,
            disturbance: OldDisturbance {
                voluntary_switches: 1,
                involuntary_switches: 2,
                minor_faults: 3,
                major_faults: 4,
                migrations: 5,
                steal_ns: Some(10_000_000),
                interrupts: None,
            },
        };
        let payload = postcard::to_stdvec(&(HEAD, vec![old])).expect("it has a form");
        for version in 1..LATER {
            let (head, samples) = decode_point(version, &payload).expect("it was written so");
            assert_eq!((head.index, samples.len()), (7, 1));
            assert_eq!((samples[0].value, samples[0].cpu), (1.125, 6));
            let seen = samples[0].disturbance;
            assert_eq!((seen.migrations, seen.off_cpu_ns), (5, None));
            assert_eq!(seen.own_steal_ns(), Some(10_000_000));
            assert_eq!(samples[0].yardstick, None);
        }
        assert!(decode_point(LATER, &payload).is_err());
        let (head, _) = decode_point(1, &payload).expect("as above");
        let now = encode_point(&head, &[Sample::default()]).expect("it has a form");
        assert!(decode_point(2, &now).is_err());
        assert!(decode_point(LATER, &now).is_ok());
    }
}
