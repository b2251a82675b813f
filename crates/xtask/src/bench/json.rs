//! Reading what `pontage export --format json` and `compare --format json` say.

use serde_json::Value;

/// One measured point: its settings as text, and the median of a metric.
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

/// Points of an experiment that have metric `metric`.
pub fn points(export: &Value, experiment: &str, metric: u64) -> Vec<Measured> {
    let experiments = export["experiments"].as_array().into_iter().flatten();
    experiments
        .filter(|e| e["id"] == experiment)
        .flat_map(|e| e["points"].as_array().into_iter().flatten())
        .filter_map(|point| {
            let summaries = point["summaries"].as_array()?;
            let summary = summaries.iter().find(|s| s["metric"] == metric)?;
            Some(Measured {
                settings: settings(&point["settings"]),
                median: summary["median"].as_f64()?,
            })
        })
        .collect()
}

/// `{"size": 4096}` or `[{"axis": "size", "value": 4096}]`.
fn settings(value: &Value) -> Vec<(String, String)> {
    let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    match value {
        Value::Object(map) => map.iter().map(|(k, v)| (k.clone(), text(v))).collect(),
        Value::Array(items) => items
            .iter()
            .filter_map(|s| Some((s["axis"].as_str()?.to_owned(), text(&s["value"]))))
            .collect(),
        _ => Vec::new(),
    }
}

/// Every `verdict` of a comparison's points, wherever they stand.
pub fn verdicts(value: &Value) -> Vec<String> {
    match value {
        Value::Object(map) => map
            .iter()
            .flat_map(|(key, inner)| match (key.as_str(), inner) {
                ("verdict", Value::String(verdict)) => vec![verdict.clone()],
                // A verdict that carries its reason: the name is its only key,
                // or stands under a tag of the same name.
                ("verdict", Value::Object(tagged)) => tagged
                    .get("verdict")
                    .and_then(Value::as_str)
                    .or_else(|| tagged.keys().next().map(String::as_str))
                    .map(str::to_owned)
                    .into_iter()
                    .collect(),
                _ => verdicts(inner),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(verdicts).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{points, verdicts};
    use serde_json::json;

    #[test]
    fn both_forms_of_settings_are_read() {
        let point = |settings| {
            json!({"settings": settings, "summaries": [
            {"metric": 0, "median": 12.5}, {"metric": 2, "median": 3.0}]})
        };
        let export = json!({"experiments": [
            {"id": "other", "points": [point(json!({}))]},
            {"id": "mem/x", "points": [
                point(json!({"size": 4096, "method": "libc"})),
                point(json!([{"axis": "size", "value": 64}])),
                {"settings": {}, "summaries": []}]}]});
        let found = points(&export, "mem/x", 0);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].setting("method"), Some("libc"));
        assert_eq!(found[1].setting("size"), Some("64"));
        assert_eq!(points(&export, "mem/x", 2)[0].median, 3.0);
    }

    #[test]
    fn verdicts_are_found_at_any_depth() {
        let comparison = json!({"experiments": [{"points": [
            {"verdict": "same"}, {"verdict": "worse"},
            {"verdict": {"not_comparable": {"reason": "x"}}}]}]});
        assert_eq!(verdicts(&comparison), ["same", "worse", "not_comparable"]);
    }
}
