//! `scripts/need.sh` on systems that it has never seen: each has the usual tools, and stubs for
//! what distinguishes it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What every system has.
const TOOLS: [&str; 13] = [
    "sh", "sed", "awk", "sort", "paste", "head", "grep", "cat", "find", "dirname", "uname", "env",
    "rm",
];

struct System {
    home: tempfile::TempDir,
}

impl System {
    /// With these stubs: a name, and a shell script.
    fn new(stubs: &[(&str, &str)]) -> System {
        let home = tempfile::tempdir().unwrap();
        let bin = home.path().join("bin");
        fs::create_dir(&bin).unwrap();
        for tool in TOOLS {
            symlink(which(tool), bin.join(tool)).unwrap();
        }
        for (name, script) in stubs {
            let path = bin.join(name);
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        System { home }
    }

    /// Exit status and standard error of `need.sh TARGET`.
    fn need(&self, target: &str) -> (i32, String) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/need.sh");
        let ended = Command::new("/bin/sh")
            .arg(script)
            .arg(target)
            .env_clear()
            .env("PATH", self.home.path().join("bin"))
            .env("HOME", self.home.path())
            .output()
            .unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        (ended.status.code().unwrap(), said)
    }

    fn installed(&self) -> String {
        fs::read_to_string(self.home.path().join("installed")).unwrap_or_default()
    }
}

fn which(tool: &str) -> PathBuf {
    let places = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(tool));
    let found = places.into_iter().find(|path| path.exists());
    found.unwrap_or_else(|| panic!("{tool} is missing"))
}

const OLD_CARGO: (&str, &str) = ("cargo", "echo 'cargo 1.75.0 (1d8b05cdd 2023-11-20)'");
const NEW_CARGO: (&str, &str) = ("cargo", "echo 'cargo 1.99.0 (abcdef012 2026-11-01)'");
const USER: (&str, &str) = ("id", "echo 1000");
const ROOT: (&str, &str) = ("id", "echo 0");
const CC: (&str, &str) = ("cc", "");
/// Knows a rustc that is too old and one that is not, and notes what it installs.
const APT_CACHE: (&str, &str) = (
    "apt-cache",
    "case \"$1 $2\" in\n\
     'policy rustc') printf 'rustc:\\n  Candidate: 1.63.0+dfsg1-2\\n' ;;\n\
     'policy rustc-web') printf 'rustc-web:\\n  Candidate: 1.96.0+dfsg1-1~deb12u2\\n' ;;\n\
     esac",
);
const APT_GET: (&str, &str) = (
    "apt-get",
    "case \"$*\" in\n\
     *--assume-no*) printf 'Need to get 12.3 MB of archives.\\n\
     After this operation, 45.6 MB of additional disk space will be used.\\n' ;;\n\
     install*) echo \"$*\" >>\"$HOME/installed\" ;;\n\
     esac",
);

#[test]
fn an_old_cargo_ends_in_every_way_to_a_new_one() {
    let (status, said) = System::new(&[OLD_CARGO, USER, CC, ("dnf", "")]).need("run");
    assert_eq!(status, 2, "{said}");
    for words in [
        "cargo is 1.75.0; Pontage is built with Rust 1.89 or newer",
        "dnf install rust cargo",
        "rustup update stable",
        "the static program of a release",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains("edition"), "{said}");
}

#[test]
fn debian_without_cargo_gets_the_one_that_is_new_enough() {
    let system = System::new(&[ROOT, CC, APT_CACHE, APT_GET]);
    let (status, said) = system.need("run");
    assert_eq!(status, 0, "{said}");
    assert!(
        said.contains("installing cargo-web rustc-web (12.3 MB to fetch, 45.6 MB on disk)"),
        "{said}"
    );
    assert!(system.installed().contains("cargo-web rustc-web"));
}

#[test]
fn debian_with_an_old_cargo_is_not_changed_but_asked() {
    let system = System::new(&[OLD_CARGO, ROOT, CC, APT_CACHE, APT_GET]);
    let (status, said) = system.need("run");
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("apt-get install rustc-web cargo-web"),
        "{said}"
    );
    assert_eq!(system.installed(), "");
}

#[test]
fn one_message_names_all_that_is_missing_as_the_system_calls_it() {
    let managers = [
        ("dnf", "dnf install", "qemu-system-aarch64"),
        ("pacman", "pacman -S --needed", "qemu-system-x86"),
        ("apk", "apk add", "qemu-system-x86_64"),
    ];
    for (manager, command, package) in managers {
        let (status, said) = System::new(&[NEW_CARGO, USER, (manager, "")]).need("test");
        assert_eq!(status, 2, "{said}");
        let asked: Vec<&str> = said
            .lines()
            .filter(|l| l.contains("please install"))
            .collect();
        let [line] = asked[..] else {
            panic!("{said}");
        };
        let all = [
            command,
            package,
            "chromium",
            "stress-ng",
            "nodejs",
            "cpio",
            "gcc",
        ];
        for word in all {
            assert!(line.contains(word), "{manager}, {word}: {said}");
        }
    }
}

#[test]
fn what_the_whole_test_fetches_is_said_before_it_does() {
    let system = System::new(&[NEW_CARGO, ROOT, APT_CACHE, APT_GET]);
    let (_, said) = system.need("test");
    let announced = said
        .find("the whole test needs, the first time:")
        .expect("it is said");
    let installing = said.find("installing").expect("it is root");
    assert!(announced < installing, "{said}");
    for words in [
        "12.3 MB to fetch, 45.6 MB on disk",
        "crates, about 35 MB",
        "without them: make check",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn nothing_is_said_where_nothing_is_missing() {
    let system = System::new(&[NEW_CARGO, USER, CC]);
    assert_eq!(system.need("run"), (0, String::new()));
}
