//! Fuzz target of the `.dat` files: any bytes are read or refused; what is read
//! can be printed, and reads back the same.
//!
//! For long: `cargo bolero test -p record foreign::cftu::fuzz::dat_files`.

use super::{Beside, DatFile, DatName, Direction, Lines, Routine};
use crate::fuzz::{Edits, MOMENT, edited};
use bolero::check;

const VALID: &str = "0\t1102\t8\t0\t613326537662\t613326537755\t93\t0xfffffffff8144c129\tCPU\n\
    3\t64\t2740081346085\t2740081346193\t108\n\
    1\t96\t115\t98.3300\t4.0546\t99.0000\n\
    0\t1024\t300\t1384270020290328601\t1384270020290437344\t108743\t2694.138933\n\
    total_band= 2694.138933\n\
    qsort_small\t55698518635\t55702757592\t4238957\t157283\t982\t0.624352\n\
    susan[s]_huge\t300\t4408.6608\t4599\tnan\tnan\n";

fn names() -> [DatName; 6] {
    let latency = |synth| DatName::Latency {
        to_user: true,
        flushed: false,
        menu: Some(1),
        synth,
    };
    let pollution = |synth| DatName::Pollution {
        beside: Beside {
            copier: "cpu".to_owned(),
            direction: Some(Direction::FromUser),
            size_bytes: None,
        },
        synth,
    };
    [
        DatName::Trace(Routine::To),
        latency(false),
        latency(true),
        DatName::Band(Direction::Both),
        pollution(false),
        pollution(true),
    ]
}

fn read(text: &str) {
    for name in names() {
        let Ok(first) = DatFile::parse(name, text) else {
            continue;
        };
        let printed = first.lines.to_string();
        let second =
            DatFile::parse(first.name.clone(), &printed).expect("what was printed is read");
        assert_eq!(second.lines.to_string(), printed);
        assert_eq!(lines(&second), lines(&first));
        assert!(second.notes.len() <= first.notes.len() + 1, "{second:?}");
    }
}

fn lines(file: &DatFile) -> usize {
    match &file.lines {
        Lines::Trace(lines) => lines.len(),
        Lines::Latency(lines) => lines.len(),
        Lines::Synth(lines) => lines.len(),
        Lines::Victims(lines) => lines.len(),
        Lines::VictimSynth(lines) => lines.len(),
        Lines::Band(blocks) => blocks.iter().map(|b| b.rows.len()).sum(),
    }
}

/// Lines of every kind, and lines of one kind so that most files are read.
#[test]
fn dat_files() {
    let any = |bytes: &[u8]| read(&String::from_utf8_lossy(bytes));
    check!().with_test_time(MOMENT).for_each(any);
    let lines: Vec<&str> = VALID.split_inclusive('\n').collect();
    let band = [lines[3], lines[4]].concat();
    let alone = [0, 1, 2, 5, 6].map(|at| lines[at]);
    let texts = alone.into_iter().chain([band.as_str()]);
    for text in texts {
        check!()
            .with_test_time(MOMENT)
            .with_type::<Edits>()
            .for_each(|edits| any(&edited(text.as_bytes(), edits)));
    }
}
