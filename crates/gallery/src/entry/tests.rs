use super::*;

fn entry() -> Entry {
    Entry {
        format: FORMAT.to_owned(),
        name: "a-machine".to_owned(),
        about: String::new(),
        machine: Machine::default(),
        measured: Measured::default(),
        values: vec![
            Value {
                id: "L1d/latency".to_owned(),
                label: "L1d latency".to_owned(),
                unit: ValueUnit::Ns,
                value: 1.25,
                low: Some(1.2),
                high: Some(1.3),
                doubtful: false,
            },
            Value {
                id: "core/clock".to_owned(),
                label: "core clock".to_owned(),
                unit: ValueUnit::Ghz,
                value: 4.0,
                low: None,
                high: None,
                doubtful: true,
            },
        ],
    }
}

#[test]
fn what_is_written_is_read() {
    let text = entry().text().unwrap();
    assert_eq!(Entry::parse(&text).unwrap(), entry());
    let of_values = text.lines().filter(|line| line.contains("\"id\""));
    assert_eq!(of_values.count(), 2, "{text}");
}

#[test]
fn an_entry_that_is_wrong_is_refused_with_what_is_wrong() {
    let refused = |change: &dyn Fn(&mut Entry)| {
        let mut entry = entry();
        change(&mut entry);
        Entry::parse(&entry.text().unwrap()).unwrap_err().0
    };
    assert!(refused(&|e| e.format = "pontage-gallery-9".to_owned()).contains("pontage-gallery-9"));
    assert!(refused(&|e| e.name = "../etc".to_owned()).contains("../etc"));
    assert!(refused(&|e| e.about = "x".repeat(401)).contains("longer"));
    assert!(refused(&|e| e.values[0].value = -1.0).contains("L1d/latency"));
    assert!(refused(&|e| e.values[0].low = Some(1.26)).contains("no measurement"));
    assert!(refused(&|e| e.values[1].id = "L1d/latency".to_owned()).contains("twice"));
    assert!(Entry::parse("{}").unwrap_err().0.contains("format"));
    assert!(Entry::parse("[").unwrap_err().0.contains("line 1"));
    let extra = entry().text().unwrap().replacen('{', "{\"extra\": 1,", 1);
    assert!(Entry::parse(&extra).unwrap_err().0.contains("extra"));
}
