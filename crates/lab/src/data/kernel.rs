//! Kernels as Debian ships them: which packages hold the newest one.

use serde::{Deserialize, Serialize};

/// `lab/kernels/*.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    pub about: String,
    pub architecture: Architecture,
    /// Code name of the distribution; its security and update suites count too.
    pub suite: String,
    /// Regular expression (as `apt-cache search` takes it) of the release, as
    /// `uname -r` says it; the newest that has an image is taken.
    pub release: String,
    /// Names of the packages, with `{release}` and `{base}`, the release
    /// without its flavour; `:all` behind those that fit every architecture.
    pub image: String,
    pub headers: Vec<String>,
    /// Programs that the headers call; taken for the host's architecture.
    pub kbuild: String,
}

impl Kernel {
    /// A pattern of the file with the release put in.
    #[must_use]
    pub fn package(pattern: &str, release: &str) -> String {
        let base = release.rsplit_once('-').map_or(release, |(base, _)| base);
        pattern
            .replace("{release}", release)
            .replace("{base}", base)
    }
}

/// Names of one processor architecture in the worlds that meet here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Architecture {
    Amd64,
    Arm64,
}

impl Architecture {
    /// That of the program itself, so of the host.
    #[must_use]
    pub fn of_host() -> Option<Architecture> {
        match std::env::consts::ARCH {
            "x86_64" => Some(Architecture::Amd64),
            "aarch64" => Some(Architecture::Arm64),
            _ => None,
        }
    }

    #[must_use]
    pub fn debian(self) -> &'static str {
        match self {
            Architecture::Amd64 => "amd64",
            Architecture::Arm64 => "arm64",
        }
    }

    /// `ARCH=` of the kernel's Makefile.
    #[must_use]
    pub fn kernel(self) -> &'static str {
        match self {
            Architecture::Amd64 => "x86",
            Architecture::Arm64 => "arm64",
        }
    }

    /// What the compiler's names begin with where they differ from the host's.
    #[must_use]
    pub fn cross_prefix(self) -> &'static str {
        match self {
            _ if Architecture::of_host() == Some(self) => "",
            Architecture::Amd64 => "x86_64-linux-gnu-",
            Architecture::Arm64 => "aarch64-linux-gnu-",
        }
    }

    /// The compiler that Debian 12 builds its kernels with.
    #[must_use]
    pub fn compiler(self) -> String {
        format!("{}gcc-12", self.cross_prefix())
    }
}
