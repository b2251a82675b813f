//! One load: its translation, its line, what it takes, and what is fetched after it.

use super::Memory;
use crate::hierarchy::caches::Line;
use crate::hierarchy::narrow::number;
use crate::hierarchy::prefetch::Trigger;
use crate::hierarchy::tlb::Found;
use crate::hierarchy::walk;

impl Memory {
    /// The latency of a load, in ns, after which its line is in the first level.
    #[inline]
    pub(super) fn access(&mut self, cpu: usize, code: u32, address: u64) -> f64 {
        let (physical, translated_ns) = self.translate(cpu, address);
        let line = self.line(address, physical);
        self.counts.loads += 1;
        let (depth, found_ns) = match self.caches.first_hit(cpu, line) {
            true => (0, self.prices.ns(0, self.time.cycle_ns)),
            false => self.miss(cpu, line),
        };
        let under_way = &self.cpus[cpu].under_way;
        let late_ns = match depth < self.caches.depth() {
            true => under_way.remaining_ns(line.physical, self.time.now_ns),
            false => 0.0,
        };
        let latency_ns = found_ns + late_ns + translated_ns;
        self.foresee(cpu, code, address, line, depth);
        latency_ns + self.noise_ns(latency_ns)
    }

    /// The physical address, and what finding it took, in ns.
    #[inline]
    pub(super) fn translate(&mut self, cpu: usize, address: u64) -> (u64, f64) {
        match self.cpus[cpu].again(address) {
            Some(physical) => (physical, 0.0),
            None => self.translate_anew(cpu, address),
        }
    }

    fn translate_anew(&mut self, cpu: usize, address: u64) -> (u64, f64) {
        let page = self.space.page_of(address);
        let own = &mut self.cpus[cpu];
        own.went_to(&page, address);
        let found = own.translations.look_up(&page);
        let second = self.core.stlb.as_ref().map_or(0.0, |tlb| tlb.extra_cycles);
        let mut extra_ns = 0.0;
        if found != Found::First {
            self.counts.dtlb_misses += 1;
            extra_ns += second * self.time.cycle_ns;
        }
        if found == Found::Tables {
            self.counts.walks += 1;
            let (guest, shift) = (self.around.guest, self.line_shift);
            let kept = &mut self.cpus[cpu].translations;
            let loads = walk::loads(&self.space, kept, &page, address, guest, shift);
            extra_ns += self.walk(cpu, loads.lines());
        }
        (page.physical, extra_ns)
    }

    fn walk(&mut self, cpu: usize, lines: &[u32]) -> f64 {
        let mut walk_ns = self.core.walk.cycles * self.time.cycle_ns;
        for line in lines {
            self.counts.walk_loads += 1;
            let line = Line {
                physical: *line,
                placed_by: *line,
                hash: 0,
            };
            let depth = match self.caches.first_hit(cpu, line) {
                true => 0,
                false => self.caches.serve(cpu, line),
            };
            walk_ns += self.prices.ns(depth, self.time.cycle_ns);
        }
        walk_ns
    }

    /// The first level has not got it: who has, and how long that takes, in ns.
    fn miss(&mut self, cpu: usize, line: Line) -> (usize, f64) {
        let depth = self.caches.serve(cpu, line);
        self.counts.l1_refills += 1;
        self.counts.l2_refills += u64::from(depth > 1);
        self.counts.memory_reads += u64::from(depth == self.caches.depth());
        let mut found_ns = self.prices.ns(depth, self.time.cycle_ns);
        let last = self.caches.depth() - 1;
        if depth > last {
            found_ns += self.cpus[cpu].bandwidth.wait_ns(self.time.now_ns);
        }
        if depth >= last
            && let Some(neighbour) = self.events.neighbour()
        {
            let share = match depth == last {
                true => neighbour.last_level_share,
                false => neighbour.memory_share,
            };
            found_ns += found_ns * share * self.noise.next();
        }
        let near = self.around.partner_shares_llc && self.partner_is_used;
        if near && depth == self.caches.depth() && self.caches.has_private(1 - cpu, line) {
            // Cores of a cluster pass on what only one of them has.
            found_ns = found_ns.min(self.core.coherence.transfer_ns);
        }
        if !self.around.smt_sibling && self.owners.give_up(1 - cpu, line.physical) {
            found_ns = found_ns.max(self.handing_over_ns());
        }
        (depth, found_ns)
    }

    /// A line that the partner has written: within a cluster its caches pass it on, else it
    /// goes by way of memory.
    pub(super) fn handing_over_ns(&self) -> f64 {
        let transfer_ns = self.core.coherence.transfer_ns;
        match self.around.partner_shares_llc {
            true => transfer_ns,
            false => transfer_ns + self.core.memory_ns,
        }
    }

    #[inline]
    fn noise_ns(&mut self, latency_ns: f64) -> f64 {
        match self.around.noise > 0.0 {
            true => latency_ns * self.around.noise * self.noise.next(),
            false => 0.0,
        }
    }

    /// What the prefetchers make of it.
    #[inline]
    fn foresee(&mut self, cpu: usize, code: u32, address: u64, line: Line, depth: usize) {
        self.partner_is_used |= cpu > 0;
        let own = &mut self.cpus[cpu];
        let trigger = Trigger {
            code,
            line: line.physical,
            offset: number(address & 4095),
            line_shift: self.line_shift,
            depth,
        };
        own.engines.see(&trigger, &mut own.wanted);
        if own.wanted.count() > 0 {
            self.fetch_wanted(cpu, address, &trigger);
        }
    }

    fn fetch_wanted(&mut self, cpu: usize, address: u64, of: &Trigger) {
        let wanted = &self.cpus[cpu].wanted;
        (0..wanted.count()).for_each(|at| self.caches.expect(cpu, wanted.at(at).0));
        let mut at = 0;
        // Lines for the first level add others for the second.
        while at < self.cpus[cpu].wanted.count() {
            let (physical, target) = self.cpus[cpu].wanted.at(at);
            at += 1;
            if target > 0 {
                let line = Line {
                    physical,
                    placed_by: physical,
                    hash: 0,
                };
                self.prefetch(cpu, line, target);
                continue;
            }
            // They are of the same page, so their virtual ones follow.
            let lines = i64::from(physical) - i64::from(of.line);
            let address = address.wrapping_add_signed(lines << self.line_shift);
            let line = self.line(address, u64::from(physical) << self.line_shift);
            if let Some(depth) = self.prefetch(cpu, line, 0) {
                let trigger = Trigger {
                    line: physical,
                    offset: number(address & 4095),
                    depth,
                    ..*of
                };
                let own = &mut self.cpus[cpu];
                own.engines.see_miss(&trigger, &mut own.wanted);
            }
        }
        self.cpus[cpu].wanted.clear();
    }

    /// The level that had the line; None where it is near already, or cannot be asked for now.
    fn prefetch(&mut self, cpu: usize, wanted: Line, target: usize) -> Option<usize> {
        let (now_ns, cycle_ns) = (self.time.now_ns, self.time.cycle_ns);
        let own = &mut self.cpus[cpu];
        if own.bandwidth.is_used_up(now_ns) {
            return None;
        }
        let found = self.caches.prefetch(cpu, wanted, target)?;
        self.counts.prefetches += 1;
        let mut way_ns = self.prices.ns(found, cycle_ns);
        if found == self.caches.depth() {
            way_ns += own.bandwidth.wait_ns(now_ns);
        }
        let before_ns = own.under_way.remaining_ns(wanted.physical, now_ns);
        let arrives_ns = now_ns + way_ns.max(before_ns);
        own.under_way.expect(wanted.physical, arrives_ns);
        Some(found)
    }

    /// The line becomes this CPU's own: what that takes, in ns.
    pub(super) fn make_own(&mut self, cpu: usize, line: Line) -> f64 {
        if self.owners.owns(cpu, line.physical) {
            return 0.0;
        }
        self.owners.take(cpu, line.physical);
        if self.around.smt_sibling || !self.partner_is_used {
            return 0.0;
        }
        let owned = self.owners.give_up(1 - cpu, line.physical);
        let held = self.caches.take_private(1 - cpu, line.physical);
        match owned || held {
            true => self.handing_over_ns(),
            false => 0.0,
        }
    }
}
