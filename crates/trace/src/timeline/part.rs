//! A stretch of a timeline, for where the whole is too much.

use super::{CpuLane, Crowd, End, Gap, Idle, Life, Moment, Slice, Span, Timeline};

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
        let mut tasks = Kept::new(self.tasks.len());
        let mut names = Kept::new(self.names.len());
        self.each_index(&mut |task| tasks.mark(task), &mut |name| names.mark(name));
        let (tasks, names) = (tasks.numbered(), names.numbered());
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

struct Kept(Vec<bool>);

impl Kept {
    fn new(count: usize) -> Kept {
        Kept(vec![false; count])
    }

    fn mark(&mut self, index: &mut u32) {
        self.0[*index as usize] = true;
    }

    /// New indices by old ones.
    fn numbered(self) -> Vec<u32> {
        let mut next = 0;
        let number = |kept: bool| {
            let number = if kept { next } else { GONE };
            next += u32::from(kept);
            number
        };
        self.0.into_iter().map(number).collect()
    }
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
            hardirqs: self.spans(&cpu.hardirqs),
            softirqs: self.spans(&cpu.softirqs),
            moments: self.moments(&cpu.moments),
            gaps: self.gaps(&cpu.gaps),
            crowd: self.crowd(&cpu.crowd),
            idle: self.idle(&cpu.idle),
            lives: self.lives(&cpu.lives),
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
            end: if ends_behind { End::Unknown } else { slice.end },
            ..*slice
        })
    }

    fn spans(&self, spans: &[Span]) -> Vec<Span> {
        let inside = spans.iter().filter(|s| self.touches(s.start_ns, s.end_ns));
        let cut = inside.map(|span| Span {
            start_ns: self.cut(span.start_ns),
            end_ns: self.cut(span.end_ns),
            ..*span
        });
        cut.collect()
    }

    fn moments(&self, moments: &[Moment]) -> Vec<Moment> {
        let inside = moments.iter().filter(|m| self.touches(m.at_ns, m.at_ns));
        inside.copied().collect()
    }

    fn gaps(&self, gaps: &[Gap]) -> Vec<Gap> {
        let inside = gaps.iter().filter(|g| self.touches(g.start_ns, g.end_ns));
        let cut = inside.map(|gap| Gap {
            start_ns: self.cut(gap.start_ns),
            end_ns: self.cut(gap.end_ns),
            ..*gap
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

    fn idle(&self, idle: &[Idle]) -> Vec<Idle> {
        let inside = idle.iter().filter(|i| self.touches(i.start_ns, i.end_ns));
        let cut = inside.map(|stay| Idle {
            start_ns: self.cut(stay.start_ns),
            end_ns: self.cut(stay.end_ns),
            ..*stay
        });
        cut.collect()
    }

    fn lives(&self, lives: &[Life]) -> Vec<Life> {
        let inside = lives.iter().filter(|l| self.touches(l.at_ns, l.at_ns));
        inside.copied().collect()
    }
}
