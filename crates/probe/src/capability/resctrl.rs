//! Who fills the last-level cache.

use super::{Area, Capability, Question, in_container_or};
use crate::resctrl::obstacle;
use machine::Machine;

/// Monitoring of caches and memory bandwidth.
pub fn groups(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Counters,
        "resctrl",
        "cache occupancy and memory bandwidth of neighbours",
    );
    let found = &machine.resctrl;
    if let Some(absent) = obstacle(found) {
        let judged = q.absent(absent.reason, absent.remedy);
        return match found.mount {
            None => judged.short("not mounted"),
            Some(_) => judged,
        };
    }
    let point = found.mount.as_deref().unwrap_or_default();
    let detail = format!("{point}: {}", found.events.join(" "));
    if machine.process.uid != Some(0) {
        return q
            .limited(
                format!("{detail}; only root makes groups there"),
                in_container_or(machine, "--privileged --user root", "sudo pontage ..."),
            )
            .short("only root makes groups");
    }
    match found.rmids {
        // The first is everybody's.
        Some(rmids) => q.available(format!("{detail}; {} groups", rmids.saturating_sub(1))),
        None => q.available(detail),
    }
}

#[cfg(test)]
mod tests {
    use super::groups;
    use crate::capability::State;
    use machine::Machine;

    #[test]
    fn only_root_makes_groups() {
        let mut machine = Machine::default();
        assert_eq!(groups(&machine).state, State::Absent);
        machine.resctrl.mount = Some("/sys/fs/resctrl".to_owned());
        machine.resctrl.events = vec!["llc_occupancy".to_owned()];
        machine.resctrl.rmids = Some(224);
        machine.process.uid = Some(1000);
        assert_eq!(groups(&machine).remedy, "sudo pontage ...");
        machine.process.uid = Some(0);
        let available = groups(&machine);
        assert_eq!(available.state, State::Available);
        assert_eq!(
            available.detail,
            "/sys/fs/resctrl: llc_occupancy; 223 groups"
        );
    }
}
