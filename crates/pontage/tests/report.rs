//! `pontage report` from outside.

mod program;

use program::{Program, run_folder};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

/// A browser that writes down what it was asked to open.
#[test]
fn a_page_is_opened_by_its_whole_path() {
    let program = Program::new();
    let made = program.run(&["run", "syscall/getppid", "--budget-ms", "5"]);
    assert_eq!(made.status, 0, "{made:?}");
    let parent = program.out();
    std::fs::rename(run_folder(&program), parent.join("-x")).unwrap();
    let bin = parent.join("bin");
    std::fs::create_dir(&bin).unwrap();
    let browser = bin.join("xdg-open");
    let witness = parent.join("opened");
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$*\" > {0}.tmp && mv {0}.tmp {0}\n",
        witness.display()
    );
    std::fs::write(&browser, script).unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let shown = program.shell(&format!(
        "cd runs && PATH={}:$PATH \"$PONTAGE\" report --open -- -x",
        bin.display()
    ));
    assert_eq!(shown.status, 0, "{shown:?}");
    let limit = Instant::now() + Duration::from_secs(60);
    while !witness.exists() {
        assert!(Instant::now() < limit, "no browser was started");
        std::thread::sleep(Duration::from_millis(5));
    }
    let opened = std::fs::read_to_string(&witness).unwrap();
    assert_eq!(
        opened.trim(),
        parent.join("-x/report.html").to_str().unwrap()
    );
}
