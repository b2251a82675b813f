//! How the counters of this processor stood the test with known work: each place of a group,
//! each event, and what would help.

use ::report::document::{Cell, Document, Look, Table, Tone};
use probe::counters::selftest::{SelfTest, Verdict};

/// The test as a section; empty where there was none.
pub fn document(test: &SelfTest) -> Document {
    let mut document = Document::new();
    document.line("Counters, tested with work of known count:");
    if let Some(absence) = &test.untested {
        document.line(format!(" SKIP {}", absence.reason));
        document.line(format!("    enable: {}", absence.remedy));
        return document;
    }
    document.append(places(test).into());
    document.append(events(test).into());
    for text in remarks(test) {
        document.line(format!(" {text}"));
    }
    document
}

/// A row for each place of the largest group, and for places of smaller ones that differ.
fn places(test: &SelfTest) -> Table {
    let heads = ["place", "verdict", "of instructions there"];
    let mut table = Table::of(usize::MAX, heads).look(Look::Underlined);
    table = table.indent(1).fitting();
    let largest = test.sizes.len();
    for size in &test.sizes {
        for (place, verdict) in size.places.iter().enumerate() {
            if size.size < largest && verdict.counts() {
                continue;
            }
            let name = format!("{} of {}", place + 1, size.size);
            table.row(row(name, verdict));
        }
    }
    table
}

fn events(test: &SelfTest) -> Table {
    let heads = ["event", "verdict", "which it really is; why"];
    let mut table = Table::of(usize::MAX, heads).look(Look::Underlined);
    table = table.indent(1).fitting();
    for event in &test.events {
        let mut cells = row(event.alias.clone(), &event.verdict);
        let why = event.verdict.why().map(|why| format!("; {why}"));
        cells[2] = Cell::from(format!("{}{}", event.event, why.unwrap_or_default()));
        table.row(cells);
    }
    table
}

fn row(name: String, verdict: &Verdict) -> [Cell; 3] {
    let tone = match verdict {
        Verdict::Counts => Tone::Good,
        Verdict::Shared { .. } | Verdict::NotTested { .. } => Tone::Caution,
        Verdict::Dead { .. } | Verdict::Starved { .. } => Tone::Bad,
    };
    let found = match verdict {
        Verdict::Counts => "as many as were executed".to_owned(),
        Verdict::Shared { share } => format!("scaled up from {:.0} % of the time", share * 100.0),
        verdict => verdict.why().unwrap_or_default().to_owned(),
    };
    [
        Cell::from(name),
        Cell::toned(verdict.word(), tone),
        Cell::from(found),
    ]
}

fn remarks(test: &SelfTest) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(largest) = test.largest() {
        said.push(format!(
            "{} events are counted together; more take turns, in other samples",
            largest.events
        ));
    }
    said.extend(test.apart.as_ref().map(|apart| match apart.why() {
        None => "user and kernel are counted apart".to_owned(),
        Some(why) => format!("user and kernel are not counted apart: {why}"),
    }));
    match test.page_agrees {
        Some(true) => said.push("read without a system call (RDPMC), as read(2) says".to_owned()),
        Some(false) => said.push(
            "the page for reading without a system call (RDPMC) disagrees with read(2), which is \
             used"
                .to_owned(),
        ),
        None => said.push("read by read(2): the kernel offers no page for RDPMC".to_owned()),
    }
    let starved = test.sizes.iter().flat_map(|s| &s.places);
    if starved
        .clone()
        .any(|v| matches!(v, Verdict::Starved { .. }))
    {
        said.push(
            "enable: sudo sysctl kernel.nmi_watchdog=0, and end what else counts (perf)".to_owned(),
        );
    }
    if starved.clone().any(|v| matches!(v, Verdict::Dead { .. })) {
        said.push(
            "dead places are left out; no command brings them back: ask who runs the host"
                .to_owned(),
        );
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::report::document::terminal::write;
    use probe::counters::selftest::simulated::{Planted, Simulated};
    use probe::counters::selftest::{Bench, test};
    use probe::counters::{Absence, GroupName, Table as Events};

    fn text(test: &SelfTest) -> String {
        write(&document(test), 110, false)
    }

    fn on(planted: &[Planted]) -> SelfTest {
        let table = Events::of(&machine::cpu::Cpu::default());
        let kernel = Simulated::new(&table, 6, planted);
        let mut bench = Bench {
            layer: &mut || kernel.clone(),
            work: &mut kernel.clone(),
        };
        let absence = |_: &_, _| Absence::new("no PMU", "none: another machine");
        test(&table, &[GroupName::Instr], &mut bench, absence)
    }

    #[test]
    fn a_dead_place_is_named_with_what_it_read() {
        let text = text(&on(&[Planted::Dead(5)]));
        let line = |start: &str| {
            let found = text.lines().find(|l| l.trim_start().starts_with(start));
            found.unwrap_or_else(|| panic!("{start}\n{text}"))
        };
        assert!(line("1 of 6").contains("counts"), "{text}");
        assert!(
            line("6 of 6").contains("dead") && text.contains("counted 0 of 1,020,000"),
            "{text}"
        );
        assert!(line("BR_MIS_PRED").contains("branch-misses"), "{text}");
        assert!(text.contains("5 events are counted together"), "{text}");
        assert!(text.contains("user and kernel are counted apart"), "{text}");
        assert!(text.contains("ask who runs the host"), "{text}");
    }

    #[test]
    fn starved_places_name_the_command() {
        let text = text(&on(&[Planted::Starved(3)]));
        assert!(
            text.contains("3 of 3") && text.contains("starved"),
            "{text}"
        );
        assert!(text.contains("sudo sysctl kernel.nmi_watchdog=0"), "{text}");
    }

    #[test]
    fn without_counters_the_section_is_a_skip_with_its_remedy() {
        let skipped = SelfTest {
            untested: Some(Absence::new("no PMU", "none: another machine")),
            ..SelfTest::default()
        };
        let text = text(&skipped);
        assert!(
            text.contains("SKIP no PMU") && text.contains("enable: none: another"),
            "{text}"
        );
    }
}
