//! Programs of the host that a scenario needs, and what installs them.

use crate::build::plugins::COMPILER;
use crate::command::{self, find};
use crate::data::{Architecture, Kernel, Machine, Origin, Scenario};
use crate::stop::Stop;
use std::fs;
use std::path::Path;

/// Programs that every scenario needs, and the packages that have them.
const ALWAYS: [(&str, &str); 8] = [
    ("setpriv", "util-linux"),
    ("bash", "bash"),
    ("cpio", "cpio"),
    ("gzip", "gzip"),
    ("xz", "xz-utils"),
    ("tar", "tar"),
    ("depmod", "kmod"),
    ("modprobe", "kmod"),
];

/// Nothing, or why `scenario` cannot run here and the command that helps.
///
/// # Errors
/// A skip that names everything that is missing.
pub fn check(scenario: &Scenario, kernel: &Kernel, machine: &Machine) -> Result<(), Stop> {
    let missing: Vec<(String, String)> = all(scenario, kernel, machine)
        .into_iter()
        .filter(|(program, _)| find(program).is_none())
        .chain(missing_libc(scenario, kernel.architecture))
        .chain(missing_libelf(kernel))
        .collect();
    if missing.is_empty() {
        rust_library(scenario, kernel.architecture)?;
        return plugins(machine);
    }
    let programs: Vec<&str> = missing.iter().map(|(p, _)| p.as_str()).collect();
    let mut packages: Vec<&str> = missing.iter().map(|(_, p)| p.as_str()).collect();
    packages.sort_unstable();
    packages.dedup();
    Err(Stop::skip(
        format!("not installed: {}", programs.join(", ")),
        format!("apt-get install {}", packages.join(" ")),
    ))
}

/// QEMU can be built without them, and each knows plugins of its own time only.
fn plugins(machine: &Machine) -> Result<(), Stop> {
    if machine.plugins.is_empty() {
        return Ok(());
    }
    let (qemu, package) = (&machine.qemu, &machine.package);
    match refusal(&help(qemu)) {
        None => Ok(()),
        Some(why) => Err(Stop::skip(
            format!("{qemu} {why}"),
            format!("QEMU 7 or 8 with plugins, as Debian 12 has it: apt-get install {package}"),
        )),
    }
}

/// Rust's standard library for the guest's processor, which is no package of Debian's.
fn rust_library(scenario: &Scenario, architecture: Architecture) -> Result<(), Stop> {
    let triple = architecture.rust();
    if scenario.rust_programs.is_empty() || has_library(&sysroot(), triple) {
        return Ok(());
    }
    Err(Stop::skip(
        format!("Rust's standard library for {triple} is not installed"),
        format!("rustup target add {triple}"),
    ))
}

fn sysroot() -> String {
    let output = command::tied("rustc").args(["--print", "sysroot"]).output();
    output.map_or_else(|_| String::new(), |o| command::both(&o).trim().to_owned())
}

fn has_library(sysroot: &str, triple: &str) -> bool {
    let folder = Path::new(sysroot)
        .join("lib/rustlib")
        .join(triple)
        .join("lib");
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    names.any(|name| name.starts_with("libstd-") && name.ends_with(".rlib"))
}

fn help(qemu: &str) -> String {
    let output = command::tied(qemu).arg("-help").output();
    output.map_or_else(|_| String::new(), |output| command::both(&output))
}

/// Why a QEMU that says this of itself does not take our plugins.
fn refusal(help: &str) -> Option<String> {
    if !help.lines().any(|line| line.starts_with("-plugin ")) {
        return Some("takes no plugins".to_owned());
    }
    let (_, version) = help.split_once("version ")?;
    let version = version.split_whitespace().next()?;
    match version.split('.').next()? {
        "7" | "8" => None,
        _ => Some(format!("{version} has another plugin interface")),
    }
}

/// Programs, and the packages that have them.
fn all(scenario: &Scenario, kernel: &Kernel, machine: &Machine) -> Vec<(String, String)> {
    let own = matches!(kernel.origin, Origin::Source(_));
    let compiles = scenario.programs.iter().any(|p| p.ends_with(".c"));
    let builds = scenario.build.is_some();
    let cargo = !scenario.rust_programs.is_empty();
    let links = cargo && !kernel.architecture.cross_prefix().is_empty();
    let makes = own || compiles || builds || !scenario.from_source.is_empty();
    let compiler = kernel.architecture.compiler();
    let compiler_package = compiler_package(kernel.architecture);
    let brings = scenario.pontage || !scenario.host_programs.is_empty();
    let sometimes = [
        (true, machine.qemu.as_str(), machine.package.as_str()),
        (own, "flex", "flex"),
        (own, "bison", "bison"),
        (own, "bc", "bc"),
        (own, "kill", "procps"),
        // What runs while it is built is built first, for the host.
        (own, "gcc", "gcc"),
        (makes || links, &compiler, compiler_package),
        (!scenario.debian_programs.is_empty(), "readelf", "binutils"),
        (cargo, "cargo", "cargo"),
        (makes, "make", "make"),
        (builds, "sparse", "sparse"),
        (!machine.plugins.is_empty(), COMPILER, "gcc"),
        (scenario.pontage, "strip", "binutils"),
        (brings, "ldd", "libc-bin"),
    ];
    let sometimes = sometimes.iter().filter(|(needed, ..)| *needed);
    let host = scenario.host_programs.iter();
    (ALWAYS.into_iter())
        .chain(sometimes.map(|(_, program, package)| (*program, *package)))
        .chain(host.map(|p| (p.name.as_str(), p.package.as_str())))
        .map(|(program, package)| (program.to_owned(), package.to_owned()))
        .collect()
}

fn compiler_package(architecture: Architecture) -> &'static str {
    match (architecture.cross_prefix(), architecture) {
        ("", _) => "gcc-12",
        (_, Architecture::Amd64) => "gcc-12-x86-64-linux-gnu",
        (_, Architecture::Arm64) => "gcc-12-aarch64-linux-gnu",
    }
}

/// A cross compiler comes without the library that programs are linked with.
fn missing_libc(scenario: &Scenario, architecture: Architecture) -> Option<(String, String)> {
    let prefix = architecture.cross_prefix().trim_end_matches('-');
    let compiles =
        scenario.programs.iter().any(|p| p.ends_with(".c")) || !scenario.rust_programs.is_empty();
    let library = format!("/usr/{prefix}/lib/libc.a");
    let missing = compiles && !prefix.is_empty() && !Path::new(&library).exists();
    missing.then(|| {
        (
            library,
            format!("libc6-dev-{}-cross", architecture.debian()),
        )
    })
}

/// objtool, which looks through a kernel that is built here, is linked with it.
fn missing_libelf(kernel: &Kernel) -> Option<(String, String)> {
    let header = "/usr/include/gelf.h";
    let missing = matches!(kernel.origin, Origin::Source(_)) && !Path::new(header).exists();
    missing.then(|| (header.to_owned(), "libelf-dev".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{has_library, refusal};
    use std::fs;

    #[test]
    fn a_target_without_its_library_is_not_taken_for_one_that_has_it() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("lib/rustlib/t/lib");
        fs::create_dir_all(&folder).unwrap();
        let here = || has_library(root.path().to_str().unwrap(), "t");
        // rustc leaves the folder of a target that was removed.
        fs::write(folder.join("libcore-1.rlib"), "").unwrap();
        assert!(!here());
        fs::write(folder.join("libstd-1.rlib"), "").unwrap();
        assert!(here());
    }

    #[test]
    fn the_help_of_a_qemu_shows_whether_it_takes_our_plugins() {
        let help = |version: &str, more: &str| {
            format!("QEMU emulator version {version} (Debian)\n-trace x\n{more} [file=]<file>\n")
        };
        assert_eq!(refusal(&help("7.2.22", "-plugin")), None);
        assert_eq!(refusal(&help("8.2.0", "-plugin")), None);
        let none = Some("takes no plugins".to_owned());
        assert_eq!(refusal(&help("7.2.22", "-pidfile")), none);
        assert_eq!(refusal(""), none);
        let other = refusal(&help("10.0.2", "-plugin")).unwrap();
        assert_eq!(other, "10.0.2 has another plugin interface");
    }
}
