//! `pontage ipc`: the command line of `ipc-benchmark`, flag for flag.

pub mod arguments;
mod configuration;
mod counted;
mod iteration;
mod output;
mod summary;

use crate::failure::{DONE, Failure, NOTHING_RUNS, Outcome, say_skip};
use arguments::{DEFAULT_TCP_PORT, Ipc, LARGEST_BYTES, Mode};
use catalogue::nearest;
use engines::transport::socket::port;
use harness::SetupError;
use harness::counters::{Asked, Planned};
use iteration::Ran;
use probe::counters::GroupName;
use std::path::Path;

/// What is asked for, checked.
pub struct Request<'a> {
    pub arguments: &'a Ipc,
    /// `ipc/pipe`.
    pub experiment: String,
    /// Messages of an iteration.
    pub messages: u64,
    /// Where TCP listens; None: the transport has no such port.
    pub port: Option<u16>,
    /// What -P asks for, as far as it can be had.
    pub counters: Option<Planned>,
}

/// # Errors
/// Flags that do not fit together, a transport that is not known, an exchange
/// that broke.
pub fn run(arguments: &Ipc) -> Outcome {
    let request = check(arguments)?;
    let configuration = configuration::read(&request);
    if arguments.mode == Mode::Describe {
        return output::configuration(&configuration, arguments.format());
    }
    if let Some(port) = request.port {
        port_is_free(port)?;
    }
    let context = iteration::context(arguments)?;
    let mut samples = Vec::new();
    for number in 0..arguments.iterations {
        let last = number + 1 == arguments.iterations;
        match iteration::run(&request, &context, number, last)? {
            Ran::Sample(sample) => samples.push(sample),
            Ran::Skipped(SetupError::Skip { reason, remedy }) => {
                let remedy = for_ipc(&request.experiment, &remedy);
                say_skip(&request.experiment, &reason, &remedy);
                return Ok(NOTHING_RUNS);
            }
            Ran::Skipped(SetupError::Fail(cause)) => return Err(Failure::new(cause)),
        }
    }
    if arguments.quiet {
        return Ok(DONE);
    }
    counted::say(&samples);
    output::samples(&configuration, &samples, arguments)
}

/// The experiments speak of their axes, which `pontage ipc` has no words for but one.
fn for_ipc(experiment: &str, remedy: &str) -> String {
    if let Some(most) = remedy.strip_prefix("--axis size=1..") {
        return format!("-b {most}, or less");
    }
    match remedy.starts_with("--axis ") {
        true => format!("pontage run {experiment} {remedy}"),
        false => remedy.to_owned(),
    }
}

fn check(arguments: &Ipc) -> Result<Request<'_>, Failure> {
    let (total, buffer) = (arguments.total_size, arguments.buffer_size);
    if !total.is_multiple_of(buffer) {
        return Err(Failure::new(format!(
            "data size ({total}) is not a multiple of buffersize ({buffer})"
        ))
        .hint(format!(
            "the nearest that is: -t {}",
            nearest_multiple(total, buffer)
        )));
    }
    let experiment = experiment_of(&arguments.transport)?;
    if arguments.socket_buffers && arguments.transport == "pipe" {
        return Err(
            Failure::new("cannot set socket buffers (-s): a pipe has none")
                .hint("leave -s out, or choose -i local or -i tcp"),
        );
    }
    Ok(Request {
        arguments,
        experiment,
        messages: total / buffer,
        port: port_of(arguments),
        counters: arguments.counters.map(plan_counters),
    })
}

/// The next one above, where there is one that `-t` takes.
fn nearest_multiple(total: u64, buffer: u64) -> u64 {
    let above = total.div_ceil(buffer) * buffer;
    match above > LARGEST_BYTES {
        true => above - buffer,
        false => above,
    }
}

/// Pipes and local sockets have no port, there as here.
fn port_of(arguments: &Ipc) -> Option<u16> {
    let port = arguments.tcp_port;
    match arguments.transport.as_str() {
        "tcp" => return Some(port),
        "pipe" | "local" => {}
        other if port != DEFAULT_TCP_PORT => {
            harness::message!("note: port {port} is not used: -p is for -i tcp, this is {other}");
        }
        _ => {}
    }
    None
}

/// Asked before the first pause, and answered in the words of this command's flags.
/// What has nothing to do with the port is reported by the set-up.
fn port_is_free(port: u16) -> Result<(), Failure> {
    let Err(cause) = port::available(port) else {
        return Ok(());
    };
    match port::remedy(port, &cause, "choose another with -p") {
        Some(hint) => {
            Err(Failure::new(format!("cannot {}: {cause}", port::doing(port))).hint(hint))
        }
        None => Ok(()),
    }
}

/// Opens the group once and says what of it is absent, and why.
fn plan_counters(group: GroupName) -> Planned {
    let machine = machine::read(Path::new("/"));
    let planned = harness::counters::plan(&Asked {
        group,
        machine: &machine,
        root: Path::new("/"),
        cpu: None,
        // The original has one number of each event.
        apart: false,
    });
    let events = planned.head.events.iter();
    for (counter, absent) in events.filter_map(|c| Some((c, c.absent.as_ref()?))) {
        let what = format!("counter {}", counter.alias);
        say_skip(&what, &absent.reason, &absent.remedy);
    }
    planned
}

/// The experiment behind a name of `-i`.
fn experiment_of(transport: &str) -> Result<String, Failure> {
    let name = match transport {
        "local" => "unix_stream",
        other => other,
    };
    let id = format!("ipc/{name}");
    let all = experiments::all();
    let transports = || all.iter().filter_map(|l| l.id.strip_prefix("ipc/"));
    if transports().any(|known| known == name) {
        return Ok(id);
    }
    let known: Vec<&str> = transports().collect();
    let bare = transport.trim_start_matches("ipc/");
    let near = nearest::nearest(bare, known.iter().copied().chain(["local"]));
    Err(Failure::new(format!(
        "cannot find transport {transport}: no such name{}",
        nearest::hint(&near)
    ))
    .hint(format!(
        "-i takes pipe, local, tcp, or one of: {}",
        known.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use super::for_ipc;

    #[test]
    fn remedies_speak_of_what_can_be_typed() {
        assert_eq!(
            for_ipc("ipc/pipe", "--axis size=1..4096"),
            "-b 4096, or less"
        );
        assert_eq!(
            for_ipc("ipc/tcp", "--axis port=0 takes one that is free"),
            "pontage run ipc/tcp --axis port=0 takes one that is free"
        );
        assert_eq!(for_ipc("ipc/pipe", "ulimit -n 4096"), "ulimit -n 4096");
    }
}
