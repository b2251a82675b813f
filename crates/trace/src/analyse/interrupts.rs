//! How often each interrupt came, how long it took, and where it stormed.

use super::distribution::Distribution;
pub use super::event::InterruptKind;
use super::event::{Happening, Interrupt, What};
use super::known::Known;
use super::pass::{Gap, Pass, Visitor};
use super::table::ByAddress;
use serde::Serialize;

/// A storm: in a window of this length ...
pub const STORM_WINDOW_NS: u64 = 100_000_000;
/// ... one source came to one CPU at least so often (20,000 a second) ...
pub const STORM_COUNT: u64 = 2_000;
/// ... or took this share of the CPU's time.
pub const STORM_SHARE: f64 = 0.5;
const MOST_STORMS: usize = 1000;

/// One source over all CPUs. A time holds what interrupted it in turn.
#[derive(Debug, Clone, Serialize)]
pub struct Source {
    /// Which numbers it is counted in.
    pub kind: InterruptKind,
    /// Number of the interrupt or softirq; place of a vector in `Known::vectors`.
    pub number: u32,
    /// `irq 24 nvme`, `local_timer`, `softirq TIMER`.
    pub name: String,
    /// Entries; those whose exit was seen have a time too.
    pub count: u64,
    /// From entry to exit, in ns.
    pub time: Distribution,
    /// Entries by CPU, in the order of `Known::cpus`.
    pub by_cpu: Vec<u64>,
    #[serde(skip)]
    windows: Vec<Window>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Window {
    index: u64,
    count: u64,
    busy_ns: u64,
}

/// Windows in a row in which one source stormed on one CPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Storm {
    /// Name of the source: `irq 24 nvme`, `softirq TIMER`.
    pub source: String,
    /// Number of the CPU.
    pub cpu: u32,
    /// Begin of its first window.
    pub from_ns: u64,
    /// End of its last window.
    pub until_ns: u64,
    /// Interrupts in it.
    pub count: u64,
    /// Their time together.
    pub busy_ns: u64,
}

/// All sources of a capture.
#[derive(Debug, Default)]
pub struct Interrupts {
    sources: ByAddress<Source>,
    open: Vec<Vec<(u64, u64)>>,
    storms: Vec<Storm>,
    /// Entries that a gap left without their exit.
    pub dropped: u64,
}

fn key(of: Interrupt) -> u64 {
    (of.kind as u64) << 32 | u64::from(of.number)
}

impl Interrupts {
    /// Without any interrupt so far.
    pub fn new(known: &Known) -> Interrupts {
        Interrupts {
            open: vec![Vec::new(); known.cpus.len()],
            ..Interrupts::default()
        }
    }

    /// By time taken, then by count.
    pub fn sources(&self) -> Vec<&Source> {
        let mut all: Vec<&Source> = self.sources.values().collect();
        all.sort_by_key(|s| (std::cmp::Reverse((s.time.sum, s.count)), s.kind, s.number));
        all
    }

    /// By time.
    pub fn storms(&self) -> Vec<Storm> {
        let mut all = self.storms.clone();
        all.sort_by_key(|s| (s.from_ns, s.cpu));
        all
    }

    fn enter(&mut self, h: &Happening<'_>, of: Interrupt, name: impl FnOnce() -> String) {
        let key = key(of);
        let cpus = self.open.len();
        let source = self.sources.entry(key).or_insert_with(|| Source {
            kind: of.kind,
            number: of.number,
            name: name(),
            count: 0,
            time: Distribution::default(),
            by_cpu: vec![0; cpus],
            windows: vec![Window::default(); cpus],
        });
        source.count += 1;
        source.by_cpu[h.cpu] += 1;
        let open = &mut self.open[h.cpu];
        // Exits that are not traced must not pile up.
        if open.len() < 64 {
            open.push((key, h.at_ns));
        }
    }

    fn exit(&mut self, h: &Happening<'_>, of: Interrupt, known: &Known) {
        let key = key(of);
        let open = &mut self.open[h.cpu];
        let Some(at) = open.iter().rposition(|(other, _)| *other == key) else {
            return;
        };
        let (_, since) = open[at];
        open.truncate(at);
        let took = h.at_ns.saturating_sub(since);
        let Some(source) = self.sources.get_mut(&key) else {
            return;
        };
        source.time.add(took);
        let index = h.at_ns / STORM_WINDOW_NS;
        let window = &mut source.windows[h.cpu];
        if window.index != index {
            let begun = Window {
                index,
                ..Window::default()
            };
            let ended = std::mem::replace(window, begun);
            let name = &source.name;
            judge(&mut self.storms, name, known.cpus[h.cpu], ended);
        }
        let window = &mut source.windows[h.cpu];
        window.count += 1;
        window.busy_ns = window.busy_ns.saturating_add(took);
    }
}

fn judge(storms: &mut Vec<Storm>, name: &str, cpu: u32, w: Window) {
    let share = w.busy_ns as f64 / STORM_WINDOW_NS as f64;
    if w.count < STORM_COUNT && share < STORM_SHARE {
        return;
    }
    let from_ns = w.index * STORM_WINDOW_NS;
    let same = |storm: &&mut Storm| storm.source == name && storm.cpu == cpu;
    let last = storms.iter_mut().rfind(same);
    if let Some(storm) = last.filter(|storm| storm.until_ns == from_ns) {
        storm.until_ns = storm.until_ns.saturating_add(STORM_WINDOW_NS);
        storm.count += w.count;
        storm.busy_ns = storm.busy_ns.saturating_add(w.busy_ns);
    } else if storms.len() < MOST_STORMS {
        storms.push(Storm {
            source: name.to_owned(),
            cpu,
            from_ns,
            until_ns: from_ns.saturating_add(STORM_WINDOW_NS),
            count: w.count,
            busy_ns: w.busy_ns,
        });
    }
}

impl Visitor for Interrupts {
    #[inline]
    fn event(&mut self, h: &Happening<'_>, known: &Known) {
        match h.what {
            What::InterruptEntry(of, handler) => {
                self.enter(h, of, || known.interrupt_name(of, Some(handler)));
            }
            What::InterruptExit(of) => self.exit(h, of, known),
            _ => {}
        }
    }

    fn lost(&mut self, gap: &Gap, _: &Known) {
        self.dropped += self.open[gap.cpu].len() as u64;
        self.open[gap.cpu].clear();
    }

    fn end(&mut self, _: &Pass, known: &Known) {
        for source in self.sources.values() {
            for (cpu, window) in known.cpus.iter().zip(&source.windows) {
                judge(&mut self.storms, &source.name, *cpu, *window);
            }
        }
    }
}
