//! What the control group of this process leaves of the CPUs.
//!
//! Source: Documentation/admin-guide/cgroup-v2.rst, Documentation/scheduler/sched-bwc.rst
//! (version 1), cgroups(7).

use crate::cpu_list::CpuList;
use crate::mounts::Mount;
use crate::problem::Flaw;
use crate::source::Source;
use crate::text::{Unexpected, lines};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The control group of this process and its limits.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Cgroup {
    /// The tightest quota of this group and those above it; `None`: no quota.
    pub quota: Option<Quota>,
    pub cpus: Option<CpuList>,
    pub memory_nodes: Option<CpuList>,
    /// `cpu.weight` (v2) or `cpu.shares` (v1).
    pub weight: Option<u64>,
    /// Version 1 with group scheduling: real-time budget of the group.
    pub rt_runtime_us: Option<i64>,
    pub memory_limit_bytes: Option<u64>,
}

/// CPU time allowed in each period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quota {
    pub quota_us: u64,
    pub period_us: u64,
    /// File that says so.
    pub path: String,
}

impl Quota {
    /// In CPUs: 1.5 is one and a half.
    #[expect(
        clippy::cast_precision_loss,
        reason = "microseconds in a period are few"
    )]
    pub fn cpus(&self) -> f64 {
        self.quota_us as f64 / self.period_us.max(1) as f64
    }
}

/// Processes that the out-of-memory killer ended, as counted by now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OomKills {
    /// Of the control group of this process, whatever ran out of memory.
    own: Option<u64>,
    /// Of the whole machine.
    anywhere: Option<u64>,
}

impl OomKills {
    /// Reads the counters below `root`.
    pub fn read(root: &Path) -> Self {
        let source = Source::new(root);
        let memberships = source.lines("/proc/self/cgroup", parse).unwrap_or_default();
        let memory = folders(&crate::mounts::read(&source), &memberships, "memory");
        let of = |path: String| {
            let text = source.text(&path)?;
            let line = text.lines().find_map(|l| l.strip_prefix("oom_kill "))?;
            line.trim().parse().ok()
        };
        OomKills {
            // Version 2, then 1.
            own: nearest(&memory, |folder| {
                of(format!("{folder}/memory.events"))
                    .or_else(|| of(format!("{folder}/memory.oom_control")))
            }),
            anywhere: of("/proc/vmstat".to_owned()),
        }
    }

    /// Kills in the own group between this reading and a later one; None where the
    /// group has no count.
    pub fn own_since(&self, later: &OomKills) -> Option<u64> {
        Some(later.own?.saturating_sub(self.own?))
    }

    /// Kills on the machine between this reading and a later one.
    pub fn anywhere_since(&self, later: &OomKills) -> Option<u64> {
        Some(later.anywhere?.saturating_sub(self.anywhere?))
    }
}

/// One line of `/proc/self/cgroup`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// Empty for version 2.
    pub controllers: Vec<String>,
    pub path: String,
}

/// Reads the limits of the own group and of those above it.
pub fn read(source: &Source, mounts: &[Mount]) -> Cgroup {
    let memberships = source.lines("/proc/self/cgroup", parse).unwrap_or_default();
    let cpu = folders(mounts, &memberships, "cpu");
    let cpuset = folders(mounts, &memberships, "cpuset");
    let memory = folders(mounts, &memberships, "memory");
    Cgroup {
        quota: cpu
            .iter()
            .filter_map(|folder| quota(source, folder))
            .min_by(|a, b| a.cpus().total_cmp(&b.cpus())),
        cpus: nearest(&cpuset, |f| lists(source, f, "cpus")),
        memory_nodes: nearest(&cpuset, |f| lists(source, f, "mems")),
        weight: nearest(&cpu, |f| {
            let number = |name: &str| source.number(&format!("{f}/{name}"));
            number("cpu.weight").or_else(|| number("cpu.shares"))
        }),
        rt_runtime_us: nearest(&cpu, |f| source.number(&format!("{f}/cpu.rt_runtime_us"))),
        memory_limit_bytes: memory.iter().filter_map(|f| memory_limit(source, f)).min(),
    }
}

/// Lines `id:controllers:path`.
pub fn parse(text: &str) -> (Vec<Membership>, Vec<Flaw>) {
    lines(text, |_, line| {
        let parts: Vec<&str> = line.splitn(3, ':').collect();
        let [_, controllers, path] = parts[..] else {
            return Err(Unexpected::new("id:controllers:path", line));
        };
        Ok(Some(Membership {
            controllers: controllers.split(',').map(str::to_owned).collect(),
            path: path.to_owned(),
        }))
    })
}

/// Folders that speak for this process, the nearest first, the mount last.
/// In a container the path may be the host's; its missing folders are passed
/// over and the mount itself still answers.
fn folders(mounts: &[Mount], memberships: &[Membership], controller: &str) -> Vec<String> {
    let v1 = memberships.iter().find_map(|m| {
        m.controllers.iter().find(|c| *c == controller)?;
        let mount = mounts
            .iter()
            .find(|mount| mount.kind == "cgroup" && mount.has(controller))?;
        Some((mount, m))
    });
    let v2 = || {
        let member = memberships.iter().find(|m| m.controllers == [""])?;
        let mount = mounts.iter().find(|mount| mount.kind == "cgroup2")?;
        Some((mount, member))
    };
    let Some((mount, member)) = v1.or_else(v2) else {
        return Vec::new();
    };
    let mut below = member.path.trim_end_matches('/');
    let mut chain = Vec::new();
    while !below.is_empty() {
        chain.push(format!("{}{below}", mount.point));
        below = below.rsplit_once('/').map_or("", |(parent, _)| parent);
    }
    chain.push(mount.point.clone());
    chain
}

fn nearest<T>(folders: &[String], read: impl Fn(&str) -> Option<T>) -> Option<T> {
    folders.iter().find_map(|folder| read(folder))
}

/// What is in force of `cpus` or `mems`, as version 2 and 1 name it, and what was asked for.
fn lists(source: &Source, folder: &str, what: &str) -> Option<CpuList> {
    let names = [
        format!("{what}.effective"),
        format!("effective_{what}"),
        what.to_owned(),
    ];
    names
        .iter()
        .find_map(|name| source.cpus(&format!("{folder}/cpuset.{name}")))
        .filter(|list| !list.is_empty())
}

fn quota(source: &Source, folder: &str) -> Option<Quota> {
    let path = format!("{folder}/cpu.max");
    if let Some(max) = source.parse(&path, parse_max) {
        let (quota_us, period_us) = max?;
        return Some(Quota {
            quota_us,
            period_us,
            path,
        });
    }
    let path = format!("{folder}/cpu.cfs_quota_us");
    let quota: i64 = source.number(&path)?;
    Some(Quota {
        quota_us: u64::try_from(quota).ok()?,
        period_us: source.number(&format!("{folder}/cpu.cfs_period_us"))?,
        path,
    })
}

/// `max 100000` or `150000 100000`.
fn parse_max(text: &str) -> Result<Option<(u64, u64)>, Unexpected> {
    let wrong = || Unexpected::new("a quota and a period", text);
    let (quota, period) = text.split_once(' ').ok_or_else(wrong)?;
    let period: u64 = period.parse().map_err(|_| wrong())?;
    if quota == "max" {
        return Ok(None);
    }
    let quota = quota.parse().map_err(|_| wrong())?;
    Ok(Some((quota, period)))
}

fn memory_limit(source: &Source, folder: &str) -> Option<u64> {
    /// Version 1 writes the largest multiple of the page size for "none".
    const NO_LIMIT: u64 = i64::MAX as u64 - 65_536;
    let v2 = source.parse(&format!("{folder}/memory.max"), |text| match text {
        "max" => Ok(u64::MAX),
        number => number
            .parse()
            .map_err(|_| Unexpected::new("bytes or max", number)),
    });
    v2.or_else(|| source.number(&format!("{folder}/memory.limit_in_bytes")))
        .filter(|bytes| *bytes < NO_LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn memberships_of_both_versions() {
        let (found, flaws) = parse("4:memory:/a\n3:cpu,cpuacct:/b:c\n0::/\nx\n");
        assert_eq!(found[1].controllers, ["cpu", "cpuacct"]);
        assert_eq!(found[1].path, "/b:c");
        assert_eq!(found[2].controllers, [""]);
        assert_eq!(flaws[0].line, 4);
    }

    #[test]
    fn out_of_memory_kills_of_both_versions() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let nothing = OomKills::read(folder.path());
        write("proc/vmstat", "nr_free_pages 1\noom_kill 7\n");
        write("proc/self/cgroup", "4:memory:/a\n0::/b\n");
        let v1 = "cgroup /m cgroup rw,memory 0 0\n";
        write("proc/self/mounts", v1);
        write("m/a/memory.oom_control", "under_oom 0\noom_kill 2\n");
        let before = OomKills::read(folder.path());
        write("m/a/memory.oom_control", "under_oom 0\noom_kill 3\n");
        let after = OomKills::read(folder.path());
        assert_eq!(before.own_since(&after), Some(1));
        assert_eq!(before.anywhere_since(&after), Some(0));
        assert_eq!(nothing.own_since(&after), None);
        write("proc/self/mounts", "cgroup2 /u cgroup2 rw 0 0\n");
        write("proc/self/cgroup", "0::/b\n");
        write("u/b/memory.events", "oom 9\noom_kill 4\noom_group_kill 0\n");
        let v2 = OomKills::read(folder.path());
        assert_eq!(before.own_since(&v2), Some(2));
    }

    #[test]
    fn quotas_are_two_numbers_or_max() {
        assert_eq!(parse_max("max 100000"), Ok(None));
        assert_eq!(parse_max("150000 100000"), Ok(Some((150_000, 100_000))));
        assert!(parse_max("150000").is_err());
    }

    #[test]
    fn the_mount_answers_when_the_path_is_the_host_s() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("proc/self/cgroup", "0::/host/only\n");
        write("sys/fs/cgroup/cpu.max", "50000 100000\n");
        let mounts = [Mount {
            point: "/sys/fs/cgroup".into(),
            kind: "cgroup2".into(),
            options: vec![],
        }];
        let cgroup = read(&Source::new(folder.path()), &mounts);
        assert!((cgroup.quota.unwrap().cpus() - 0.5).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(?s).*") {
            let _ = parse(&text);
            let _ = parse_max(&text);
        }
    }
}
