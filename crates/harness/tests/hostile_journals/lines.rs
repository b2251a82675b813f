//! Lines that no run has written: other paths, other values, no lines at all.

use crate::scene::{GOVERNOR, SECRET, Scene};
use crate::{Disaster, Tried};
use std::os::unix::fs::symlink;
use std::path::PathBuf;

pub const ALL: &[Disaster] = &[
    ("a_path_outside_of_the_list", a_path_outside_of_the_list),
    ("a_path_with_dots", a_path_with_dots),
    ("a_path_through_a_link", a_path_through_a_link),
    (
        "a_value_with_a_line_of_its_own",
        a_value_with_a_line_of_its_own,
    ),
    ("a_value_of_another_form", a_value_of_another_form),
    (
        "a_folder_that_is_not_ours_to_remove",
        a_folder_that_is_not_ours_to_remove,
    ),
    (
        "a_list_that_would_lose_probes_of_others",
        a_list_that_would_lose_probes_of_others,
    ),
    ("a_queue_of_others", a_queue_of_others),
    ("json_nested_without_end", json_nested_without_end),
    ("bytes_that_are_no_text", bytes_that_are_no_text),
    ("one_bad_line_among_good_ones", one_bad_line_among_good_ones),
    (
        "a_bad_journal_next_to_a_good_one",
        a_bad_journal_next_to_a_good_one,
    ),
    (
        "escape_sequences_in_a_journal",
        escape_sequences_in_a_journal,
    ),
];

const NAME: &str = "journal-1.jsonl";

fn a_path_outside_of_the_list() -> Tried {
    let scene = Scene::new();
    let others = [
        SECRET,
        "proc/sys/kernel/core_pattern",
        "proc/sys/kernel/modprobe",
        "proc/sys/vm/drop_caches",
        "proc/sysrq-trigger",
        "sys/kernel/uevent_helper",
        "sys/devices/system/cpu/cpu0/online",
        "sys/devices/system/cpu/cpu/cpufreq/scaling_governor",
        "sys/devices/system/cpu/cpu0x/cpufreq/scaling_governor",
        "sys/module/ioatdma/parameters/other",
        "sys/kernel/tracing/current_tracer",
        "",
    ];
    for other in others {
        if !scene.path(other).exists() {
            scene.write(other, "untouched\n");
        }
        scene.journal(NAME, &scene.change(other, "0", "1"));
        scene.refuses("this program does not change it");
        if other.starts_with("proc/sys") && other != "proc/sys/vm/nr_hugepages" {
            assert_eq!(scene.read(other), "untouched\n", "{other}");
        }
    }
    // Of the machine that the tests run on.
    let foreign = crate::scene::change("/etc/passwd".as_ref(), "powersave", "performance");
    scene.journal(NAME, &foreign);
    scene.refuses("it is not an absolute path");
    Ok(())
}

fn a_path_with_dots() -> Tried {
    let scene = Scene::new();
    for path in [
        "sys/devices/system/cpu/cpu0/cpufreq/../../../../../../etc/passwd",
        "sys/devices/system/cpu/../cpu/cpu0/cpufreq/scaling_governor",
        "sys/./devices/system/cpu/cpu0/cpufreq/scaling_governor",
        "sys//devices/system/cpu/cpu0/cpufreq/scaling_governor",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor/",
        "../sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    ] {
        scene.journal(NAME, &scene.change(path, "powersave", "performance"));
        scene.refuses("it is not a plain path");
    }
    Ok(())
}

/// Each part of the path in turn, the file at last, by links of both kinds.
fn a_path_through_a_link() -> Tried {
    let parts: Vec<&str> = GOVERNOR.split('/').collect();
    for (end, relative) in (1..=parts.len()).flat_map(|end| [(end, false), (end, true)]) {
        let scene = Scene::new();
        let part = scene.path(&parts[..end].join("/"));
        let elsewhere = scene.path("elsewhere");
        std::fs::rename(&part, &elsewhere).unwrap();
        let up = PathBuf::from("../".repeat(end - 1) + "elsewhere");
        symlink(if relative { &up } else { &elsewhere }, &part).unwrap();
        scene.good_journal(NAME);
        let restored = scene.restore();
        assert!(restored[0].outcome.is_trouble(), "{restored:?}");
        assert!(
            restored[0].to_string().contains("is a symbolic link"),
            "{restored:?}"
        );
        assert_eq!(scene.read(GOVERNOR), "performance\n");
        assert!(scene.state().join(NAME).exists());
    }
    Ok(())
}

fn a_value_with_a_line_of_its_own() -> Tried {
    let scene = Scene::new();
    for value in [
        "powersave\nperformance",
        "powersave\n",
        "powersave\0",
        "power save",
    ] {
        scene.journal(NAME, &scene.change(GOVERNOR, value, "performance"));
        scene.refuses("which is not a value of it");
    }
    Ok(())
}

fn a_value_of_another_form() -> Tried {
    let scene = Scene::new();
    let long = "9".repeat(40);
    let many = "a".repeat(17);
    let set = [
        (GOVERNOR, ""),
        (GOVERNOR, "../../etc"),
        (GOVERNOR, "Performance"),
        (GOVERNOR, &many),
        ("proc/sys/vm/swappiness", "1\n2"),
        ("proc/sys/vm/swappiness", "1 2 3 4"),
        ("proc/sys/net/ipv4/tcp_congestion_control", "a b"),
        ("proc/sys/vm/nr_hugepages", "-1"),
        ("proc/sys/vm/nr_hugepages", "1e3"),
        ("proc/sys/vm/nr_hugepages", ""),
        ("proc/sys/vm/nr_hugepages", &long),
        ("sys/module/ioatdma/parameters/ioat_dca_enabled", "2"),
    ];
    for (below, value) in set {
        scene.journal(NAME, &scene.change(below, value, "1"));
        scene.refuses("which is not a value of it");
    }
    let held = [
        ("current_tracer", "function"),
        ("tracing_on", "2"),
        ("buffer_size_kb", "all"),
        ("trace_clock", "local\nglobal"),
        ("set_ftrace_filter", "vfs_read"),
        ("events/sched/enable", "X"),
    ];
    for (name, value) in held {
        scene.journal(NAME, &held_line(&scene, name, value));
        scene.refuses("which is not a value of it");
    }
    let unknown = "this program does not change it";
    for (name, cause) in [
        ("events/enable", unknown),
        ("trace_marker", unknown),
        ("events/../../enable", "it is not a plain path"),
        ("uprobe_events", unknown),
    ] {
        scene.journal(NAME, &held_line(&scene, name, "0"));
        scene.refuses(cause);
    }
    Ok(())
}

fn held_line(scene: &Scene, name: &str, old: &str) -> String {
    let path = scene.path("sys/kernel/tracing").join(name);
    let line = serde_json::json!({"line": "held", "path": path, "old": old, "ours": []});
    format!("{line}\n")
}

fn a_folder_that_is_not_ours_to_remove() -> Tried {
    let scene = Scene::new();
    for (line, below) in [
        ("instance", "home/another"),
        ("instance", "sys/kernel/tracing/instances/others"),
        ("instance", "sys/kernel/tracing/instances/pontage-x"),
        ("instance", "sys/fs/resctrl/mon_groups/pontage-1-0"),
        ("group", "sys/fs/resctrl/mon_groups/others"),
        ("group", "sys/fs/resctrl/pontage-1"),
        ("group", "sys/kernel/tracing/instances/pontage-1"),
        ("group", "sys/fs/cgroup/pontage-1"),
    ] {
        let path = scene.path(below);
        std::fs::create_dir_all(&path).unwrap();
        let text = serde_json::json!({"line": line, "path": path}).to_string() + "\n";
        scene.journal(NAME, &text);
        scene.refuses("this program does not change it");
        assert!(path.is_dir());
    }
    Ok(())
}

fn a_list_that_would_lose_probes_of_others() -> Tried {
    let scene = Scene::new();
    let ours = ("kprobe_events", "pontage_7/in_1 ", "-:pontage_7/in_1\n");
    let trigger = "instances/pontage-7/events/pontage_7/in_1/trigger";
    for (name, mention, leave) in [
        ("kprobe_events", "untouched", "-:untouched\n"),
        (ours.0, ours.1, "-:pontage_7/in_1\n-:others/one\n"),
        (ours.0, ours.1, "p:evil do_exit\n"),
        (ours.0, "", ours.2),
        (
            "synthetic_events",
            "pontage_7_took",
            "!others u64 func; u64 ns\n",
        ),
        (trigger, "hist:keys=", "traceon\n"),
        (trigger, "hist:keys=", "!hist:keys=a\ntraceoff\n"),
    ] {
        let path = scene.path("sys/kernel/tracing").join(name);
        let line = serde_json::json!({
            "line": "joined", "path": path, "mention": mention, "leave": leave
        });
        scene.journal(NAME, &format!("{line}\n"));
        scene.refuses("which is not a value of it");
    }
    for name in [
        "set_event",
        "instances/others/events/pontage_7/in_1/trigger",
        "trace_marker",
    ] {
        let path = scene.path("sys/kernel/tracing").join(name);
        let line = serde_json::json!({
            "line": "joined", "path": path, "mention": ours.1, "leave": ours.2
        });
        scene.journal(NAME, &format!("{line}\n"));
        scene.refuses("this program does not change it");
    }
    Ok(())
}

fn a_queue_of_others() -> Tried {
    let scene = Scene::new();
    for key in [0, 1, 0x5053_0001, -1] {
        let line = serde_json::json!({"line": "queues", "keys": [key], "namespace": 0});
        scene.journal(NAME, &format!("{line}\n"));
        scene.refuses("a queue that no run creates");
    }
    Ok(())
}

fn json_nested_without_end() -> Tried {
    let scene = Scene::new();
    for (open, close) in [("[", "]"), ("{\"line\":", "}")] {
        let deep = open.repeat(100_000) + &close.repeat(100_000) + "\n";
        scene.journal(NAME, &deep);
        scene.refuses("line 2: ");
    }
    Ok(())
}

fn bytes_that_are_no_text() -> Tried {
    let scene = Scene::new();
    let path = scene.good_journal(NAME);
    std::fs::write(&path, b"\xff\xfe\x00\n\xff\n").unwrap();
    scene.refuses("cannot read journal");
    Ok(())
}

/// Who wrote one line may have written them all.
fn one_bad_line_among_good_ones() -> Tried {
    let scene = Scene::new();
    let good = scene.change(GOVERNOR, "powersave", "performance");
    let bad = scene.change(SECRET, "x", "y");
    for lines in [
        good.clone() + &bad,
        bad + &good,
        good + "{\"line\":\"run\",\"command\":\"id\"}\n",
    ] {
        let path = scene.journal(NAME, &lines);
        scene.refuses("cannot read journal");
        assert!(path.exists(), "it is left for the user to look at");
    }
    Ok(())
}

fn a_bad_journal_next_to_a_good_one() -> Tried {
    let scene = Scene::new();
    scene.journal("journal-1.jsonl", &scene.change(SECRET, "x", "y"));
    scene.good_journal("journal-2.jsonl");
    let restored = scene.restore();
    assert_eq!(restored.len(), 2, "{restored:?}");
    assert_eq!(scene.read(GOVERNOR), "powersave");
    assert_eq!(scene.read(SECRET), "root:x:0:0\n");
    Ok(())
}

/// In a path, in a value that is put back, in a line that is not understood.
fn escape_sequences_in_a_journal() -> Tried {
    let scene = Scene::new();
    let evil = "\u{1b}]0;owned\u{7}\u{202e}";
    scene.journal(NAME, &scene.change(evil, "a", "b"));
    scene.refuses("this program does not change it");
    scene.journal(NAME, &scene.change(GOVERNOR, evil, "b"));
    scene.refuses("not a value of it");
    scene.journal(NAME, &format!("{{\"line\":\"{}\"}}\n", "\\u001b[31m"));
    scene.refuses("line 2: ");
    let held = scene.state().join(format!("journal-{evil}.jsonl"));
    std::fs::rename(scene.state().join(NAME), held).unwrap();
    scene.refuses("line 2: ");
    Ok(())
}
