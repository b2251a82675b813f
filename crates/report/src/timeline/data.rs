//! The data that `ui/src/timeline/decode.ts` reads.

use super::About;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use maud::PreEscaped;
use serde_json::json;
use std::io::Write;
use trace::timeline::{CpuLane, Task, Timeline};

/// Names and counts.
pub fn head(timeline: &Timeline, about: &About) -> PreEscaped<String> {
    let counts = |cpu: &CpuLane| {
        json!({
            "cpu": cpu.cpu,
            "slices": cpu.slices.len(),
            "hardirqs": cpu.hardirqs.len(),
            "softirqs": cpu.softirqs.len(),
            "moments": cpu.moments.len(),
            "gaps": cpu.gaps.len(),
            "crowd": cpu.crowd.len(),
            "idle": cpu.idle.len(),
            "lives": cpu.lives.len(),
        })
    };
    let task = |task: &Task| {
        let names = std::iter::once(&task.name).chain(&task.before);
        let mut row = vec![json!(task.pid)];
        row.extend(names.map(|name| json!(name)));
        row
    };
    let tasks: Vec<_> = timeline.tasks.iter().map(task).collect();
    let head = json!({
        "title": about.file,
        "begin_ns": timeline.begin_ns,
        "length_ns": timeline.length_ns(),
        "clock": about.clock.as_deref().unwrap_or_default(),
        "tasks": tasks,
        "names": timeline.names,
        "cpus": timeline.cpus.iter().map(counts).collect::<Vec<_>>(),
        "unserved": timeline.unserved.len(),
        "events": timeline.account.events,
        "lost_events": timeline.account.lost_events,
    });
    // Nothing in a script element may look like its end.
    PreEscaped(head.to_string().replace('<', "\\u003c"))
}

/// All columns, deflated, as base64.
pub fn columns(timeline: &Timeline) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(6));
    let written = encoder.write_all(&timeline.encode());
    let packed = written.and_then(|()| encoder.finish());
    base64(&packed.expect("writing into memory does not fail"))
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let byte = |at: usize| u32::from(part.get(at).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= part.len() { digit.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }
}
