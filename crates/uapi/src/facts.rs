//! Why there is no module to speak to: facts from files, and the judgement.

use std::path::{Path, PathBuf};

/// What bears on the question, from the files below a root folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// As `uname -r`; empty where /proc does not say.
    pub release: String,
    /// There is a /dev/cftu.
    pub node: bool,
    /// /sys/module/cftu is there.
    pub loaded: bool,
    /// What the loaded module calls itself.
    pub module_version: Option<String>,
    /// The kernel has loadable modules at all (/proc/modules).
    pub modules: bool,
    /// kernel.modules_disabled: none can be loaded until the next boot.
    pub modules_disabled: bool,
    /// `integrity` or `confidentiality`, where the kernel is locked down.
    pub lockdown: Option<String>,
    /// module.sig_enforce: unsigned modules are refused without lockdown, too.
    pub signatures_enforced: bool,
    /// A cftu.ko lies where modprobe looks.
    pub installed: bool,
    /// `/lib/modules/RELEASE/build` leads to headers.
    pub headers: bool,
    /// This process runs in a container, which has a /dev of its own.
    pub container: bool,
}

/// What stands between this program and the module, the nearest thing first.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// The kernel was built without loadable modules.
    #[error("this kernel cannot load modules (there is no /proc/modules)")]
    NoModules,
    /// Loading was switched off until the next boot.
    #[error("loading modules is disabled until the next boot (kernel.modules_disabled=1)")]
    ModulesDisabled,
    /// Lockdown, with its mode.
    #[error(
        "module cftu is not loaded, and the kernel is locked down [{mode}] (Secure Boot): \
         it refuses unsigned modules"
    )]
    Locked { mode: String, installed: bool },
    #[error(
        "module cftu is not loaded, and the kernel refuses unsigned modules (module.sig_enforce=Y)"
    )]
    SignaturesEnforced { installed: bool },
    /// Built and installed, only not loaded.
    #[error("module cftu is installed and not loaded")]
    NotLoaded,
    /// Not built for this kernel, and it could be.
    #[error("there is no /dev/cftu: module cftu is neither loaded nor installed")]
    NotBuilt,
    #[error(
        "module cftu is not built for kernel {release}, and its headers are missing \
         (no /lib/modules/{release}/build)"
    )]
    NoHeaders { release: String },
    /// Loaded, and no device file here.
    #[error("module cftu is loaded, and {} no /dev/cftu", match container {
        true => "this container has",
        false => "there is",
    })]
    NoNode { container: bool },
    /// The device file may not be opened.
    #[error("/dev/cftu may not be opened: permission denied")]
    NotPermitted,
    /// Module and program speak different versions.
    #[error("{}", other_abi(*module, module_version.as_deref()))]
    OtherAbi {
        module: Option<u32>,
        module_version: Option<String>,
    },
    /// A stored tree has files and no kernel behind them.
    #[error("a stored tree shows that module cftu was loaded, not what it did")]
    StoredTree,
}

impl Facts {
    /// Reads them below `root`; what is missing counts as absent.
    pub fn read(root: &Path) -> Facts {
        let tree = Tree { root };
        let release = tree.word("proc/sys/kernel/osrelease").unwrap_or_default();
        let modules = PathBuf::from("lib/modules").join(&release);
        Facts {
            node: tree.is_there("dev/cftu"),
            loaded: tree.is_there("sys/module/cftu"),
            module_version: tree.word("sys/module/cftu/version"),
            modules: tree.is_there("proc/modules"),
            modules_disabled: tree.word("proc/sys/kernel/modules_disabled").as_deref() == Some("1"),
            lockdown: tree.lockdown(),
            signatures_enforced: tree
                .word("sys/module/module/parameters/sig_enforce")
                .as_deref()
                == Some("Y"),
            installed: !release.is_empty() && tree.has_module(&modules),
            headers: !release.is_empty() && tree.leads_somewhere(&modules.join("build")),
            container: ["run/.containerenv", ".dockerenv"]
                .iter()
                .any(|file| tree.is_there(file)),
            release,
        }
    }

    /// The obstacle where the module cannot be spoken to because of what is
    /// missing; `None` where a device file is there to be opened.
    pub fn obstacle(&self) -> Option<Obstacle> {
        let installed = self.installed;
        if self.loaded {
            let container = self.container;
            return (!self.node).then_some(Obstacle::NoNode { container });
        }
        Some(if !self.modules {
            Obstacle::NoModules
        } else if self.modules_disabled {
            Obstacle::ModulesDisabled
        } else if let Some(mode) = self.lockdown.clone() {
            Obstacle::Locked { mode, installed }
        } else if self.signatures_enforced {
            Obstacle::SignaturesEnforced { installed }
        } else if installed {
            Obstacle::NotLoaded
        } else if self.headers {
            Obstacle::NotBuilt
        } else {
            let release = self.release.clone();
            Obstacle::NoHeaders { release }
        })
    }
}

struct Tree<'a> {
    root: &'a Path,
}

impl Tree<'_> {
    fn word(&self, path: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.root.join(path)).ok()?;
        let word = text.trim();
        (!word.is_empty()).then(|| word.to_owned())
    }

    fn is_there(&self, path: &str) -> bool {
        self.root.join(path).symlink_metadata().is_ok()
    }

    /// The word in brackets, unless it is `none`.
    fn lockdown(&self) -> Option<String> {
        let text = self.word("sys/kernel/security/lockdown")?;
        let (mode, _) = text.split_once('[')?.1.split_once(']')?;
        (mode != "none").then(|| mode.to_owned())
    }

    /// modules.dep is what modprobe reads, and what depmod writes last.
    fn has_module(&self, modules: &Path) -> bool {
        let listed = std::fs::read_to_string(self.root.join(modules).join("modules.dep"));
        listed.is_ok_and(|text| {
            text.lines()
                .filter_map(|line| line.split_once(':'))
                .filter_map(|(file, _)| file.rsplit('/').next())
                .any(|file| file.split('.').next() == Some("cftu"))
        })
    }

    /// A link stays below the root; one that dangles is left by removed headers.
    fn leads_somewhere(&self, path: &Path) -> bool {
        let place = self.root.join(path);
        match std::fs::read_link(&place) {
            Ok(target) => {
                let parent = path.parent().unwrap_or(Path::new(""));
                let target = match target.strip_prefix("/") {
                    Ok(absolute) => absolute.to_owned(),
                    Err(_) => parent.join(target),
                };
                self.root.join(target).exists()
            }
            Err(_) => place.exists(),
        }
    }
}

impl Obstacle {
    /// The exact command that helps, or `none: <why>`.
    pub fn remedy(&self) -> String {
        const SIGN: &str = "sign cftu.ko with a key that sudo mokutil --import MOK.der has \
            enrolled (DKMS does both), or disable Secure Boot in the firmware";
        let command = match self {
            Obstacle::NoModules => {
                "nothing on this kernel: boot one with CONFIG_MODULES=y (any distribution kernel)"
            }
            Obstacle::ModulesDisabled => "reboot, and load cftu before it is set",
            Obstacle::Locked { installed, .. } | Obstacle::SignaturesEnforced { installed } => {
                match installed {
                    true => {
                        return format!("sudo modprobe cftu; if the key is refused: {SIGN}");
                    }
                    false => SIGN,
                }
            }
            Obstacle::NotLoaded => "sudo modprobe cftu",
            Obstacle::NotBuilt => "make -C kernel && sudo insmod kernel/cftu/cftu.ko",
            Obstacle::NoHeaders { .. } => {
                "sudo apt-get install linux-headers-$(uname -r), then make -C kernel && \
                 sudo insmod kernel/cftu/cftu.ko; with DKMS it is rebuilt for every kernel"
            }
            Obstacle::NoNode { container: true } => "start the container with --device /dev/cftu",
            Obstacle::NoNode { container: false } => {
                "sudo mknod -m 600 /dev/cftu c 10 $(awk '$2 == \"cftu\" {print $1}' /proc/misc)"
            }
            // Not to be opened to others: see docs/guides/copy-offload.md.
            Obstacle::NotPermitted => "run it as root: sudo pontage ...",
            Obstacle::OtherAbi { .. } => {
                "rebuild and load the module of this program: make -C kernel && sudo rmmod cftu && \
                 sudo insmod kernel/cftu/cftu.ko"
            }
            Obstacle::StoredTree => "none: run it on the machine itself",
        };
        command.to_owned()
    }
}

fn other_abi(module: Option<u32>, module_version: Option<&str>) -> String {
    let ours = crate::abi::ABI_VERSION;
    let name = module_version.map_or_else(String::new, |v| format!(" {v}"));
    match module {
        Some(theirs) => format!(
            "module cftu{name} has version {theirs} of the interface, this program version {ours}"
        ),
        None => format!(
            "module cftu{name} has another version of the interface than this program, \
             which has version {ours}"
        ),
    }
}
