//! One row a channel, from what sysfs lists and what the module describes.

use crate::dma::Seen;
use crate::dma::dca::Injection;
use machine::dma::DmaChannel;
use uapi::Channel;

/// A channel of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub name: String,
    pub driver: Option<String>,
    pub device: Option<String>,
    pub node: Option<u32>,
    pub state: State,
    pub dca: Injection,
    /// Whether it copies memory; `None` where nothing says.
    pub copies_memory: Option<bool>,
    /// As sysfs counts, since the channel was registered.
    pub sysfs: Option<DmaChannel>,
    /// As the module describes it.
    pub module: Option<Channel>,
}

/// Whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Ours,
    OursHigh,
    Dead,
    Free,
    Taken,
    Unknown,
}

impl State {
    /// In the order of totals.
    pub const ALL: [State; 6] = [
        State::Ours,
        State::OursHigh,
        State::Dead,
        State::Free,
        State::Taken,
        State::Unknown,
    ];

    pub fn words(self) -> &'static str {
        match self {
            State::Ours => "ours",
            State::OursHigh => "ours, high priority",
            State::Dead => "dead",
            State::Free => "free",
            State::Taken => "taken by another client",
            State::Unknown => "state unknown",
        }
    }
}

/// In the order of sysfs; what only the module lists comes last.
pub fn merge(seen: &Seen, module: Option<&[Channel]>) -> Vec<Row> {
    let described = |name: &str| module.into_iter().flatten().find(|c| c.name == name);
    let rows = seen.channels.iter();
    let rows = rows.map(|sysfs| row(Some(sysfs), described(&sysfs.name), module.is_some(), seen));
    let mut rows: Vec<Row> = rows.collect();
    let listed = |c: &&Channel| !seen.channels.iter().any(|s| s.name == c.name);
    let rest = module.into_iter().flatten().filter(listed);
    rows.extend(rest.map(|c| row(None, Some(c), true, seen)));
    rows
}

fn row(sysfs: Option<&DmaChannel>, module: Option<&Channel>, asked: bool, seen: &Seen) -> Row {
    let text = |text: &String| Some(text.clone()).filter(|t| !t.is_empty());
    let named = |of: fn(&Channel) -> &String| module.and_then(|c| text(of(c)));
    let driver = named(|c| &c.driver).or_else(|| sysfs?.driver.clone());
    let device = named(|c| &c.device).or_else(|| sysfs?.device.clone());
    let name = module.map(|c| &c.name).or(sysfs.map(|s| &s.name));
    Row {
        name: name.cloned().unwrap_or_default(),
        dca: injection(module, driver.as_deref(), device.as_deref(), seen),
        node: module.and_then(|c| c.node).or_else(|| sysfs?.node),
        state: state(sysfs, module),
        copies_memory: copies_memory(sysfs, module, asked),
        sysfs: sysfs.cloned(),
        module: module.cloned(),
        driver,
        device,
    }
}

fn injection(
    module: Option<&Channel>,
    driver: Option<&str>,
    device: Option<&str>,
    seen: &Seen,
) -> Injection {
    match module.and_then(|c| c.cache_injection) {
        Some(on) => Injection::switched(on),
        None => Injection::of(driver, device, &seen.dca),
    }
}

/// The module sees its own and the free ones; the clients of others stand in
/// sysfs.
fn state(sysfs: Option<&DmaChannel>, module: Option<&Channel>) -> State {
    match (module, sysfs.and_then(|s| s.in_use)) {
        (Some(c), _) if c.dead => State::Dead,
        (Some(c), _) if c.ours && c.high => State::OursHigh,
        (Some(c), _) if c.ours => State::Ours,
        (Some(c), _) if c.taken => State::Taken,
        (Some(_), _) | (None, Some(0)) => State::Free,
        (None, Some(_)) => State::Taken,
        (None, None) => State::Unknown,
    }
}

/// The module lists every free channel that copies: a free one that it does
/// not list cannot.
fn copies_memory(
    sysfs: Option<&DmaChannel>,
    module: Option<&Channel>,
    asked: bool,
) -> Option<bool> {
    if module.is_some() {
        return Some(true);
    }
    let sysfs = sysfs?;
    match (asked, sysfs.in_use) {
        (true, Some(0)) => Some(false),
        _ => sysfs.copies_memory(),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use machine::dca::Dca;
    use uapi::Counters;

    pub fn sysfs(name: &str, driver: &str, in_use: u32) -> DmaChannel {
        DmaChannel {
            name: name.to_owned(),
            driver: Some(driver.to_owned()),
            in_use: Some(in_use),
            ..DmaChannel::default()
        }
    }

    pub fn described(name: &str, ours: bool) -> Channel {
        Channel {
            name: name.to_owned(),
            driver: "ioatdma".to_owned(),
            device: "0000:00:04.0".to_owned(),
            node: Some(0),
            ours,
            taken: false,
            dead: false,
            high: false,
            can_pause: false,
            can_terminate: true,
            keeps_order: true,
            polls_without_interrupt: ours,
            cache_injection: None,
            coherent: true,
            iommu: false,
            private: true,
            copy_align_bytes: 64,
            length_granule_bytes: 1,
            segment_max_bytes: 1 << 20,
            counters: ours.then_some(Counters {
                dma_bytes: 3 << 30,
                dma_chunks: 49_152,
                descriptors: 49_153,
                errors: 1,
                outstanding_bytes: 0,
            }),
        }
    }

    /// One of each kind.
    pub fn rows() -> Vec<Row> {
        let seen = Seen {
            channels: vec![
                sysfs("dma0chan0", "ioatdma", 1),
                sysfs("dma1chan0", "ioatdma", 1),
                sysfs("dma2chan0", "ioatdma", 0),
                sysfs("dma3chan0", "ioatdma", 2),
                sysfs("dma4chan0", "hsu-dma", 0),
            ],
            dca: Dca::default(),
        };
        let module = [
            Channel {
                high: true,
                ..described("dma0chan0", true)
            },
            Channel {
                dead: true,
                ..described("dma1chan0", true)
            },
            described("dma2chan0", false),
            Channel {
                driver: "swdma".to_owned(),
                device: "swdma.0".to_owned(),
                node: None,
                keeps_order: false,
                can_pause: true,
                iommu: true,
                coherent: false,
                ..described("dma5chan0", false)
            },
        ];
        merge(&seen, Some(&module))
    }

    #[test]
    fn each_channel_is_listed_apart() {
        let states: Vec<_> = rows().iter().map(|r| (r.state, r.copies_memory)).collect();
        assert_eq!(
            states,
            [
                (State::OursHigh, Some(true)),
                (State::Dead, Some(true)),
                (State::Free, Some(true)),
                // Of another client, so that the module does not see it.
                (State::Taken, Some(true)),
                // Free, and the module does not list it.
                (State::Free, Some(false)),
                (State::Free, Some(true)),
            ]
        );
    }

    #[test]
    fn without_the_module_sysfs_alone_tells() {
        let seen = Seen {
            channels: vec![
                sysfs("dma0chan0", "ioatdma", 0),
                sysfs("dma1chan0", "hsu-dma", 3),
                DmaChannel::default(),
            ],
            dca: Dca::default(),
        };
        let rows = merge(&seen, None);
        let states: Vec<_> = rows.iter().map(|r| (r.state, r.copies_memory)).collect();
        assert_eq!(
            states,
            [
                (State::Free, Some(true)),
                (State::Taken, None),
                (State::Unknown, None)
            ]
        );
    }
}
