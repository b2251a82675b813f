//! Times of functions that the kernel adds up itself, while something runs: by
//! its function profile, or by histograms between probes.

use super::ring::{RingError, hold};
use crate::journal::Journal;
use probe::function_profile::probes::{Joining, Probes};
use probe::function_profile::{FunctionTime, Sums, hist};
use probe::tracefs::functions::{
    FunctionWish, Functions, Tracer, has_profile, names_to_probe, profile_held, profile_start,
    profile_stop,
};
use probe::tracefs::{Tracefs, TracefsError};
use std::path::{Path, PathBuf};

/// How functions of the running kernel are timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// function_profile_enabled: the kernel adds up.
    Profile,
    /// Entries and exits are recorded, and added up here.
    Graph,
    /// kprobes, and histograms of the time between them.
    Probes,
}

impl Method {
    /// The first that this kernel has, and that can answer: trees are recorded.
    ///
    /// # Errors
    /// `Absent` where there is none.
    pub fn first(tracefs: &Tracefs, wish: &FunctionWish) -> Result<Method, TracefsError> {
        let method = match wish.below.is_empty() {
            true if has_profile(tracefs) => Method::Profile,
            _ => Method::Graph,
        };
        if !Tracer::Graph.is_offered(tracefs.folder()) || is_locked(tracefs) {
            return match has_probes(tracefs) && wish.below.is_empty() {
                true => Ok(Method::Probes),
                // Its own reasons say which it is: none built in, or locked.
                false => Functions::resolve(tracefs, wish).and_then(|_| {
                    Err(TracefsError::absent(
                        "this kernel has neither function_graph nor histograms of kprobes",
                        "none: needs a kernel with CONFIG_FUNCTION_GRAPH_TRACER, or with \
                         CONFIG_KPROBE_EVENTS and CONFIG_SYNTH_EVENTS",
                    ))
                }),
            };
        }
        Ok(method)
    }

    /// The facility of the kernel, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Method::Profile => "function_profile_enabled",
            Method::Graph => "function_graph",
            Method::Probes => "kprobe histograms",
        }
    }
}

fn has_probes(tracefs: &Tracefs) -> bool {
    ["kprobe_events", "synthetic_events"]
        .iter()
        .all(|list| tracefs.read(list).is_ok())
}

fn is_locked(tracefs: &Tracefs) -> bool {
    matches!(
        tracefs.read("set_ftrace_filter"),
        Err(TracefsError::Absent { .. })
    )
}

/// A profile that goes on until it is read. Dropping it leaves nothing behind.
#[derive(Debug)]
pub struct Summed {
    tracefs: Tracefs,
    journal: Journal,
    /// The table of a histogram; None: the function profile.
    table: Option<PathBuf>,
    notes: Vec<String>,
}

impl Summed {
    /// By `Method::Profile`, or `Method::Probes`, which takes 64 functions at most.
    ///
    /// # Errors
    /// What this kernel lacks or refuses, what another process uses.
    pub fn start(
        tracefs: &Tracefs,
        journal: Journal,
        wish: &FunctionWish,
        method: Method,
    ) -> Result<Summed, RingError> {
        let mut journal = journal.of_machine(tracefs.root());
        if !wish.below.is_empty() {
            return Err(RingError::Tracefs(TracefsError::refused(
                format!("profile below a function by {}", method.name()),
                "it does not record callers; only function_graph does",
            )));
        }
        let mut notes = Vec::new();
        let table = match method {
            Method::Probes => Some(probe(tracefs, &mut journal, wish, &mut notes)?),
            _ => {
                let functions = Functions::resolve(tracefs, wish)?;
                hold(&mut journal, profile_held(tracefs)?)?;
                profile_start(tracefs, &functions)?;
                notes.push(
                    "hits are counted at entry and times at return: a call still running at the \
                     end has no time; writes to tracefs are among the calls"
                        .to_owned(),
                );
                None
            }
        };
        Ok(Summed {
            tracefs: tracefs.clone(),
            journal,
            table,
            notes,
        })
    }

    /// The functions by time, and what is to be known of them.
    ///
    /// # Errors
    /// As reading what the kernel added up.
    pub fn stop(self) -> Result<(Vec<FunctionTime>, Vec<String>), RingError> {
        let Summed {
            tracefs,
            journal,
            table,
            mut notes,
        } = self;
        let rows = match &table {
            None => profile_stop(&tracefs)?,
            Some(table) => read_table(table, &mut notes)?,
        };
        drop(journal);
        Ok((rows, notes))
    }
}

fn read_table(table: &Path, notes: &mut Vec<String>) -> Result<Vec<FunctionTime>, TracefsError> {
    let mut sums = Sums::default();
    let totals = hist::add(&mut sums, &probe::tracefs::read(table)?);
    if totals.dropped > 0 {
        notes.push(format!(
            "{} calls are missing because the kernel's table was full: trace fewer functions",
            totals.dropped
        ));
    }
    notes.push(
        "s^2 is computed from powers of two and slightly too small; for a recursive function only \
         the inner calls have times"
            .to_owned(),
    );
    Ok(sums.rows())
}

/// Everything joins a list, and leaves it in the reverse order.
fn probe(
    tracefs: &Tracefs,
    journal: &mut Journal,
    wish: &FunctionWish,
    notes: &mut Vec<String>,
) -> Result<PathBuf, RingError> {
    let names = names_to_probe(tracefs, &wish.only)?;
    let probes = Probes::of_process(std::process::id());
    let top = tracefs.folder();
    let mut taken = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let [entry, exit] = probes.at(number, name);
        match join(journal, top, &entry).and_then(|()| join(journal, top, &exit)) {
            Ok(()) => taken.push(number),
            Err(cause) => notes.push(format!("{name} cannot be probed: {cause}")),
        }
    }
    if taken.is_empty() {
        return Err(RingError::Tracefs(TracefsError::absent(
            format!("this kernel can probe none of {}", wish.only.join(", ")),
            "use others: sudo cat /sys/kernel/debug/kprobes/blacklist lists those that can never \
             be probed",
        )));
    }
    join(journal, top, &probes.event())?;
    let instance = tracefs.instance_path();
    journal.make_instance(&instance)?;
    for number in taken {
        for trigger in probes.triggers_at(number) {
            join(journal, &instance, &trigger)?;
        }
    }
    join(journal, &instance, &probes.table())?;
    Ok(instance.join(probes.table_file()))
}

fn join(journal: &mut Journal, below: &Path, what: &Joining) -> Result<(), RingError> {
    let list = below.join(&what.list);
    Ok(journal.join(&list, &what.text, &what.mention, &what.leave)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracing::testing::Kernel;

    fn wish(below: bool) -> FunctionWish {
        FunctionWish {
            below: below.then(|| "vfs_read".to_owned()).into_iter().collect(),
            only: vec!["vfs_*".to_owned()],
            depth: 0,
        }
    }

    fn first(kernel: &Kernel, below: bool) -> Result<Method, TracefsError> {
        Method::first(&Tracefs::find(kernel.root()).unwrap(), &wish(below))
    }

    #[test]
    fn the_first_method_that_a_kernel_has() {
        let kernel = Kernel::new();
        assert_eq!(first(&kernel, false).unwrap(), Method::Graph);
        kernel.tracing("function_profile_enabled", "0\n");
        assert_eq!(first(&kernel, false).unwrap(), Method::Profile);
        assert_eq!(first(&kernel, true).unwrap(), Method::Graph, "trees");
        kernel.tracing("available_tracers", "nop\n");
        kernel.tracing("kprobe_events", "");
        kernel.tracing("synthetic_events", "");
        assert_eq!(first(&kernel, false).unwrap(), Method::Probes);
        assert!(matches!(
            first(&kernel, true),
            Err(TracefsError::Absent { .. })
        ));
    }

    #[test]
    fn the_kernels_profile_is_limited_read_and_switched_off() {
        let kernel = Kernel::new();
        kernel.tracing("function_profile_enabled", "0\n");
        kernel.tracing(
            "trace_stat/function0",
            "  vfs_read 2 30.000 us 15.000 us 0.000 us\n",
        );
        let tracefs = Tracefs::find(kernel.root()).unwrap();
        let folder = kernel.root().join("journal");
        let start = |method| {
            let journal = Journal::unguarded(&folder);
            Summed::start(&tracefs, journal, &wish(false), method)
        };
        let profile = start(Method::Profile).unwrap();
        assert_eq!(kernel.value("function_profile_enabled"), "1");
        assert_eq!(kernel.value("set_ftrace_filter"), "vfs_*");
        let (rows, _) = profile.stop().unwrap();
        assert_eq!((rows[0].function.as_str(), rows[0].hits), ("vfs_read", 2));
        assert_eq!(kernel.value("function_profile_enabled"), "0");
        assert_eq!(kernel.value("set_ftrace_filter"), "");
        // Given up.
        drop(start(Method::Profile).unwrap());
        assert_eq!(kernel.value("function_profile_enabled"), "0");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    }

    #[test]
    fn probes_that_cannot_be_finished_are_taken_away() {
        let kernel = Kernel::new();
        kernel.tracing("kprobe_events", "");
        kernel.tracing("synthetic_events", "");
        let tracefs = Tracefs::find(kernel.root()).unwrap();
        let journal = Journal::unguarded(&kernel.root().join("journal"));
        // An instance of plain files has no triggers.
        assert!(Summed::start(&tracefs, journal, &wish(false), Method::Probes).is_err());
        let list = kernel.value("kprobe_events");
        let lines: Vec<&str> = list.lines().collect();
        assert_eq!(
            lines.len(),
            8,
            "two functions: four probes, four taken away: {list}"
        );
        assert!(lines[0].starts_with("p:") && lines[7].starts_with("-:"));
        assert!(
            kernel
                .value("synthetic_events")
                .lines()
                .last()
                .unwrap()
                .starts_with('!')
        );
    }
}
