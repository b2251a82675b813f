//! A stretch of a timeline, for where the whole is too much.

use super::{CpuLane, Crowd, End, Slice, Timeline};

impl Timeline {
    /// What lies from `from_ns` to `to_ns`, on the capture's clock: slices that
    /// reach beyond are cut and say so; tasks and names of which nothing is left
    /// are gone. The account stays that of the whole.
    pub fn part(&self, from_ns: u64, to_ns: u64) -> Timeline {
        let (from_ns, to_ns) = (from_ns.max(self.begin_ns), to_ns.min(self.end_ns));
        let window = Window {
            from_ns,
            to_ns: to_ns.max(from_ns),
            last: to_ns >= self.end_ns,
        };
        let mut part = Timeline {
            begin_ns: window.from_ns,
            end_ns: window.to_ns,
            cpus: self.cpus.iter().map(|cpu| window.lane(cpu)).collect(),
            tasks: self.tasks.clone(),
            names: self.names.clone(),
            // Who waits at the end of the part may run behind it.
            unserved: Vec::new(),
            account: self.account,
        };
        if window.to_ns == self.end_ns {
            part.unserved.clone_from(&self.unserved);
            for one in &mut part.unserved {
                one.since_ns = one.since_ns.max(window.from_ns);
            }
        }
        part.drop_unused();
        part
    }

    fn drop_unused(&mut self) {
        let mut tasks = vec![false; self.tasks.len()];
        let mut names = vec![false; self.names.len()];
        self.each_index(&mut |task| tasks[*task as usize] = true, &mut |name| {
            names[*name as usize] = true
        });
        let (tasks, names) = (numbered(tasks), numbered(names));
        retain(&mut self.tasks, &tasks);
        retain(&mut self.names, &names);
        self.each_index(&mut |task| *task = tasks[*task as usize], &mut |name| {
            *name = names[*name as usize]
        });
    }

    fn each_index(&mut self, task: &mut dyn FnMut(&mut u32), name: &mut dyn FnMut(&mut u32)) {
        for cpu in &mut self.cpus {
            for slice in &mut cpu.slices {
                task(&mut slice.task);
                if let super::Wait::Woken { waker, .. } = &mut slice.wait
                    && let Some(waker) = &mut waker.task
                {
                    task(waker);
                }
            }
            let spans = cpu.hardirqs.iter_mut().chain(&mut cpu.softirqs);
            spans.for_each(|span| name(&mut span.name));
            cpu.moments.iter_mut().for_each(|m| name(&mut m.name));
            for life in &mut cpu.lives {
                task(&mut life.task);
                life.name.iter_mut().for_each(&mut *name);
            }
        }
        self.unserved.iter_mut().for_each(|one| task(&mut one.task));
    }
}

const GONE: u32 = u32::MAX;

/// New indices by old ones.
fn numbered(kept: Vec<bool>) -> Vec<u32> {
    let mut next = 0;
    let number = |kept: bool| {
        let number = if kept { next } else { GONE };
        next += u32::from(kept);
        number
    };
    kept.into_iter().map(number).collect()
}

fn retain<T>(all: &mut Vec<T>, numbers: &[u32]) {
    let mut at = 0;
    all.retain(|_| {
        at += 1;
        numbers[at - 1] != GONE
    });
}

struct Window {
    from_ns: u64,
    to_ns: u64,
    /// What happens at its very end belongs to it.
    last: bool,
}

impl Window {
    fn touches(&self, start_ns: u64, end_ns: u64) -> bool {
        end_ns >= self.from_ns && (start_ns < self.to_ns || self.last)
    }

    fn cut(&self, at_ns: u64) -> u64 {
        at_ns.clamp(self.from_ns, self.to_ns)
    }

    fn lane(&self, cpu: &CpuLane) -> CpuLane {
        CpuLane {
            cpu: cpu.cpu,
            slices: cpu.slices.iter().filter_map(|s| self.slice(s)).collect(),
            hardirqs: self.all(&cpu.hardirqs, |s| (&mut s.start_ns, Some(&mut s.end_ns))),
            softirqs: self.all(&cpu.softirqs, |s| (&mut s.start_ns, Some(&mut s.end_ns))),
            moments: self.all(&cpu.moments, |m| (&mut m.at_ns, None)),
            gaps: self.all(&cpu.gaps, |g| (&mut g.start_ns, Some(&mut g.end_ns))),
            crowd: self.crowd(&cpu.crowd),
            idle: self.all(&cpu.idle, |i| (&mut i.start_ns, Some(&mut i.end_ns))),
            lives: self.all(&cpu.lives, |l| (&mut l.at_ns, None)),
        }
    }

    fn slice(&self, slice: &Slice) -> Option<Slice> {
        if !self.touches(slice.start_ns, slice.end_ns) {
            return None;
        }
        let ends_behind = slice.end_ns > self.to_ns;
        Some(Slice {
            start_ns: self.cut(slice.start_ns),
            end_ns: self.cut(slice.end_ns),
            begun_before: slice.begun_before || slice.start_ns < self.from_ns,
            end: if ends_behind { End::Cut } else { slice.end },
            ..*slice
        })
    }

    /// What touches the part, cut to it. `times` are the begin and the end of one, if it
    /// has an end of its own.
    fn all<T: Copy>(&self, all: &[T], times: fn(&mut T) -> (&mut u64, Option<&mut u64>)) -> Vec<T> {
        let cut = all.iter().filter_map(|one| {
            let mut one = *one;
            let (start_ns, end_ns) = times(&mut one);
            let touches = self.touches(*start_ns, end_ns.as_deref().copied().unwrap_or(*start_ns));
            for at_ns in [Some(start_ns), end_ns].into_iter().flatten() {
                *at_ns = self.cut(*at_ns);
            }
            touches.then_some(one)
        });
        cut.collect()
    }

    /// Begins with what held when the part begins.
    fn crowd(&self, crowd: &[Crowd]) -> Vec<Crowd> {
        let first = crowd.partition_point(|c| c.at_ns <= self.from_ns);
        let last = crowd.partition_point(|c| c.at_ns < self.to_ns || self.last);
        let before = crowd[..first].last().filter(|c| c.waiting > 0);
        let held = before.map(|c| Crowd {
            at_ns: self.from_ns,
            ..*c
        });
        held.into_iter()
            .chain(crowd[first..last.max(first)].iter().copied())
            .collect()
    }
}
