//! Reading what `pontage export --format json` and `compare --format json` say.

use serde_json::{Map, Value};

/// A metric of one point, and the point's settings as text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    pub settings: Vec<(String, String)>,
    /// 0 where the export does not say.
    pub samples: u64,
    pub median: f64,
    /// Ends of the median's interval; NaN where the export has none.
    pub low: f64,
    pub high: f64,
}

impl Measured {
    /// The point's value on an axis.
    pub fn setting(&self, axis: &str) -> Option<&str> {
        let found = self.settings.iter().find(|(name, _)| name == axis);
        found.map(|(_, value)| value.as_str())
    }

    /// Whether the point has `value` on `axis`.
    pub fn is(&self, axis: &str, value: &str) -> bool {
        self.setting(axis) == Some(value)
    }

    /// All settings as one word.
    pub fn place(&self) -> String {
        let words: Vec<&str> = self.settings.iter().map(|(_, v)| v.as_str()).collect();
        words.join(" ")
    }
}

/// Points of an experiment with its primary metric.
pub fn points(export: &Value, experiment: &str) -> Vec<Measured> {
    measured(export, experiment, primary)
}

/// Points of an experiment that have this metric.
pub fn metric(export: &Value, experiment: &str, name: &str) -> Vec<Measured> {
    let mut all = measured(export, experiment, |metrics| metrics.get(name));
    all.retain(|m| m.low.is_finite() && m.high.is_finite());
    all
}

/// What the machine can at each point of an experiment, where enough samples say it.
pub fn best(export: &Value, experiment: &str) -> Vec<f64> {
    let experiments = export["experiments"].as_array().into_iter().flatten();
    let points = experiments
        .filter(|e| e["id"] == experiment)
        .flat_map(|e| e["points"].as_array().into_iter().flatten());
    let best = |point: &Value| primary(&point["metrics"])?["at_best"]["value"].as_f64();
    points.filter_map(best).collect()
}

fn measured(
    export: &Value,
    experiment: &str,
    of: impl Fn(&Value) -> Option<&Value>,
) -> Vec<Measured> {
    let experiments = export["experiments"].as_array().into_iter().flatten();
    experiments
        .filter(|e| e["id"] == experiment)
        .flat_map(|e| e["points"].as_array().into_iter().flatten())
        .filter_map(|point| {
            let found = of(&point["metrics"])?;
            Some(Measured {
                settings: settings(point["settings"].as_object()?),
                samples: found["samples"].as_u64().unwrap_or(0),
                median: found["median"].as_f64()?,
                low: found["low"].as_f64().unwrap_or(f64::NAN),
                high: found["high"].as_f64().unwrap_or(f64::NAN),
            })
        })
        .collect()
}

/// Metrics stand under their names; the primary one has number 0.
fn primary(metrics: &Value) -> Option<&Value> {
    metrics.as_object()?.values().find(|m| m["metric"] == 0)
}

fn settings(map: &Map<String, Value>) -> Vec<(String, String)> {
    let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    map.iter()
        .map(|(axis, v)| (axis.clone(), text(v)))
        .collect()
}

/// How a comparison judged each metric of each point: `better`, `worse`,
/// `same`, `not_comparable`, `skipped`.
pub fn outcomes(comparison: &Value) -> Vec<&str> {
    let points = comparison["points"].as_array().into_iter().flatten();
    points
        .filter_map(|point| point["outcome"].as_str())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{metric, outcomes, points};
    use serde_json::json;

    #[test]
    fn the_primary_metric_is_read_wherever_it_stands() {
        let export = json!({"experiments": [
            {"id": "other", "points": []},
            {"id": "mem/x", "points": [
                {"settings": {"size": 4096, "method": "libc"}, "metrics": {
                    "net": {"metric": 2, "median": 3.0},
                    "hop": {"metric": 0, "median": 12.5}}},
                {"settings": {}, "metrics": {}}]}]});
        let found = points(&export, "mem/x");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].median, 12.5);
        assert_eq!(found[0].setting("method"), Some("libc"));
        assert_eq!(found[0].setting("size"), Some("4096"));
    }

    #[test]
    fn a_metric_is_found_by_its_name() {
        let export = json!({"experiments": [{"id": "a/b", "points": [
            {"settings": {"victim": "alu"}, "metrics": {
                "slowdown": {
                    "metric": 1, "samples": 14, "median": 1.0, "low": 0.9, "high": 1.1}}},
            {"settings": {"victim": "x"}, "metrics": {}}]}]});
        let found = metric(&export, "a/b", "slowdown");
        assert_eq!(found.len(), 1);
        assert!(found[0].is("victim", "alu") && !found[0].is("victim", "x"));
        assert_eq!((found[0].low, found[0].high), (0.9, 1.1));
        assert_eq!(found[0].samples, 14);
        assert_eq!(found[0].place(), "alu");
    }

    #[test]
    fn outcomes_are_those_of_the_points() {
        let comparison = json!({
            "experiments": [{"outcome": "not this"}],
            "points": [{"outcome": "same"}, {"outcome": "worse"}, {}]});
        assert_eq!(outcomes(&comparison), ["same", "worse"]);
    }
}
