//! Channels for people and for pipes.

use super::merge::{Row, State};
use machine::dca::Dca;
use record::axis::human_bytes;
use report::document::{Document, Text};
use report::format::counted;
use serde_json::{Value, json};
use uapi::Channel;

/// Columns of a channel's name.
const NAME: usize = 12;
const INDENT: &str = "    ";

/// A paragraph a channel and a line of totals.
pub fn document(rows: &[Row]) -> Document {
    let mut document = Document::new();
    for row in rows {
        document.text(head(row));
        let below = std::iter::once(abilities(row)).chain(done(row));
        document.extend(below.map(|line| Text::line(line).lead(INDENT)));
    }
    document.line(totals(rows));
    document
}

fn head(row: &Row) -> Text {
    let mut parts = vec![row.state.words().to_owned()];
    let driver = row.driver.as_deref().unwrap_or("unknown driver");
    parts.push(match &row.device {
        Some(device) => format!("{driver} on {device}"),
        None => driver.to_owned(),
    });
    parts.extend(row.node.map(|node| format!("node {node}")));
    Text::line(parts.join("; ")).label(0, row.name.as_str(), NAME)
}

fn abilities(row: &Row) -> String {
    let copies = match row.copies_memory {
        Some(true) => "copies memory",
        Some(false) => "does not copy memory",
        None => "copying memory unknown",
    };
    let mut parts = vec![copies.to_owned()];
    parts.extend(row.module.as_ref().map(module_says));
    parts.push(format!("cache injection {}", row.dca.word()));
    parts.join("; ")
}

fn module_says(channel: &Channel) -> String {
    let can = [
        (channel.can_pause, "pauses"),
        (channel.can_terminate, "terminates"),
        (channel.keeps_order, "keeps order"),
        (channel.polls_without_interrupt, "polls without interrupts"),
        (channel.coherent, "coherent"),
        (channel.iommu, "through an IOMMU"),
        (channel.private, "private"),
    ];
    let can: Vec<&str> = can.iter().filter(|c| c.0).map(|c| c.1).collect();
    let granule = match channel.length_granule_bytes {
        0 | 1 => String::new(),
        n => format!(", lengths in multiples of {n} B"),
    };
    format!(
        "{}; alignment {} B{granule}, segments up to {}",
        can.join(", "),
        channel.copy_align_bytes,
        human_bytes(channel.segment_max_bytes)
    )
}

fn done(row: &Row) -> Vec<String> {
    let counters = row.module.as_ref().and_then(|c| c.counters);
    let by_policy = counters.map(|c| {
        format!(
            "under the policy: {} in {}, {}, {}, {} outstanding",
            human_bytes(c.dma_bytes),
            number(c.dma_chunks, "chunk"),
            number(c.descriptors, "descriptor"),
            number(c.errors, "error"),
            human_bytes(c.outstanding_bytes)
        )
    });
    let by_sysfs = row.sysfs.as_ref().and_then(counted_by_sysfs);
    let by_sysfs = by_sysfs.map(|(bytes, copies)| {
        format!(
            "since it was registered (async_tx and similar clients): {} in {}",
            human_bytes(bytes),
            counted(copies, "copy", "copies")
        )
    });
    by_policy.into_iter().chain(by_sysfs).collect()
}

/// Clients that submit by themselves do not appear in these.
fn counted_by_sysfs(channel: &machine::dma::DmaChannel) -> Option<(u64, usize)> {
    let copies = channel.memcpy_count.filter(|n| *n > 0)?;
    Some((
        channel.bytes_transferred?,
        usize::try_from(copies).unwrap_or(usize::MAX),
    ))
}

fn number(n: u64, word: &str) -> String {
    let n = usize::try_from(n).unwrap_or(usize::MAX);
    counted(n, word, &format!("{word}s"))
}

fn totals(rows: &[Row]) -> String {
    let counts = State::ALL.map(|state| (rows.iter().filter(|r| r.state == state).count(), state));
    let counts = counts.into_iter().filter(|(n, _)| *n > 0);
    let counts: Vec<String> = counts
        .map(|(n, state)| format!("{n} {}", state.words()))
        .collect();
    let copiers = rows
        .iter()
        .filter(|r| r.copies_memory == Some(true))
        .count();
    format!(
        "{}: {}; {copiers} known to copy memory",
        counted(rows.len(), "channel", "channels"),
        counts.join("; ")
    )
}

/// Everything, with `null` for what nobody knows.
pub fn json(rows: &[Row], dca: &Dca, skip: Option<&(String, String)>) -> Value {
    json!({
        "channels": rows.iter().map(channel_json).collect::<Vec<_>>(),
        "dca": dca,
        "module_absent": skip.map(|(reason, remedy)| json!({"reason": reason, "enable": remedy})),
    })
}

fn channel_json(row: &Row) -> Value {
    json!({
        "name": row.name,
        "state": row.state,
        "driver": row.driver,
        "device": row.device,
        "node": row.node,
        "copies_memory": row.copies_memory,
        "cache_injection": row.dca,
        "clients": row.sysfs.as_ref().and_then(|s| s.in_use),
        "sysfs_bytes": row.sysfs.as_ref().and_then(|s| s.bytes_transferred),
        "sysfs_copies": row.sysfs.as_ref().and_then(|s| s.memcpy_count),
        "module": row.module.as_ref().map(module_json),
    })
}

fn module_json(channel: &Channel) -> Value {
    json!({
        "can_pause": channel.can_pause,
        "can_terminate": channel.can_terminate,
        "keeps_order": channel.keeps_order,
        "polls_without_interrupt": channel.polls_without_interrupt,
        "coherent": channel.coherent,
        "iommu": channel.iommu,
        "private": channel.private,
        "copy_align_bytes": channel.copy_align_bytes,
        "length_granule_bytes": channel.length_granule_bytes,
        "segment_max_bytes": channel.segment_max_bytes,
        "counters": channel.counters.map(|c| json!({
            "dma_bytes": c.dma_bytes,
            "dma_chunks": c.dma_chunks,
            "descriptors": c.descriptors,
            "errors": c.errors,
            "outstanding_bytes": c.outstanding_bytes,
        })),
    })
}

#[cfg(test)]
mod tests {
    use super::super::merge::tests::rows;
    use super::*;
    use report::document::terminal;

    #[test]
    fn people_read_whose_it_is_what_it_can_and_what_it_did() {
        let expected = "\
dma0chan0   ours, high priority; ioatdma on 0000:00:04.0; node 0
    copies memory; terminates, keeps order, polls without interrupts, coherent, private; alignment 64 B, segments up to 1 MiB; cache injection off
    under the policy: 3 GiB in 49152 chunks, 49153 descriptors, 1 error, 0 B outstanding
dma1chan0   dead; ioatdma on 0000:00:04.0; node 0
";
        let text = terminal::plain(&document(&rows()));
        assert!(text.starts_with(expected), "{text}");
        let software = "\
dma5chan0   free; swdma on swdma.0
    copies memory; pauses, terminates, through an IOMMU, private; alignment 64 B, segments up to 1 MiB; cache injection not offered
6 channels: 1 ours, high priority; 1 dead; 3 free; 1 taken by another client; 5 known to copy memory
";
        assert!(text.ends_with(software), "{text}");
    }

    #[test]
    fn pipes_get_the_same_with_names() {
        let value = json(&rows(), &Dca::default(), None);
        let first = &value["channels"][0];
        assert_eq!(first["state"], "ours_high");
        assert_eq!(first["module"]["counters"]["errors"], 1);
        assert_eq!(value["channels"][3]["state"], "taken");
        assert!(value["channels"][3]["module"].is_null());
        assert!(value["module_absent"].is_null());
    }
}
