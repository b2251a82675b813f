//! What the self-test of counters says of planted faults, and what this machine's counters say
//! of known work next to what `perf stat` says of the same: the proofs that
//! docs/design/measuring.md names.
//!
//! `cargo xtask truth counters`, or `cargo run --release -p pontage-probe --example counter_truth`

use machine::Machine;
use machine::cpu::Cpu;
use probe::counters::selftest::expect::expected;
use probe::counters::selftest::simulated::{Planted, Simulated};
use probe::counters::selftest::work::{Loop, Processor, Work};
use probe::counters::selftest::{Bench, SelfTest, number, test};
use probe::counters::{Absence, Event, Group, GroupName, Seats, System, Table, Target};
use probe::perf_attr::Scope;
use std::path::Path;
use std::process::{Command, ExitCode};

const GROUPS: [GroupName; 4] = [
    GroupName::Arch,
    GroupName::Dcache,
    GroupName::Instr,
    GroupName::Tlbmem,
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, which, turns] = &words[..]
        && flag == "--work"
    {
        return work(which, turns);
    }
    let planted = planted();
    println!();
    let measured = against_perf();
    match planted && measured {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// The loop of this number, so often: what `perf stat` is started around.
fn work(which: &str, turns: &str) -> ExitCode {
    let what = which.parse().ok().and_then(|at: usize| Loop::ALL.get(at));
    let (Some(what), Ok(turns)) = (what, turns.parse()) else {
        return ExitCode::from(2);
    };
    Processor::ready().run(*what, turns);
    ExitCode::SUCCESS
}

/// A fault, and what is to be found: how many events count together, and what is said.
const FAULTS: [(&str, &[Planted], usize, &str); 13] = [
    ("nothing", &[], 6, ""),
    ("place 6 reads 0", &[Planted::Dead(5)], 5, "6 of 6 dead"),
    ("place 3 reads 0", &[Planted::Dead(2)], 5, "3 of 6 dead"),
    (
        "places 2 and 5 read 0",
        &[Planted::Dead(1), Planted::Dead(4)],
        4,
        "2 of 6 dead",
    ),
    ("place 1 reads 0", &[Planted::Dead(0)], 5, "1 of 6 dead"),
    (
        "a fixed one; of the others the third reads 0",
        &[Planted::DeadBesideFixed(2)],
        5,
        "4 of 6 dead",
    ),
    (
        "place 4 counts 40 %",
        &[Planted::Low(3, 0.4)],
        5,
        "4 of 6 dead",
    ),
    (
        "place 4 counts 98 %",
        &[Planted::Low(3, 0.98)],
        5,
        "4 of 6 dead",
    ),
    (
        "places 2 and 4 are swapped",
        &[Planted::Swapped(1, 3)],
        4,
        "2 of 6 dead",
    ),
    (
        "six events are never counted",
        &[Planted::Starved(6)],
        5,
        "1 of 6 starved",
    ),
    (
        "no event is ever counted",
        &[Planted::Starved(1)],
        0,
        "1 of 6 starved",
    ),
    (
        "five events are counted for half of the time",
        &[Planted::Multiplexed(5, 0.5)],
        4,
        "1 of 6 counts for a share of the time",
    ),
    (
        "the page of RDPMC is wrong",
        &[Planted::WrongPage],
        6,
        "page",
    ),
];

/// Prints what was planted and what was read; whether all of it was found.
fn planted() -> bool {
    println!("planted in a simulated processor of six counters (AMD Zen 3's events)");
    println!(
        "{:<46} {:>8}  {:<44} verdict",
        "planted", "together", "said"
    );
    let table = Table::of(&Cpu {
        vendor: Some("AuthenticAMD".into()),
        family: Some("25".into()),
        model_number: Some("1".into()),
        ..Cpu::default()
    });
    let mut all = true;
    for (what, planted, events, says) in FAULTS {
        let kernel = Simulated::new(&table, 6, planted);
        let mut bench = Bench {
            layer: &mut || kernel.clone(),
            work: &mut kernel.clone(),
        };
        let absence = |_: &_, _| Absence::new("", "");
        let found = test(&table, &GROUPS, &mut bench, absence);
        let together = found.largest().map_or(0, |l| l.events);
        let said = said(&found);
        let right = together == events
            && match says {
                "" => said.is_empty(),
                says => said.iter().any(|s| s.contains(says)),
            };
        all &= right;
        let verdict = if right { "right" } else { "WRONG" };
        let text = if said.is_empty() {
            "all count".to_owned()
        } else {
            said.join(", ")
        };
        println!("{what:<46} {together:>8}  {text:<44} {verdict}");
    }
    all
}

/// What the test says against places, of the largest group that has something against one.
fn said(test: &SelfTest) -> Vec<String> {
    let mut said: Vec<String> = test
        .sizes
        .iter()
        .rev()
        .map(|size| {
            let places = size.places.iter().enumerate();
            let bad = places.filter(|(_, v)| v.word() != "counts");
            bad.map(|(at, v)| format!("{} of {} {}", at + 1, size.size, v.word()))
                .collect::<Vec<_>>()
        })
        .find(|bad| !bad.is_empty())
        .unwrap_or_default();
    said.truncate(1);
    if test.page_agrees == Some(false) {
        said.push("page disagrees".to_owned());
    }
    said
}

/// Turns of a comparison: a program's start and end are little next to them.
const TIMES: u64 = 40;
/// Instructions may differ by this share, other events by five times as much.
const TOLERATED: f64 = 0.01;

/// Prints the counts of each group next to those of `perf stat`; whether all agree.
fn against_perf() -> bool {
    let machine = machine::read(Path::new("/"));
    let table = Table::of(&machine.cpu);
    println!("counts of known work against perf stat, {}", table.core);
    if let Some(absence) = cannot(&machine, &table) {
        println!("SKIP {} ({})", absence.reason, absence.remedy);
        return true;
    }
    println!(
        "{:<8} {:<18} {:<34} {:>16} {:>16} {:>8}  verdict",
        "group", "event", "really", "pontage", "perf stat", "apart"
    );
    let mut all = true;
    let mut work = Processor::ready();
    for group in GROUPS {
        for event in table.events(group) {
            let row = compared(&event, &mut work);
            let really = event.real();
            let (numbers, verdict) = match row {
                // A processor without the event: the kernel opens a raw one all the same.
                Ok((0.0, 0.0)) => (
                    format!("{:>16} {:>16} {:>8}", 0, 0, ""),
                    "SKIP neither counts it".to_owned(),
                ),
                Ok((ours, theirs)) => {
                    let apart = (ours / theirs - 1.0).abs();
                    let tolerated = match event.alias.as_str() {
                        "INST_RETIRED" => TOLERATED,
                        _ => 5.0 * TOLERATED,
                    };
                    let right = apart <= tolerated;
                    all &= right;
                    let apart = format!("{:.2} %", apart * 100.0);
                    let numbers = format!("{:>16} {:>16} {apart:>8}", number(ours), number(theirs));
                    (
                        numbers,
                        if right { "agrees" } else { "DISAGREES" }.to_owned(),
                    )
                }
                Err(why) => (format!("{:>42}", ""), format!("SKIP {why}")),
            };
            let name = group.name();
            println!(
                "{name:<8} {:<18} {really:<34} {numbers}  {verdict}",
                event.alias
            );
        }
    }
    all
}

/// Why there is nothing to compare.
fn cannot(machine: &Machine, table: &Table) -> Option<Absence> {
    let events = table.events(GroupName::Arch);
    let group = Group::open(System, events.get(..1)?, Target::ThisThread);
    let slot = group.slots().first()?;
    if let Some(refusal) = &slot.refusal {
        return Some(refusal.explain(slot.kind, machine, Path::new("/")));
    }
    let perf = Command::new("perf").arg("--version").output();
    let there = perf.is_ok_and(|p| p.status.success());
    (!there).then(|| {
        Absence::new(
            "there is no perf to compare with",
            "sudo apt install linux-perf",
        )
    })
}

/// What three times the work counts beyond once the work: ours, and perf's. The user's.
fn compared(event: &Event, work: &mut Processor) -> Result<(f64, f64), String> {
    let what = match expected(event) {
        Ok(expected) => expected.work,
        Err(why) => return Err(why.to_owned()),
    };
    if what == Loop::SystemCalls {
        return Err("counted in the kernel".to_owned());
    }
    if let Some(why) = &event.absent {
        return Err(why.clone());
    }
    let seats = Seats {
        scope: Some(Scope::User),
        ..Seats::default()
    };
    let one = std::slice::from_ref(event);
    let mut group = Group::seated(System, one, Target::ThisThread, &seats);
    if let Some(refusal) = &group.slots()[0].refusal {
        return Err(format!("it does not open: {refusal:?}"));
    }
    let mut ours = |turns| -> Result<f64, String> {
        group.begin().map_err(|e| e.to_string())?;
        work.run(what, turns);
        let counts = group.end().map_err(|e| e.to_string())?;
        counts[0]
            .known()
            .ok_or_else(|| "it was on no counter".to_owned())
    };
    let (few, many) = (TIMES * what.turns(), 3 * TIMES * what.turns());
    let own = ours(many)? - ours(few)?;
    let theirs = by_perf(event, what, many)? - by_perf(event, what, few)?;
    Ok((own, theirs))
}

/// What `perf stat` counts of this program doing the work.
fn by_perf(event: &Event, what: Loop, turns: u64) -> Result<f64, String> {
    let place = Loop::ALL.iter().position(|l| *l == what).unwrap_or(0);
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut perf = Command::new("perf");
    perf.args(["stat", "-x", ",", "--no-big-num"]);
    for code in &event.codes {
        if code.config1 != 0 {
            return Err("perf names its second register by another way".to_owned());
        }
        let raw = probe::counters::EventKind::Raw;
        let name = match event.kind == raw {
            true => format!("r{:x}", code.config),
            false => code.name.clone(),
        };
        perf.args(["-e", &format!("{name}:u")]);
    }
    perf.arg("--").arg(program);
    perf.args(["--work", &place.to_string(), &turns.to_string()]);
    let ended = perf.output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&ended.stderr);
    let values = text.lines().filter_map(|line| line.split_once(','));
    let counts: Vec<f64> = values.filter_map(|(value, _)| value.parse().ok()).collect();
    match counts.len() == event.codes.len() {
        true => Ok(counts.iter().sum()),
        false => Err(format!("perf says: {}", text.trim().replace('\n', "; "))),
    }
}
