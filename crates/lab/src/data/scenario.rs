//! What is booted on what, and what is asked of it.

use super::Crash;
use super::Invalid;
use serde::{Deserialize, Serialize};

/// `lab/scenarios/*.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    pub about: String,
    pub kernel: String,
    pub machine: String,
    /// Part of `pontage lab test` without names and group.
    #[serde(default)]
    pub test: bool,
    /// Runs with others of that name by `pontage lab test --group NAME`.
    pub group: Option<String>,
    /// Seconds of the host's clock after which the guest is ended.
    pub deadline_s: u64,
    /// Folder with a Kbuild file, from the repository's root.
    pub build: Option<String>,
    /// Files of the kernel's own source that are built out of tree with it.
    #[serde(default)]
    pub from_source: Vec<FromSource>,
    /// Modules of the stock kernel, inserted first with all they need.
    #[serde(default)]
    pub stock_modules: Vec<String>,
    /// Built modules, inserted in this order.
    #[serde(default)]
    pub modules: Vec<Module>,
    /// Test programs, from the repository's root: C files are compiled, a name
    /// that ends with `/*.c` means each of that folder, scripts go as they are.
    #[serde(default)]
    pub programs: Vec<String>,
    /// C flags for the programs.
    #[serde(default)]
    pub program_flags: Vec<String>,
    /// What the guest runs; every compiled program without arguments when empty.
    #[serde(default)]
    pub tests: Vec<Test>,
    /// Whether `pontage` itself goes along with its libraries (x86 only).
    #[serde(default)]
    pub pontage: bool,
    /// Programs of the host that go along likewise.
    #[serde(default)]
    pub host_programs: Vec<HostProgram>,
    /// Programs of this workspace, built for the guest's processor.
    #[serde(default)]
    pub rust_programs: Vec<RustProgram>,
    /// Programs of Debian for the guest's processor.
    #[serde(default)]
    pub debian_programs: Vec<DebianProgram>,
    #[serde(default)]
    pub share: Vec<Share>,
    /// Further words of the kernel command line.
    #[serde(default)]
    pub append: String,
    /// Lines of the log that look bad and are not.
    #[serde(default)]
    pub benign: Vec<Benign>,
    /// What QEMU says when its own fault ended the guest, which is then booted
    /// once more.
    #[serde(default)]
    pub retry_once: Vec<String>,
    /// Persistent memory of so many MiB.
    pub nvdimm_mib: Option<u32>,
    /// Disks of so many MiB each.
    #[serde(default)]
    pub disks_mib: Vec<u32>,
    /// Killed and booted anew.
    pub crash: Option<Crash>,
    /// Boots twice; what the machine's plugins counted must be the same, to the digit.
    #[serde(default)]
    pub twice: bool,
    /// What has to hold of the medians that plugins counted: `COLUMN REGION > REGION`,
    /// or with `>=`, or with a factor before the second region, `10 x REGION`.
    #[serde(default)]
    pub counted: Vec<String>,
    /// A trial of the laboratory itself: the run has to fail, and one of the
    /// causes has to contain this.
    pub must_fail: Option<String>,
}

/// Modules to build from files of the kernel's own source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FromSource {
    /// Package with the source, such as `linux-source-6.1`.
    pub package: String,
    /// `.c` files become modules of the same name; `.h` files lie next to them.
    pub files: Vec<String>,
}

/// A module to insert before the tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Module {
    pub name: String,
    #[serde(default)]
    pub parameters: String,
    /// Left in `/lab` for a test that inserts it by itself.
    #[serde(default)]
    pub only_carry: bool,
}

/// A program that is installed on the host, and the package that has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostProgram {
    pub name: String,
    pub package: String,
}

/// A program of this workspace: the one that is named as its package, or an example of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RustProgram {
    pub package: String,
    pub example: Option<String>,
}

impl RustProgram {
    /// Its name in the guest.
    pub fn name(&self) -> &str {
        self.example.as_ref().unwrap_or(&self.package)
    }
}

/// A program of Debian, and the packages that have it and its libraries: its own first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DebianProgram {
    /// Where its package has it, without a slash in front.
    pub path: String,
    pub packages: Vec<String>,
}

/// A command that the guest runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    pub name: String,
    /// Command line for the guest's shell, in the folder of the programs. It
    /// speaks KTAP and ends with status 0.
    pub run: String,
}

/// A folder of the host that the guest sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Share {
    /// The run's `out` folder, writable, at `/out`.
    Results,
    /// The host's root, read-only, at `/host`.
    Host,
}

impl Share {
    /// By which the guest mounts it.
    pub fn tag(self) -> &'static str {
        match self {
            Share::Results => "out",
            Share::Host => "host",
        }
    }
}

/// A line of the console that is no fault, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Benign {
    /// Part of the line.
    pub line: String,
    pub reason: String,
}

impl Scenario {
    /// What is wrong with it taken by itself.
    ///
    /// # Errors
    /// The first thing found.
    pub fn check(&self) -> Result<(), Invalid> {
        let word = |text: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
            !text.is_empty() && text.chars().all(plain)
        };
        if let Some(module) = self.modules.iter().find(|m| !word(&m.name)) {
            return Err(Invalid::ModuleName(module.name.clone()));
        }
        if let Some(test) = self.tests.iter().find(|t| !word(&t.name)) {
            return Err(Invalid::TestName(test.name.clone()));
        }
        if self.tests.iter().any(|t| t.run.contains('\n')) {
            return Err(Invalid::TestLines);
        }
        let mut benign = self.benign.iter();
        if let Some(benign) = benign.find(|b| b.line.is_empty() || b.reason.is_empty()) {
            return Err(Invalid::Benign(benign.line.clone()));
        }
        if self.deadline_s == 0 {
            return Err(Invalid::NoDeadline);
        }
        Ok(())
    }
}
