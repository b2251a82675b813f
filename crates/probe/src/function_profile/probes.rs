//! What joins the kernel's lists to have a histogram of the time between a
//! function's entry and its return, by hist triggers (Linux 5.10).

/// A line that joins a list below tracefs, or below the instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joining {
    pub list: String,
    pub text: String,
    /// The list then mentions it so.
    pub mention: String,
    /// Written to the list, it takes it away.
    pub leave: String,
}

/// Names of everything that one process makes.
#[derive(Debug, Clone)]
pub struct Probes {
    group: String,
}

/// Entries of the histogram: functions x CPUs x powers of two.
const ENTRIES: u32 = 16384;

impl Probes {
    /// Names that hold `pid`, so that two processes do not share any.
    pub fn of_process(pid: u32) -> Probes {
        Probes {
            group: format!("pontage_{pid}"),
        }
    }

    /// A probe at the entry and one at the return, in `kprobe_events`.
    pub fn at(&self, number: usize, function: &str) -> [Joining; 2] {
        let group = &self.group;
        ["p in", "r out"].map(|kind| {
            let (kind, name) = kind.split_at(1);
            let event = format!("{group}/{}_{number}", name.trim());
            Joining {
                list: "kprobe_events".to_owned(),
                text: format!("{kind}:{event} {function}\n"),
                // Without the space it would be the beginning of another's name.
                mention: format!("{event} "),
                leave: format!("-:{event}\n"),
            }
        })
    }

    fn synthetic(&self) -> String {
        format!("{}_took", self.group)
    }

    /// The event that carries a time, in `synthetic_events`.
    pub fn event(&self) -> Joining {
        let text = format!("{} u64 func; u64 ns\n", self.synthetic());
        Joining {
            list: "synthetic_events".to_owned(),
            mention: self.synthetic(),
            leave: format!("!{text}"),
            text,
        }
    }

    /// In the instance: entry remembers the time, return sends what has passed.
    pub fn triggers_at(&self, number: usize) -> [Joining; 2] {
        let group = &self.group;
        let took = self.synthetic();
        let entry = format!("hist:keys=common_pid:ts{number}=common_timestamp");
        let exit = format!(
            "hist:keys=common_pid:ns{number}=common_timestamp-$ts{number}\
             :onmatch({group}.in_{number}).trace({took},__probe_func,$ns{number})"
        );
        [
            trigger(&format!("events/{group}/in_{number}"), &entry),
            trigger(&format!("events/{group}/out_{number}"), &exit),
        ]
    }

    /// The table.
    pub fn table(&self) -> Joining {
        trigger(
            &format!("events/synthetic/{}", self.synthetic()),
            &format!("hist:keys=func.sym,common_cpu,ns.log2:vals=ns:size={ENTRIES}"),
        )
    }

    /// File of the table in the instance.
    pub fn table_file(&self) -> String {
        format!("events/synthetic/{}/hist", self.synthetic())
    }
}

fn trigger(folder: &str, text: &str) -> Joining {
    Joining {
        list: format!("{folder}/trigger"),
        text: format!("{text}\n"),
        mention: "hist:keys=".to_owned(),
        leave: format!("!{text}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_joins_is_distinguished_from_others_and_leaves_again() {
        let probes = Probes::of_process(7);
        let [entry, exit] = probes.at(1, "vfs_read");
        assert_eq!(entry.text, "p:pontage_7/in_1 vfs_read\n");
        assert_eq!(exit.text, "r:pontage_7/out_1 vfs_read\n");
        let others = "p:kprobes/x y\nr10:pontage_7/out_11 f\np:pontage_7/in_1 vfs_read\n";
        assert!(others.contains(&entry.mention) && !others.contains(&exit.mention));
        assert_eq!(exit.leave, "-:pontage_7/out_1\n");
        let [_, exit] = probes.triggers_at(1);
        assert_eq!(exit.list, "events/pontage_7/out_1/trigger");
        assert!(
            exit.text
                .ends_with(".trace(pontage_7_took,__probe_func,$ns1)\n")
        );
        assert!(exit.leave.starts_with("!hist:"));
        assert!(probes.event().leave.starts_with("!pontage_7_took u64"));
    }
}
