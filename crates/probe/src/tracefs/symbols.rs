//! As much of /proc/kallsyms as a recording needs: of the hundred thousand
//! symbols of a kernel those whose addresses stand in its pages, be it as a
//! timer's function or in a stack.

use super::mount::read;
use machine::tunable::BOOT_ID;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use trace::Head;

/// Code of the kernel, by address.
#[derive(Debug, Default)]
pub struct Symbols {
    /// (address, line, whether it is mentioned)
    code: Vec<(u64, String, bool)>,
    word_bytes: usize,
}

impl Symbols {
    /// Of a kernel that hides its addresses nothing is left.
    pub fn parse(kallsyms: &str, word_bytes: u8) -> Symbols {
        let mut code: Vec<_> = kallsyms.lines().filter_map(code_line).collect();
        code.sort_by_key(|(address, ..)| *address);
        Symbols {
            code,
            word_bytes: usize::from(word_bytes),
        }
    }

    /// Whether the kernel hides its addresses from this user (kernel.kptr_restrict).
    pub fn are_hidden(&self) -> bool {
        self.code.is_empty()
    }

    /// Marks what the pages of a file mention: any aligned word that is an
    /// address of code.
    pub fn look_into(&mut self, mut file: File) -> io::Result<()> {
        let mut bytes = vec![0; 1 << 20];
        loop {
            let mut filled = 0;
            while filled < bytes.len() {
                match file.read(&mut bytes[filled..])? {
                    0 => break,
                    count => filled += count,
                }
            }
            self.look(&bytes[..filled]);
            if filled < bytes.len() {
                return Ok(());
            }
        }
    }

    fn look(&mut self, bytes: &[u8]) {
        let (Some(first), Some(last)) = (self.code.first(), self.code.last()) else {
            return;
        };
        // The last function may be this long.
        let range = first.0..=last.0.saturating_add(1 << 16);
        // Payloads are aligned to four bytes.
        for at in (0..bytes.len()).step_by(4) {
            let value = match (self.word_bytes, bytes.get(at..at + 8)) {
                (8, Some(word)) => u64::from_ne_bytes(word.try_into().unwrap_or_default()),
                (8, None) => break,
                _ => bytes.get(at..at + 4).map_or(0, |word| {
                    u64::from(u32::from_ne_bytes(word.try_into().unwrap_or_default()))
                }),
            };
            if range.contains(&value) {
                self.mark(value);
            }
        }
    }

    fn mark(&mut self, address: u64) {
        let behind = self.code.partition_point(|(begin, ..)| *begin <= address);
        // Several names of one address: a reader may take any of them.
        let Some(begin) = behind.checked_sub(1).map(|at| self.code[at].0) else {
            return;
        };
        for (at, _, mentioned) in self.code[..behind].iter_mut().rev() {
            if *at != begin || *mentioned {
                break;
            }
            *mentioned = true;
        }
    }

    /// The lines that were mentioned.
    pub fn mentioned(&self) -> String {
        let lines = self.code.iter().filter(|(.., mentioned)| *mentioned);
        lines.map(|(_, line, _)| format!("{line}\n")).collect()
    }
}

/// The kernel's functions; none where it hides their addresses (kptr_restrict).
pub fn functions(root: &Path) -> trace::analyse::symbols::Symbols {
    let kallsyms = read(&root.join("proc/kallsyms")).unwrap_or_default();
    trace::analyse::symbols::Symbols::parse(&kallsyms)
}

/// Gives the head those symbols that its pages mention.
pub fn name_functions(
    head: &mut Head,
    root: &Path,
    pages: impl Fn(u32) -> io::Result<File>,
    cpus: &[u32],
) {
    let kallsyms = read(&root.join("proc/kallsyms")).unwrap_or_default();
    let mut symbols = Symbols::parse(&kallsyms, head.long_bytes);
    if symbols.are_hidden() {
        let note = "functions have no names: the kernel hides its addresses (kptr_restrict)";
        head.notes.push(note.to_owned());
        return;
    }
    for cpu in cpus {
        if pages(*cpu).and_then(|f| symbols.look_into(f)).is_err() {
            // The same pages are read again for the file, and that read reports the error.
            return;
        }
    }
    head.kallsyms = symbols.mentioned();
}

/// Addresses of functions hold for one boot: a killed recording is given names by
/// the boot that it was made on, and by no other.
pub fn boot_note(root: &Path) -> Option<String> {
    Some(format!(
        "functions are of boot {}",
        BOOT_ID.word_below(root)?
    ))
}

fn code_line(line: &str) -> Option<(u64, String, bool)> {
    let mut words = line.split_whitespace();
    let address = u64::from_str_radix(words.next()?, 16).ok()?;
    let is_code = matches!(words.next()?, "t" | "T" | "w" | "W");
    (is_code && address != 0).then(|| (address, line.to_owned(), false))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KALLSYMS: &str = "ffffffff81000000 T _text\nffffffff81000000 t same\n\
        ffffffff81001000 t tick\tnone\nffffffff81002000 D data\n\
        ffffffff81003000 T far\t[module]\n";

    #[test]
    fn only_what_the_pages_mention_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("raw");
        let mut bytes = vec![7; 4];
        // Inside of tick, at four bytes; and data, which is no code, is taken for
        // the function before it.
        bytes.extend(0xffff_ffff_8100_1010_u64.to_ne_bytes());
        bytes.extend(17u64.to_ne_bytes());
        std::fs::write(&path, bytes).unwrap();
        let mut symbols = Symbols::parse(KALLSYMS, 8);
        symbols.look_into(File::open(&path).unwrap()).unwrap();
        assert_eq!(symbols.mentioned(), "ffffffff81001000 t tick\tnone\n");
        symbols.mark(0xffff_ffff_8100_0004);
        assert_eq!(symbols.mentioned().lines().count(), 3);
        symbols.mark(0xffff_ffff_8100_3000);
        assert!(symbols.mentioned().ends_with("far\t[module]\n"));
        symbols.mark(1);
    }

    #[test]
    fn hidden_addresses_are_none() {
        assert!(Symbols::parse("0000000000000000 T _text\n", 8).are_hidden());
        assert!(!Symbols::parse(KALLSYMS, 8).are_hidden());
    }
}
