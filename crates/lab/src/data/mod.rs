//! What the laboratory can boot, read from the TOML files under `lab/`. A name
//! is the name of its file. Unknown keys are errors: a misspelt one must not
//! vanish.

mod crash;
mod invalid;
mod kernel;
mod machine;
mod scenario;
#[cfg(test)]
mod tests;

pub use crash::Crash;
pub use invalid::Invalid;
pub use kernel::{Architecture, Kernel, Origin, Packages, Source};
pub use machine::{Bus, Ends, Machine};
pub use scenario::{
    Benign, DebianProgram, FromSource, HostProgram, Module, RustProgram, Scenario, Share, Test,
};

use crate::stop::{Stop, cannot};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// All data files, by name.
#[derive(Debug, Clone, Default)]
pub struct Data {
    pub kernels: BTreeMap<String, Kernel>,
    pub machines: BTreeMap<String, Machine>,
    pub scenarios: BTreeMap<String, Scenario>,
}

impl Data {
    /// Reads `folder`, the `lab/` of a clone.
    ///
    /// # Errors
    /// A file that cannot be read or understood, or a scenario that names a
    /// kernel or machine there is none of.
    pub fn read(folder: &Path) -> Result<Data, Stop> {
        let data = Data {
            kernels: files(&folder.join("kernels"))?,
            machines: files(&folder.join("machines"))?,
            scenarios: files(&folder.join("scenarios"))?,
        };
        data.check(folder)?;
        Ok(data)
    }

    /// The scenario of that name.
    ///
    /// # Errors
    /// When there is none, with the names there are.
    pub fn scenario(&self, name: &str) -> Result<&Scenario, Stop> {
        self.scenarios.get(name).ok_or_else(|| {
            let names: Vec<&str> = self.scenarios.keys().map(String::as_str).collect();
            Stop::failed(format!(
                "cannot find scenario {name:?}: there is none of that name"
            ))
            .hint(format!("one of: {}", names.join(", ")))
        })
    }

    /// Names of the scenarios of `group`.
    ///
    /// # Errors
    /// When there is none, with the groups there are.
    pub fn group(&self, group: &str) -> Result<Vec<String>, Stop> {
        let of_group = |s: &Scenario| s.group.as_deref() == Some(group);
        let names: Vec<String> = self
            .scenarios
            .iter()
            .filter(|(_, s)| of_group(s))
            .map(|(name, _)| name.clone())
            .collect();
        if names.is_empty() {
            let groups: BTreeSet<&str> = self
                .scenarios
                .values()
                .filter_map(|s| s.group.as_deref())
                .collect();
            let groups: Vec<&str> = groups.into_iter().collect();
            return Err(
                Stop::failed(format!("cannot find group {group:?}: no scenario is of it"))
                    .hint(format!("one of: {}", groups.join(", "))),
            );
        }
        Ok(names)
    }

    fn check(&self, folder: &Path) -> Result<(), Stop> {
        let refused = |kind: &str, name: &str, what: Invalid| {
            let file = folder.join(kind).join(format!("{name}.toml"));
            Stop::failed(format!("cannot use {}: {what}", file.display()))
        };
        for (name, machine) in &self.machines {
            machine
                .check()
                .map_err(|what| refused("machines", name, what))?;
        }
        for (name, scenario) in &self.scenarios {
            self.check_parts(scenario)
                .and_then(|()| scenario.check())
                .map_err(|what| refused("scenarios", name, what))?;
        }
        Ok(())
    }

    /// The kernel and the machine that a scenario names exist and fit.
    fn check_parts(&self, scenario: &Scenario) -> Result<(), Invalid> {
        let (kernel, machine) = (&scenario.kernel, &scenario.machine);
        let found = self.kernels.get(kernel);
        let the_kernel = found.ok_or_else(|| Invalid::NoKernel(kernel.clone()))?;
        let found = self.machines.get(machine);
        let the_machine = found.ok_or_else(|| Invalid::NoMachine(machine.clone()))?;
        if the_kernel.architecture != the_machine.architecture {
            return Err(Invalid::Architectures {
                kernel: kernel.clone(),
                machine: machine.clone(),
            });
        }
        let counts = scenario.twice || !scenario.counted.is_empty();
        match counts && the_machine.plugins.is_empty() {
            true => Err(Invalid::NoPlugin(machine.clone())),
            false => Ok(()),
        }
    }
}

fn files<T: DeserializeOwned>(folder: &Path) -> Result<BTreeMap<String, T>, Stop> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(cannot("read", folder))? {
        let path = entry.map_err(cannot("read", folder))?.path();
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(cannot("read", &path))?;
        let value = toml::from_str(&text).map_err(cannot("understand", &path))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        found.insert(name.into_owned(), value);
    }
    Ok(found)
}
