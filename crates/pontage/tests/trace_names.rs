//! Names in a trace were chosen by whoever was traced: none reaches a terminal, or
//! another line, whatever is printed of the trace.

mod program;
// The builders of crate trace's own tests.
#[path = "../../trace/src/testing.rs"]
#[allow(dead_code)]
mod testing;

use program::Program;
use std::fs::File;
use std::io::Read;
use testing::{Making, V};

/// Clears the screen, makes a line of its own, reverses what follows.
const CLEARS: &str = "\x1b[2J\x1b[31mX";
const FORGES: &str = "a\nroot-1 [0]";
const REVERSES: &str = "\u{202e}gpj.exe";
const FORMULA: &str = "=cmd|'a'!A1";

fn written(program: &Program) -> (String, usize) {
    let mut making = Making::new();
    let names = [CLEARS, FORGES, REVERSES, FORMULA];
    making.head.comms = format!("7 {CLEARS}\n9 {REVERSES}\n10 {FORMULA}\n");
    let mut events = 0;
    for turn in 0..40u64 {
        let (prev, next) = ((turn % 4) as usize, ((turn + 1) % 4) as usize);
        let pid = |at: usize| 7 + at as i64;
        let at_ns = 1_000_000 + turn * 50_000;
        let woken = [V::T(names[next]), V::N(pid(next)), V::N(120), V::N(0)];
        making.push(0, at_ns, pid(prev) as i32, "sched_waking", &woken);
        let values = [
            V::T(names[prev]),
            V::N(pid(prev)),
            V::N(120),
            V::N(i64::from(turn % 3 == 0)),
            V::T(names[next]),
            V::N(pid(next)),
            V::N(120),
        ];
        making.push(0, at_ns + 100, pid(prev) as i32, "sched_switch", &values);
        let name = [V::N(5), V::T(names[prev])];
        making.push(0, at_ns + 200, pid(next) as i32, "irq_handler_entry", &name);
        making.push(
            0,
            at_ns + 300,
            pid(next) as i32,
            "irq_handler_exit",
            &[V::N(5)],
        );
        events += 4;
    }
    // Sentences with the names in them.
    for system in &mut making.head.systems {
        for format in &mut system.formats {
            let field = ["comm", "prev_comm", "name"].into_iter().find(|f| {
                format.contains(&format!(" {f}[16]")) || format.contains(&format!("[] {f};"))
            });
            let said = match field {
                Some("name") => "\"name=%s\", __get_str(name)".to_owned(),
                Some(field) => format!("\"comm=%s\", REC->{field}"),
                None => continue,
            };
            *format = format.replace("print fmt: \"\"", &format!("print fmt: {said}"));
        }
    }
    let (head, pages) = making.pages();
    let folder = program.out().parent().unwrap().to_owned();
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("names.dat");
    let mut sources: Vec<(u32, &[u8])> = pages.iter().map(|(cpu, p)| (*cpu, &p[..])).collect();
    let sources = sources
        .iter_mut()
        .map(|(cpu, p)| (*cpu, p as &mut dyn Read));
    trace::file::write(&mut File::create(&path).unwrap(), &head, sources.collect()).unwrap();
    (path.to_str().unwrap().to_owned(), events)
}

fn harmless(text: &str) -> bool {
    let obeyed = |c: char| (c.is_control() && c != '\n') || escape::is_deceptive(c);
    !text.contains(obeyed)
}

#[test]
fn no_name_leaves_its_line_or_is_obeyed() {
    let program = Program::new();
    let (file, events) = written(&program);
    for command in [
        &["report"][..],
        &["report", "--raw"],
        &["report", "--format", "csv"],
        &["report", "--format", "json"],
        &["export", "--format", "csv"],
        &["export", "--format", "json"],
        &["slices"],
        &["slices", "--csv"],
        &["slices", "--format", "json"],
        &["slices", "--histogram"],
        &["stats"],
        &["stats", "--format", "json"],
        &["explain"],
        &["explain", "--format", "json"],
        &["compare", &file],
    ] {
        let arguments = [&["trace"], command, &[&file[..]]].concat();
        let ended = program.run(&arguments);
        assert_eq!(ended.status, 0, "{command:?}: {ended:?}");
        assert!(ended.stdout.len() > 100, "{command:?}");
        for text in [&ended.stdout, &ended.stderr] {
            assert!(harmless(text), "{command:?}: {text:?}");
        }
        let forged = ended.stdout.lines().any(|line| line.starts_with("root-1"));
        assert!(!forged, "{command:?}: {}", ended.stdout);
        if matches!(command[0], "report" | "export") {
            let heading = usize::from(command.contains(&"csv"));
            assert_eq!(
                ended.stdout.lines().count(),
                events + heading,
                "{command:?}"
            );
        }
        if command.iter().any(|word| word.ends_with("csv")) {
            let cells = ended.stdout.lines().flat_map(|line| line.split(','));
            let formulas = cells.filter(|cell| cell.trim_matches('"').starts_with('='));
            assert_eq!(formulas.count(), 0, "{command:?}: {}", ended.stdout);
        }
    }
}

/// The file's own descriptions are names too.
#[test]
fn messages_about_a_file_are_lines() {
    let program = Program::new();
    let (file, _) = written(&program);
    let mut bytes = std::fs::read(&file).unwrap();
    let word = b"name: sched_switch\nID: 100";
    let at = bytes.windows(word.len()).position(|w| w == word).unwrap();
    bytes[at..at + word.len()].copy_from_slice(b"name: \x1b[2Jd_switch\nID: x00");
    std::fs::write(&file, &bytes).unwrap();
    let ended = program.run(&["trace", "report", &file]);
    assert_eq!(ended.status, 2, "{ended:?}");
    assert!(harmless(&ended.stderr), "{:?}", ended.stderr);
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
}
