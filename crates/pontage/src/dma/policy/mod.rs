//! `pontage dma policy start|stop|show`.

mod histogram;
mod render;
mod wanted;

use super::arguments::{PolicyCommand, Start};
use super::dca::Switch;
use super::{Seen, failure, refused};
use crate::failure::{DONE, FAILED, Failure, Outcome, say_skip};
use crate::flags::Format;
use crate::output;
use ::report::document::Document;
use serde_json::json;
use std::path::Path;
use uapi::{Device, Policy, PolicyKind};

const WHAT: &str = "dma policy";

/// # Errors
/// Flags that do not fit together, or what the module refused.
pub fn run(command: &PolicyCommand, root: &Path, format: Format) -> Outcome {
    let wanted = match command {
        PolicyCommand::Start(start) => Some(wanted::policy(start)?),
        _ => None,
    };
    let device = match Device::open_below(root) {
        Ok(device) => device,
        Err(error) => return without_module(command, root, &error),
    };
    match (command, wanted) {
        (PolicyCommand::Start(start), Some(policy)) => {
            self::start(&device, start, &policy, root, format)
        }
        (PolicyCommand::Show, _) => show(&device, root, format),
        _ => stop(&device, format),
    }
}

/// A policy is gone with its module; what starting it changed is not.
fn without_module(command: &PolicyCommand, root: &Path, error: &uapi::Error) -> Outcome {
    if matches!(command, PolicyCommand::Stop) && root == Path::new("/") {
        put_back();
    }
    refused(WHAT, error)
}

fn start(device: &Device, start: &Start, policy: &Policy, root: &Path, format: Format) -> Outcome {
    let seen = Seen::read(root);
    let said = match takes_ioat(start, &seen) {
        true => Switch::live().off(&seen.dca)?,
        false => Vec::new(),
    };
    let started = match device.start_policy(policy) {
        Ok(started) => started,
        Err(error) => {
            after_refusal(device);
            return refused(WHAT, &error);
        }
    };
    for line in &said {
        harness::message!("note: {line}");
    }
    let facts = || json!({"policy": render::policy_json(&started), "notes": said});
    output::study(format, || render::started(&started), facts)
}

/// A policy that could not start leaves the one before it running; where there
/// is none, nothing may stay changed for it.
fn after_refusal(device: &Device) {
    let none_runs = device
        .policy_state()
        .is_ok_and(|state| state.policy.kind == PolicyKind::None);
    if none_runs {
        put_back();
    }
}

/// Whether channels of ioatdma may be among those that the policy takes.
fn takes_ioat(start: &Start, seen: &Seen) -> bool {
    let may = |driver: &str, filter: Option<&str>| filter.is_none_or(|wanted| wanted == driver);
    may("ioatdma", start.driver.as_deref())
        && seen.channels.iter().any(|c| {
            c.driver.as_deref() == Some("ioatdma") && may(&c.name, start.channel.as_deref())
        })
}

fn stop(device: &Device, format: Format) -> Outcome {
    let stopped = device.stop_policy();
    // What an interrupted stop left is put back also where none is started.
    let trouble = match &stopped {
        Ok(()) => put_back(),
        Err(error) if is_none_started(error) => put_back(),
        Err(_) => false,
    };
    match &stopped {
        // Starting one is no remedy for having none to stop.
        Err(error) if is_none_started(error) => return Err(Failure::new(error)),
        Err(error) => return refused(WHAT, error),
        Ok(()) => {}
    }
    let document = || Document::lines(["policy stopped"]);
    output::study(format, document, || json!({"stopped": true}))?;
    Ok(if trouble { FAILED } else { DONE })
}

fn is_none_started(error: &uapi::Error) -> bool {
    matches!(
        error,
        uapi::Error::Call {
            reason: Some(uapi::Reason::NoPolicy),
            ..
        }
    )
}

/// Undoes what `start` changed and reports each; true where an operator should look.
fn put_back() -> bool {
    let restored = Switch::live().undo();
    for item in &restored {
        harness::message!("note: {item}");
    }
    restored.iter().any(|r| r.outcome.is_trouble())
}

fn show(device: &Device, root: &Path, format: Format) -> Outcome {
    let state = device.policy_state().map_err(|e| failure(&e))?;
    let stats = device.stats().map_err(|e| failure(&e))?;
    let channels = device.channels().map_err(|e| failure(&e))?;
    if channels.is_empty() {
        let reason = uapi::Reason::NoEngine;
        let remedy = reason.remedy().unwrap_or_default();
        say_skip(WHAT, reason.sentence(), remedy);
    }
    let shown = render::Shown {
        state: &state,
        stats: &stats,
        channels: &channels,
        emulated: machine::read(root).virtualisation.emulated.is_some(),
    };
    output::study(format, || render::document(&shown), || render::json(&shown))
}
