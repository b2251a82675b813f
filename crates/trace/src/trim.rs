//! A capture without what nothing in it needs: a kernel describes thousands of
//! events, which are megabytes in a recording that is small otherwise.

use crate::capture::Capture;
use crate::error::Result;
use crate::head::System;
use crate::page::Item;

/// The kernel's own entries (function, print): few, and readers expect them.
const ALWAYS: &str = "ftrace";

impl Capture {
    /// The same pages with the formats of only those events that occur.
    ///
    /// # Errors
    /// As [`Capture::new`].
    pub fn trimmed(&self) -> Result<Capture> {
        let used = self.used();
        let occurs = |text: &String| {
            let id = text.lines().find_map(|line| line.strip_prefix("ID:"));
            let id = id.and_then(|id| id.trim().parse::<u16>().ok());
            id.is_none_or(|id| used[usize::from(id)])
        };
        let mut head = self.head.clone();
        for System { name, formats } in &mut head.systems {
            if name != ALWAYS {
                formats.retain(occurs);
            }
        }
        head.systems.retain(|system| !system.formats.is_empty());
        Capture::new(head, self.cpus.clone())
    }

    /// By number. What cannot be read uses nothing.
    fn used(&self) -> Vec<bool> {
        let mut used = vec![false; 1 << 16];
        for pages in &self.cpus {
            let mut reader = self.reader(pages);
            while let Some(item) = reader.read() {
                if let Ok(Item::Event(event)) = item {
                    used[usize::from(event.id(self.head.order))] = true;
                }
            }
        }
        used
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Making, V};

    #[test]
    fn only_what_occurs_is_described() {
        let mut m = Making::new();
        m.switch(0, 100, 0, 0, 7)
            .push(3, 200, 7, "softirq_raise", &[V::N(1)])
            .switch(0, 300, 7, 1, 0);
        let whole = m.capture();
        let trimmed = whole.trimmed().unwrap();
        let names: Vec<(&str, usize)> = trimmed
            .head
            .systems
            .iter()
            .map(|s| (s.name.as_str(), s.formats.len()))
            .collect();
        // Those of ftrace stay.
        assert_eq!(names, [("sched", 1), ("irq", 1), ("ftrace", 2)]);
        assert!(trimmed.formats.find("sched", "sched_switch").is_some());
        assert!(trimmed.formats.find("sched", "sched_waking").is_none());
        let events = |c: &crate::Capture| c.merged().map(|i| format!("{i:?}")).collect::<Vec<_>>();
        assert_eq!(events(&trimmed), events(&whole));
        let timeline = |capture| crate::timeline::Timeline::of(capture).unwrap();
        assert_eq!(timeline(&trimmed), timeline(&whole));
    }
}
