//! Names of interrupts, softirqs, timers' functions and events. There are few
//! of them, and the same one comes again and again.

use std::collections::HashMap;

/// As in include/linux/interrupt.h.
const SOFTIRQS: [&str; 10] = [
    "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU",
];

/// A page names no more of them.
const MOST_FILES: usize = 4096;

#[derive(Default)]
pub struct Names {
    all: Vec<String>,
    /// Programs may be many; all others are few.
    files: HashMap<Vec<u8>, u32>,
    /// Interrupt number and its name.
    handlers: Vec<(i32, u32)>,
    softirqs: Vec<(u32, u32)>,
    /// Kind of timer, function's address, name.
    functions: Vec<(&'static str, u64, u32)>,
}

impl Names {
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(at) = self.all.iter().position(|known| known == name) {
            return at as u32;
        }
        self.all.push(name.to_owned());
        (self.all.len() - 1) as u32
    }

    /// A program's; None where there is none.
    pub fn file(&mut self, bytes: &[u8]) -> Option<u32> {
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        let file = &bytes[..end];
        if let Some(at) = self.files.get(file) {
            return Some(*at);
        }
        if file.is_empty() || self.files.len() == MOST_FILES {
            return None;
        }
        let at = self.all.len() as u32;
        self.all.push(String::from_utf8_lossy(file).into_owned());
        self.files.insert(file.to_vec(), at);
        Some(at)
    }

    pub fn handler(&mut self, irq: i32, name: &[u8]) -> u32 {
        if let Some((_, at)) = self.handlers.iter().find(|(known, _)| *known == irq) {
            return *at;
        }
        let end = name.iter().position(|b| *b == 0).unwrap_or(name.len());
        let name = String::from_utf8_lossy(&name[..end]);
        let at = self.number(&format!("irq {irq} {name}"));
        self.handlers.push((irq, at));
        at
    }

    pub fn softirq(&mut self, vec: u32) -> u32 {
        if let Some((_, at)) = self.softirqs.iter().find(|(known, _)| *known == vec) {
            return *at;
        }
        let known = usize::try_from(vec).ok().and_then(|v| SOFTIRQS.get(v));
        let at = match known {
            Some(name) => self.number(&format!("softirq {name}")),
            None => self.number(&format!("softirq {vec}")),
        };
        self.softirqs.push((vec, at));
        at
    }

    pub fn function(&mut self, kind: &'static str, address: u64) -> u32 {
        let mut functions = self.functions.iter();
        if let Some((_, _, at)) = functions.find(|(k, a, _)| *a == address && *k == kind) {
            return *at;
        }
        let at = self.number(&format!("{kind} {address:#x}"));
        self.functions.push((kind, address, at));
        at
    }

    /// All names; addresses are called as `kallsyms` does, where it knows them.
    pub fn finish(mut self, kallsyms: &str) -> Vec<String> {
        let mut best: Vec<(u64, &str)> = vec![(0, ""); self.functions.len()];
        let lines = if best.is_empty() { "" } else { kallsyms };
        for line in lines.lines() {
            let mut words = line.split_ascii_whitespace();
            let address = words.next().and_then(|a| u64::from_str_radix(a, 16).ok());
            let (Some(address), Some(symbol)) = (address, words.nth(1)) else {
                continue;
            };
            for ((_, wanted, _), best) in self.functions.iter().zip(&mut best) {
                if address > best.0 && address <= *wanted {
                    *best = (address, symbol);
                }
            }
        }
        for ((kind, wanted, at), (address, symbol)) in self.functions.iter().zip(best) {
            // A function this long is the last symbol before a stretch without any.
            if address > 0 && wanted - address < 1 << 20 {
                self.all[*at as usize] = format!("{kind} {symbol}");
            }
        }
        self.all
    }
}
