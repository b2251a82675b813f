//! Counters with planted faults, on a processor that is made up: no fault can be planted in a
//! real one. Each trial draws how many counters it has, and which of them are at fault.

use super::tally::{Plan, Trial};
use machine::cpu::Cpu;
use probe::counters::selftest::simulated::{Planted, Simulated};
use probe::counters::selftest::{Bench, SelfTest, Verdict, test};
use probe::counters::{Absence, GroupName, Table};
use record::SelfTestUnit;
use stats::Rng;

/// Counters of a processor, at least, and how many numbers from there on.
const FEWEST_SLOTS: usize = 4;
const SLOTS: usize = 5;
/// What a counter that is low counts of what happened: its test bears 1 %.
const LOW: f64 = 0.98;
/// Share of the time for which held counters count.
const HELD: f64 = 0.5;
/// A reading of the group takes up to so many instructions of the user's.
const READING: f64 = 12_000.0;

/// A row of this kind.
pub struct Counters {
    pub plan: Plan,
    fault: Fault,
}

/// What is planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Nothing,
    Dead,
    Low,
    Swapped,
    Starved,
    Held,
    Page,
    NotApart,
}

/// All of them.
pub fn rows() -> Vec<Counters> {
    let row = |id, planted: &str, fault| Counters {
        plan: Plan {
            id,
            planted: planted.to_owned(),
            value: None,
            unit: SelfTestUnit::Share,
            // All counts are made up, without noise.
            bears: f64::INFINITY,
            noise_of: "samples",
            misses: 0.0,
        },
        fault,
    };
    vec![
        row("counter_dead", "a counter that reads 0", Fault::Dead),
        row("counter_low", "a counter 2 % low", Fault::Low),
        row("counters_swapped", "two counters swapped", Fault::Swapped),
        row(
            "counters_starved",
            "large groups on no counter",
            Fault::Starved,
        ),
        row(
            "counters_held",
            "large groups counted half of the time",
            Fault::Held,
        ),
        row("counter_page", "a wrong page of RDPMC", Fault::Page),
        row(
            "counters_not_apart",
            "kernel counted as user",
            Fault::NotApart,
        ),
        row("nothing_dead", "counters that count", Fault::Nothing),
    ]
}

impl Fault {
    /// The fault in a processor of so many counters.
    fn drawn(self, slots: usize, rng: &mut Rng) -> Option<Planted> {
        let place = rng.below(slots);
        let size = place.max(1) + 1;
        Some(match self {
            Fault::Nothing => return None,
            Fault::Dead => Planted::Dead(place),
            Fault::Low => Planted::Low(place, LOW),
            Fault::Swapped => Planted::Swapped(place, (place + 1 + rng.below(slots - 1)) % slots),
            Fault::Starved => Planted::Starved(size),
            Fault::Held => Planted::Multiplexed(size, HELD),
            Fault::Page => Planted::WrongPage,
            Fault::NotApart => Planted::NotApart,
        })
    }
}

impl Counters {
    /// Whether what is found is a false alarm.
    pub fn plants_nothing(&self) -> bool {
        self.fault == Fault::Nothing
    }

    /// One trial, with what the test said.
    pub fn trial(&self, table: &Table, seed: u64) -> (Trial, String) {
        let mut rng = Rng::new(seed);
        let slots = FEWEST_SLOTS + rng.below(SLOTS);
        let fault = self.fault.drawn(slots, &mut rng);
        let reading = Planted::Reading(READING * rng.uniform());
        let planted: Vec<Planted> = fault.into_iter().chain([reading]).collect();
        let test = tested(table, slots, &planted);
        let said = Said::by(&test);
        let wanted = Said::wanted(slots, fault);
        let found = match fault {
            None => said != wanted,
            Some(_) => said == wanted,
        };
        let trial = Trial {
            found,
            ..Trial::default()
        };
        (trial, said.text(why(&test)))
    }
}

/// The events of the processor that is made up: an AMD Zen 3, which has enough of them to fill
/// its counters.
pub fn table() -> Table {
    Table::of(&Cpu {
        vendor: Some("AuthenticAMD".to_owned()),
        family: Some("25".to_owned()),
        model_number: Some("1".to_owned()),
        ..Cpu::default()
    })
}

/// The counters' test of itself, as before each run that counts.
pub fn tested(table: &Table, slots: usize, planted: &[Planted]) -> SelfTest {
    let kernel = Simulated::new(table, slots, planted);
    let mut bench = Bench {
        layer: &mut || kernel.clone(),
        work: &mut kernel.clone(),
    };
    let refused = |refusal: &_, _| Absence::new(format!("{refusal:?}"), "none: it is made up");
    test(table, &[GroupName::Arch], &mut bench, refused)
}

/// What the test has against counters.
#[derive(Debug, Clone, PartialEq, Default)]
struct Said {
    /// Size of the group, place in it from 0, and its verdict in a word.
    places: Vec<(usize, usize, &'static str)>,
    /// Events that no counter counts.
    dead_events: usize,
    page: bool,
    apart: bool,
    /// Events that count together.
    together: usize,
}

/// Why the first place that does not count does not.
fn why(test: &SelfTest) -> Option<&str> {
    let mut places = test.sizes.iter().flat_map(|size| &size.places);
    places.find_map(Verdict::why)
}

/// Events that count together in spite of a fault.
fn together(slots: usize, fault: Option<Planted>) -> usize {
    match fault {
        Some(Planted::Dead(_) | Planted::Low(..)) => slots - 1,
        // In a group without one of them, or in the largest without both.
        Some(Planted::Swapped(a, b)) => a.max(b).max(slots - 2),
        Some(Planted::Starved(from) | Planted::Multiplexed(from, _)) => from - 1,
        _ => slots,
    }
}

impl Said {
    fn by(test: &SelfTest) -> Said {
        let all = test.sizes.iter().flat_map(|size| {
            let places = size.places.iter().enumerate();
            places.map(|(at, verdict)| (size.size, at, verdict))
        });
        let bad = all.filter(|(.., verdict)| **verdict != Verdict::Counts);
        Said {
            places: bad.map(|(size, at, v)| (size, at, v.word())).collect(),
            dead_events: test.dead().count(),
            page: test.page_agrees == Some(false),
            apart: test.apart.as_ref().is_none_or(|apart| !apart.counts()),
            together: test.largest().map_or(0, |largest| largest.events),
        }
    }

    /// What it has to say of a fault.
    fn wanted(slots: usize, fault: Option<Planted>) -> Said {
        let word = |size: usize, at: usize| match fault? {
            Planted::Dead(place) | Planted::Low(place, _) if at == place => Some("dead"),
            // In smaller groups there is nothing to swap with.
            Planted::Swapped(a, b) if (at == a || at == b) && size > a.max(b) => Some("dead"),
            Planted::Starved(from) if size >= from => Some("starved"),
            Planted::Multiplexed(from, _) if size >= from => Some("counts for a share of the time"),
            _ => None,
        };
        let of_size = |size: usize| (0..size).map(move |at| (size, at));
        let all = (1..=slots).flat_map(of_size);
        Said {
            places: all
                .filter_map(|(size, at)| Some((size, at, word(size, at)?)))
                .collect(),
            page: fault == Some(Planted::WrongPage),
            apart: fault == Some(Planted::NotApart),
            together: together(slots, fault),
            ..Said::default()
        }
    }

    /// `place 3 of 3 dead: counted 0 of 1,020,000`.
    fn text(&self, why: Option<&str>) -> String {
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        let place = self.places.first();
        let place = place.map(|(size, at, word)| format!("place {} of {size} {word}{why}", at + 1));
        let events = (self.dead_events > 0).then(|| format!("{} events dead", self.dead_events));
        let page = self
            .page
            .then(|| "the page disagrees with read(2)".to_owned());
        let apart = self.apart.then(|| "user and kernel not apart".to_owned());
        let all = [place, events, page, apart];
        let all: Vec<String> = all.into_iter().flatten().collect();
        match all.is_empty() {
            true => format!("all {} count", self.together),
            false => all.join("; "),
        }
    }
}
