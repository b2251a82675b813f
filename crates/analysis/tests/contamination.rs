//! Verdicts at each threshold and on both sides of it.

use analysis::contamination::{
    BUSY_CONTAMINATES, BUSY_DISTURBS, FEWEST_UNDISTURBED, SHORTEST_SLICE_NS, STEAL_CONTAMINATES,
    STEAL_DISTURBS,
};
use analysis::{Around, Contamination, ContaminationLevel, judge_point, judge_run};
use record::{Conditions, Disturbance, Sample};

/// Long enough that one preemption is the scheduler's, not the sample's own.
const LONG_NS: f64 = 1e9;

fn sample(value: f64) -> Sample {
    Sample {
        metric: 0,
        process: 0,
        index: 0,
        ops: 1,
        elapsed_ns: LONG_NS,
        floor_ns: 0.0,
        value,
        cpu: 0,
        disturbance: Disturbance::default(),
        yardstick: None,
    }
}

fn stolen(value: f64, ns: u64) -> Sample {
    let mut sample = sample(value);
    sample.disturbance.steal_ns = Some(ns);
    sample
}

fn many(count: usize, of: &Sample) -> Vec<Sample> {
    vec![of.clone(); count]
}

/// In mixed order: one part behind the other would be a change of level.
fn judged(parts: &[Vec<Sample>]) -> Contamination {
    let all = parts.concat();
    let step = [37, 41].into_iter().find(|step| all.len() % step != 0);
    let at = |i: usize| i * step.expect("one of two primes") % all.len();
    let mixed: Vec<Sample> = (0..all.len()).map(|i| all[at(i)].clone()).collect();
    judge_point(&mixed, &Around::default()).expect("there are samples")
}

fn level(parts: &[Vec<Sample>]) -> ContaminationLevel {
    judged(parts).level
}

/// Six calm samples at 100 and eight disturbed ones, which are the median.
fn moved_to(value: f64) -> Contamination {
    judged(&[many(6, &sample(100.0)), many(8, &stolen(value, 1))])
}

#[test]
fn nothing_but_the_first_metric_is_judged() {
    let mut other = stolen(900.0, 5);
    other.metric = 1;
    assert!(judge_point(&many(3, &other), &Around::default()).is_none());
    let found = judged(&[many(9, &sample(100.0)), many(9, &other)]);
    assert_eq!((found.samples, found.disturbed), (9, 0));
    assert_eq!(found.reason, "no disturbance seen");
}

#[test]
fn two_percent_of_the_median_are_tolerated_and_no_more() {
    let said = |value| (moved_to(value).level, moved_to(value).reason);
    let stays = |value: f64| {
        let reason = "0.0 ms steal; in 8 of 14 samples, the median is unchanged".to_owned();
        assert_eq!(
            said(value),
            (ContaminationLevel::Disturbed, reason),
            "{value}"
        );
    };
    let moves = |value: f64, by: &str| {
        let reason = format!("0.0 ms steal; in 8 of 14 samples, they change the median by {by}");
        assert_eq!(
            said(value),
            (ContaminationLevel::Contaminated, reason),
            "{value}"
        );
    };
    stays(102.0);
    moves(102.1, "+2.1 %");
    stays(98.0);
    moves(97.9, "-2.1 %");
}

#[test]
fn a_median_below_zero_moves_up_where_it_grows() {
    let found = judged(&[many(6, &sample(-100.0)), many(8, &stolen(-90.0, 1))]);
    assert!(
        found.reason.ends_with("they change the median by +10.0 %"),
        "{found:?}"
    );
}

/// Six samples tell the median no better than their own range.
#[test]
fn a_move_within_what_the_calm_ones_leave_open_is_none() {
    let calm: Vec<Sample> = [90.0, 99.0, 100.0, 100.0, 101.0, 110.0]
        .map(sample)
        .to_vec();
    let with = |value| level(&[calm.clone(), many(8, &stolen(value, 1))]);
    assert_eq!(with(110.0), ContaminationLevel::Disturbed);
    assert_eq!(with(110.1), ContaminationLevel::Contaminated);
}

#[test]
fn so_many_calm_samples_are_needed_to_judge_by() {
    let with = |calm| judged(&[many(calm, &sample(100.0)), many(9, &stolen(100.0, 1))]);
    assert_eq!(
        with(FEWEST_UNDISTURBED).level,
        ContaminationLevel::Disturbed
    );
    let few = with(FEWEST_UNDISTURBED - 1);
    assert_eq!(few.level, ContaminationLevel::Contaminated);
    assert!(
        few.reason
            .ends_with("in 9 of 14 samples, too few undisturbed ones to judge by")
    );
}

#[test]
fn each_event_that_disturbs_is_named_and_counted() {
    let with = |disturbance: Disturbance| {
        let mut disturbed = sample(100.0);
        disturbed.disturbance = disturbance;
        let found = judged(&[many(20, &sample(100.0)), vec![disturbed.clone()]]);
        (
            found.disturbed,
            found
                .reason
                .split(';')
                .next()
                .unwrap_or_default()
                .to_owned(),
        )
    };
    let none = Disturbance::default();
    let quiet = (0, "no disturbance seen".to_owned());
    for ordinary in [
        Disturbance {
            voluntary_switches: 1,
            ..none
        },
        Disturbance {
            minor_faults: 9,
            ..none
        },
        Disturbance {
            interrupts: Some(1),
            ..none
        },
        Disturbance {
            steal_ns: Some(0),
            ..none
        },
    ] {
        assert_eq!(with(ordinary), quiet, "{ordinary:?}");
    }
    let said = |text: &str| (1, text.to_owned());
    let one = Disturbance {
        involuntary_switches: 1,
        ..none
    };
    assert_eq!(with(one), said("1 involuntary switch"));
    assert_eq!(
        with(Disturbance {
            migrations: 2,
            ..none
        }),
        said("2 migrations")
    );
    assert_eq!(
        with(Disturbance {
            major_faults: 1,
            ..none
        }),
        said("1 major fault")
    );
    let all = Disturbance {
        involuntary_switches: 3,
        migrations: 1,
        major_faults: 2,
        steal_ns: Some(1_500_000),
        ..none
    };
    let text = "3 involuntary switches, 1 migration, 2 major faults, 1.5 ms steal";
    assert_eq!(with(all), said(text));
}

/// A record may hold any number; two of them are no panic and no small sum.
#[test]
fn more_steal_than_a_counter_holds_is_the_most_it_holds() {
    let mut samples = many(12, &sample(1.0));
    samples.extend([stolen(1.0, u64::MAX), stolen(1.0, 5)]);
    let reason = judged(&[samples]).reason;
    assert!(
        reason.starts_with("18446744073709.6 ms steal; in 2 of 14 "),
        "{reason}"
    );
}

#[test]
fn half_of_the_samples_switching_make_a_switching_experiment() {
    let with = |switching: usize| {
        let (mut waits, mut preempted) = (sample(100.0), sample(100.0));
        waits.disturbance.voluntary_switches = 1;
        preempted.disturbance.involuntary_switches = 1;
        preempted.disturbance.migrations = 1;
        preempted.disturbance.major_faults = 1;
        let calm = many(19 - switching, &sample(100.0));
        judged(&[many(switching, &waits), calm, vec![preempted]]).reason
    };
    let faults = "1 major fault; in 1 of 20 samples, the median is unchanged";
    assert_eq!(with(10), faults);
    assert_eq!(
        with(9),
        format!("1 involuntary switch, 1 migration, {faults}")
    );
}

#[test]
fn who_is_preempted_faster_than_a_slice_lasts_preempts_itself() {
    let with = |elapsed_ns: f64| {
        let mut preempted = sample(100.0);
        preempted.elapsed_ns = elapsed_ns;
        preempted.disturbance.involuntary_switches = 3;
        level(&[many(20, &preempted)])
    };
    assert_eq!(
        with(3.0 * SHORTEST_SLICE_NS),
        ContaminationLevel::Contaminated
    );
    assert_eq!(
        with(3.0 * SHORTEST_SLICE_NS - 1.0),
        ContaminationLevel::Clean
    );
}

/// Forty samples of which ten are slow, next to thirty that met `interrupts`: at 4
/// as usual, more than 4 + 1 + 3 * 2 are a burst.
fn interrupted(interrupts: u32, slow: f64, burst: f64) -> Contamination {
    let with = |value: f64, count| {
        let mut sample = sample(value);
        sample.disturbance.interrupts = Some(count);
        sample
    };
    let usual = [many(30, &with(100.0, 4)), many(10, &with(slow, 4))].concat();
    judged(&[usual, many(30, &with(burst, interrupts))])
}

#[test]
fn a_burst_is_beyond_what_chance_gives() {
    assert_eq!(
        interrupted(11, 110.0, 200.0).level,
        ContaminationLevel::Clean
    );
    let found = interrupted(12, 110.0, 200.0);
    assert_eq!(found.level, ContaminationLevel::Contaminated);
    let reason = "bursts of interrupts in 30 samples change the median by +10.0 %";
    assert_eq!(found.reason, reason);
    assert_eq!(found.disturbed, 0, "an interrupt alone disturbs nobody");
}

#[test]
fn bursts_that_slow_nothing_are_no_matter() {
    assert_eq!(interrupted(60, 90.0, 50.0).level, ContaminationLevel::Clean);
    assert_eq!(
        interrupted(60, 102.0, 200.0).level,
        ContaminationLevel::Clean
    );
    assert_eq!(
        interrupted(60, 102.1, 200.0).level,
        ContaminationLevel::Contaminated
    );
}

#[test]
fn samples_whose_interrupts_nobody_counted_are_calm() {
    let mut burst = sample(200.0);
    burst.disturbance.interrupts = Some(60);
    let mut usual = sample(100.0);
    usual.disturbance.interrupts = Some(0);
    let uncounted = [many(8, &sample(100.0)), many(10, &sample(110.0))].concat();
    let found = judged(&[many(31, &usual), uncounted, many(30, &burst)]);
    assert!(found.reason.contains("in 30 samples"), "{found:?}");
}

/// `within` of twenty samples of the first process in the lower mode, all of the
/// second in the upper one.
fn kept(within: usize, second: f64) -> Contamination {
    let spread = |process: u16, value: f64, count: usize| -> Vec<Sample> {
        let one = |at: usize| Sample {
            process,
            ..sample(value + (at % 7) as f64 / 10.0)
        };
        (0..count).map(one).collect()
    };
    judged(&[
        spread(0, 100.0, within),
        spread(0, 200.0, 20 - within),
        spread(1, second, 20),
    ])
}

#[test]
fn a_process_keeps_to_a_mode_with_nine_samples_of_ten() {
    let found = kept(18, 200.0);
    assert_eq!(found.level, ContaminationLevel::Disturbed);
    assert_eq!(
        found.reason,
        "2 modes, and each process stays in one of them"
    );
    assert_eq!(kept(17, 200.0).level, ContaminationLevel::Clean);
    assert_eq!(
        kept(18, 100.0).level,
        ContaminationLevel::Clean,
        "one mode for both"
    );
    let one = |process| Sample {
        process,
        ..sample(100.0)
    };
    assert_eq!(
        level(&[many(9, &one(0)), many(9, &one(1))]),
        ContaminationLevel::Clean
    );
}

#[test]
fn reasons_add_up_and_the_worst_level_counts() {
    let one = |process: u16, at: usize| {
        let value = 100.0 + 50.0 * f64::from(process) + (at % 7) as f64 / 10.0;
        let calm = sample(value);
        Sample {
            process,
            ..if process == 1 { stolen(value, 1) } else { calm }
        }
    };
    let of = |process| (0..20).map(|at| one(process, at)).collect::<Vec<_>>();
    let found = judged(&[of(0), of(1)]);
    assert_eq!(found.level, ContaminationLevel::Contaminated);
    let reasons: Vec<&str> = found.reason.split("; ").collect();
    assert_eq!(reasons.len(), 3, "{found:?}");
    assert!(reasons[2].contains("each process stays in one"));
}

fn conditions(steal_share: Option<f64>, busy_before: Option<f64>, load: &str) -> Conditions {
    Conditions {
        steal_share,
        busy_before,
        load: load.to_owned(),
        ..Conditions::default()
    }
}

#[test]
fn a_run_is_judged_on_both_sides_of_each_share() {
    use ContaminationLevel::{Clean, Contaminated, Disturbed};
    let above = |share: f64| share * (1.0 + 1e-9);
    let steal = |share| judge_run(&conditions(Some(share), None, "heavy")).level;
    let busy = |share| judge_run(&conditions(None, Some(share), "light")).level;
    type Judge<'a> = &'a dyn Fn(f64) -> ContaminationLevel;
    let cases: [(Judge<'_>, f64, f64); 2] = [
        (&steal, STEAL_DISTURBS, STEAL_CONTAMINATES),
        (&busy, BUSY_DISTURBS, BUSY_CONTAMINATES),
    ];
    for (judge, disturbs, contaminates) in cases {
        let found = [disturbs, above(disturbs), contaminates, above(contaminates)].map(judge);
        assert_eq!(found, [Clean, Disturbed, Disturbed, Contaminated]);
    }
}

#[test]
fn a_run_says_what_was_stolen_and_in_use() {
    let both = |load| judge_run(&conditions(Some(0.02), Some(0.6), load));
    let stolen = "2.0 % of the CPU time was stolen by the hypervisor during the run";
    let busy = "60.0 % of the CPU time was used by others before the run";
    for light in ["", "light"] {
        let found = both(light);
        assert_eq!(found.level, ContaminationLevel::Contaminated);
        assert_eq!(found.reason, format!("{stolen}; {busy}"));
    }
    // Asked for, it is the condition.
    let heavy = both("heavy");
    assert_eq!(heavy.level, ContaminationLevel::Disturbed);
    assert_eq!(heavy.reason, stolen);
    let quiet = judge_run(&conditions(None, None, ""));
    assert_eq!(
        (quiet.reason.as_str(), quiet.samples, quiet.disturbed),
        ("quiet", 0, 0)
    );
}
