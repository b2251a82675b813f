//! The mirror against the headers: a C program prints what its compiler made of
//! every structure, field and constant, and the mirror must say the same.
//!
//! What both say is committed as a text named after CFTU_ABI_VERSION: a change
//! of the interface without a new version differs from it. After a wanted one:
//!
//!     UPDATE_GOLDEN=1 cargo test -p pontage-uapi --test layout

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use uapi::{abi, header};

const HEADERS: [&str; 2] = ["cftu.h", "cftu_trace.h"];
/// Of the device's name, include guards and a macro with an argument: no numbers.
const NO_NUMBERS: [&str; 4] = [
    "CFTU_DEVICE_NAME",
    "_UAPI_CFTU_H",
    "_UAPI_CFTU_TRACE_H",
    "CFTU_TRACE_MMAP_OFFSET",
];

fn headers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernel/uapi")
}

fn header_text() -> String {
    let read = |name: &&str| std::fs::read_to_string(headers().join(name)).unwrap();
    HEADERS.iter().map(read).collect()
}

/// One line a fact: what this crate says.
fn mirror() -> String {
    let mut text = String::new();
    for s in abi::structures() {
        writeln!(text, "struct {} {}", s.c_name, s.size_bytes).unwrap();
        for f in s.fields {
            writeln!(text, "  {} {} {}", f.name, f.offset_bytes, f.size_bytes).unwrap();
        }
    }
    for c in header::constants() {
        writeln!(text, "{} {:#x}", c.c_name, c.value).unwrap();
    }
    text
}

/// A program that prints the same lines, from the header.
fn c_program() -> String {
    let mut text = String::from("#include <stdio.h>\n#include <stddef.h>\n");
    for header in HEADERS {
        writeln!(text, "#include \"{header}\"").unwrap();
    }
    text.push_str(
        "#define AT(s, f) printf(\"  %s %zu %zu\\n\", #f, offsetof(struct s, f), \\\n\
                   \tsizeof(((struct s *)0)->f))\nint main(void)\n{\n",
    );
    for s in abi::structures() {
        let name = s.c_name;
        writeln!(
            text,
            "\tprintf(\"struct {name} %zu\\n\", sizeof(struct {name}));"
        )
        .unwrap();
        for f in s.fields {
            writeln!(text, "\tAT({name}, {});", f.name).unwrap();
        }
    }
    for c in header::constants() {
        let name = c.c_name;
        writeln!(
            text,
            "\tprintf(\"{name} %#llx\\n\", (unsigned long long)({name}));"
        )
        .unwrap();
    }
    text.push_str("\treturn 0;\n}\n");
    // printf writes a zero without its prefix.
    text.replace("%#llx", "0x%llx")
}

/// What the first C compiler found makes of it; `None` where there is none.
fn compiled(compilers: &[&str]) -> Option<String> {
    let compiler = compilers.iter().find(|c| {
        let asked = Command::new(c).arg("--version").output();
        asked.is_ok_and(|o| o.status.success())
    })?;
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("layout.c"), folder.path().join("layout"));
    std::fs::write(&source, c_program()).unwrap();
    let built = Command::new(compiler)
        .args(["-Wall", "-Werror", "-I"])
        .arg(headers())
        .arg("-o")
        .args([&program, &source])
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let ran = Command::new(&program).output().unwrap();
    Some(String::from_utf8(ran.stdout).unwrap())
}

#[track_caller]
fn expect_same(what: &str, left: &str, right: &str) {
    let mut lines = left.lines().zip(right.lines());
    let differs = lines.find(|(a, b)| a != b);
    assert!(left == right, "{what}: first difference {differs:?}");
}

#[test]
fn the_compiler_lays_the_headers_out_as_the_mirror_does() {
    let Some(compiled_layout) = compiled(&["cc", "gcc", "clang"]) else {
        eprintln!(
            "SKIP layout against the headers: there is no C compiler\n\
                   enable: sudo apt-get install gcc"
        );
        return;
    };
    expect_same("mirror and header", &mirror(), &compiled_layout);
}

#[test]
fn the_interface_is_that_of_its_version() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("tests/golden/abi-{}.txt", abi::ABI_VERSION));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, mirror()).unwrap();
    }
    let text = std::fs::read_to_string(&golden).unwrap_or_default();
    expect_same(
        "interface changed: raise CFTU_ABI_VERSION, or put it back",
        &text,
        &mirror(),
    );
}

#[test]
fn every_structure_of_the_headers_is_mirrored() {
    let text = header_text();
    let declared = |line: &str| Some(line.strip_prefix("struct ")?.strip_suffix(" {")?.to_owned());
    let declared: BTreeSet<String> = text.lines().filter_map(declared).collect();
    let mirrored: BTreeSet<String> = abi::structures()
        .iter()
        .map(|s| s.c_name.to_owned())
        .collect();
    assert!(declared.len() > 10);
    assert_eq!(declared, mirrored);
}

/// With sizes equal and no gap between fields, no field can be missing.
#[test]
fn no_structure_has_a_gap() {
    for s in abi::structures() {
        let mut end = 0;
        for f in s.fields {
            assert_eq!(f.offset_bytes, end, "{}.{}", s.c_name, f.name);
            end = f.offset_bytes + f.size_bytes;
        }
        assert_eq!(end, s.size_bytes, "{}", s.c_name);
    }
}

#[test]
fn every_number_of_the_headers_is_mirrored() {
    let text = header_text();
    let named = |line: &str| {
        let line = line.trim_start();
        let name = line.strip_prefix("#define ").unwrap_or(line);
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let (name, rest) = name.split_at(end.unwrap_or(name.len()));
        let numbered = line.starts_with("#define ") || rest.trim_start().starts_with('=');
        (numbered && name.contains("CFTU_")).then(|| name.to_owned())
    };
    let mut declared: BTreeSet<String> = text.lines().filter_map(named).collect();
    for name in NO_NUMBERS {
        assert!(declared.remove(name), "{name}");
    }
    let mirrored: BTreeSet<String> = header::constants()
        .iter()
        .map(|c| c.c_name.to_owned())
        .collect();
    assert!(declared.len() > 100, "{}", declared.len());
    assert_eq!(declared, mirrored);
}
