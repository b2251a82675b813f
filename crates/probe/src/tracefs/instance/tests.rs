use super::*;
use crate::tracefs::specification::Specification;
use crate::tracefs::testing::Tree;

fn settings() -> Settings {
    Settings {
        clock: "mono".to_owned(),
        buffer_kib: 512,
        overwrite: false,
        pids: Vec::new(),
    }
}

fn selection(tree: &Tree, wishes: &[&str]) -> Selection {
    let wishes: Vec<Specification> = wishes.iter().map(|w| w.parse().unwrap()).collect();
    Selection::resolve(&tree.tracefs(), &wishes, None).unwrap()
}

#[test]
fn what_was_asked_is_set_and_nothing_else() {
    let tree = Tree::new();
    let chosen = selection(
        &tree,
        &[
            "sched:sched_switch if prev_pid == 1",
            "sched_switch trigger stacktrace",
            "irq",
        ],
    );
    let prepared = tree.instance().prepare(&settings(), &chosen).unwrap();
    assert_eq!(tree.setting("tracing_on"), "0");
    assert_eq!(tree.setting("trace_clock"), "mono");
    assert_eq!(tree.setting("buffer_size_kb"), "512");
    assert_eq!(tree.setting("options/overwrite"), "0");
    assert_eq!(tree.setting("buffer_percent"), "25");
    assert_eq!(tree.setting("set_event_pid"), "");
    assert_eq!(tree.setting("options/event-fork"), "0");
    let switch = |file: &str| tree.setting(&format!("events/sched/sched_switch/{file}"));
    assert_eq!(switch("filter"), "prev_pid == 1");
    assert_eq!(switch("trigger"), "stacktrace");
    assert_eq!(switch("enable"), "1");
    assert_eq!(tree.setting("events/irq/softirq_raise/enable"), "1");
    assert_eq!(tree.setting("events/irq/enable"), "0");
    assert_eq!(tree.setting("events/sched/sched_waking/enable"), "");
    assert_eq!(tree.setting("events/syscalls/enable"), "0");
    assert_eq!((prepared.page_bytes, prepared.buffer_kib), (4096, 512));
    assert_eq!(prepared.notes, Vec::<String>::new());
    // The machine's own ring and other instances are as they were.
    assert_eq!(tree.read("sys/kernel/tracing/events/irq/enable"), "0\n");
    assert_eq!(
        tree.read("sys/kernel/tracing/instances/other/tracing_on"),
        "1\n"
    );
}

#[test]
fn tasks_are_followed_with_their_children() {
    let tree = Tree::new();
    let chosen = selection(&tree, &["syscalls"]);
    let wanted = Settings {
        pids: vec![4, 17],
        overwrite: true,
        ..settings()
    };
    tree.instance().prepare(&wanted, &chosen).unwrap();
    assert_eq!(tree.setting("set_event_pid"), "4 17");
    assert_eq!(tree.setting("options/event-fork"), "1");
    assert_eq!(tree.setting("options/overwrite"), "1");
    assert_eq!(tree.setting("events/syscalls/enable"), "1");
}

#[test]
fn a_clock_that_is_missing_is_replaced_and_noted() {
    let tree = Tree::new();
    let chosen = selection(&tree, &["irq"]);
    let wanted = Settings {
        clock: "tai".to_owned(),
        ..settings()
    };
    let prepared = tree.instance().prepare(&wanted, &chosen).unwrap();
    assert_eq!(prepared.clock, "mono");
    assert!(
        prepared.notes[0].contains("no trace clock tai"),
        "{prepared:?}"
    );
}

#[test]
fn before_6_8_the_size_of_sub_buffers_is_in_header_page() {
    let tree = Tree::new();
    let chosen = selection(&tree, &["irq"]);
    let instance = tree.instance();
    std::fs::remove_file(instance.path("buffer_subbuf_size_kb")).unwrap();
    std::fs::remove_file(instance.path("buffer_percent")).unwrap();
    let prepared = instance.prepare(&settings(), &chosen).unwrap();
    assert_eq!(prepared.page_bytes, 4096);
}

#[test]
fn a_trigger_needs_an_event() {
    let tree = Tree::new();
    let chosen = selection(&tree, &["syscalls trigger stacktrace"]);
    let error = tree.instance().prepare(&settings(), &chosen).unwrap_err();
    assert!(error.to_string().contains("a trigger belongs to an event"));
}

#[test]
fn rings_take_an_eighth_of_the_memory_at_most() {
    let tree = Tree::new();
    assert_eq!(default_buffer_kib(tree.root()), 8192);
    tree.write("proc/meminfo", "MemAvailable: 32768 kB\n");
    assert_eq!(default_buffer_kib(tree.root()), 2048);
    tree.write("proc/meminfo", "nothing\n");
    assert_eq!(default_buffer_kib(tree.root()), 8192);
}

#[test]
fn only_cpus_that_are_online_have_rings() {
    let tree = Tree::new();
    let instance = tree.instance();
    assert_eq!(instance.cpus(tree.root()).unwrap(), [0, 1]);
    tree.write("sys/devices/system/cpu/online", "1\n");
    assert_eq!(instance.cpus(tree.root()).unwrap(), [1]);
}
