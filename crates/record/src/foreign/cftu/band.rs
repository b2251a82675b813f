//! `measures_from.dat` and its like: one channel a line, one size a block, and
//! the sum of the channels behind the block.

use super::fields::{Field, Layout, Line, Malformed, doubted_difference, field};
use std::fmt;

const LAYOUT: &Layout<BandRecord> = BandRecord::LAYOUT;
const BYTES_PER_MIB: f64 = 1_048_576.0;
/// Rates with six decimals agree when they differ by no more than this.
const LAST_DIGIT: f64 = 1.5e-6;

/// A line: what one channel copied.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BandRecord {
    /// The DMA channel, or the core where the CPU copied.
    pub channel: u16,
    /// Of one operation.
    pub size_bytes: u64,
    pub operations: u64,
    pub t0_ns: u64,
    pub t1_ns: u64,
    pub dt_ns: u64,
    /// As printed, in 2^20 bytes per second.
    pub rate_mib_per_s: f64,
}

/// The channels that copied at the same time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BandBlock {
    pub rows: Vec<BandRecord>,
    /// As printed; None where the file ends before it.
    pub total_mib_per_s: Option<f64>,
}

/// What a line of the file is.
pub(super) enum BandLine {
    /// With the total where the row carries it.
    Row(BandRecord, Option<f64>),
    Total(f64),
}

impl BandLine {
    /// A row, a row with its total, or a total alone.
    pub fn parse(fields: &[&str]) -> Result<Self, Malformed> {
        if let Some(total) = total(fields) {
            return total.map(BandLine::Total);
        }
        match fields.split_last() {
            Some((last, row)) if fields.len() == LAYOUT.fields.len() + 1 => Ok(BandLine::Row(
                BandRecord::parse(row)?,
                Some(LAYOUT.decimal(7, last)?),
            )),
            _ => Ok(BandLine::Row(BandRecord::parse(fields)?, None)),
        }
    }
}

/// `total_band= 1.5`, with or without spaces around the sign. The sign alone
/// counts as a ruling and is no field.
fn total(fields: &[&str]) -> Option<Result<f64, Malformed>> {
    let (first, rest) = fields.split_first()?;
    let behind = first.strip_prefix("total_band")?;
    let behind = behind.trim_start_matches('=');
    let number = match (behind, rest) {
        ("", [number]) => number.trim_start_matches('='),
        (number, []) => number,
        _ => {
            return Some(Err(LAYOUT.malformed("it has fields after the total".into())));
        }
    };
    Some(LAYOUT.decimal(7, number))
}

impl Line for BandRecord {
    const LAYOUT: &'static Layout<Self> = &Layout {
        kind: "bandwidth",
        fields: &[
            ("channel", field!(U16, channel)),
            ("size", field!(Exact, size_bytes)),
            ("operations", field!(Exact, operations)),
            ("t0", field!(U64, t0_ns)),
            ("t1", field!(U64, t1_ns)),
            ("dt", field!(Exact, dt_ns)),
            ("MB/s", field!(Decimal, rate_mib_per_s, 6)),
        ],
        example: "0\t1024\t300\t1384270020290328601\t1384270020290437344\t108743\t2694.138933",
    };

    fn doubts(&self) -> Vec<String> {
        let mut doubts = doubted_difference(self.t0_ns, self.t1_ns, self.dt_ns);
        let follows = rate(self.size_bytes, self.operations, self.dt_ns);
        if !agree(self.rate_mib_per_s, follows) {
            doubts.push(format!(
                "its rate is {:.6} MB/s, its bytes and dt give {follows:.6} (MB = 2^20 bytes)",
                self.rate_mib_per_s
            ));
        }
        doubts
    }
}

impl BandRecord {
    fn parse(fields: &[&str]) -> Result<Self, Malformed> {
        let record = LAYOUT.parse(fields)?;
        for (at, value) in [
            (1, record.size_bytes),
            (2, record.operations),
            (5, record.dt_ns),
        ] {
            if value == 0 {
                return Err(LAYOUT.odd(at, fields[at], "zero, which has no rate"));
            }
        }
        Ok(record)
    }

    /// The line of what a channel did, its rate computed.
    pub fn measured(
        channel: u16,
        size_bytes: u64,
        operations: u64,
        t0_ns: u64,
        dt_ns: u64,
    ) -> Self {
        BandRecord {
            channel,
            size_bytes,
            operations,
            t0_ns,
            t1_ns: t0_ns.saturating_add(dt_ns),
            dt_ns,
            rate_mib_per_s: rate(size_bytes, operations, dt_ns),
        }
    }
}

impl BandBlock {
    /// A block of rows, its total computed from what was measured.
    pub fn of(rows: Vec<BandRecord>) -> Self {
        let total = sum(&rows);
        BandBlock {
            rows,
            total_mib_per_s: Some(total),
        }
    }

    pub(super) fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        let mut channels: Vec<u16> = self.rows.iter().map(|r| r.channel).collect();
        channels.sort_unstable();
        if channels.windows(2).any(|pair| pair[0] == pair[1]) {
            doubts.push(
                "a channel appears twice in its block; channels are numbered by position"
                    .to_owned(),
            );
        }
        match self.total_mib_per_s {
            None => doubts.push("no total_band follows; the sum of the channels is used".into()),
            Some(total) if !agree(total, sum(&self.rows)) => doubts.push(format!(
                "its total is {total:.6} MB/s, its channels sum up to {:.6}",
                sum(&self.rows)
            )),
            Some(_) => {}
        }
        doubts
    }
}

fn rate(size_bytes: u64, operations: u64, dt_ns: u64) -> f64 {
    let mib = size_bytes as f64 * operations as f64 / BYTES_PER_MIB;
    mib / (dt_ns as f64 / 1e9)
}

fn sum(rows: &[BandRecord]) -> f64 {
    let rates = rows
        .iter()
        .map(|r| rate(r.size_bytes, r.operations, r.dt_ns));
    rates.sum()
}

fn agree(printed: f64, follows: f64) -> bool {
    (printed - follows).abs() <= LAST_DIGIT + 1e-12 * follows
}

impl fmt::Display for BandRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::LAYOUT.print(self, f)
    }
}

/// Rows and total, a line each, without the last line end.
impl fmt::Display for BandBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for row in &self.rows {
            write!(f, "{between}{row}")?;
            between = "\n";
        }
        match self.total_mib_per_s {
            Some(total) => write!(f, "{between}total_band= {total:.6}"),
            None => Ok(()),
        }
    }
}
