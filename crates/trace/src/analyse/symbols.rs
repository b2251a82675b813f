//! Names of the kernel's addresses, from the capture's own kallsyms.

use std::ops::Range;

/// No function is as long, bytes.
const LONGEST: u64 = 1 << 20;

/// Functions by address.
#[derive(Debug, Clone, Default)]
pub struct Symbols {
    /// Sorted by address.
    all: Vec<(u64, Box<str>)>,
}

impl Symbols {
    /// Lines of `ADDRESS TYPE NAME`; addresses of 0 (kptr_restrict) name no function.
    pub fn parse(kallsyms: &str) -> Symbols {
        let mut all: Vec<(u64, Box<str>)> = kallsyms.lines().filter_map(line).collect();
        all.sort_by_key(|(address, _)| *address);
        Symbols { all }
    }

    /// Whether the trace has no symbols: functions are addresses then.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The function that the address is in: the last one that begins before it,
    /// unless that is 1 MiB away.
    pub fn find(&self, address: u64) -> Option<&str> {
        self.entry(address).map(|(_, name)| name)
    }

    fn entry(&self, address: u64) -> Option<(u64, &str)> {
        let behind = self.all.partition_point(|(begin, _)| *begin <= address);
        let (begin, name) = self.all.get(behind.checked_sub(1)?)?;
        (address - begin < LONGEST).then_some((*begin, &**name))
    }

    /// The name, or the address where there is none.
    pub fn name(&self, address: u64) -> String {
        self.find(address)
            .map_or_else(|| format!("{address:#x}"), str::to_owned)
    }

    /// `ksys_write+0x68`, or the address where no name is known.
    pub fn place(&self, address: u64) -> String {
        match self.entry(address) {
            Some((begin, name)) => format!("{name}+{:#x}", address - begin),
            None => format!("{address:#x}"),
        }
    }

    /// Where the functions of a name lie; several files may have one. Tracers report
    /// an address some bytes behind its begin, where their hook is.
    pub fn ranges<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Range<u64>> + 'a {
        let named = move |at: &usize| &*self.all[*at].1 == name;
        (0..self.all.len()).filter(named).map(|at| {
            let begin = self.all[at].0;
            let next = self.all[at..].iter().find(|(next, _)| *next > begin);
            let end = next.map_or(u64::MAX, |(next, _)| *next);
            begin..end.min(begin.saturating_add(LONGEST))
        })
    }
}

fn line(line: &str) -> Option<(u64, Box<str>)> {
    let mut words = line.split_whitespace();
    let address = u64::from_str_radix(words.next()?, 16).ok()?;
    let kind = words.next()?;
    let name = words.next()?;
    (address != 0 && matches!(kind, "t" | "T" | "w" | "W")).then(|| (address, name.into()))
}

#[cfg(test)]
mod tests {
    use super::Symbols;

    #[test]
    fn an_address_has_the_name_of_the_function_it_is_in() {
        let text = "ffff1000 T two\nffff0000 t one\t[mod]\nffff0800 d data\n0 T zero\nodd\n";
        let symbols = Symbols::parse(text);
        assert_eq!(symbols.find(0xffff_0900), Some("one"));
        assert_eq!(symbols.find(0xffff_1000), Some("two"));
        assert_eq!(symbols.find(0xfffe_0000), None);
        assert_eq!(symbols.place(0xffff_0900), "one+0x900");
        assert_eq!(symbols.place(0xfffe_0000), "0xfffe0000");
        assert_eq!(symbols.find(0xffff_ffff_0000), None);
        assert_eq!(symbols.name(16), "0x10");
        let range = |name| symbols.ranges(name).next();
        assert_eq!(range("two"), Some(0xffff_1000..0x1_000f_1000));
        assert_eq!(range("one"), Some(0xffff_0000..0xffff_1000));
        assert_eq!(range("data"), None);
    }
}
