//! One metric of one point in a few numbers, for readers that do not want every sample.

/// A row of the summary of a run. Values are in the metric's unit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SummaryRow {
    pub experiment: String,
    pub point: u32,
    /// `size=4096 cache=hot`.
    pub settings: String,
    pub bytes_per_op: Option<u64>,
    /// Index into the experiment's metrics; the rows of 0 are one for each point.
    pub metric_index: u16,
    pub metric: String,
    /// Symbol: `ns`.
    pub unit: String,
    pub samples: u32,
    pub processes: u32,
    /// How many independent samples they are worth.
    pub effective: f64,
    pub median: f64,
    /// The interval of the median; None where there is none.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Coverage that the interval was made for, 0..=1.
    pub level: f64,
    /// How the interval was made: `process-moderated-t`.
    pub method: String,
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    pub p25: f64,
    pub p75: f64,
    /// None of samples that are worth too few to carry it.
    pub p90: Option<f64>,
    pub p99: Option<f64>,
    pub modes: u32,
    /// Of a time: what one sample in twenty keeps, and the share of samples within 3 % of it.
    pub at_best: Option<f64>,
    pub at_best_share: Option<f64>,
    /// Median of the cycle of the core, ns; None where it was not looked at.
    pub link_ns: Option<f64>,
    /// `clean`, `disturbed`, `contaminated`, and why: of the row of metric 0.
    pub verdict: Option<String>,
    pub reason: Option<String>,
}
