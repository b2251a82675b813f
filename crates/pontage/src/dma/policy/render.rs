//! A policy and what it did, for people and for pipes.

use super::histogram;
use record::axis::human_bytes;
use report::format::{counted, percent, time_ns};
use serde_json::{Value, json};
use std::fmt::Write;
use uapi::{Channel, Policy, PolicyKind, PolicyState, Stats, Windows};

/// All that `show` knows.
pub struct Shown<'a> {
    pub state: &'a PolicyState,
    pub stats: &'a Stats,
    pub channels: &'a [Channel],
    /// Of an emulated processor: its times are the emulator's.
    pub emulated: bool,
}

/// What `start` says.
pub fn started(policy: &Policy) -> String {
    let held = policy.channels.unwrap_or(0);
    let channels = if held == 1 { "channel" } else { "channels" };
    format!(
        "policy {} started on {held} {channels}\n{}",
        policy.kind.word(),
        settings(policy)
    )
}

/// What `show` says.
pub fn text(shown: &Shown<'_>) -> String {
    let (state, policy) = (shown.state, &shown.state.policy);
    let mut text = match policy.kind {
        PolicyKind::None => format!(
            "no policy is started: every copy goes by CPU; {} channels seen\n",
            state.channels_seen
        ),
        kind => format!(
            "policy {}, started {} after boot: {} channels held of {} seen, {} dead\n{}",
            kind.word(),
            time_ns(state.started_ns as f64, 4),
            state.channels_held,
            state.channels_seen,
            state.channels_dead,
            settings(policy)
        ),
    };
    for channel in shown.channels.iter().filter(|c| c.ours) {
        text += &channel_line(channel);
    }
    if policy.kind == PolicyKind::Priority {
        if shown.emulated {
            let _ = writeln!(text, "emulated: {}", report::instrument::EMULATED);
        }
        text += &windows(policy, &state.windows);
    }
    text + &counters(state, shown.stats)
}

fn settings(policy: &Policy) -> String {
    let bytes = |n: Option<u64>| n.map_or_else(|| "default".to_owned(), human_bytes);
    let mut text = format!(
        "  chooser {}; chunks of {}; CPU below {}; time limit {}\n",
        policy.chooser.word(),
        bytes(policy.chunk_bytes),
        bytes(policy.threshold_bytes),
        policy
            .timeout_ns
            .map_or_else(|| "default".to_owned(), |ns| time_ns(ns as f64, 3)),
    );
    if policy.kind == PolicyKind::Priority {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "  {} high-priority; {} of each {}{}",
            policy.high_channels,
            time_ns(policy.quantum_ns as f64, 3),
            time_ns(policy.window_ns as f64, 3),
            if policy.hardware_pause {
                "; paused by hardware"
            } else {
                ""
            }
        );
    }
    let only = [
        ("driver", policy.driver.clone()),
        ("channel", policy.channel.clone()),
        ("node", policy.node.map(|n| n.to_string())),
    ];
    let only: Vec<String> = only
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name} {}", value?)))
        .collect();
    if !only.is_empty() {
        let _ = writeln!(text, "  only {}", only.join(", "));
    }
    if policy.fold {
        text += "  CPUs may share a channel\n";
    }
    text
}

fn channel_line(channel: &Channel) -> String {
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
    format!(
        "  {:<10} {}{state}{counters}\n",
        channel.name, channel.driver
    )
}

fn number(n: u64, one: &str, many: &str) -> String {
    counted(usize::try_from(n).unwrap_or(usize::MAX), one, many)
}

fn windows(policy: &Policy, w: &Windows) -> String {
    let low_ns = policy.window_ns.saturating_sub(policy.quantum_ns);
    let mut text = "windows, achieved against nominal\n".to_owned();
    text += &window_line(
        "high",
        policy.quantum_ns,
        w.high_count,
        w.high_ns,
        w.high_max_ns,
    );
    text += &window_line("low", low_ns, w.low_count, w.low_ns, w.low_max_ns);
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "  missed {} (periods that passed without a change)",
        w.missed
    );
    let _ = writeln!(
        text,
        "  gate waits {}{}",
        w.gate_waits,
        mean_and_max(w.gate_waits, w.gate_wait_ns, w.gate_wait_max_ns)
    );
    let worst = match w.bleeds {
        0 => String::new(),
        _ => format!(": up to {} late", time_ns(w.bleed_max_ns as f64, 3)),
    };
    let _ = writeln!(
        text,
        "  bleeds {} (low-priority chunks that ended inside a high window){worst}",
        w.bleeds
    );
    if w.pause_errors > 0 {
        let _ = writeln!(text, "  pause errors {}", w.pause_errors);
    }
    text + &histogram::text(&w.high_log2, &w.low_log2)
}

fn window_line(name: &str, nominal_ns: u64, count: u64, sum_ns: u64, max_ns: u64) -> String {
    let nominal = time_ns(nominal_ns as f64, 3);
    if count == 0 {
        return format!("  {name:<4} nominal {nominal}; none yet\n");
    }
    let mean_ns = sum_ns as f64 / count as f64;
    let off = mean_ns / nominal_ns as f64 - 1.0;
    let sign = if off < 0.0 { "-" } else { "+" };
    format!(
        "  {name:<4} nominal {nominal}; mean {} ({sign}{}), longest {}, {count} windows\n",
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

fn counters(state: &PolicyState, stats: &Stats) -> String {
    let mut text = format!(
        "since the module was loaded\n  {}: {} by DMA in {}, {} by CPU, {} not copied; {} \
         started\n",
        number(stats.copies, "copy", "copies"),
        human_bytes(stats.dma_bytes),
        number(stats.dma_chunks, "chunk", "chunks"),
        human_bytes(stats.cpu_bytes),
        human_bytes(stats.not_copied_bytes),
        number(state.switches.into(), "policy", "policies")
    );
    for (reason, chunks) in &stats.cpu_chunks {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {chunks:>12} by CPU: {}", reason.sentence());
    }
    text
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
