//! `pontage trace slices`: every slice, or what they amount to by task.

use super::arguments::Slices as Arguments;
use super::{lacks, open, shown};
use crate::failure::{Failure, Outcome};
use crate::output;
use ::trace::Capture;
use ::trace::analyse::slices::{Ready, Sink, Slice, Slices};
use ::trace::analyse::tasks::{TaskSum, Tasks, jain};
use ::trace::analyse::{ByPid, Gap, Known, Pass};
use report::analyses::slices::Slices as Shown;
use std::io::{BufWriter, Write};

const EVENTS: &str = "sched_switch";
const RECORD: &str = "pontage trace record -e sched";

/// # Errors
/// A file that is no trace, or holds no switches; a task or CPU that it lacks.
pub fn slices(arguments: &Arguments) -> Outcome {
    let capture = open(&arguments.trace)?;
    if let Some(cpu) = arguments.cpu.filter(|cpu| capture.cpu(*cpu).is_none()) {
        let has: Vec<String> = capture.cpus.iter().map(|c| c.cpu.to_string()).collect();
        return Err(Failure::new(format!(
            "cannot show slices of CPU {cpu}: the trace has no such CPU"
        ))
        .hint(format!("it has {}", has.join(", "))));
    }
    if arguments.csv {
        return csv(arguments, &capture);
    }
    let known = Known::of(&capture);
    let chosen = Chosen {
        arguments,
        sink: Tasks::new(&known.cpus),
    };
    let mut slices = Slices::new(&known, chosen);
    let pass = Pass::over(&capture, &known, &mut [&mut slices]);
    let tasks = slices.sink.sink;
    let all = tasks.busiest().into_iter();
    let all = all.filter(|t| t.slices.count + t.partial_slices > 0);
    let all: Vec<&TaskSum> = all.collect();
    if all.is_empty() {
        return Err(nothing(arguments));
    }
    // Of tasks that nobody chose it would tell nothing.
    let chosen = !arguments.task.is_empty() && all.len() > 1;
    let fairness = jain(&all.iter().map(|t| t.run_ns as f64).collect::<Vec<_>>());
    let fairness = fairness.filter(|_| chosen);
    let shown = Shown {
        tasks: all,
        fairness,
        pass: &pass,
    };
    let document = || match arguments.histogram {
        true => shown.histograms(),
        false => shown.document(),
    };
    self::shown(arguments.format, document, || shown.json(), &pass)
}

fn nothing(arguments: &Arguments) -> Failure {
    if arguments.task.is_empty() && arguments.cpu.is_none() {
        return lacks("show slices", &arguments.trace.file, EVENTS, RECORD);
    }
    let file = arguments.trace.file.display();
    Failure::new(format!(
        "cannot show slices of {file}: no such task ran there"
    ))
    .hint(format!(
        "to list those that ran: pontage trace stats {file}"
    ))
}

/// Whether the slice is one that was asked for.
fn wanted(arguments: &Arguments, slice: &Slice) -> bool {
    let named = |task: &String| slice.comm.is(task) || task.parse() == Ok(slice.pid);
    slice.pid != 0
        && arguments.cpu.is_none_or(|cpu| cpu == slice.cpu)
        && (arguments.task.is_empty() || arguments.task.iter().any(named))
}

/// Lets the slices through that were asked for.
struct Chosen<'a> {
    arguments: &'a Arguments,
    sink: Tasks,
}

impl Sink for Chosen<'_> {
    fn slice(&mut self, slice: &Slice) {
        if wanted(self.arguments, slice) {
            self.sink.slice(slice);
        }
    }

    fn migrated(&mut self, pid: i32, at_ns: u64) {
        self.sink.migrated(pid, at_ns);
    }

    fn moved(&mut self, pid: i32, at_ns: u64) {
        self.sink.moved(pid, at_ns);
    }

    fn missed_switch(&mut self, between: &Gap) {
        self.sink.missed_switch(between);
    }

    fn gap(&mut self, gap: &Gap, cpu: u32) {
        self.sink.gap(gap, cpu);
    }

    fn over(&mut self, pass: &Pass) {
        self.sink.over(pass);
    }
}

fn csv(arguments: &Arguments, capture: &Capture) -> Outcome {
    let known = Known::of(capture);
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut numbers: ByPid<u64> = ByPid::default();
    let mut result = writeln!(
        out,
        "task,pid,cpu,number,begin_ns,length_ns,end,partial,prio,wait_ns,waited_for"
    );
    let mut count = 0u64;
    let sink = |slice: &Slice| {
        if result.is_err() || !wanted(arguments, slice) {
            return;
        }
        count += 1;
        let number = numbers.row(slice.pid);
        *number += 1;
        result = line(&mut out, slice, *number);
    };
    let pass = Pass::over(capture, &known, &mut [&mut Slices::new(&known, sink)]);
    output::ended(result.and_then(|()| out.flush()))?;
    match count {
        0 => Err(nothing(arguments)),
        _ => crate::trace::unread(pass.damaged_pages),
    }
}

fn line(out: &mut impl Write, slice: &Slice, number: u64) -> std::io::Result<()> {
    let (wait, why) = match &slice.wait {
        None => (String::new(), ""),
        Some(wait) => {
            let why = match wait.why {
                Ready::Woken { .. } => "woken",
                Ready::New { .. } => "new",
                Ready::Preempted => "preempted",
                Ready::StillRunnable => "still_runnable",
            };
            (wait.length_ns().to_string(), why)
        }
    };
    let comm = slice.comm.to_string();
    let comm = escape::csv(&comm);
    let comm = match comm.contains([',', '"']) {
        true => format!("\"{}\"", comm.replace('"', "\"\"")),
        false => comm.into_owned(),
    };
    let prio = slice.prio.map_or(String::new(), |prio| prio.to_string());
    writeln!(
        out,
        "{comm},{},{},{number},{},{},{},{},{prio},{wait},{why}",
        slice.pid,
        slice.cpu,
        slice.begin_ns,
        slice.length_ns(),
        slice.end.letters(),
        slice.partial
    )
}
