//! Cache injection (DCA): what an engine offers, and switching it off while a
//! policy is started, because it moves the cost of a copy to where it is not
//! measured.

use crate::failure::Failure;
use harness::journal::{Journal, Restored};
use machine::dca::{Dca, IOAT_SWITCH};
use std::path::PathBuf;

/// Name of the journal that `policy stop` undoes.
const JOURNAL: &str = "dma-policy";

/// Whether an engine puts copies, or what it announces of them, into a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Injection {
    On,
    Off,
    /// Its driver has no such thing.
    NotOffered,
    /// Nobody says which driver it has.
    Unknown,
}

impl Injection {
    /// Of a channel, by its driver and, for I/OAT, its device.
    pub fn of(driver: Option<&str>, device: Option<&str>, dca: &Dca) -> Injection {
        match driver {
            Some("ioatdma") => {
                let same = |p: &machine::dca::Provider| match (p.device.as_deref(), device) {
                    (Some(provider), Some(device)) => provider == device,
                    _ => true,
                };
                Injection::switched(dca.providers.iter().any(same))
            }
            // A descriptor would have to ask for it, and a kernel copy's does not.
            Some("idxd") => Injection::Off,
            Some(_) => Injection::NotOffered,
            None => Injection::Unknown,
        }
    }

    /// Of an engine that says whether it is on.
    pub fn switched(on: bool) -> Injection {
        if on { Injection::On } else { Injection::Off }
    }

    pub fn word(self) -> &'static str {
        match self {
            Injection::On => "on",
            Injection::Off => "off",
            Injection::NotOffered => "not offered",
            Injection::Unknown => "unknown",
        }
    }
}

/// The driver's switch and the journal that knows how it stood.
pub struct Switch {
    file: PathBuf,
    /// Of the machine and of the journals, in a test.
    elsewhere: Option<(PathBuf, PathBuf)>,
}

impl Switch {
    /// Of this machine.
    pub fn live() -> Switch {
        Switch {
            file: PathBuf::from(IOAT_SWITCH),
            elsewhere: None,
        }
    }

    /// Switches ioatdma's offer off, to be put back by `undo`. Returns what to say.
    ///
    /// # Errors
    /// When the switch cannot be written.
    pub fn off(&self, dca: &Dca) -> Result<Vec<String>, Failure> {
        if dca.ioat_enabled != Some(true) {
            return Ok(standing_providers(dca));
        }
        self.journal().set(&self.file, "0").map_err(|e| {
            let hint = e.hint();
            Failure::new(e).hinted(hint).or_hint("run it as root")
        })?;
        let mut said = vec![format!(
            "{} is 0 now; `pontage dma policy stop` or `pontage restore` sets it to 1 again",
            self.file.display()
        )];
        said.extend(standing_providers(dca));
        Ok(said)
    }

    /// Puts back what `off` changed, in this process or an earlier one.
    pub fn undo(&self) -> Vec<Restored> {
        self.journal().undo()
    }

    fn journal(&self) -> Journal {
        let journal = Journal::standing(JOURNAL);
        match &self.elsewhere {
            Some((root, journals)) => journal.of_machine(root).kept_in(journals),
            None => journal,
        }
    }
}

/// The switch is read when the driver binds: what is registered stays.
fn standing_providers(dca: &Dca) -> Vec<String> {
    let stands = |p: &machine::dca::Provider| match &p.device {
        Some(device) => format!(
            "cache injection of {device} ({}) stays on until ioatdma is bound to it again: \
             for f in unbind bind; do echo {device} | sudo tee /sys/bus/pci/drivers/ioatdma/$f; \
             done (before the policy)",
            p.name
        ),
        None => format!(
            "cache injection of {} stays on until ioatdma is loaded again",
            p.name
        ),
    };
    dca.providers.iter().map(stands).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::dca::Provider;

    fn dca(devices: &[Option<&str>]) -> Dca {
        let provider = |device: &Option<&str>| Provider {
            name: "dca0".to_owned(),
            device: device.map(str::to_owned),
        };
        Dca {
            ioat_enabled: Some(false),
            providers: devices.iter().map(provider).collect(),
        }
    }

    #[test]
    fn an_engine_injects_where_it_is_a_provider() {
        let ioat = |device, dca: &Dca| Injection::of(Some("ioatdma"), Some(device), dca);
        let one = dca(&[Some("0000:00:04.0")]);
        assert_eq!(ioat("0000:00:04.0", &one), Injection::On);
        assert_eq!(ioat("0000:80:04.0", &one), Injection::Off);
        // A provider without a name may be any.
        assert_eq!(ioat("0000:80:04.0", &dca(&[None])), Injection::On);
        assert_eq!(ioat("0000:80:04.0", &dca(&[])), Injection::Off);
    }

    #[test]
    fn others_have_none_or_do_not_ask() {
        let one = dca(&[Some("0000:00:04.0")]);
        assert_eq!(Injection::of(Some("idxd"), None, &one), Injection::Off);
        assert_eq!(
            Injection::of(Some("swdma"), None, &one),
            Injection::NotOffered
        );
        assert_eq!(Injection::of(None, None, &one), Injection::Unknown);
    }

    #[test]
    fn a_switch_that_is_off_is_left_alone_and_what_stays_on_is_reported() {
        let said = Switch::live().off(&dca(&[Some("0000:00:04.0")])).unwrap();
        assert_eq!(said.len(), 1);
        assert!(
            said[0].contains("stays on until ioatdma is bound to it again"),
            "{said:?}"
        );
        assert_eq!(Switch::live().off(&dca(&[])).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_switch_that_is_on_is_off_until_it_is_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let switch = Switch {
            file: root.join(IOAT_SWITCH.trim_start_matches('/')),
            elsewhere: Some((root.clone(), root.join("journals"))),
        };
        std::fs::create_dir_all(switch.file.parent().unwrap()).unwrap();
        let value = || {
            std::fs::read_to_string(&switch.file)
                .unwrap()
                .trim()
                .to_owned()
        };
        std::fs::write(&switch.file, "1\n").unwrap();
        let enabled = Dca {
            ioat_enabled: Some(true),
            ..Dca::default()
        };
        let said = switch.off(&enabled).unwrap();
        assert!(said[0].ends_with("sets it to 1 again"), "{said:?}");
        assert_eq!(value(), "0");
        // A second policy finds it off and changes nothing.
        assert_eq!(switch.off(&dca(&[])).unwrap(), Vec::<String>::new());
        assert_eq!(switch.undo().len(), 1);
        assert_eq!(value(), "1");
        assert_eq!(switch.undo(), Vec::new());
    }
}
