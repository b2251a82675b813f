//! Programs during copies as .dat files, and as figures.

use analysis::RunView;
use record::{
    CounterAbsence, CounterHead, CountersHead, Disturbance, FigureHead, MetricHead, PointHead,
    PointState, Run, RunHead, RunState, RunWriter, Sample, Setting, Unit,
};
use report::export::cftu::{Exported, write};
use std::fs;
use std::path::Path;

const ID: &str = "pollute/victim";
const FOLDER: &str = "micro-benchmark_Cache_2CPU/risultati";

fn set(axis: &str, value: impl Into<record::AxisValue>) -> Setting {
    let (axis, value) = (axis.to_owned(), value.into());
    Setting { axis, value }
}

fn point(victim: &str, copier: &str) -> PointHead {
    PointHead {
        index: 0,
        experiment: ID.to_owned(),
        settings: vec![
            set("victim", victim),
            set("direction", "both"),
            set("size", 16),
            set("buffer", "in_place"),
            set("placement", "same_cache"),
            set("copier", copier),
        ],
        bytes_per_op: None,
        state: PointState::Done,
        notes: Vec::new(),
        traces: Vec::new(),
        interrupts: None,
    }
}

/// A run of `dt_ns` that began so late, with its counts.
fn program(index: u32, dt_ns: f64, start_ns: f64, counts: &[f64]) -> Vec<Sample> {
    let sample = |(metric, value): (u16, f64)| Sample {
        metric,
        process: 0,
        index,
        ops: 1,
        elapsed_ns: if metric == 0 { value } else { 0.0 },
        floor_ns: 0.0,
        value,
        cpu: 1,
        disturbance: Disturbance::default(),
        yardstick: None,
    };
    let values = [dt_ns, 55.0, start_ns]
        .into_iter()
        .chain(counts.iter().copied());
    (0..).zip(values).map(sample).collect()
}

type Points = Vec<(PointHead, Vec<Sample>)>;

fn counted() -> Points {
    let mut runs = program(0, 4_238_957.0, 698_518_635.0, &[157_283.0, 982.0]);
    // Scaled up by the kernel, and a time between two nanoseconds.
    runs.extend(program(1, 4_000_000.4, 800_000_000.0, &[157_000.4, 0.0]));
    let small = program(0, 813_000.0, 1.0, &[0.0, 0.0]);
    vec![
        (point("susan_s_small", "none"), small.clone()),
        (point("qsort_small", "none"), runs),
        (point("susan_s_small", "cpu"), small),
    ]
}

/// A run, and the folder that its tables are read from when they are asked for.
struct Recorded {
    run: Run,
    _folder: tempfile::TempDir,
}

/// A run of these points, opened again. `change` is made to its head before.
fn recorded(points: &Points, change: impl Fn(&mut RunHead)) -> Recorded {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/records/v1-offload");
    let mut head = Run::open(&fixture).unwrap().head().clone();
    head.experiments.truncate(1);
    let experiment = &mut head.experiments[0];
    experiment.id = ID.to_owned();
    let counter = |name: &str, unit| MetricHead {
        name: name.to_owned(),
        unit,
        doc: String::new(),
        lower_is_better: true,
        explains: false,
    };
    experiment.metrics.push(counter("L2D_CACHE", Unit::Count));
    experiment
        .metrics
        .push(counter("L2D_CACHE_REFILL", Unit::Count));
    let mut points = points.clone();
    for (index, (point, _)) in (0..).zip(&mut points) {
        point.index = index;
    }
    let pending = |p: &PointHead| PointHead {
        state: PointState::Pending,
        ..p.clone()
    };
    head.points = points.iter().map(|(p, _)| pending(p).into()).collect();
    change(&mut head);
    let folder = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(folder.path(), head.clone()).unwrap();
    for (point, samples) in &points {
        writer.append_point(point, samples).unwrap();
    }
    head.state = RunState::Complete;
    writer.close(head).unwrap();
    let run = Run::open(writer.folder()).unwrap();
    Recorded {
        run,
        _folder: folder,
    }
}

struct Case {
    folder: tempfile::TempDir,
    exported: Exported,
}

impl Case {
    fn of(recorded: &Recorded) -> Case {
        let folder = tempfile::tempdir().unwrap();
        let exported = write(&recorded.run, folder.path()).unwrap();
        Case { folder, exported }
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    fn dat(&self, name: &str) -> String {
        self.text(&format!("{FOLDER}/{name}.dat"))
    }

    /// What was skipped of these files; the other studies are not in the run.
    fn skips(&self) -> String {
        let own = self
            .exported
            .skipped
            .iter()
            .filter(|s| s.what.contains("Cache_2CPU"));
        own.map(|s| format!("{}: {} ({})\n", s.what, s.reason, s.remedy))
            .collect()
    }
}

#[test]
fn runs_and_their_synthesis_have_the_digits_of_the_study() {
    let case = Case::of(&recorded(&counted(), |_| {}));
    assert_eq!(
        case.dat("measure_ideal_from_to_16"),
        "susan[s]_small\t55000000001\t55000813001\t813000\t0\t0\tnan\n\
         qsort_small\t55698518635\t55702757592\t4238957\t157283\t982\t0.624352\n\
         qsort_small\t55800000000\t55804000000\t4000000\t157000\t0\t0.000000\n"
    );
    assert_eq!(
        case.dat("synthesis_ideal_from_to_16"),
        "susan[s]_small\t1\t813.0000\t813\t0.0000\tnan\n\
         qsort_small\t2\t4119.4785\t4238\t157141.5000\t0.312176\n"
    );
    assert!(
        case.dat("measure_cpu_from_to_16")
            .starts_with("susan[s]_small\t")
    );
}

#[test]
fn what_was_not_counted_is_nan_and_has_its_reason() {
    let plain = |points: Points| -> Points {
        let bare = |s: &Sample| s.metric < 3;
        let of = |(p, s): (PointHead, Vec<Sample>)| (p, s.into_iter().filter(bare).collect());
        points.into_iter().map(of).collect()
    };
    let case = Case::of(&recorded(&plain(counted()), |head| {
        head.conditions.counters = Some(no_pmu());
    }));
    let line = "qsort_small\t55698518635\t55702757592\t4238957\tnan\tnan\tnan\n";
    assert!(case.dat("measure_ideal_from_to_16").contains(line));
    let line = "qsort_small\t2\t4119.4785\t4238\tnan\tnan\n";
    assert!(case.dat("synthesis_ideal_from_to_16").contains(line));
    let skipped = "nan there: L2D_CACHE, L2D_CACHE_REFILL: no PMU (measure it with: pontage run \
                pollution --counters dcache)";
    assert!(case.skips().contains(skipped), "{}", case.skips());
    assert!(case.text("README.txt").contains("nan there"));
}

#[test]
fn counts_of_other_runs_than_the_times_are_means_in_the_synthesis_alone() {
    let (time, count) = (0, [3, 4]);
    // Indices 0 and 3 without counters, 1 and 2 with: A B B A.
    let mut samples = Vec::new();
    for (index, dt_ns, counts) in [
        (0, 4_000_000.0, None),
        (1, 9_000_000.0, Some([1000.0, 100.0])),
        (2, 9_500_000.0, Some([3000.0, 600.0])),
        (3, 4_200_000.0, None),
    ] {
        let all = program(
            index,
            dt_ns,
            1e8 * f64::from(index),
            &counts.unwrap_or_default(),
        );
        samples.extend(all.into_iter().filter(|s| match counts {
            None => !count.contains(&s.metric),
            Some(_) => s.metric != time && count.contains(&s.metric),
        }));
    }
    let points = vec![(point("qsort_small", "none"), samples)];
    let case = Case::of(&recorded(&points, |_| {}));
    assert_eq!(
        case.dat("measure_ideal_from_to_16"),
        "qsort_small\t55000000000\t55004000000\t4000000\tnan\tnan\tnan\n\
         qsort_small\t55300000000\t55304200000\t4200000\tnan\tnan\tnan\n",
        "no run with counters has a time"
    );
    assert_eq!(
        case.dat("synthesis_ideal_from_to_16"),
        "qsort_small\t2\t4100.0000\t4200\t2000.0000\t15.000000\n"
    );
    assert_eq!(case.skips(), "", "nothing is missing");
    assert!(
        case.text("README.txt")
            .contains("runs without and with counters alternated")
    );
}

fn no_pmu() -> CountersHead {
    CountersHead {
        group: "dcache".to_owned(),
        events: vec![CounterHead {
            alias: "L2D_CACHE".to_owned(),
            absent: Some(CounterAbsence {
                reason: "no PMU".to_owned(),
                remedy: "none: another machine".to_owned(),
            }),
            scope: "user".to_owned(),
            ..CounterHead::default()
        }],
        ..CountersHead::default()
    }
}

#[test]
fn what_has_no_line_is_left_out_and_reported() {
    let mut points = counted();
    points.push((point("cmd:sort big", "none"), points[0].1.clone()));
    let mut batch = points[0].1.clone();
    batch[0].ops = 2;
    points.push((point("strings", "none"), batch));
    let skipped = PointState::Skipped {
        reason: "no channel".to_owned(),
        remedy: "load the module".to_owned(),
    };
    let dma = PointHead {
        state: skipped,
        ..point("qsort_small", "dma")
    };
    points.push((dma, Vec::new()));
    let mut other = point("qsort_small", "cpu");
    other.settings[4] = set("placement", "same_cpu");
    points.push((other, points[0].1.clone()));
    let case = Case::of(&recorded(&points, |_| {}));
    assert_eq!(case.dat("measure_ideal_from_to_16").lines().count(), 3);
    assert_eq!(case.dat("measure_cpu_from_to_16").lines().count(), 1);
    let readme = case.text("README.txt");
    for said in [
        "missing: cmd:sort big, strings",
        "placement=same_cpu is left out",
    ] {
        assert!(readme.contains(said), "{said}: {readme}");
    }
    let skipped = "measure_dma_from_to_16.dat and synthesis_dma_from_to_16.dat: no channel (load";
    assert!(case.skips().contains(skipped), "{}", case.skips());
    // Two settings that the files have no place for: nothing is mixed.
    let mut points = counted();
    points[0].0.settings.push(set("total", 1));
    points[1].0.settings.push(set("total", 2));
    let case = Case::of(&recorded(&points, |_| {}));
    assert!(case.exported.files.is_empty());
    assert!(
        case.skips().contains("cannot tell total=1,2"),
        "{}",
        case.skips()
    );
}

#[test]
fn without_starts_the_synthesis_is_written() {
    let case = Case::of(&recorded(&counted(), |head| {
        head.experiments[0].metrics[1].name = "other".to_owned();
    }));
    assert_eq!(case.dat("measure_ideal_from_to_16"), "");
    assert!(
        case.dat("synthesis_ideal_from_to_16")
            .contains("qsort_small\t2\t4119.4785")
    );
    assert!(
        case.skips()
            .contains("does not say when each program began")
    );
}

fn view(points: &Points, figure: &FigureHead, counters: Option<CountersHead>) -> RunView {
    let recorded = recorded(points, |head| {
        head.experiments[0].figures = vec![figure.clone()];
        head.conditions.counters.clone_from(&counters);
    });
    analysis::load(&recorded.run).unwrap()
}

#[test]
fn a_figure_of_several_programs_has_them_in_the_order_of_the_plan() {
    let figure = FigureHead {
        x: "victim".to_owned(),
        y: "L2D_CACHE".to_owned(),
        series: vec!["copier".to_owned()],
        only: vec![
            set("victim", "susan_s_small"),
            set("victim", "qsort_small"),
            set("copier", "none"),
        ],
        ..FigureHead::default()
    };
    let mut points = counted();
    points.push((point("chase_l2", "none"), points[0].1.clone()));
    let drawn = report::figure::all(&view(&points, &figure, None)).remove(0);
    let words = ["susan_s_small", "qsort_small"].map(str::to_owned).to_vec();
    assert_eq!(drawn.x.scale, report::figure::Scale::Categories(words));
    assert_eq!(drawn.series.len(), 1, "copier=none alone");
    assert_eq!(drawn.series[0].points.len(), 2);
    assert_eq!(drawn.notes, [""; 0]);
}

#[test]
fn a_figure_of_what_was_not_counted_says_why() {
    let figure = FigureHead {
        x: "victim".to_owned(),
        y: "l2d_cache_miss_rate".to_owned(),
        series: vec!["copier".to_owned()],
        ..FigureHead::default()
    };
    let note = |counters| {
        let drawn = report::figure::all(&view(&counted(), &figure, counters)).remove(0);
        assert!(drawn.is_empty());
        drawn.notes[0].clone()
    };
    let absent = "SKIP: no l2d_cache_miss_rate: no PMU (none: another machine)";
    assert_eq!(note(Some(no_pmu())), absent);
    assert!(note(None).contains("did not count it (--counters GROUP)"));
    // The reason of its own events, not of the first that is absent.
    let mut other = no_pmu();
    let mut dead = other.events[0].clone();
    other.events[0].alias = "L1D_CACHE".to_owned();
    dead.absent = Some(CounterAbsence {
        reason: "the counter does not count".to_owned(),
        remedy: "none: x".to_owned(),
    });
    other.events.push(dead);
    assert_eq!(
        note(Some(other)),
        "SKIP: no l2d_cache_miss_rate: the counter does not count (none: x)"
    );
}

#[test]
fn figures_name_the_points_whose_counts_are_withheld_or_alarmed() {
    let figure = |y: &str| FigureHead {
        x: "victim".to_owned(),
        y: y.to_owned(),
        series: vec!["copier".to_owned()],
        ..FigureHead::default()
    };
    let mut points = counted();
    points[0].1.retain(|s| s.metric != 4);
    let why = "alarm: L2D_CACHE_REFILL counted 0 over 2.00e6 instructions, which cannot be";
    points[0].0.notes = vec!["first".into(), why.into()];
    points[1].0.notes = vec!["alarm: INST_RETIRED counted 0 in 7 batches".into()];
    let head = |alternating| CountersHead {
        metrics: vec!["L2D_CACHE".into(), "L2D_CACHE_REFILL".into()],
        alternating,
        ..CountersHead::default()
    };
    let notes = |y: &str, alternating| {
        let view = view(&points, &figure(y), Some(head(alternating)));
        report::figure::all(&view).remove(0).notes.join("; ")
    };
    let refills = notes("L2D_CACHE_REFILL", true);
    let gone = "1 point without L2D_CACHE_REFILL: L2D_CACHE_REFILL counted 0 over 2.00e6";
    assert!(refills.contains(gone), "{refills}");
    assert!(
        refills.contains("alarm at 1 point: INST_RETIRED counted 0 in 7"),
        "{refills}"
    );
    let time = |alternating| {
        let view = view(&points, &figure("latency"), Some(head(alternating)));
        let name = view.tables[0].head.metrics[0].name.clone();
        notes(&name, alternating)
    };
    assert!(!time(true).contains("counters"), "{}", time(true));
    assert!(
        time(false).contains("times were taken with counters running"),
        "{}",
        time(false)
    );
}
