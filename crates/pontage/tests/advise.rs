//! `pontage advise` reads a record: what it says, and what it cannot.

mod program;

use program::Program;

#[test]
fn advice_rests_on_what_was_measured() {
    let program = Program::new();
    let none = program.run(&["advise", "--bytes", "64KiB"]);
    assert_eq!(none.status, 2, "no run at all: {none:?}");
    let measured = program.run(&[
        "run",
        "ipc/pipe",
        "--axis",
        "size=4KiB,64KiB",
        "--axis",
        "pattern=stream",
        "--axis",
        "mode=2threads",
        "--axis",
        "placement=same_cpu",
        "--budget-ms",
        "5",
    ]);
    assert_eq!(measured.status, 0, "{measured:?}");
    let at = program.run(&["advise", "--bytes", "64KiB", "--copies", "3"]);
    assert_eq!(at.status, 0, "{at:?}");
    for wanted in [
        "3 messages, each of 64 KiB",
        "ipc/pipe",
        "on one CPU",
        "copies: 2",
    ] {
        assert!(at.stdout.contains(wanted), "{wanted}: {at:?}");
    }
    for wanted in ["Recommendation", "Take ipc/pipe on one CPU", " a message."] {
        assert!(at.stdout.contains(wanted), "{wanted}: {at:?}");
    }
    let kept = program.run(&["advise", "--bytes", "64KiB", "--keep", "order,isolation"]);
    assert!(
        kept.stdout.contains("It keeps order and isolation."),
        "{kept:?}"
    );
    let none = program.run(&[
        "advise",
        "--bytes",
        "64KiB",
        "--keep",
        "boundaries",
        "--keep",
        "order",
        "--format",
        "json",
    ]);
    assert_eq!(none.status, 77, "{none:?}");
    assert!(
        none.stderr.contains("keeps boundaries and order"),
        "{none:?}"
    );
    let found: serde_json::Value = serde_json::from_str(&none.stdout).expect("a document");
    let found = &found["recommendation"];
    assert!(found["take"].is_null(), "{found}");
    assert_eq!(found["left_out"], serde_json::json!(["ipc/pipe"]));
    let csv = program.run(&["advise", "--bytes", "64KiB", "--format", "csv"]);
    let row = csv.stdout.lines().nth(1).unwrap();
    assert!(row.starts_with("ipc/pipe,"), "{csv:?}");
    assert!(row.contains(",true,recommended,"), "{csv:?}");
    let typo = program.run(&["advise", "--bytes", "64KiB", "--keep", "ordering"]);
    assert_eq!(typo.status, 2, "{typo:?}");
    let table = program.run(&["advise", "--bytes", "64KiB", "--format", "markdown"]);
    assert_eq!(table.status, 0, "{table:?}");
    assert!(table.stdout.contains("\n| --- | "), "{table:?}");
    let between = program.run(&["advise", "--bytes", "20000", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&between.stdout).expect("a document");
    assert_eq!(json["ways"][0]["measured"], false, "{json}");
    let beyond = program.run(&["advise", "--bytes", "1GiB"]);
    assert_eq!(beyond.status, 77, "{beyond:?}");
    assert!(beyond.stderr.contains("pontage run 'ipc/*'"), "{beyond:?}");
    let odd = program.run(&["advise", "--bytes", "lots"]);
    assert_eq!(odd.status, 2, "{odd:?}");
}
