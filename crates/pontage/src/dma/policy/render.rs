//! A policy and what it did, for people and for pipes.

use super::histogram;
use record::axis::human_bytes;
use report::document::{Column, Document, Table, Text};
use report::format::{counted, percent, time_ns};
use serde_json::{Value, json};
use uapi::{Channel, Policy, PolicyKind, PolicyState, Stats, Windows};

/// All that `show` knows.
pub struct Shown<'a> {
    pub state: &'a PolicyState,
    pub stats: &'a Stats,
    pub channels: &'a [Channel],
    /// Of an emulated processor: its times are the emulator's.
    pub emulated: bool,
}

/// Columns of a channel's name.
const NAME: usize = 11;

/// What `start` says.
pub fn started(policy: &Policy) -> Document {
    let held = policy.channels.unwrap_or(0);
    let channels = if held == 1 { "channel" } else { "channels" };
    let kind = policy.kind.word();
    let mut document = Document::lines([format!("policy {kind} started on {held} {channels}")]);
    document.append(settings(policy));
    document
}

/// What `show` says.
pub fn document(shown: &Shown<'_>) -> Document {
    let (state, policy) = (shown.state, &shown.state.policy);
    let mut document = Document::new();
    match policy.kind {
        PolicyKind::None => document.line(format!(
            "no policy is running: the CPU does every copy; {} channels found",
            state.channels_seen
        )),
        kind => {
            document.line(format!(
                "policy {}, started {} after boot: {} of {} channels held, {} dead",
                kind.word(),
                time_ns(state.started_ns as f64, 4),
                state.channels_held,
                state.channels_seen,
                state.channels_dead,
            ));
            document.append(settings(policy));
        }
    }
    document.extend(shown.channels.iter().filter(|c| c.ours).map(channel_line));
    if policy.kind == PolicyKind::Priority {
        if shown.emulated {
            document.line(format!("emulated: {}", report::instrument::EMULATED));
        }
        document.append(windows(policy, &state.windows));
    }
    document.append(counters(state, shown.stats));
    document
}

fn settings(policy: &Policy) -> Document {
    let default = || "default".to_owned();
    let bytes = |n: Option<u64>| n.map_or_else(default, human_bytes);
    let limit = policy.timeout_ns.map(|ns| time_ns(ns as f64, 3));
    let mut document = Document::new();
    document.line(format!(
        "  chooser {}; chunks of {}; CPU below {}; time limit {}",
        policy.chooser.word(),
        bytes(policy.chunk_bytes),
        bytes(policy.threshold_bytes),
        limit.unwrap_or_else(default),
    ));
    if policy.kind == PolicyKind::Priority {
        let paused = match policy.hardware_pause {
            true => "; paused in hardware",
            false => "",
        };
        document.line(format!(
            "  {} high-priority; {} of each {}{paused}",
            policy.high_channels,
            time_ns(policy.quantum_ns as f64, 3),
            time_ns(policy.window_ns as f64, 3),
        ));
    }
    let only = [
        ("driver", policy.driver.clone()),
        ("channel", policy.channel.clone()),
        ("node", policy.node.map(|n| n.to_string())),
    ];
    let only = only.into_iter();
    let only = only.filter_map(|(name, value)| Some(format!("{name} {}", value?)));
    let only: Vec<String> = only.collect();
    if !only.is_empty() {
        document.line(format!("  only {}", only.join(", ")));
    }
    if policy.fold {
        document.line("  CPUs may share a channel");
    }
    document
}

fn channel_line(channel: &Channel) -> Text {
    let state = match (channel.dead, channel.high) {
        (true, _) => " dead",
        (false, true) => " high",
        (false, false) => "",
    };
    let counters = channel.counters.map_or_else(String::new, |c| {
        format!(
            "  {} in {}, {}, {} outstanding",
            human_bytes(c.dma_bytes),
            number(c.dma_chunks, "chunk", "chunks"),
            number(c.errors, "error", "errors"),
            human_bytes(c.outstanding_bytes)
        )
    });
    let text = format!("{}{state}{counters}", channel.driver);
    Text::line(text).label(2, channel.name.as_str(), NAME)
}

fn number(n: u64, one: &str, many: &str) -> String {
    counted(usize::try_from(n).unwrap_or(usize::MAX), one, many)
}

fn windows(policy: &Policy, w: &Windows) -> Document {
    let low_ns = policy.window_ns.saturating_sub(policy.quantum_ns);
    let high = (w.high_count, w.high_ns, w.high_max_ns);
    let low = (w.low_count, w.low_ns, w.low_max_ns);
    let mut document = Document::new();
    document.line("windows, actual against nominal");
    document.text(Text::line(window(policy.quantum_ns, high)).label(2, "high", KIND));
    document.text(Text::line(window(low_ns, low)).label(2, "low", KIND));
    document.line(format!("  missed {} (periods without a switch)", w.missed));
    document.line(format!(
        "  gate waits {}{}",
        w.gate_waits,
        mean_and_max(w.gate_waits, w.gate_wait_ns, w.gate_wait_max_ns)
    ));
    let worst = match w.bleeds {
        0 => String::new(),
        _ => format!(": up to {} late", time_ns(w.bleed_max_ns as f64, 3)),
    };
    document.line(format!(
        "  bleeds {} (low-priority chunks that ended inside a high-priority window){worst}",
        w.bleeds
    ));
    if w.pause_errors > 0 {
        document.line(format!("  pause errors {}", w.pause_errors));
    }
    document.extend(histogram::table(&w.high_log2, &w.low_log2));
    document
}

/// Columns of a kind of window.
const KIND: usize = 5;

/// Windows of one kind: how many, their sum and the longest, ns.
fn window(nominal_ns: u64, (count, sum_ns, max_ns): (u64, u64, u64)) -> String {
    let nominal = time_ns(nominal_ns as f64, 3);
    if count == 0 {
        return format!("nominal {nominal}; none yet");
    }
    let mean_ns = sum_ns as f64 / count as f64;
    let off = mean_ns / nominal_ns as f64 - 1.0;
    let sign = if off < 0.0 { "-" } else { "+" };
    format!(
        "nominal {nominal}; mean {} ({sign}{}), longest {}, {count} windows",
        time_ns(mean_ns, 3),
        percent(off),
        time_ns(max_ns as f64, 3)
    )
}

fn mean_and_max(count: u64, sum_ns: u64, max_ns: u64) -> String {
    match count {
        0 => String::new(),
        _ => format!(
            ": mean {}, longest {}",
            time_ns(sum_ns as f64 / count as f64, 3),
            time_ns(max_ns as f64, 3)
        ),
    }
}

fn counters(state: &PolicyState, stats: &Stats) -> Document {
    let mut document = Document::new();
    document.line("since the module was loaded");
    document.line(format!(
        "  {}: {} by DMA in {}, {} by CPU, {} not copied; {} started",
        number(stats.copies, "copy", "copies"),
        human_bytes(stats.dma_bytes),
        number(stats.dma_chunks, "chunk", "chunks"),
        human_bytes(stats.cpu_bytes),
        human_bytes(stats.not_copied_bytes),
        number(state.switches.into(), "policy", "policies")
    ));
    let columns = [Column::number("").least(12), Column::words("").gap(1)];
    let mut table = Table::new(columns).indent(2);
    for (reason, chunks) in &stats.cpu_chunks {
        let why = format!("by CPU: {}", reason.sentence());
        table.row([chunks.to_string(), why]);
    }
    document.table(table);
    document
}

/// Everything that the module tells.
pub fn json(shown: &Shown<'_>) -> Value {
    let (state, stats) = (shown.state, shown.stats);
    let is_started = state.policy.kind != PolicyKind::None;
    let has_windows = state.policy.kind == PolicyKind::Priority;
    let reason = |(reason, chunks): &(uapi::Reason, u64)| json!({"reason": reason.sentence(), "number": reason.number(), "chunks": chunks});
    json!({
        "policy": is_started.then(|| policy_json(&state.policy)),
        "emulated": shown.emulated,
        "channels_held": state.channels_held,
        "channels_seen": state.channels_seen,
        "channels_dead": state.channels_dead,
        "switches": state.switches,
        "started_ns": state.started_ns,
        "channels": shown.channels.iter().filter(|c| c.ours).map(|c| &c.name).collect::<Vec<_>>(),
        "windows": has_windows.then(|| windows_json(&state.windows)),
        "counters": {
            "copies": stats.copies,
            "dma_bytes": stats.dma_bytes,
            "cpu_bytes": stats.cpu_bytes,
            "not_copied_bytes": stats.not_copied_bytes,
            "dma_chunks": stats.dma_chunks,
            "cpu_chunks": stats.cpu_chunks.iter().map(reason).collect::<Vec<_>>(),
        },
    })
}

pub fn policy_json(policy: &Policy) -> Value {
    json!({
        "kind": policy.kind.word(),
        "channels": policy.channels,
        "high_channels": policy.high_channels,
        "chooser": policy.chooser.word(),
        "quantum_ns": policy.quantum_ns,
        "window_ns": policy.window_ns,
        "chunk_bytes": policy.chunk_bytes,
        "threshold_bytes": policy.threshold_bytes,
        "timeout_ns": policy.timeout_ns,
        "node": policy.node,
        "driver": policy.driver,
        "channel": policy.channel,
        "fold": policy.fold,
        "hardware_pause": policy.hardware_pause,
    })
}

fn windows_json(w: &Windows) -> Value {
    json!({
        "high_count": w.high_count,
        "high_ns": w.high_ns,
        "high_max_ns": w.high_max_ns,
        "low_count": w.low_count,
        "low_ns": w.low_ns,
        "low_max_ns": w.low_max_ns,
        "missed": w.missed,
        "gate_waits": w.gate_waits,
        "gate_wait_ns": w.gate_wait_ns,
        "gate_wait_max_ns": w.gate_wait_max_ns,
        "bleeds": w.bleeds,
        "bleed_max_ns": w.bleed_max_ns,
        "pause_errors": w.pause_errors,
        "high_log2": w.high_log2,
        "low_log2": w.low_log2,
    })
}

#[cfg(test)]
mod tests;
