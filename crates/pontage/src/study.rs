//! Flags that the front doors of single studies share, and the run they make.

use crate::run::Request;
use crate::run::flags::{Counting, Load, Run};
use catalogue::Preset;
use catalogue::recipe::{AxisText, Entry, Recipe};
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How a study is measured.
#[derive(Debug, Args)]
pub struct Study {
    /// Measure under SCHED_FIFO, with a watchdog that takes it away again
    #[arg(long)]
    pub fifo: bool,
    /// CPU to measure on (default: a quiet one)
    #[arg(long, value_name = "CPU")]
    pub cpu: Option<u32>,
    /// Load beside the measurement
    #[arg(long, value_enum, default_value = "light")]
    pub load: Load,
    /// Count events of the processor beside the time
    #[arg(long, value_name = "GROUP", value_enum)]
    pub counters: Option<Counting>,
    /// Processes that repeat each point
    #[arg(long, value_name = "N", default_value = "1",
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub processes: u32,
    /// Folder that receives the run's folder
    #[arg(long, value_name = "DIR", default_value = "runs")]
    pub out: PathBuf,
}

impl Study {
    /// The flags that every run has.
    pub fn run(&self) -> Run {
        Run {
            what: Vec::new(),
            quick: false,
            full: true,
            axis: Vec::new(),
            budget_ms: None,
            processes: Some(self.processes),
            load: self.load,
            cpu: self.cpu,
            fifo: self.fifo,
            mlock: false,
            set_governor: None,
            huge_pages: None,
            counters: self.counters,
            samples: None,
            interrupts: false,
            out: self.out.clone(),
            resume: None,
            trust: false,
            dry_run: false,
        }
    }

    /// What is asked for, as a recipe of its own.
    pub fn request(&self, name: &str, title: &str, experiments: Vec<Entry>) -> Request {
        Request {
            name: name.to_owned(),
            recipe: Recipe {
                title: title.to_owned(),
                question: String::new(),
                preset: Preset::Full,
                processes: Some(self.processes),
                experiments,
                figures: Vec::new(),
                counters: self.counters.map(|asked| asked.name().to_owned()),
                samples: None,
            },
        }
    }
}

/// One experiment on these values of its axes.
pub fn entry(id: &str, axes: BTreeMap<String, AxisText>) -> Entry {
    Entry {
        id: id.to_owned(),
        budget_ms: None,
        axes,
    }
}
