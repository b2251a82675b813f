//! `--counters` from outside: what is counted here is a metric, what is not
//! says why.

mod program;

use program::{Program, head, run_folder};
use serde_json::Value;

fn events(head: &Value) -> &Vec<Value> {
    head["conditions"]["counters"]["events"].as_array().unwrap()
}

fn metric_names(head: &Value) -> Vec<&str> {
    let metrics = head["experiments"][0]["metrics"].as_array().unwrap();
    metrics
        .iter()
        .map(|m| m["name"].as_str().unwrap())
        .collect()
}

#[test]
fn a_group_is_counted_or_says_why_it_is_not() {
    let program = Program::new();
    let ended = program.run(&[
        "run",
        "syscall/getppid",
        "--budget-ms",
        "20",
        "--counters",
        "arch",
    ]);
    assert_eq!(ended.status, 0, "{ended:?}");
    let folder = run_folder(&program);
    let head = head(&folder);
    assert_eq!(head["conditions"]["counters"]["group"], "arch");
    assert_eq!(
        events(&head).len(),
        10,
        "six of the processor, four of the kernel"
    );
    let names = metric_names(&head);
    assert_eq!(names[0], "latency");
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    for event in events(&head) {
        let alias = event["alias"].as_str().unwrap();
        let absent = &event["absent"];
        assert_eq!(names.contains(&alias), absent.is_null(), "{event}");
        assert!(page.contains(alias), "{alias} is not in the page");
        if !absent.is_null() {
            let reason = absent["reason"].as_str().unwrap();
            assert!(!absent["remedy"].as_str().unwrap().is_empty());
            let flat = ended
                .stdout
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            assert!(flat.contains(reason), "{reason}\n{}", ended.stdout);
            assert!(page.contains(reason), "{reason} is not in the page");
        }
    }
    let again = program.run(&["report", folder.to_str().unwrap()]);
    assert_eq!(again.status, 0, "{again:?}");
    assert!(again.stdout.contains("counters"), "{again:?}");
}

#[test]
fn the_kernels_own_events_are_exported_with_the_time() {
    let program = Program::new();
    let ended = program.run(&[
        "run",
        "syscall/getppid",
        "--budget-ms",
        "20",
        "--counters",
        "software",
    ]);
    assert_eq!(ended.status, 0, "{ended:?}");
    let folder = run_folder(&program);
    let head = head(&folder);
    let allowed = events(&head)
        .iter()
        .any(|e| e["alias"] == "task_clock" && e["absent"].is_null());
    if !allowed {
        return;
    }
    assert!(ended.stdout.contains("counted: page_faults"), "{ended:?}");
    let exported = program.run(&["export", folder.to_str().unwrap(), "--format", "json"]);
    let summary: Value = serde_json::from_str(&exported.stdout).unwrap();
    let metrics = &summary["experiments"][0]["points"][0]["metrics"];
    assert_eq!(metrics["page_faults"]["median"], 0.0, "{metrics}");
    assert!(metrics["task_clock"]["median"].as_f64().unwrap() > 0.0);
    // As many of each, of passes that alternate; each process may end within a pair of them.
    let samples = |name: &str| metrics[name]["samples"].as_u64().unwrap();
    let processes = metrics["latency"]["processes"].as_u64().unwrap();
    assert!(
        samples("task_clock").abs_diff(samples("latency")) <= processes,
        "{metrics}"
    );
    assert_eq!(samples("counted_time"), samples("task_clock"));
    assert!(
        metrics["probe_effect"]["median"].as_f64().unwrap() > 0.0,
        "{metrics}"
    );
    assert_eq!(head["conditions"]["counters"]["alternating"], true);
    let folder = folder.to_str().unwrap();
    let csv = program.run(&["export", folder, "--format", "csv", "--samples"]);
    let indices = |metric: &str| -> std::collections::BTreeSet<String> {
        let mut lines = csv.stdout.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        let column = |name| names.iter().position(|n| *n == name).unwrap();
        let (metric_at, index_at) = (column("metric"), column("sample"));
        let rows = lines.map(|l| l.split(',').collect::<Vec<&str>>());
        let own = rows.filter(|row| row[metric_at] == metric);
        own.map(|row| row[index_at].to_owned()).collect()
    };
    let (timed, counted) = (indices("latency"), indices("task_clock"));
    assert!(!timed.is_empty() && !counted.is_empty(), "{}", csv.stdout);
    assert!(timed.is_disjoint(&counted), "no batch gives both");
}

#[test]
fn a_run_without_counters_has_none() {
    let program = Program::new();
    let ended = program.run(&["run", "syscall/getppid", "--budget-ms", "5"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    let head = head(&run_folder(&program));
    assert!(head["conditions"].get("counters").is_none());
    assert!(!metric_names(&head).contains(&"page_faults"));
}

#[test]
fn simulated_caches_get_the_points_and_count_elsewhere() {
    let program = Program::new();
    let ended = program.run(&[
        "run",
        "syscall/getppid",
        "--budget-ms",
        "20",
        "--samples",
        "3",
        "--processes",
        "1",
        "--counters",
        "simulated",
    ]);
    assert_eq!(ended.status, 0, "{ended:?}");
    assert!(
        ended.stderr.contains("# region 0 syscall/getppid\n"),
        "{ended:?}"
    );
    assert!(!ended.stdout.contains("# region"), "{ended:?}");
    let folder = run_folder(&program);
    let head = head(&folder);
    let counters = &head["conditions"]["counters"];
    assert_eq!(counters["group"], "simulated");
    assert_eq!(counters["core"], "simulated cache, on the host");
    assert_eq!(counters["metrics"].as_array().unwrap().len(), 0);
    assert_eq!(metric_names(&head), ["latency", "single"]);
    assert!(
        ended
            .stdout
            .contains("counted: simulated cache, on the host")
    );
    let exported = program.run(&["export", folder.to_str().unwrap(), "--format", "json"]);
    let summary: Value = serde_json::from_str(&exported.stdout).unwrap();
    let metrics = &summary["experiments"][0]["points"][0]["metrics"];
    assert_eq!(metrics["latency"]["samples"], 3, "{metrics}");
    assert!(metrics.get("single").is_none(), "{metrics}");
}

#[test]
fn an_interrupted_run_is_resumed_with_its_counters() {
    let program = Program::new();
    let slow = [
        "run",
        "syscall/*",
        "--budget-ms",
        "700",
        "--processes",
        "1",
        "--counters",
        "software",
    ];
    let mut child = program
        .command(&slow)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    program::wait_for_point(&program);
    program::send("INT", child.id());
    child.wait().unwrap();
    let folder = run_folder(&program);
    let before = head(&folder);
    let resumed = program.run(&["run", "--resume", folder.to_str().unwrap()]);
    assert_eq!(resumed.status, 0, "{resumed:?}");
    let after = head(&folder);
    assert_eq!(before["experiments"], after["experiments"]);
    assert_eq!(
        before["conditions"]["counters"],
        after["conditions"]["counters"]
    );

    let unknown = program.run(&["run", "--counters", "all"]);
    assert_eq!(unknown.status, 2);
    assert!(unknown.stderr.contains("tlbmem"), "{unknown:?}");
}

#[test]
fn what_is_counted_stands_in_panels_under_the_first_figure() {
    let program = Program::new();
    let sizes = "size=64,4096,65536";
    let ended = program.run(&[
        "run",
        "ipc/memcpy",
        "--budget-ms",
        "10",
        "--processes",
        "1",
        "--axis",
        sizes,
        "--counters",
        "software",
    ]);
    assert_eq!(ended.status, 0, "{ended:?}");
    let head = head(&run_folder(&program));
    let below = head["experiments"][0]["figures"][0]["below"]
        .as_array()
        .unwrap();
    let counted = events(&head).iter().filter(|e| e["absent"].is_null());
    for event in counted {
        assert!(below.contains(&event["alias"]), "{event} in {below:?}");
    }
    assert!(!below.is_empty());
}
