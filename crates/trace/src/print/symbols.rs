//! Addresses -> names, from the texts that the head holds. They are long, and
//! sorted only when the first address is asked for.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

/// Names of addresses, and texts of trace_printk.
pub struct Names<'c> {
    kallsyms: &'c str,
    printk: &'c str,
    /// Address, and where in `kallsyms` the name begins; sorted.
    symbols: OnceCell<Vec<(u64, usize)>>,
    texts: OnceCell<HashMap<u64, String>>,
}

/// A symbol that an address lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol<'c> {
    pub name: &'c str,
    pub offset: u64,
}

impl<'c> Names<'c> {
    /// From the two texts of a file.
    pub fn new(kallsyms: &'c str, printk: &'c str) -> Names<'c> {
        Names {
            kallsyms,
            printk,
            symbols: OnceCell::new(),
            texts: OnceCell::new(),
        }
    }

    /// The symbol that an address is in.
    pub fn symbol(&self, address: u64) -> Option<Symbol<'c>> {
        let symbols = self.symbols.get_or_init(|| sorted(self.kallsyms));
        let behind = symbols.partition_point(|(begin, _)| *begin <= address);
        let begin = symbols[..behind].last()?.0;
        // Of several names for a place the first one that the kernel lists.
        let first = symbols.partition_point(|(other, _)| *other < begin);
        let rest = &self.kallsyms[symbols[first].1..];
        let end = rest.find(['\n', '\t', ' ']).unwrap_or(rest.len());
        Some(Symbol {
            name: &rest[..end],
            offset: address - begin,
        })
    }

    /// The name of the function that an address lies in, else the address.
    pub fn function(&self, address: u64) -> Cow<'c, str> {
        match self.symbol(address) {
            Some(symbol) => symbol.name.into(),
            None => format!("0x{address:x}").into(),
        }
    }

    /// A text of `printk_formats`: events hold only its address.
    pub fn text(&self, address: u64) -> Option<&str> {
        let texts = self.texts.get_or_init(|| texts(self.printk));
        texts.get(&address).map(String::as_str)
    }
}

/// Lines of `ADDRESS TYPE NAME [MODULE]`.
fn sorted(kallsyms: &str) -> Vec<(u64, usize)> {
    let mut symbols = Vec::new();
    let mut at = 0;
    for line in kallsyms.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let mut words = line.splitn(3, ' ');
        let (Some(address), Some(_), Some(name)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        // Addresses that were hidden, and marks of the ARM tool chain.
        let address = u64::from_str_radix(address, 16).unwrap_or(0);
        if address != 0 && !name.starts_with('$') {
            symbols.push((address, begin + line.len() - name.len()));
        }
    }
    symbols.sort_by_key(|(address, _)| *address);
    symbols
}

/// Lines of `0xADDRESS : "TEXT"`.
fn texts(printk: &str) -> HashMap<u64, String> {
    let one = |line: &str| {
        let (address, text) = line.split_once(':')?;
        let address = u64::from_str_radix(address.trim().trim_start_matches("0x"), 16).ok()?;
        let text = text.trim().strip_prefix('"')?.strip_suffix('"')?;
        let text = text
            .replace("\\n", "\n")
            .replace("\\t", "\t")
            .replace("\\\"", "\"");
        Some((address, text))
    };
    printk.lines().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn an_address_lies_in_the_symbol_before_it() {
        let names = Names::new(
            "0000000000000000 A hidden\n30 T last\t[mod]\n10 T first\n10 t alias\n20 t $x\n",
            "0x9 : \"a\\n\\\"b\\\"\"\nodd\n",
        );
        let at = |address| names.symbol(address).map(|s| (s.name, s.offset));
        assert_eq!(at(0xf), None);
        assert_eq!(at(0x10), Some(("first", 0)));
        assert_eq!(at(0x2f), Some(("first", 0x1f)));
        assert_eq!(at(0x31), Some(("last", 1)));
        assert_eq!(names.text(9), Some("a\n\"b\""));
        assert_eq!(names.text(8), None);
    }
}
