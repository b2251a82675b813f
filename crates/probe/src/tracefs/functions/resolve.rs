//! From names and globs to what the kernel's filters take.

use crate::absence::needs_kernel;
use crate::lockdown;
use crate::tracefs::absence::{Result, TracefsError};
use crate::tracefs::mount::Tracefs;
use crate::tracefs::names::nearest;
use crate::tracefs::specification::{is_glob, matches};
use std::io::ErrorKind;

/// The word that stands for every function.
pub const ALL: &str = "all";
/// A filter that names more is hardly one; `all` says that it is meant.
const MOST: usize = 4096;

/// Probes are made one by one, two for each function.
const MOST_PROBED: usize = 64;

const LIST: &str = "available_filter_functions";

/// What is asked for: names, globs, or `all`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FunctionWish {
    /// These, and all that they call.
    pub below: Vec<String>,
    /// Only these.
    pub only: Vec<String>,
    /// Levels of the trees; 0: all.
    pub depth: u32,
}

/// Functions that this kernel can trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Functions {
    /// Words for `set_graph_function`; empty: trees begin anywhere.
    pub below: Vec<String>,
    /// Words for `set_ftrace_filter`; empty: all.
    pub only: Vec<String>,
    pub depth: u32,
    /// How many functions the words name; None: all.
    pub named: Option<usize>,
}

impl Functions {
    /// # Errors
    /// `Absent`: no function tracer, or one that is locked; functions that this
    /// kernel cannot trace, with the nearest names. `Refused`: no filter, or one
    /// that names nearly all.
    pub fn resolve(tracefs: &Tracefs, wish: &FunctionWish) -> Result<Functions> {
        if wish.below.is_empty() && wish.only.is_empty() {
            return Err(TracefsError::refused(
                "trace functions",
                "none is named, and tracing all of them slows a machine to a crawl; name some: \
                 --graph 'vfs_write' or --functions 'vfs_*'",
            ));
        }
        let known = traceable(tracefs)?;
        let named = [
            named(&known, &wish.below, "--graph")?,
            named(&known, &wish.only, "--functions")?,
        ];
        Ok(Functions {
            below: words(&wish.below),
            only: words(&wish.only),
            depth: wish.depth,
            named: named.into_iter().flatten().reduce(usize::min),
        })
    }

    /// In a phrase, for notes.
    pub fn description(&self) -> String {
        let mut text = match self.only.as_slice() {
            [] => "functions".to_owned(),
            only => format!("functions {}", only.join(", ")),
        };
        if !self.below.is_empty() {
            text += &format!(" below {}", self.below.join(", "));
        }
        if self.below.is_empty() && self.only.is_empty() {
            text = "all functions".to_owned();
        }
        match self.depth {
            0 => text,
            n => format!("{text}, {n} levels"),
        }
    }
}

/// Functions for probes, of which each is a cost of its own. Kernels without a
/// function tracer list none; their symbols are taken.
///
/// # Errors
/// As `Functions::resolve`; `Refused` for more than 64.
pub fn names_to_probe(tracefs: &Tracefs, wishes: &[String]) -> Result<Vec<String>> {
    let known = match traceable(tracefs) {
        Ok(known) => known,
        Err(_) => code(tracefs),
    };
    named(&known, wishes, "--functions")?;
    let wanted = |name: &&String| wishes.iter().any(|wish| matches(wish, name));
    let mut names: Vec<String> = known.iter().filter(wanted).cloned().collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() || names.len() > MOST_PROBED {
        return Err(TracefsError::refused(
            format!("probe {}", wishes.join(",")),
            format!(
                "that names {} functions; probes work for at most {MOST_PROBED}",
                names.len()
            ),
        ));
    }
    Ok(names)
}

fn code(tracefs: &Tracefs) -> Vec<String> {
    let text = std::fs::read_to_string(tracefs.root().join("proc/kallsyms"));
    let name = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        matches!(words.next()?, "t" | "T").then(|| words.next().map(str::to_owned))?
    };
    text.unwrap_or_default().lines().filter_map(name).collect()
}

/// `all` is no filter.
fn words(wishes: &[String]) -> Vec<String> {
    match wishes.iter().any(|w| w == ALL) {
        true => Vec::new(),
        false => wishes.to_vec(),
    }
}

/// Names of the functions that can be traced, those of modules without the
/// module.
fn traceable(tracefs: &Tracefs) -> Result<Vec<String>> {
    let text = tracefs.read(LIST).map_err(|error| match error {
        TracefsError::File { cause, .. } if cause.kind() == ErrorKind::NotFound => {
            TracefsError::absent(
                "this kernel has no function tracer",
                needs_kernel("CONFIG_FUNCTION_GRAPH_TRACER"),
            )
        }
        TracefsError::Absent { reason, .. } if rustix::process::geteuid().is_root() => {
            let level = lockdown::level(tracefs.root());
            let (why, remedy) = lockdown::of_tracers(level.as_deref());
            TracefsError::absent(
                format!("this kernel refuses its function tracers ({why}): {reason}"),
                format!("{remedy}; events still work: pontage trace record -e sched"),
            )
        }
        other => other,
    })?;
    let name = |line: &str| Some(line.split_whitespace().next()?.to_owned());
    Ok(text.lines().filter_map(name).collect())
}

/// How many functions the words name; None: all, or none was asked.
fn named(known: &[String], wishes: &[String], option: &str) -> Result<Option<usize>> {
    if wishes.is_empty() || wishes.iter().any(|w| w == ALL) {
        return Ok(None);
    }
    let mut sum = 0;
    for wish in wishes {
        let count = known.iter().filter(|name| matches(wish, name)).count();
        if count == 0 {
            return Err(unknown(known, wish, option));
        }
        sum += count;
    }
    if sum > MOST {
        return Err(TracefsError::refused(
            format!("trace {}", wishes.join(",")),
            format!(
                "that names {sum} functions, which slows a machine to a crawl; name fewer, or \
                 confirm with: {option} {ALL}"
            ),
        ));
    }
    Ok(Some(sum))
}

fn unknown(known: &[String], wish: &str, option: &str) -> TracefsError {
    let near = match is_glob(wish) {
        true => Vec::new(),
        false => nearest(wish, known),
    };
    TracefsError::absent(
        format!("this kernel can trace no function {wish}"),
        match near.is_empty() {
            true => format!("find another: sudo grep NAME /sys/kernel/tracing/{LIST}"),
            false => format!(
                "did you mean {option} {}",
                near.join(&format!(" or {option} "))
            ),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracefs::testing::Tree;

    fn resolved(below: &[&str], only: &[&str]) -> Result<Functions> {
        let tree = Tree::new();
        let owned = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
        let wish = FunctionWish {
            below: owned(below),
            only: owned(only),
            depth: 4,
        };
        Functions::resolve(&tree.tracefs(), &wish)
    }

    #[test]
    fn names_globs_and_functions_of_modules() {
        let found = resolved(&["vfs_write"], &["vfs_*", "ext4_sync_file"]).unwrap();
        assert_eq!(found.named, Some(1));
        assert_eq!(
            found.description(),
            "functions vfs_*, ext4_sync_file below vfs_write, 4 levels"
        );
        let all = resolved(&[], &["all"]).unwrap();
        assert_eq!(
            (all.named, all.description()),
            (None, "all functions, 4 levels".to_owned())
        );
    }

    #[test]
    fn nothing_named_and_nearly_all_named_are_refused() {
        let error = resolved(&[], &[]).unwrap_err().to_string();
        assert!(
            error.contains("none is named") && error.contains("--graph"),
            "{error}"
        );
        let error = resolved(&[], &["*"]).unwrap_err().to_string();
        assert!(error.contains("names 5004 functions") && error.contains("--functions all"));
        assert!(resolved(&["*"], &["vfs_read"]).is_err());
    }

    #[test]
    fn an_unknown_function_is_answered_with_the_nearest() {
        let Err(TracefsError::Absent { reason, remedy }) = resolved(&["vfs_wirte"], &[]) else {
            panic!()
        };
        assert_eq!(reason, "this kernel can trace no function vfs_wirte");
        assert!(
            remedy.starts_with("did you mean --graph vfs_write"),
            "{remedy}"
        );
        assert!(matches!(
            resolved(&[], &["nfs_*"]),
            Err(TracefsError::Absent { .. })
        ));
    }

    #[test]
    fn probes_take_a_few_names_of_either_list() {
        let tree = Tree::new();
        let names = |wish: &str| names_to_probe(&tree.tracefs(), &[wish.to_owned()]);
        assert_eq!(names("vfs_*").unwrap(), ["vfs_read", "vfs_write"]);
        let error = names("function_1*").unwrap_err().to_string();
        assert!(error.contains("at most 64"), "{error}");
        assert!(names("all").is_err());
        std::fs::remove_file(tree.tracefs().folder().join(LIST)).unwrap();
        tree.write(
            "proc/kallsyms",
            "0 T vfs_read\n0 d vfs_data\n0 t vfs_x\t[m]\n",
        );
        assert_eq!(names("vfs_*").unwrap(), ["vfs_read", "vfs_x"]);
    }

    #[test]
    fn a_kernel_without_is_an_absence() {
        let tree = Tree::new();
        std::fs::remove_file(tree.tracefs().folder().join(LIST)).unwrap();
        let wish = FunctionWish {
            only: vec!["x".to_owned()],
            ..FunctionWish::default()
        };
        let Err(TracefsError::Absent { reason, .. }) = Functions::resolve(&tree.tracefs(), &wish)
        else {
            panic!()
        };
        assert_eq!(reason, "this kernel has no function tracer");
    }
}
