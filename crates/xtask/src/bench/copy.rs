//! Our best copy against perf's best and against the C library's memcpy.

use super::json::Measured;
use super::numbers::{median, summary};
use super::ours::Ours;
use super::peer::{memcpy_gb_per_s, perf_version};
use super::row::{Row, Rows};

const TURNS: usize = 3;
const SIZES: [(u64, &str); 3] = [(16 << 10, "16KiB"), (1 << 20, "1MiB"), (64 << 20, "64MiB")];
/// Bytes that perf copies with each function in a turn.
const PERF_BYTES: u64 = 4 << 30;
const LEAST: f64 = 0.97;

/// A row for each size and peer.
pub fn best(ours: &Ours) -> Rows {
    let version = perf_version("mem/bandwidth copy")?;
    let mut rows = Vec::new();
    for (bytes, size) in SIZES {
        rows.extend(at_size(ours, bytes, size, &version)?);
    }
    Ok(rows)
}

fn at_size(ours: &Ours, bytes: u64, size: &str, version: &str) -> Result<Vec<Row>, String> {
    let mut here = Vec::new();
    let mut theirs: Vec<Vec<(String, f64)>> = Vec::new();
    for _ in 0..TURNS {
        here.push(our_rates(ours, bytes, size)?);
        theirs.push(memcpy_gb_per_s(ours.cpu, bytes, PERF_BYTES / bytes)?);
    }
    let (method, mine) = fastest(&here);
    let (function, perf) = fastest(&theirs);
    let libc: Vec<f64> = theirs
        .iter()
        .filter_map(|turn| rate_of(turn, "default"))
        .collect();
    let our_text = format!("{} {method}", summary(&mine, "GB/s"));
    let row = |what: &str, peer: &[f64], name: &str| {
        Row::paired(
            &format!("copy of {size} against {what}"),
            (&mine, our_text.clone()),
            (peer, format!("{} {name}", summary(peer, "GB/s"))),
            LEAST..=f64::INFINITY,
        )
    };
    Ok(vec![
        row("perf's best", &perf, &format!("{version} {function}")),
        row("libc memcpy", &libc, &format!("{version} default")),
    ])
}

/// The method with the highest median over the turns, and its rates.
fn fastest(turns: &[Vec<(String, f64)>]) -> (String, Vec<f64>) {
    let names = turns.first().into_iter().flatten().map(|(name, _)| name);
    names
        .map(|name| {
            let rates: Vec<f64> = turns
                .iter()
                .filter_map(|turn| rate_of(turn, name))
                .collect();
            (name.clone(), rates)
        })
        .max_by(|a, b| median(&a.1).total_cmp(&median(&b.1)))
        .unwrap_or_default()
}

fn rate_of(turn: &[(String, f64)], name: &str) -> Option<f64> {
    turn.iter().find(|(n, _)| n == name).map(|(_, rate)| *rate)
}

/// GB/s of every method that this machine has.
fn our_rates(ours: &Ours, bytes: u64, size: &str) -> Result<Vec<(String, f64)>, String> {
    // perf clears its source; some memory systems copy zeros faster.
    let axes = format!(
        "operation=copy cores=1 size={size} content=zeros \
         method=libc,movsb,sse2,avx2,avx512,neon,nt,prefetch"
    );
    let found = ours.points("mem/bandwidth", "", &axes)?;
    Ok(found
        .iter()
        .filter_map(|point| rate(point, bytes))
        .collect())
}

fn rate(point: &Measured, bytes: u64) -> Option<(String, f64)> {
    let method = point.setting("method")?.to_owned();
    // Bytes per nanosecond are GB/s.
    Some((method, bytes as f64 / point.median))
}

#[cfg(test)]
mod tests {
    use super::{Measured, fastest, rate};

    #[test]
    fn fastest_is_by_median_not_by_luck() {
        let turn = |a: f64, b: f64| vec![("a".to_owned(), a), ("b".to_owned(), b)];
        let (name, rates) = fastest(&[turn(10.0, 11.0), turn(90.0, 11.5), turn(9.0, 12.0)]);
        assert_eq!((name.as_str(), rates), ("b", vec![11.0, 11.5, 12.0]));
    }

    #[test]
    fn bytes_per_nanosecond_are_gigabytes_per_second() {
        let point = Measured {
            settings: vec![("method".into(), "avx2".into())],
            median: 100.0,
            ..Measured::default()
        };
        assert_eq!(rate(&point, 16_000), Some(("avx2".into(), 160.0)));
    }
}
