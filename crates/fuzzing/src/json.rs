//! Documents that stay documents while they are changed: bytes changed at random
//! seldom are JSON any more, and what lies behind the parser is never reached.

use serde_json::{Map, Value, json};
use stats::Rng;
use std::ops::Range;

const TEXTS: [&str; 9] = [
    "",
    "../../x",
    "a/b",
    "\u{1b}[31m\r\n",
    "=1+1",
    "\u{202e}<b>\"'",
    "copy_to_user",
    "light",
    "0",
];
const NUMBERS: [f64; 8] = [-1.0, 0.0, 1.0, 5e-324, 1e-9, 4_294_967_296.0, 9.3e18, 1e300];

/// The input with one value of a document in it changed: of its part `run.json`, of
/// itself, or of one of its lines. None where there is no document.
pub fn changed(input: &[u8], seed: u64) -> Option<Vec<u8>> {
    let mut rng = Rng::new(seed);
    let mut all = documents(input);
    if all.is_empty() {
        return None;
    }
    let (place, mut document) = all.swap_remove(rng.below(all.len()));
    let values = number_of(&document);
    let other = nth(&mut document, rng.below(values)).clone();
    change(nth(&mut document, rng.below(values)), other, &mut rng);
    let text = document.to_string().into_bytes();
    Some([&input[..place.start], &text, &input[place.end..]].concat())
}

fn documents(input: &[u8]) -> Vec<(Range<usize>, Value)> {
    let within = |range: Range<usize>| {
        let value = serde_json::from_slice(&input[range.clone()]).ok()?;
        Some((range, value))
    };
    if let Some(part) = crate::parts::range_of(input, "run.json") {
        return within(part).into_iter().collect();
    }
    if let Some(whole) = within(0..input.len()) {
        return vec![whole];
    }
    let mut at = 0;
    let mut lines = Vec::new();
    for line in input.split_inclusive(|b| *b == b'\n') {
        let end = line.len() - usize::from(line.ends_with(b"\n"));
        lines.extend(within(at..at + end));
        at += line.len();
    }
    lines
}

fn number_of(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(number_of).sum(),
        Value::Object(fields) => fields.values().map(number_of).sum(),
        _ => 0,
    }
}

/// Values in the order in which they are written; the document itself is the 0th.
fn nth(value: &mut Value, mut n: usize) -> &mut Value {
    if n == 0 {
        return value;
    }
    n -= 1;
    let items: Vec<&mut Value> = match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(fields) => fields.values_mut().collect(),
        _ => Vec::new(),
    };
    for item in items {
        let size = number_of(item);
        if n < size {
            return nth(item, n);
        }
        n -= size;
    }
    unreachable!("n is below the number of values")
}

fn change(value: &mut Value, other: Value, rng: &mut Rng) {
    let choice = rng.below(8);
    match (choice, &mut *value) {
        (0, Value::Array(items)) if !items.is_empty() => {
            let copied = items[rng.below(items.len())].clone();
            items.push(copied);
        }
        (1, Value::Array(items)) if !items.is_empty() => {
            items.remove(rng.below(items.len()));
        }
        (0 | 1, Value::Object(fields)) if !fields.is_empty() => {
            let name = fields.keys().nth(rng.below(fields.len())).cloned();
            fields.shift_remove(&name.unwrap_or_default());
        }
        (2, Value::Number(number)) => {
            let near = number.as_f64().unwrap_or(0.0) * 2.0 * rng.uniform();
            *value = json!(near.round() as i64);
        }
        (2 | 3, _) => *value = json!(NUMBERS[rng.below(NUMBERS.len())]),
        (4, _) => *value = json!(TEXTS[rng.below(TEXTS.len())]),
        (5, _) => {
            let few = [
                Value::Null,
                json!([]),
                Value::Object(Map::new()),
                json!(true),
            ];
            *value = few[rng.below(few.len())].clone();
        }
        _ => *value = other,
    }
}

#[cfg(test)]
mod tests {
    use super::{changed, documents, nth, number_of};
    use serde_json::{Value, json};

    #[test]
    fn every_value_has_a_number() {
        let mut document = json!({"a": [1, {"b": "x"}], "c": null});
        assert_eq!(number_of(&document), 6);
        let all: Vec<Value> = (0..6).map(|n| nth(&mut document, n).clone()).collect();
        assert_eq!(
            all[1..],
            [
                json!([1, {"b": "x"}]),
                json!(1),
                json!({"b": "x"}),
                json!("x"),
                json!(null)
            ]
        );
    }

    #[test]
    fn a_changed_document_is_one_and_the_rest_stays() {
        let inputs: [&[u8]; 3] = [
            b"{\"a\":[1,2],\"b\":\"x\"}",
            b"lost\n%% run.json\n{\"a\":[1,2]}\n%% t.parquet\n\0\xff{}",
            b"{\"a\":1}\nodd\n{\"b\":[2]}\n",
        ];
        for input in inputs {
            let mut seen = 0;
            for seed in 0..200 {
                let new = changed(input, seed).expect("a document");
                assert_eq!(documents(&new).len(), documents(input).len(), "seed {seed}");
                seen += u32::from(new != input);
            }
            assert!(seen > 120, "{seen} of 200 differ");
        }
        let kept = changed(inputs[1], 7).expect("a document");
        assert!(
            kept.starts_with(b"lost\n%% run.json\n") && kept.ends_with(b"\n%% t.parquet\n\0\xff{}")
        );
        assert!(changed(b"no document", 1).is_none());
    }
}
