use super::findings::{answers, findings};
use super::{EXPERIMENT, TALLIES};
use crate::quantities::sharing::{CONTENDED, ONE_CORE};
use crate::testing::table;
use analysis::PointView;
use analysis::inference::{Answer, Patterns, Says, conclude};
use catalogue::Preset;
use record::{CpuPlace, MachineCard, Verdict};
use testbed::turn::card;
use testbed::{context, int, measured, point, word};

const ID: &str = "colocate/matrix";

fn settings(victim: &str, neighbour: &str, placement: &str) -> Vec<record::Setting> {
    vec![
        word("victim", victim),
        word("placement", placement),
        word("mm", "separate"),
        int("window", 2_000_000),
        int("deadline", 20_000_000_000),
        word("neighbour", neighbour),
    ]
}

fn cell(victim: &str, neighbour: &str, slowdown: f64) -> PointView {
    measured(
        ID,
        &settings(victim, neighbour, "same_cache"),
        &[10.0, 10.0, 0.0, slowdown],
    )
}

fn two_cpus(one_core: bool) -> MachineCard {
    let place = |cpu| CpuPlace {
        cpu,
        core: if one_core { 0 } else { cpu },
        cluster: None,
        last_level: Some(0),
        socket: 0,
        node: None,
    };
    MachineCard {
        places: vec![place(0), place(1)],
        ..card("x86_64", 2)
    }
}

#[test]
fn events_are_of_the_victim_alone() {
    let (context, _keep) = context();
    let whom = |victim: &str| {
        let at = point(ID, &settings(victim, "alu", "same_cpu"));
        let subject = (EXPERIMENT.setup)(&at, &context).unwrap();
        assert!(subject.counted_alone());
        subject.counted_threads()
    };
    let own = std::process::id();
    let victim = whom("alu");
    assert!(victim.len() == 1 && victim[0] != own, "{victim:?}");
    assert_eq!(whom("cmd:true"), [0; 0], "its processes cannot be named");
}

#[test]
fn registers_tell_cores_and_loads_tell_caches() {
    let cells = |alu, chase| {
        table(
            ID,
            vec![cell("alu", "alu", alu), cell("chase_llc", "memcpy", chase)],
        )
    };
    let said = |alu, chase| -> Vec<Option<f64>> {
        let all = answers(&cells(alu, chase), &two_cpus(false));
        let value = |a: &Answer| match a.says {
            Says::Value { value, .. } => Some(value),
            Says::Nothing(_) => None,
        };
        all.iter().map(value).collect()
    };
    assert_eq!(said(1.0, 4.0), [Some(0.0), Some(1.0)]);
    assert_eq!(said(1.9, 4.0), [Some(1.0); 2], "hidden SMT");
    assert_eq!(said(1.1, 1.0), [None, Some(0.0)]);
}

#[test]
fn stolen_time_alone_makes_no_threads_of_one_core() {
    let table = table(ID, vec![cell("alu", "alu", 1.724)]);
    let said = |transfer| {
        let mut all = answers(&table, &two_cpus(false));
        all.push(Answer::exactly(ONE_CORE.key, CONTENDED, transfer));
        let patterns = Patterns::untested();
        conclude(&ONE_CORE, &all, &two_cpus(false), &patterns).expect("was measured")
    };
    let alone = answers(&table, &two_cpus(false));
    let alone = conclude(&ONE_CORE, &alone, &two_cpus(false), &Patterns::untested());
    let alone = alone.expect("was measured").finding;
    assert_eq!(alone.verdict, Verdict::Undecided);
    assert!(
        alone.sentence.contains("alone decides nothing"),
        "{}",
        alone.sentence
    );
    let apart = said(0.0).finding;
    assert_eq!(apart.verdict, Verdict::Undecided, "{}", apart.sentence);
    let threads = said(1.0).finding;
    assert_eq!(threads.verdict, Verdict::Disagree, "{}", threads.sentence);
    assert_eq!(threads.reference, None, "yes or no is shown as no number");
}

#[test]
fn cells_that_share_nothing_are_held_against_one() {
    let good = table(
        ID,
        vec![cell("alu", "memcpy", 1.001), cell("memcpy", "spin", 0.999)],
    );
    let of = |t| {
        let all = findings(t, &two_cpus(false));
        all.into_iter().find(|f| f.key == "control").unwrap()
    };
    assert_eq!(of(&good).verdict, Verdict::Agree);
    assert_eq!(of(&good).value, Some(1.0));
    let interrupted = table(
        ID,
        vec![cell("alu", "memcpy", 1.0), cell("alu", "msync", 1.14)],
    );
    assert_eq!(of(&interrupted).value, Some(1.0), "storage interrupts");
    let bad = table(
        ID,
        vec![cell("alu", "memcpy", 1.08), cell("memcpy", "spin", 1.0)],
    );
    assert_eq!(of(&bad).verdict, Verdict::Disagree);
    assert_eq!(of(&bad).value, Some(0.5));
    assert!(of(&bad).sentence.contains("alu next to memcpy: 1.080"));
    let mut noisy = cell("tree", "spin", 0.96);
    for summary in &mut noisy.summaries {
        summary.median.high = 1.05;
    }
    let noisy = table(ID, vec![noisy]);
    assert_eq!(of(&noisy).verdict, Verdict::Undecided, "it may be 1");
}

#[test]
fn a_pair_shares_its_victim_and_says_what_it_saw() {
    let (mut context, _keep) = context();
    context.card = card(std::env::consts::ARCH, 1);
    let placement = match context.partner_cpu {
        Some(_) => "same_cache",
        None => "same_cpu",
    };
    for mm in ["separate", "same"] {
        let at = |neighbour: &str| {
            let mut settings = settings("alu", neighbour, placement);
            settings[2] = word("mm", mm);
            point(ID, &settings)
        };
        let mut both: Vec<_> = ["spin", "syscall"]
            .map(|neighbour| (EXPERIMENT.setup)(&at(neighbour), &context).unwrap())
            .into();
        for subject in &mut both {
            assert_eq!(window(subject.as_mut(), 1).1.len(), 1);
            let tallies = window(subject.as_mut(), 0).1;
            assert_eq!(tallies.len(), TALLIES.len());
            subject.verify().unwrap();
        }
    }
}

/// Time of an operation in a window, ns, and the tallies for each operation.
fn window(subject: &mut dyn harness::Subject, part: u16) -> (f64, Vec<f64>) {
    subject.batch(part, 1);
    let reading = subject.reading(part).unwrap();
    assert!(reading.elapsed_ns > 0.0 && reading.ops > 0);
    let ops = reading.ops as f64;
    let tallies = subject.tally(part);
    (
        reading.elapsed_ns / ops,
        tallies.iter().map(|t| t / ops).collect(),
    )
}

#[test]
fn each_window_alone_is_held_against_one_in_company() {
    let (context, _keep) = context();
    let at = point(ID, &settings("alu", "spin", "same_cpu"));
    let mut subject = (EXPERIMENT.setup)(&at, &context).unwrap();
    window(subject.as_mut(), 0);
    subject.sampling_begins();
    // As the sampler visits them: A B B A.
    for [first, second] in [[0, 1], [1, 0], [0, 1]] {
        let (first_ns, open) = window(subject.as_mut(), first);
        assert!(open[0].is_nan(), "its counterpart is to come");
        let (second_ns, closed) = window(subject.as_mut(), second);
        let (company_ns, alone_ns) = match first {
            0 => (first_ns, second_ns),
            _ => (second_ns, first_ns),
        };
        assert!((closed[0] - company_ns / alone_ns).abs() < 1e-9);
    }
}

#[test]
fn a_command_that_fails_fails_the_point() {
    let (context, _keep) = context();
    let at = point(ID, &settings("alu", "cmd:exit 3", "same_cpu"));
    let mut subject = (EXPERIMENT.setup)(&at, &context).unwrap();
    // The window may be over before the shell has come so far.
    let why = (0..20_000).find_map(|_| {
        subject.batch(0, 1);
        subject.verify().err()
    });
    let why = why.expect("it fails some time").to_string();
    assert!(why.contains("`exit 3` failed"), "{why}");
}

#[test]
fn the_whole_matrix_is_fourteen_by_fifteen() {
    let grids = (EXPERIMENT.grids)(Preset::Full, &card("x86_64", 2));
    let count = |axis: &str| {
        let mut values = grids[0].values.iter();
        values.find(|(name, _)| *name == axis).unwrap().1.len()
    };
    assert_eq!((count("victim"), count("neighbour")), (14, 15));
}
