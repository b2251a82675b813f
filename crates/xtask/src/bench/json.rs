//! Reading what `pontage export --format json` and `compare --format json` say.

use serde_json::{Map, Value};

/// One measured point: its settings as text, and the median of its
/// primary metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub settings: Vec<(String, String)>,
    pub median: f64,
}

impl Measured {
    pub fn setting(&self, axis: &str) -> Option<&str> {
        let found = self.settings.iter().find(|(name, _)| name == axis);
        found.map(|(_, value)| value.as_str())
    }
}

/// Points of an experiment with the median of its primary metric.
pub fn points(export: &Value, experiment: &str) -> Vec<Measured> {
    let experiments = export["experiments"].as_array().into_iter().flatten();
    experiments
        .filter(|e| e["id"] == experiment)
        .flat_map(|e| e["points"].as_array().into_iter().flatten())
        .filter_map(|point| {
            Some(Measured {
                settings: settings(point["settings"].as_object()?),
                median: primary(&point["metrics"])?["median"].as_f64()?,
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
/// `same`, `not_comparable`.
pub fn outcomes(comparison: &Value) -> Vec<&str> {
    let points = comparison["points"].as_array().into_iter().flatten();
    points
        .filter_map(|point| point["outcome"].as_str())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{outcomes, points};
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
    fn outcomes_are_those_of_the_points() {
        let comparison = json!({
            "experiments": [{"outcome": "not this"}],
            "points": [{"outcome": "same"}, {"outcome": "worse"}, {}]});
        assert_eq!(outcomes(&comparison), ["same", "worse"]);
    }
}
