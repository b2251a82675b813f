//! Calls that function_graph recorded in guests (fixtures/traces/README.md): dd
//! writes six blocks to a folder of the host and synchronises, which sleeps.

use std::path::PathBuf;
use trace::Capture;
use trace::analyse::functions::{CallTree, Line, Profile};
use trace::analyse::{Known, Pass, Symbols};

const FIXTURES: [&str; 2] = ["x86-6.1-functions", "x86-6.12-functions"];

fn open(name: &str) -> Capture {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/traces");
    trace::file::open(&folder.join(format!("{name}.dat"))).unwrap()
}

fn lines(capture: &Capture, root: &str) -> Vec<Line> {
    let (known, symbols) = (Known::of(capture), Symbols::parse(&capture.head.kallsyms));
    let mut tree = CallTree::new(&known, &symbols, Some(root));
    Pass::over(capture, &known, &mut [&mut tree]);
    tree.lines(&symbols, 0.0)
}

/// Lines one level below a line.
fn children(lines: &[Line], at: usize) -> impl Iterator<Item = &Line> {
    let depth = lines[at].depth;
    let below = lines[at + 1..].iter().take_while(move |l| l.depth > depth);
    below.filter(move |l| l.depth == depth + 1)
}

#[test]
fn calls_are_as_many_as_dd_made_and_have_names() {
    for name in FIXTURES {
        let capture = open(name);
        let (known, symbols) = (Known::of(&capture), Symbols::parse(&capture.head.kallsyms));
        let mut profile = Profile::new(&known, &symbols);
        let pass = Pass::over(&capture, &known, &mut [&mut profile]);
        let rows = profile.finish(&symbols);
        let hits = |function: &str| rows.iter().find(|r| r.function == function).map(|r| r.hits);
        assert_eq!(hits("v9fs_file_write_iter"), Some(6), "{name}");
        assert_eq!(hits("vfs_fsync_range"), Some(1), "{name}");
        assert!(rows.iter().all(|r| !r.function.starts_with("0x")), "{name}");
        assert!(
            rows.iter()
                .all(|r| r.self_ns <= r.total_ns && r.max_ns <= r.total_ns)
        );
        assert_eq!((pass.gaps, pass.damaged_pages), (0, 0), "{name}");
    }
}

#[test]
fn the_path_of_a_synchronisation_goes_down_to_where_it_sleeps() {
    for name in FIXTURES {
        let lines = lines(&open(name), "vfs_fsync_range");
        let path: Vec<&str> = lines
            .iter()
            .filter(|l| l.on_path)
            .map(|l| l.function.as_str())
            .collect();
        let usual = [
            "vfs_fsync_range",
            "v9fs_file_fsync_dotl",
            "p9_client_fsync",
            "p9_client_rpc",
            "schedule",
        ];
        assert!(path.starts_with(&usual), "{name}: {path:?}");
        assert!(
            lines[0].off_ns > lines[0].total_ns / 10,
            "{name}: {:?}",
            lines[0]
        );
        assert!(lines[0].off_ns < lines[0].total_ns);
        for (at, line) in lines.iter().enumerate() {
            let below: u64 = children(&lines, at).map(|l| l.total_ns).sum();
            assert_eq!(line.self_ns, line.total_ns - below, "{name}: {line:?}");
        }
    }
}
