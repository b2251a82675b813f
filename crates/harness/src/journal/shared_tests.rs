//! Files of tracefs that everybody shares.

use super::tests::Fake;
use super::*;

fn with_tracer() -> (Fake, Journal) {
    let fake = Fake::new();
    for (name, text) in [
        ("set_graph_function", "#### all functions enabled ####\n"),
        ("max_graph_depth", "0\n"),
        ("current_tracer", "nop\n"),
    ] {
        std::fs::write(fake.setting(name), text).unwrap();
    }
    let mut journal = fake.journal();
    let hold = |journal: &mut Journal, name: &str, old: &str, ours: &[&str]| {
        let ours: Vec<String> = ours.iter().map(|v| (*v).to_owned()).collect();
        journal.hold(&fake.setting(name), old, &ours).unwrap();
    };
    hold(&mut journal, "set_graph_function", "", &[]);
    hold(&mut journal, "max_graph_depth", "0", &[]);
    hold(&mut journal, "current_tracer", "nop", &["function_graph"]);
    (fake, journal)
}

fn use_it(fake: &Fake, tracer: &str) {
    for (name, text) in [
        ("set_graph_function", "vfs_write\n"),
        ("max_graph_depth", "5\n"),
        ("current_tracer", tracer),
    ] {
        std::fs::write(fake.setting(name), text).unwrap();
    }
}

#[test]
fn what_was_held_is_as_it_was_and_lists_are_empty() {
    let (fake, journal) = with_tracer();
    use_it(&fake, "function_graph\n");
    fake.abandon(journal);
    let restored = fake.restore();
    assert_eq!(fake.value("current_tracer"), "nop");
    assert_eq!(fake.value("max_graph_depth"), "0");
    assert_eq!(fake.value("set_graph_function"), "");
    assert!(restored[0].path.ends_with("current_tracer"), "tracer first");
    assert!(restored[2].to_string().ends_with("is empty again"));
    assert_eq!(fake.files(), 0);
}

#[test]
fn a_tracer_that_is_still_on_keeps_what_makes_it_small() {
    let (fake, journal) = with_tracer();
    // Another process took the tracer over meanwhile.
    use_it(&fake, "function\n");
    fake.abandon(journal);
    let restored = fake.restore();
    assert!(matches!(restored[0].outcome, Outcome::LeftToOthers { .. }));
    assert!(restored[1].outcome.is_trouble() && restored[2].outcome.is_trouble());
    assert_eq!(fake.value("set_graph_function"), "vfs_write");
    assert_eq!(fake.value("max_graph_depth"), "5");
    assert_eq!(fake.files(), 1);
    std::fs::write(fake.setting("current_tracer"), "nop\n").unwrap();
    let restored = fake.restore();
    assert!(!restored.iter().any(|r| r.outcome.is_trouble()));
    assert_eq!(fake.value("set_graph_function"), "");
    assert_eq!(fake.files(), 0);
}

#[test]
fn an_instance_that_stays_keeps_them_too() {
    let (fake, mut journal) = with_tracer();
    let instance = fake.setting("pontage-1");
    journal.make_instance(&instance).unwrap();
    std::fs::write(instance.join("file"), "x").unwrap();
    use_it(&fake, "nop\n");
    let restored = journal.undo();
    assert!(matches!(restored[0].outcome, Outcome::NotRemoved { .. }));
    assert_eq!(fake.value("max_graph_depth"), "5");
}

#[test]
fn what_joined_a_list_leaves_it_and_only_once() {
    let fake = Fake::new();
    let list = fake.setting("kprobe_events");
    std::fs::write(&list, "p:other/one f\n").unwrap();
    let mut journal = fake.journal();
    let (text, mention, leave) = (
        "p:pontage_7/in_1 f\n",
        "pontage_7/in_1 ",
        "-:pontage_7/in_1\n",
    );
    journal.join(&list, text, mention, leave).unwrap();
    assert_eq!(fake.value("kprobe_events").lines().count(), 2);
    assert_eq!(journal.undo()[0].outcome, Outcome::Left);
    assert!(fake.value("kprobe_events").ends_with("-:pontage_7/in_1"));
    // Not there any more, or never: nothing is written.
    std::fs::write(&list, "p:other/one f\n").unwrap();
    journal.join(&list, "", mention, leave).unwrap();
    journal.undo();
    assert_eq!(fake.value("kprobe_events"), "p:other/one f");
    std::fs::remove_file(&list).unwrap();
    assert!(journal.join(&list, text, mention, leave).is_err());
    assert!(!list.exists(), "a list that is not there is not made");
    assert_eq!(journal.undo(), [], "nothing has joined it");
}
