//! `--interrupts` from outside: every point says what came while it was
//! sampled, and the report shows it.

mod program;

use program::{Program, head, run_folder};

#[test]
fn each_point_keeps_what_interrupted_the_machine() {
    let program = Program::new();
    let asked = [
        "run",
        "syscall/getppid",
        "--budget-ms",
        "50",
        "--processes",
        "2",
        "--interrupts",
    ];
    let ended = program.run(&asked);
    assert_eq!(ended.status, 0, "{ended:?}");
    let folder = run_folder(&program);
    let head = head(&folder);
    assert_eq!(head["conditions"]["interrupts"], true);
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let met = &head["points"][0]["interrupts"];
    if met.is_null() {
        // A container may hide it, and that is said.
        assert!(flat(&ended.stdout).contains("interrupts are not counted"));
        return;
    }
    assert!(met["over_ns"].as_u64().unwrap() > 0);
    assert_eq!(met["cpu"], head["conditions"]["test_cpu"]);
    let text = "interrupts per second on CPU";
    assert!(flat(&ended.stdout).contains(text), "{}", ended.stdout);
    let again = program.run(&["report", folder.to_str().unwrap()]);
    assert!(flat(&again.stdout).contains(text), "{again:?}");
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("Interrupts while the points were sampled"));
}

#[test]
fn without_being_asked_nothing_is_kept() {
    let program = Program::new();
    let ended = program.run(&["run", "syscall/getppid", "--budget-ms", "5"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    let head = head(&run_folder(&program));
    assert!(head["conditions"]["interrupts"].is_null());
    assert!(head["points"][0]["interrupts"].is_null());
}
