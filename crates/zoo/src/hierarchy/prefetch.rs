//! What fetches lines before they are asked for: one mechanism a file.

mod adjacent;
mod ip_stride;
mod next_line;
mod region;
mod stream;
mod temporal;
mod trigger;
mod up_down;

pub use trigger::{Trigger, Wanted};

use crate::cores::Prefetcher;

/// The prefetchers of one CPU, by what they look at.
#[derive(Debug, Clone)]
pub struct Engines {
    on_loads: Vec<OnLoads>,
    on_misses: Vec<OnMisses>,
}

/// Those that see every load.
#[derive(Debug, Clone)]
enum OnLoads {
    NextLine(next_line::NextLine),
    IpStride(Box<ip_stride::IpStride>),
    Region(Box<region::Region>),
}

/// Those that see the loads which the first level did not have.
#[derive(Debug, Clone)]
enum OnMisses {
    Adjacent(adjacent::Adjacent),
    UpDown(Box<up_down::UpDown>),
    Stream(Box<stream::Stream>),
    Temporal(temporal::Temporal),
}

impl Engines {
    /// As described, having seen nothing.
    pub fn new(prefetchers: &[Prefetcher], line_bytes: u32) -> Self {
        let mut engines = Engines {
            on_loads: Vec::new(),
            on_misses: Vec::new(),
        };
        for prefetcher in prefetchers {
            engines.add(prefetcher, line_bytes);
        }
        engines
    }

    /// A load has been served; what they want for it.
    #[inline]
    pub fn see(&mut self, trigger: &Trigger, wanted: &mut Wanted) {
        for engine in &mut self.on_loads {
            match engine {
                OnLoads::NextLine(engine) => engine.see(trigger, wanted),
                OnLoads::IpStride(engine) => engine.see(trigger, wanted),
                OnLoads::Region(engine) => engine.see(trigger, wanted),
            }
        }
        if trigger.depth > 0 {
            self.see_miss(trigger, wanted);
        }
    }

    /// The first level asked the second for a line, for a load or for one of its own
    /// prefetchers: the second does not tell them apart (Intel's optimization manual on the
    /// streamer; a stream would stop where the first level runs ahead of the loads).
    #[inline]
    pub fn see_miss(&mut self, trigger: &Trigger, wanted: &mut Wanted) {
        for engine in &mut self.on_misses {
            match engine {
                OnMisses::Adjacent(engine) => engine.see(trigger, wanted),
                OnMisses::UpDown(engine) => engine.see(trigger, wanted),
                OnMisses::Stream(engine) => engine.see(trigger, wanted),
                OnMisses::Temporal(engine) => engine.see(trigger, wanted),
            }
        }
    }

    fn add(&mut self, prefetcher: &Prefetcher, line_bytes: u32) {
        let (loads, misses) = (&mut self.on_loads, &mut self.on_misses);
        match *prefetcher {
            Prefetcher::AdjacentLine => misses.push(OnMisses::Adjacent(adjacent::Adjacent)),
            Prefetcher::UpDown => {
                misses.push(OnMisses::UpDown(Box::new(up_down::UpDown::new())));
            }
            Prefetcher::NextLine => loads.push(OnLoads::NextLine(next_line::NextLine::new())),
            Prefetcher::IpStride {
                strides,
                ahead,
                max_stride_bytes,
            } => {
                let engine = ip_stride::IpStride::new(strides, ahead, max_stride_bytes);
                loads.push(OnLoads::IpStride(Box::new(engine)));
            }
            Prefetcher::Stream { accesses, ahead } => {
                let engine = stream::Stream::new(accesses, ahead);
                misses.push(OnMisses::Stream(Box::new(engine)));
            }
            Prefetcher::Region { region_bytes } => {
                let engine = region::Region::new(region_bytes / line_bytes);
                loads.push(OnLoads::Region(Box::new(engine)));
            }
            Prefetcher::Temporal { entries } => {
                misses.push(OnMisses::Temporal(temporal::Temporal::new(entries)));
            }
        }
    }
}
