//! The programs of libFuzzer, built from `fuzz/`.

use fuzzing::Target;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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

    /// Where inputs that a target did not survive are kept.
    pub fn found(&self, target: &Target) -> PathBuf {
        self.work.join("found").join(target.name)
    }

    /// The log of a target's campaign.
    pub fn log(&self, target: &Target) -> PathBuf {
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
    let shared = Path::new("/dev/shm").to_owned();
    let place = Some(shared).filter(|folder| folder.is_dir());
    let scratch = tempfile::Builder::new()
        .prefix("pontage-fuzz-")
        .tempdir_in(place.unwrap_or_else(std::env::temp_dir));
    let tools = Tools {
        programs: programs(&work)?,
        work,
        scratch: scratch.map_err(|e| format!("cannot create a folder: {e}"))?,
    };
    for target in targets {
        for folder in [tools.working(target), tools.found(target)] {
            fs::create_dir_all(&folder)
                .map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
        }
    }
    fs::create_dir_all(tools.work.join("log")).map_err(|e| format!("cannot create a log: {e}"))?;
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
