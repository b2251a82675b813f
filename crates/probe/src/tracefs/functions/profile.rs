//! The kernel's own function profile (CONFIG_FUNCTION_PROFILER). Its files are the
//! machine's, and its filter is that of the machine's own ring.

use super::resolve::Functions;
use super::set::fill;
use super::shared::{Held, active, in_use, is_free, taken};
use crate::function_profile::{FunctionTime, Sums, stat};
use crate::tracefs::absence::{Result, TracefsError};
use crate::tracefs::mount::{Tracefs, read, write};

const SWITCH: &str = "function_profile_enabled";
const FILTER: &str = "set_ftrace_filter";
const WHAT: &str = "profile functions";

/// Whether this kernel has one.
pub fn has_profile(tracefs: &Tracefs) -> bool {
    tracefs.read(SWITCH).is_ok()
}

/// Files to hold, the switch last.
///
/// # Errors
/// `Refused`: another process uses it, or what it shares.
pub fn profile_held(tracefs: &Tracefs) -> Result<Vec<Held>> {
    if tracefs.read(SWITCH)?.trim() != "0" {
        let switch = tracefs.folder().join(SWITCH);
        return Err(in_use(
            WHAT,
            "the function profile is on",
            "it is",
            "0 ",
            &switch,
        ));
    }
    if let Some((name, folder)) = active(tracefs).first() {
        return Err(taken(WHAT, name, folder));
    }
    for list in [FILTER, "set_ftrace_notrace"] {
        is_free(tracefs, WHAT, list)?;
    }
    let switch = tracefs.folder().join(SWITCH);
    Ok(vec![
        Held::list(tracefs.folder().join(FILTER)),
        Held::setting(switch, "0", &["1"]),
    ])
}

/// Switches it on; what it had counted before is forgotten by the kernel.
///
/// # Errors
/// A filter that the kernel does not take.
pub fn profile_start(tracefs: &Tracefs, functions: &Functions) -> Result<()> {
    if !functions.only.is_empty() {
        fill(&tracefs.folder().join(FILTER), &functions.only)?;
    }
    write(&tracefs.folder().join(SWITCH), "1")
}

/// Switches it off and reads what it counted.
///
/// # Errors
/// As writing and reading.
pub fn profile_stop(tracefs: &Tracefs) -> Result<Vec<FunctionTime>> {
    write(&tracefs.folder().join(SWITCH), "0")?;
    let folder = tracefs.folder().join("trace_stat");
    let listed = std::fs::read_dir(&folder).map_err(TracefsError::file("list", &folder))?;
    let mut sums = Sums::default();
    for file in listed.flatten() {
        let name = file.file_name();
        let cpu = name
            .to_str()
            .and_then(|n| n.strip_prefix("function")?.parse().ok());
        if let Some(cpu) = cpu {
            stat::add(&mut sums, cpu, &read(&file.path())?);
        }
    }
    Ok(sums.rows())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracefs::testing::Tree;

    fn with_profile() -> Tree {
        let tree = Tree::new();
        tree.write("sys/kernel/tracing/function_profile_enabled", "0\n");
        for (cpu, row) in [
            (0, "f 2 30.000 us 15.000 us 50.000 us\n"),
            (3, "f 1 60 us 60 us 0 us\n"),
        ] {
            let file = format!("sys/kernel/tracing/trace_stat/function{cpu}");
            tree.write(&file, format!("  Function Hit Time Avg s^2\n{row}"));
        }
        tree.write("sys/kernel/tracing/trace_stat/branch_all", "1 2 3\n");
        tree
    }

    #[test]
    fn it_is_filtered_switched_on_and_read_by_cpu() {
        let tree = with_profile();
        let tracefs = tree.tracefs();
        assert!(has_profile(&tracefs) && !has_profile(&Tree::new().tracefs()));
        let held = profile_held(&tracefs).unwrap();
        assert!(held[1].path.ends_with(SWITCH), "let go first");
        let functions = Functions {
            below: Vec::new(),
            only: vec!["vfs_*".to_owned()],
            depth: 0,
            named: Some(2),
        };
        profile_start(&tracefs, &functions).unwrap();
        let of = |name: &str| tree.read(&format!("sys/kernel/tracing/{name}"));
        assert_eq!((of(FILTER).as_str(), of(SWITCH).as_str()), ("vfs_*\n", "1"));
        let rows = profile_stop(&tracefs).unwrap();
        assert_eq!(of(SWITCH), "0");
        assert_eq!((rows.len(), rows[0].hits, rows[0].by_cpu[1].cpu), (1, 3, 3));
    }

    #[test]
    fn what_others_have_on_is_left_on() {
        for (path, text, expected) in [
            (SWITCH, "1\n", "the function profile is on"),
            ("current_tracer", "function\n", "tracer function is active"),
            (
                FILTER,
                "vfs_read\n",
                "another process has set set_ftrace_filter",
            ),
        ] {
            let tree = with_profile();
            tree.write(&format!("sys/kernel/tracing/{path}"), text);
            let error = profile_held(&tree.tracefs()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
