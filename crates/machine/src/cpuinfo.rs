//! `/proc/cpuinfo`, whose fields differ from one architecture to the next.
//!
//! Source: arch/*/kernel/cpu*.c (`c_show`), proc_cpuinfo(5).

use crate::problem::Flaw;
use crate::source::Source;
use crate::text::pairs;
use crate::text::quoted;
use std::collections::BTreeMap;

/// What the kernel says of each processor; its form depends on the architecture.
pub const PATH: &str = "/proc/cpuinfo";

/// One field set for each logical CPU, and one for the machine as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CpuInfo {
    pub processors: Vec<Processor>,
    /// Fields outside any processor's block: ARM prints board facts there.
    pub board: BTreeMap<String, String>,
}

/// One logical CPU of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Processor {
    pub number: u32,
    pub fields: BTreeMap<String, String>,
}

impl CpuInfo {
    /// A field of the first processor, which stands for all in a machine of
    /// equal cores.
    pub fn field(&self, key: &str) -> Option<&str> {
        self.processors
            .iter()
            .find_map(|p| p.fields.get(key))
            .map(String::as_str)
    }

    /// Words that every processor has in the list under one of these keys.
    pub fn common_words(&self, keys: &[&str]) -> Vec<String> {
        let mut lists = self.processors.iter().filter_map(|p| {
            let list = keys.iter().find_map(|key| p.fields.get(*key))?;
            Some(
                list.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>(),
            )
        });
        let first = lists.next().unwrap_or_default();
        lists.fold(first, |common, list| {
            common.into_iter().filter(|w| list.contains(w)).collect()
        })
    }
}

/// Reads [`PATH`].
pub fn read(source: &Source) -> CpuInfo {
    source.lines(PATH, parse).unwrap_or_default()
}

/// What ARM prints about the machine after the last processor's block.
const BOARD_FIELDS: [&str; 4] = ["Hardware", "Revision", "Serial", "Model"];

/// Each processor's fields follow its `processor : N` line.
pub fn parse(text: &str) -> (CpuInfo, Vec<Flaw>) {
    let mut info = CpuInfo::default();
    let (found, mut flaws) = pairs(text, ':');
    for pair in found {
        if pair.key == "processor" {
            match pair.value.parse() {
                Ok(number) => info.processors.push(Processor {
                    number,
                    fields: BTreeMap::new(),
                }),
                Err(_) => flaws.push(Flaw::at(
                    pair.line,
                    format!("expected a processor number, found {}", quoted(pair.value)),
                )),
            }
            continue;
        }
        let fields = match info.processors.last_mut() {
            Some(last) if !BOARD_FIELDS.contains(&pair.key) => &mut last.fields,
            _ => &mut info.board,
        };
        fields.insert(pair.key.to_owned(), pair.value.to_owned());
    }
    (info, flaws)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn board_facts_are_not_the_last_processor_s() {
        let text = "processor\t: 0\nFeatures\t: fp asimd\n\nprocessor\t: 1\nFeatures\t: fp\n\n\
                    Hardware\t: BCM2835\nModel\t: Raspberry Pi 4\n";
        let (info, flaws) = parse(text);
        assert!(flaws.is_empty());
        assert_eq!(info.processors.len(), 2);
        assert_eq!(info.board["Model"], "Raspberry Pi 4");
        assert_eq!(info.common_words(&["flags", "Features"]), ["fp"]);
    }

    #[test]
    fn fields_before_any_processor_are_the_board_s() {
        let (info, _) = parse("Processor : ARMv7\nBogoMIPS : 1\n\nprocessor : 0\n");
        assert_eq!(info.board["Processor"], "ARMv7");
        assert_eq!(info.processors[0].number, 0);
    }

    #[test]
    fn a_damaged_processor_line_is_named() {
        let (info, flaws) = parse("processor : zero\nmodel name : x\ngarbage\n");
        assert!(info.processors.is_empty());
        let lines: Vec<usize> = flaws.iter().map(|f| f.line).collect();
        assert_eq!(lines, [3, 1]);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(?s).*") {
            let _ = parse(&text);
        }

        #[test]
        fn anything_close_is_read(text in "((processor|flags|Hardware)?[ \t]*:?[ a-z0-9]*\n){0,12}") {
            let (info, _) = parse(&text);
            let _ = info.common_words(&["flags"]);
        }
    }
}
