use super::{EXPERIMENT, TALLIES, findings::findings};
use crate::testing::table;
use analysis::PointView;
use harness::{SetupError, Subject};
use record::Setting;
use testbed::turn::card;
use testbed::{context, int, measured, point, word};

const ID: &str = "pollute/victim";

fn settings(victim: &str, placement: &str, copier: &str) -> Vec<Setting> {
    vec![
        word("victim", victim),
        word("direction", "both"),
        int("size", 1124),
        word("buffer", "in_place"),
        word("placement", placement),
        int("total", 100_000),
        int("deadline", 20_000_000_000),
        word("copier", copier),
    ]
}

fn once(subject: &mut dyn Subject) -> Vec<f64> {
    subject.prepare(0);
    subject.batch(0, 1);
    subject.tally(0)
}

#[test]
fn ideal_cpu_and_dma_take_turns_with_one_victim() {
    let (mut context, _keep) = context();
    context.card = card(std::env::consts::ARCH, 1);
    let mut placements = vec!["same_cpu"];
    placements.extend(context.partner_cpu.map(|_| "same_cache"));
    for placement in placements {
        let setup = |copier| {
            let at = point(ID, &settings("strings", placement, copier));
            (EXPERIMENT.setup)(&at, &context)
        };
        let mut both = [setup("none").unwrap(), setup("cpu").unwrap()];
        // Without a module the third is skipped, and the others go on.
        match setup("dma") {
            Ok(_) => {}
            Err(SetupError::Skip { reason, remedy }) => {
                assert!(!reason.is_empty() && !remedy.is_empty());
            }
            Err(SetupError::Fail(why)) => panic!("{why}"),
        }
        assert!(!both[0].counted_alone(), "the victim runs here");
        for subject in &mut both {
            subject.verify().unwrap();
        }
        for order in [[0, 1], [1, 0]] {
            for at in order {
                let tallies = once(&mut *both[at]);
                assert_eq!(tallies.len(), TALLIES.len());
                assert!(tallies[0] > 0.0, "a moment");
                if at == 0 {
                    assert_eq!(tallies[2], 0.0, "no copier");
                }
            }
        }
        for subject in &mut both {
            subject.verify().unwrap();
        }
    }
}

#[test]
fn a_command_is_a_victim_and_its_failure_is_noted() {
    let (context, _keep) = context();
    let run = |line: &str| {
        let at = point(ID, &settings(line, "same_cpu", "none"));
        let mut subject = (EXPERIMENT.setup)(&at, &context).unwrap();
        once(&mut *subject);
        subject.verify()
    };
    assert_eq!(run("cmd:true"), Ok(()));
    assert!(
        run("cmd:exit 7")
            .unwrap_err()
            .to_string()
            .contains("`exit 7` failed")
    );
}

fn seen(copier: &str, ns: f64) -> PointView {
    measured(ID, &settings("strings", "same_cache", copier), &[ns])
}

#[test]
fn a_program_that_becomes_slower_is_named() {
    let all = |cpu, dma| {
        let points = vec![seen("none", 100.0), seen("cpu", cpu), seen("dma", dma)];
        findings(&table(ID, points))
    };
    let found = all(150.0, 100.0);
    assert_eq!(found.len(), 2);
    assert!(
        found[0]
            .sentence
            .starts_with("Programs not slower under copies by more than the noise and 2 %: 1 of 2")
    );
    let sentence = &found[1].sentence;
    assert!(
        sentence.starts_with("strings runs 1.500 times as long"),
        "{sentence}"
    );
    assert!(sentence.contains("both, in place, same cache") && sentence.ends_with("by the CPU"));
    assert_eq!(all(100.5, 101.0).len(), 1);
}
