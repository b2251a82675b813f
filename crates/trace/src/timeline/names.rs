//! Names of interrupts, softirqs, timers' functions and events. There are few
//! of them, and the same one comes again and again.

use crate::analyse::{Interrupt, Known};
use crate::bytes::until_nul;
use crate::width::narrow;
use std::collections::HashMap;

/// A page names no more of them.
const MOST_FILES: usize = 4096;

/// What a name is found by in addition to its text.
#[derive(PartialEq, Eq)]
enum Numbered {
    Interrupt(Interrupt),
    /// Kind of timer, function's address.
    Function(&'static str, u64),
}

/// Texts by number, each once.
#[derive(Default)]
pub struct Names {
    all: Vec<String>,
    /// Programs may be many; all others are few.
    files: HashMap<Vec<u8>, u32>,
    /// What has its own name by a number.
    known: Vec<(Numbered, u32)>,
}

impl Names {
    /// The number of a text.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(at) = self.all.iter().position(|known| known == name) {
            return narrow(at);
        }
        self.all.push(name.to_owned());
        narrow(self.all.len() - 1)
    }

    /// A program's; None where there is none.
    pub fn file(&mut self, bytes: &[u8]) -> Option<u32> {
        let file = until_nul(bytes);
        if let Some(at) = self.files.get(file) {
            return Some(*at);
        }
        if file.is_empty() || self.files.len() == MOST_FILES {
            return None;
        }
        let at = narrow(self.all.len());
        self.all.push(String::from_utf8_lossy(file).into_owned());
        self.files.insert(file.to_vec(), at);
        Some(at)
    }

    fn numbered(&mut self, what: Numbered, name: impl FnOnce() -> String) -> u32 {
        if let Some((_, at)) = self.known.iter().find(|(known, _)| *known == what) {
            return *at;
        }
        let at = self.number(&name());
        self.known.push((what, at));
        at
    }

    /// The number of an interrupt's name.
    pub fn interrupt(&mut self, of: Interrupt, handler: &[u8], known: &Known) -> u32 {
        let name = || known.interrupt_name(of, Some(handler));
        self.numbered(Numbered::Interrupt(of), name)
    }

    /// The number of a function's name.
    pub fn function(&mut self, kind: &'static str, address: u64) -> u32 {
        let name = || format!("{kind} {address:#x}");
        self.numbered(Numbered::Function(kind, address), name)
    }

    /// All names; addresses are called as `kallsyms` does, where it knows them.
    pub fn finish(mut self, kallsyms: &str) -> Vec<String> {
        let function = |(what, at): &(Numbered, u32)| match what {
            Numbered::Function(kind, wanted) => Some((*kind, *wanted, *at, (0, ""))),
            _ => None,
        };
        let mut functions: Vec<_> = self.known.iter().filter_map(function).collect();
        let lines = if functions.is_empty() { "" } else { kallsyms };
        for line in lines.lines() {
            let mut words = line.split_ascii_whitespace();
            let address = words.next().and_then(|a| u64::from_str_radix(a, 16).ok());
            let (Some(address), Some(symbol)) = (address, words.nth(1)) else {
                continue;
            };
            for (_, wanted, _, best) in &mut functions {
                if address > best.0 && address <= *wanted {
                    *best = (address, symbol);
                }
            }
        }
        for (kind, wanted, at, (address, symbol)) in functions {
            // A function this long is the last symbol before a stretch without any.
            if address > 0 && wanted - address < 1 << 20 {
                self.all[at as usize] = format!("{kind} {symbol}");
            }
        }
        self.all
    }
}
