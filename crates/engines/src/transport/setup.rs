//! From a point to a running exchange.

use super::control::ControlBlock;
use super::end::{End, Options, Transport};
use super::link::{Before, Link, Other};
use super::partner::Partner;
use super::serve::Plan;
use crate::crew::awake::Awake;
use crate::crew::body::Host;
use crate::crew::child::NoPipeSignal;
use crate::memory::buffer::Buffer;
use crate::memory::mapping::leaves_half;
use crate::placement::partner_cpu;
use harness::{Context, Point, SetupError, Shape, Subject};
use record::AxisValue;
use record::axis::human_bytes;
use std::sync::Arc;

/// Round trips are timed one by one, for their percentiles; those of a portion
/// together, without the pause between two samples.
pub fn shape(point: &Point) -> Shape {
    if point.word("pattern") == "round_trip" && point.size("total") == 0 {
        Shape::Single {
            repetitions: super::axes::REPETITIONS,
        }
    } else {
        Shape::Batched
    }
}

/// Bytes that a streamed message moves; a round trip has no bandwidth.
pub fn bytes_per_op(point: &Point) -> Option<u64> {
    (point.word("pattern") == "stream").then(|| point.size("size") as u64)
}

/// The exchange that a point on the common axes asks for.
///
/// # Errors
/// `Skip` where the transport, the placement or the size cannot be had here.
pub fn setup<T: Transport>(
    point: &Point,
    context: &Context,
) -> Result<Box<dyn Subject>, SetupError> {
    Ok(Box::new(link::<T>(point, context)?))
}

/// The same, its parts visible.
///
/// # Errors
/// As `setup`.
pub fn link<T: Transport>(point: &Point, context: &Context) -> Result<Link<T::End>, SetupError> {
    let wanted = Wanted::of(point, context)?;
    let plan = wanted.plan;
    leaves_half(plan.options.message_bytes, 5, "of buffers", context)?;
    fits::<T>(&plan.options)?;
    let no_pipe_signal = NoPipeSignal::hold();
    let failed = |e| SetupError::fail("map the memory of an exchange", e);
    let control = Arc::new(ControlBlock::map().map_err(failed)?);
    let (mut end, mut other) = T::pair(&plan.options)?;
    let notes = vec![wanted.described()];
    let unusable = |e| SetupError::fail("use an end of the transport", e);
    end.settle().map_err(unusable)?;
    let other = match wanted.host {
        None => {
            other.settle().map_err(unusable)?;
            Other::Own(other)
        }
        Some(host) => Other::Partner(Partner::start(host, plan, other, Arc::clone(&control))?),
    };
    // From here on closed before the partner is waited for, also where the rest
    // fails: it may sleep in a receive.
    let end = Some(end);
    let apart = plan.cpu != context.test_cpu;
    let busy = [context.test_cpu, plan.cpu];
    let awake = wanted.busy.then(|| Awake::on(&busy)).transpose()?;
    let size = plan.options.message_bytes;
    // Not within the braces below, which would give up `other` first.
    let message = Buffer::touched(size).map_err(failed)?;
    let answer = Buffer::touched(size).map_err(failed)?;
    Ok(Link {
        end,
        other,
        control,
        echoing: plan.echoing,
        portion: wanted.portion,
        polling: plan.options.polling,
        apart,
        awake,
        message,
        answer,
        sent: 0,
        fault: None,
        trips: 0,
        checked: 0,
        before: Before::default(),
        notes,
        _no_pipe_signal: no_pipe_signal,
    })
}

/// The words of a point, understood.
struct Wanted {
    /// None: one thread plays both sides.
    host: Option<Host>,
    plan: Plan,
    busy: bool,
    /// Messages that are sent and received before the next ones; 0: any number.
    portion: u64,
}

impl Wanted {
    fn of(point: &Point, context: &Context) -> Result<Wanted, SetupError> {
        let host = match point.word("mode") {
            "1thread" => None,
            "2threads" => Some(Host::Thread),
            _ => Some(Host::Process),
        };
        let (placement, partner) = (point.word("placement"), point.word("partner"));
        let alone = host.is_none();
        let apart = placement != "same_cpu";
        if alone && (apart || partner != "idle") {
            return Err(SetupError::skip(
                "with one thread there is no partner to place or to keep awake",
                "--axis mode=1thread --axis placement=same_cpu --axis partner=idle",
            ));
        }
        if !apart && partner != "idle" {
            return Err(SetupError::skip(
                "on one CPU a partner that never sleeps would keep the other side from running",
                "--axis placement=same_cpu --axis partner=idle",
            ));
        }
        if alone && point.word("pattern") == "round_trip" {
            return Err(SetupError::skip(
                "one thread cannot make a round trip with itself",
                "--axis mode=1thread --axis pattern=stream",
            ));
        }
        let buffer = point.size("buffer");
        let message_bytes = message_bytes(point)?;
        let options = Options {
            message_bytes,
            buffer_bytes: (buffer > 0).then_some(buffer),
            alone,
            polling: partner == "awake",
            processes: matches!(host, Some(Host::Process)),
            port: port(point)?,
        };
        Ok(Wanted {
            host,
            plan: Plan {
                cpu: partner_cpu(placement, context)?,
                echoing: point.word("pattern") == "round_trip",
                options,
            },
            busy: partner == "busy",
            portion: portion(point, message_bytes)?,
        })
    }

    fn described(&self) -> String {
        let cpu = self.plan.cpu;
        match self.host {
            None => "both ends in one thread".to_owned(),
            Some(Host::Thread) => format!("partner: a thread on CPU {cpu}"),
            Some(Host::Process) => format!("partner: a process on CPU {cpu}"),
        }
    }
}

/// 0 where the transport has no such axis.
fn port(point: &Point) -> Result<u16, SetupError> {
    let asked = point.get("port").and_then(AxisValue::as_int).unwrap_or(0);
    u16::try_from(asked).map_err(|_| {
        SetupError::skip(
            format!("there is no port {asked}: the highest is {}", u16::MAX),
            "--axis port=0 takes one that is free",
        )
    })
}

fn message_bytes(point: &Point) -> Result<usize, SetupError> {
    match point.size("size") {
        0 => Err(SetupError::skip(
            "message size must be at least 1 byte",
            "--axis size=1..16MiB",
        )),
        bytes => Ok(bytes),
    }
}

/// Messages that `total` is made of.
fn portion(point: &Point, message_bytes: usize) -> Result<u64, SetupError> {
    let total = point.size("total");
    if !total.is_multiple_of(message_bytes) {
        return Err(SetupError::skip(
            format!("{total} bytes are not a whole number of messages of {message_bytes} bytes"),
            format!("--axis total={}", total.next_multiple_of(message_bytes)),
        ));
    }
    Ok((total / message_bytes) as u64)
}

fn fits<T: Transport>(options: &Options) -> Result<(), SetupError> {
    match T::largest_message(options) {
        Some((largest, remedy)) if options.message_bytes > largest => Err(SetupError::skip(
            format!(
                "a message of {} is larger than the limit of {largest} bytes",
                human_bytes(options.message_bytes as u64)
            ),
            remedy,
        )),
        _ => Ok(()),
    }
}
