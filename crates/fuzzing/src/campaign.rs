//! Runs the fuzzer on one target after the other and says what came of it.

mod log;

use crate::corpus::{self, files, size};
use fuzzing::Target;
use log::Progress;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Of one input.
const MOST_SECONDS: u32 = 20;
/// Of the whole program. An input may allocate 512 MiB (`fuzz/src/lib.rs`).
const MOST_RESIDENT_MIB: u32 = 2048;

/// The programs of libFuzzer and their folders.
pub struct Tools {
    programs: PathBuf,
    /// `target/fuzz`: corpora that grow, what was found, what was printed.
    work: PathBuf,
    /// Where inputs that are files are written; in memory where there is such a
    /// place.
    scratch: tempfile::TempDir,
}

impl Tools {
    /// The target's program, with its temporary folder in memory where there is one.
    pub fn program(&self, target: &Target) -> Command {
        let mut command = Command::new(self.programs.join(target.name));
        command.env("TMPDIR", self.scratch.path());
        command
    }

    /// The target's corpus that grows.
    pub fn working(&self, target: &Target) -> PathBuf {
        self.work.join("corpus").join(target.name)
    }

    fn found(&self, target: &Target) -> PathBuf {
        self.work.join("found").join(target.name)
    }

    fn log(&self, target: &Target) -> PathBuf {
        self.work.join("log").join(target.name)
    }
}

/// Builds the programs; their flags stand in `fuzz/.cargo/config.toml`.
pub fn built(targets: &[Target]) -> Result<Tools, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().map_err(|e| e.to_string())?;
    let work = root.join("target/fuzz");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo
        .args(["build", "--release", "--target-dir"])
        .arg(&work)
        .current_dir(root.join("fuzz"));
    for target in targets {
        cargo.args(["--bin", target.name]);
    }
    let status = cargo
        .status()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    if !status.success() {
        return Err("cannot build the programs of the fuzzer: see above\n\
                    hint: scripts/need.sh fuzz installs what they need"
            .to_owned());
    }
    let shared = Path::new("/dev/shm");
    let scratch =
        tempfile::Builder::new()
            .prefix("pontage-fuzz-")
            .tempdir_in(match shared.is_dir() {
                true => shared.to_owned(),
                false => std::env::temp_dir(),
            });
    let tools = Tools {
        programs: programs(&work)?,
        work,
        scratch: scratch.map_err(|e| format!("cannot make a folder: {e}"))?,
    };
    for target in targets {
        for folder in [tools.working(target), tools.found(target)] {
            fs::create_dir_all(&folder)
                .map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
        }
    }
    fs::create_dir_all(tools.work.join("log")).map_err(|e| format!("cannot make a log: {e}"))?;
    Ok(tools)
}

/// Below the name of the machine's own target.
fn programs(work: &Path) -> Result<PathBuf, String> {
    let version = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()))
        .arg("-vV")
        .output()
        .map_err(|e| format!("cannot run rustc: {e}"))?;
    let version = String::from_utf8_lossy(&version.stdout);
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or("cannot ask rustc for its host: it does not say")?;
    Ok(work.join(host).join("release"))
}

/// `seconds` for each; else each target's own time.
pub fn run(targets: &[Target], seconds: Option<u64>) -> Result<ExitCode, String> {
    let tools = built(targets)?;
    let mut broken = false;
    println!("{}", head());
    for target in targets {
        let seconds = seconds.unwrap_or(u64::from(target.minutes) * 60);
        let row = fuzz(&tools, target, seconds)?;
        // At once: whoever interrupts keeps what there is.
        println!("{}", row.line());
        broken |= row.broken;
    }
    Ok(match broken {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

struct Row {
    name: &'static str,
    seconds: u64,
    progress: Progress,
    /// Files and bytes of the working corpus with the committed one.
    before: (usize, u64),
    after: (usize, u64),
    broken: bool,
}

fn fuzz(tools: &Tools, target: &Target, seconds: u64) -> Result<Row, String> {
    let (working, committed) = (tools.working(target), corpus::committed(target));
    let sizes = || -> Result<(usize, u64), String> {
        let all = [files(&working)?, files(&committed)?].concat();
        Ok((all.len(), all.iter().map(|f| size(f)).sum()))
    };
    let before = sizes()?;
    eprintln!(
        "fuzzing {} for {seconds} s, from {} files of {} bytes",
        target.name, before.0, before.1
    );
    let path = tools.log(target);
    let log = File::create(&path).map_err(|e| format!("cannot make {}: {e}", path.display()))?;
    let begun = Instant::now();
    let mut program = tools.program(target);
    let status = program
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-timeout={MOST_SECONDS}"))
        .arg(format!("-rss_limit_mb={MOST_RESIDENT_MIB}"))
        .arg(format!("-max_len={}", target.most_bytes))
        .arg(format!(
            "-artifact_prefix={}/",
            tools.found(target).display()
        ))
        .args(["-print_final_stats=1", "-reload=0"])
        .args([&working, &committed])
        .stdout(log.try_clone().map_err(|e| e.to_string())?)
        .stderr(log)
        .status()
        .map_err(|e| format!("cannot run the program of {}: {e}", target.name))?;
    let text = fs::read(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    let text = String::from_utf8_lossy(&text);
    if !status.success() {
        report(target, &path, &log::kept(&text));
    }
    Ok(Row {
        name: target.name,
        seconds: begun.elapsed().as_secs(),
        progress: Progress::read(&text),
        before,
        after: sizes()?,
        broken: !status.success(),
    })
}

fn report(target: &Target, log: &Path, found: &[&str]) {
    let name = target.name;
    eprintln!(
        "fuzzing: {name} is broken; see the end of {}",
        log.display()
    );
    for file in found {
        eprintln!("  input:  {file}");
        eprintln!("  replay: cargo run -p fuzzing -- replay {name} '{file}'");
    }
}

fn head() -> String {
    format!(
        "{:14} {:>6} {:>12}  {:>15}  {:>15}  {:>13}  {:>19}",
        "target", "s", "executions", "edges", "features", "corpus files", "corpus bytes"
    )
}

impl Row {
    fn line(&self) -> String {
        let arrow = |from: u64, to: u64| format!("{from} -> {to}");
        let (begin, end) = (self.progress.begin, self.progress.end);
        format!(
            "{:14} {:>6} {:>12}  {:>15}  {:>15}  {:>13}  {:>19}{}",
            self.name,
            self.seconds,
            self.progress.executions,
            arrow(begin.edges, end.edges),
            arrow(begin.features, end.features),
            arrow(self.before.0 as u64, self.after.0 as u64),
            arrow(self.before.1, self.after.1),
            if self.broken { "  BROKEN" } else { "" },
        )
    }
}
