//! What an attacker can make of a journal, and what `restore` must not do then:
//! it runs as root, and a journal says what is written where. Every disaster is
//! tried by whoever runs the tests, and where that is root also by nobody.

mod disasters;
mod lines;
mod lives;
mod scene;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use scene::{NOBODY, is_root};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Tries one disaster as the user that it was started as.
const AS_NOBODY: &str = "__as_nobody";
/// Exit status of a disaster that cannot be brought about here.
const SKIPPED: u8 = 77;

/// `Err`: it cannot be brought about here, and why.
pub type Tried = Result<(), String>;

/// Name, and what it tries.
type Disaster = (&'static str, fn() -> Tried);

fn all() -> Vec<Disaster> {
    [disasters::ALL, lines::ALL, lives::ALL].concat()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some(AS_NOBODY) => as_nobody(&arguments[2]),
        Some(lives::OWNER) => lives::own(Path::new(&arguments[2])),
        _ => libtest_mimic::run(&Arguments::from_args(), trials()).exit_code(),
    }
}

fn trials() -> Vec<Trial> {
    let both = |(name, run): Disaster| {
        let here = Trial::ignorable_test(name, move || Ok(completed(run())));
        let nobody =
            Trial::ignorable_test(format!("{name}_as_nobody"), move || start_as_nobody(name));
        [here, nobody]
    };
    all().into_iter().flat_map(both).collect()
}

fn completed(tried: Tried) -> Completion {
    match tried {
        Ok(()) => Completion::Completed,
        Err(why) => {
            eprintln!("skipped: {why}");
            Completion::ignored_with(why)
        }
    }
}

fn as_nobody(name: &str) -> ExitCode {
    let disasters = all();
    let (_, run) = disasters.iter().find(|(n, _)| *n == name).unwrap();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            print!("{why}");
            ExitCode::from(SKIPPED)
        }
    }
}

fn start_as_nobody(name: &str) -> Result<Completion, Failed> {
    if !is_root() {
        return Ok(completed(Err("only root can become nobody".to_owned())));
    }
    // Where this program lies nobody may not get.
    let folder = tempfile::tempdir()?;
    let program = folder.path().join("disasters");
    std::fs::copy("/proc/self/exe", &program)?;
    let (mine, foreign) = (folder.path().join("tmp"), folder.path().join("foreign"));
    std::fs::create_dir(&mine)?;
    for path in [folder.path(), program.as_path()] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755))?;
    }
    scene::foreign(&foreign, &mine);
    std::os::unix::fs::chown(&mine, Some(NOBODY), Some(NOBODY))?;
    let mut command = Command::new(&program);
    command
        .args([AS_NOBODY, name])
        .env("TMPDIR", &mine)
        .env(scene::FOREIGN, &foreign)
        .uid(NOBODY)
        .gid(NOBODY);
    let output = loop {
        match command.output() {
            // Another trial has forked while the copy was written.
            Err(e) if e.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::yield_now();
            }
            ended => break ended?,
        }
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.code() {
        Some(0) => Ok(Completion::Completed),
        Some(code) if code == i32::from(SKIPPED) => Ok(completed(Err(text(&output.stdout)))),
        _ => Err(text(&output.stderr).into()),
    }
}
