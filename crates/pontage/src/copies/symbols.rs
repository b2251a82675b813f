//! Names of kernel addresses, from /proc/kallsyms.

/// Text symbols, sorted by address.
#[derive(Debug, Default)]
pub struct Symbols {
    sorted: Vec<(u64, String)>,
}

impl Symbols {
    /// Lines are `ffffffff81000000 T _text [module]`. Without the right to see
    /// addresses the kernel gives zeros, and no name is known.
    pub fn parse(text: &str) -> Symbols {
        let mut sorted: Vec<(u64, String)> = text.lines().filter_map(symbol).collect();
        sorted.sort();
        Symbols { sorted }
    }

    /// `ksys_write+0x68`, or the address where no name is known.
    pub fn name(&self, address: u64) -> String {
        let after = self.sorted.partition_point(|(start, _)| *start <= address);
        match after.checked_sub(1).map(|index| &self.sorted[index]) {
            Some((start, name)) => format!("{name}+{:#x}", address - start),
            None => format!("{address:#x}"),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }
}

fn symbol(line: &str) -> Option<(u64, String)> {
    let mut words = line.split_ascii_whitespace();
    let address = u64::from_str_radix(words.next()?, 16).ok()?;
    let kind = words.next()?;
    let name = words.next()?;
    let is_text = matches!(kind, "t" | "T" | "w" | "W");
    (is_text && address != 0).then(|| (address, name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::Symbols;

    #[test]
    fn an_address_belongs_to_the_symbol_before_it() {
        let text = "ffffffff81000100 T second\nffffffff81000000 t first\n\
                    ffffffff81000080 D data\nffffffffc0000000 t late\t[swdma]\nbroken\n";
        let symbols = Symbols::parse(text);
        assert_eq!(symbols.name(0xffff_ffff_8100_00ff), "first+0xff");
        assert_eq!(symbols.name(0xffff_ffff_8100_0100), "second+0x0");
        assert_eq!(symbols.name(0xffff_ffff_c000_0010), "late+0x10");
        assert_eq!(symbols.name(0x10), "0x10");
    }

    #[test]
    fn hidden_addresses_give_no_names() {
        let symbols = Symbols::parse("0000000000000000 T first\n");
        assert!(symbols.is_empty());
        assert_eq!(symbols.name(5), "0x5");
    }
}
