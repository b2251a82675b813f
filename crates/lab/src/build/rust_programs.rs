//! Programs of this workspace for the guest's processor, built by cargo: static, so that no
//! library has to go along.

use crate::command;
use crate::data::{Architecture, RustProgram};
use crate::stop::Stop;
use crate::workshop::Workshop;
use std::path::{Path, PathBuf};

/// Builds each of `wanted` of the workspace at `root`.
///
/// # Errors
/// What cargo says.
pub fn build(
    shop: Workshop,
    wanted: &[RustProgram],
    root: &Path,
    architecture: Architecture,
) -> Result<Vec<PathBuf>, Stop> {
    let folder = shop.folder("rust")?;
    let triple = architecture.rust();
    let one = |program: &RustProgram| {
        let mut cargo = command::tied("cargo");
        cargo.args(["build", "--locked", "--target", triple, "--target-dir"]);
        cargo.arg(&folder).args(chosen(program));
        for (name, value) in environment(architecture) {
            cargo.env(name, value);
        }
        let doing = format!("build {} for {}", program.name(), architecture.debian());
        (shop.say)(&doing);
        shop.run(cargo.current_dir(root), &doing)?;
        Ok(folder.join(triple).join("debug").join(below(program)))
    };
    wanted.iter().map(one).collect()
}

/// Which of the package's programs, as cargo's words.
fn chosen(program: &RustProgram) -> Vec<&str> {
    let package = ["--package", &program.package];
    let which = match &program.example {
        Some(example) => ["--example", example],
        None => ["--bin", &program.package],
    };
    [package, which].concat()
}

/// Where cargo leaves it, below the folder of the profile.
fn below(program: &RustProgram) -> PathBuf {
    match &program.example {
        Some(example) => Path::new("examples").join(example),
        None => PathBuf::from(&program.package),
    }
}

/// The settings of cargo, and of build scripts that call a C compiler.
fn environment(architecture: Architecture) -> Vec<(String, String)> {
    let triple = architecture.rust();
    let small = triple.replace('-', "_");
    let large = small.to_uppercase();
    let compiler = architecture.compiler();
    vec![
        (format!("CARGO_TARGET_{large}_LINKER"), compiler.clone()),
        (
            format!("CARGO_TARGET_{large}_RUSTFLAGS"),
            "-C target-feature=+crt-static".to_owned(),
        ),
        (format!("CC_{small}"), compiler),
        // What debuggers read would be most of the guest's memory.
        ("CARGO_PROFILE_DEV_DEBUG".to_owned(), "0".to_owned()),
        ("CARGO_INCREMENTAL".to_owned(), "0".to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::{below, chosen, environment};
    use crate::data::{Architecture, RustProgram};
    use std::path::Path;

    #[test]
    fn an_example_is_another_program_than_that_of_its_package() {
        let mut program = RustProgram {
            package: "probe".to_owned(),
            example: Some("counter_truth".to_owned()),
        };
        let words = ["--package", "probe", "--example", "counter_truth"];
        assert_eq!(chosen(&program), words);
        assert_eq!(below(&program), Path::new("examples/counter_truth"));
        program.example = None;
        assert_eq!(chosen(&program), ["--package", "probe", "--bin", "probe"]);
        assert_eq!(below(&program), Path::new("probe"));
    }

    #[test]
    fn the_linker_is_the_guests() {
        let all = environment(Architecture::Arm64);
        let value = |name: &str| {
            let found = all.iter().find(|(n, _)| n == name);
            found.map(|(_, value)| value.as_str()).unwrap()
        };
        let linker = value("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER");
        assert_eq!(linker, Architecture::Arm64.compiler());
        assert_eq!(value("CC_aarch64_unknown_linux_gnu"), linker);
    }
}
