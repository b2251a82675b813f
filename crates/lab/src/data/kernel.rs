//! Kernels: as Debian ships them, or built here from Debian's source with a
//! configuration of our own.

use serde::{Deserialize, Serialize};

/// `lab/kernels/*.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "File")]
pub struct Kernel {
    pub about: String,
    pub architecture: Architecture,
    /// Code name of the distribution; its security and update suites count too.
    pub suite: String,
    #[serde(flatten)]
    pub origin: Origin,
}

/// Where a kernel comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Origin {
    Packages(Packages),
    Source(Source),
}

/// A kernel that the distribution has built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Packages {
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

/// A kernel that is built here, with nothing as a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Package with the whole source, such as `linux-source-6.1`.
    pub source: String,
    /// Options laid over the smallest configuration there is; a file, from the
    /// repository's root.
    pub config: String,
}

/// The file as it is written; which keys belong together is seen afterwards.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    about: String,
    architecture: Architecture,
    suite: String,
    release: Option<String>,
    image: Option<String>,
    headers: Option<Vec<String>>,
    kbuild: Option<String>,
    source: Option<String>,
    config: Option<String>,
}

impl TryFrom<File> for Kernel {
    type Error = &'static str;

    fn try_from(file: File) -> Result<Kernel, Self::Error> {
        let packages = (file.release, file.image, file.headers, file.kbuild);
        let origin = match (packages, (file.source, file.config)) {
            ((Some(release), Some(image), Some(headers), Some(kbuild)), (None, None)) => {
                Origin::Packages(Packages {
                    release,
                    image,
                    headers,
                    kbuild,
                })
            }
            ((None, None, None, None), (Some(source), Some(config))) => {
                Origin::Source(Source { source, config })
            }
            _ => return Err("it needs release, image, headers, kbuild; or source, config"),
        };
        Ok(Kernel {
            about: file.about,
            architecture: file.architecture,
            suite: file.suite,
            origin,
        })
    }
}

impl Packages {
    /// A pattern of the file with the release put in.
    pub fn name(pattern: &str, release: &str) -> String {
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
    pub fn of_host() -> Option<Architecture> {
        match std::env::consts::ARCH {
            "x86_64" => Some(Architecture::Amd64),
            "aarch64" => Some(Architecture::Arm64),
            _ => None,
        }
    }

    /// Debian's name of the architecture.
    pub fn debian(self) -> &'static str {
        match self {
            Architecture::Amd64 => "amd64",
            Architecture::Arm64 => "arm64",
        }
    }

    /// `ARCH=` of the kernel's Makefile.
    pub fn kernel(self) -> &'static str {
        match self {
            Architecture::Amd64 => "x86",
            Architecture::Arm64 => "arm64",
        }
    }

    /// The kernel's image as its Makefile names it, and where it then lies.
    pub fn kernel_image(self) -> (&'static str, &'static str) {
        match self {
            Architecture::Amd64 => ("bzImage", "arch/x86/boot/bzImage"),
            Architecture::Arm64 => ("Image", "arch/arm64/boot/Image"),
        }
    }

    /// What the compiler's names begin with where they differ from the host's.
    pub fn cross_prefix(self) -> &'static str {
        match self {
            _ if Architecture::of_host() == Some(self) => "",
            Architecture::Amd64 => "x86_64-linux-gnu-",
            Architecture::Arm64 => "aarch64-linux-gnu-",
        }
    }

    /// Rust's name of the architecture.
    pub fn rust(self) -> &'static str {
        match self {
            Architecture::Amd64 => "x86_64-unknown-linux-gnu",
            Architecture::Arm64 => "aarch64-unknown-linux-gnu",
        }
    }

    /// Where programs look for the loader of their libraries.
    pub fn loader(self) -> &'static str {
        match self {
            Architecture::Amd64 => "/lib64/ld-linux-x86-64.so.2",
            Architecture::Arm64 => "/lib/ld-linux-aarch64.so.1",
        }
    }

    /// The compiler that Debian 12 builds its kernels with.
    pub fn compiler(self) -> String {
        format!("{}gcc-12", self.cross_prefix())
    }
}
