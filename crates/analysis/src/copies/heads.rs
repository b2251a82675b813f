//! What a recording of copies says of itself, and its figures.

use record::{AxisHead, ExperimentHead, FigureHead, MetricHead, Setting, Unit};

/// Id of the experiment with a row for each size.
pub const TRACE: &str = "copies/trace";
/// Id of the experiment with a row for each caller.
pub const CALLERS: &str = "copies/callers";

/// Metrics of both experiments, by index.
pub(super) mod metric {
    /// Time in copies, ns.
    pub const TIME: u16 = 0;
    /// Number of copies.
    pub const COPIES: u16 = 1;
    /// Bytes copied.
    pub const BYTES: u16 = 2;
    /// The longest copy, ns.
    pub const LONGEST: u16 = 3;
    /// Mean time of a copy, ns.
    pub const MEAN: u16 = 4;
    /// 99 % of the copies took no longer, ns.
    pub const P99: u16 = 5;
}

/// Values of the axis `routines`.
pub(super) const ONE: &str = "one";
pub(super) const BOTH: &str = "both";

/// Figure of the study, routine, `ONE` or `BOTH`, name in the title.
const FIGURES: [(Option<&str>, &str, &str, &str); 8] = [
    (Some("2.21"), "copy_from_user", ONE, "copy_from_user"),
    (Some("2.22"), "copy_to_user", ONE, "copy_to_user"),
    (Some("2.23"), "__copy_from_user", ONE, "__copy_from_user"),
    (Some("2.24"), "__copy_to_user", ONE, "__copy_to_user"),
    (
        Some("2.25"),
        "copy_from_user",
        BOTH,
        "copy_from_user and __copy_from_user",
    ),
    (
        Some("2.26"),
        "copy_to_user",
        BOTH,
        "copy_to_user and __copy_to_user",
    ),
    (None, "copy_from_iter", ONE, "copy_from_iter"),
    (None, "copy_to_iter", ONE, "copy_to_iter"),
];

/// The two experiments. `seconds` is how long was recorded; None while it is not
/// known.
pub fn heads(seconds: Option<f64>) -> Vec<ExperimentHead> {
    vec![trace(seconds), callers(seconds)]
}

fn trace(seconds: Option<f64>) -> ExperimentHead {
    let mut figures: Vec<FigureHead> = FIGURES.iter().map(|f| invocations(f, seconds)).collect();
    figures.push(latency());
    ExperimentHead {
        id: TRACE.to_owned(),
        title: "Copies between user and kernel as they happen".to_owned(),
        question: "Which copies does this machine make, of which sizes, and how long does each \
                   take?"
            .to_owned(),
        axes: vec![
            operation(),
            axis(
                "routines",
                Unit::Word,
                "one: the routine alone; both: together with its variant with two underscores",
            ),
            engine(),
            axis(
                "size",
                Unit::Bytes,
                "bytes of a copy, rounded down to a power of two",
            ),
        ],
        metrics: metrics(),
        figures,
        ..common()
    }
}

fn callers(seconds: Option<f64>) -> ExperimentHead {
    ExperimentHead {
        id: CALLERS.to_owned(),
        title: "Who copies".to_owned(),
        question: "Which places in the kernel make the most copies?".to_owned(),
        axes: vec![
            operation(),
            axis("caller", Unit::Word, "the caller of the copy"),
        ],
        metrics: metrics(),
        figures: vec![FigureHead {
            title: format!("Most copies by caller{}", over(seconds)),
            x: "caller".to_owned(),
            y: "copies".to_owned(),
            series: vec!["operation".to_owned()],
            ..FigureHead::default()
        }],
        ..common()
    }
}

fn common() -> ExperimentHead {
    ExperimentHead {
        in_cycles: false,
        id: String::new(),
        title: String::new(),
        question: String::new(),
        counts: "one copy as the kernel's recorder saw it, its probe included; a point has one \
                 sample per metric, computed from all its copies"
            .to_owned(),
        does_not_count: "copies that no probe of this kernel sees, that a probe missed or a full \
                         ring dropped: the conditions of the run count them"
            .to_owned(),
        origin: "I/OAT-CFTU (A. Papa, Universita di Roma Tor Vergata, 2013), figures 2.21 to 2.26"
            .to_owned(),
        theory: "The study traced four routines for 100 s to choose the sizes that are worth a \
                 DMA channel. Kernels of today move the data of pipes, sockets and files through \
                 an iov_iter, which has its own routines: they are shown next to the four. Bulk \
                 data arrives page by page there, so a write of 64 KiB is 16 copies of 4 KiB."
            .to_owned(),
        axes: Vec::new(),
        metrics: Vec::new(),
        figures: Vec::new(),
        toll: Vec::new(),
        kinds: Vec::new(),
    }
}

fn invocations(
    (number, operation, routines, name): &(Option<&str>, &str, &str, &str),
    seconds: Option<f64>,
) -> FigureHead {
    let study = number.map_or_else(String::new, |n| format!("I/OAT-CFTU figure {n}: "));
    let invocations = if study.is_empty() {
        "Invocations"
    } else {
        "invocations"
    };
    let only = |axis: &str, value: &str| Setting {
        axis: axis.to_owned(),
        value: value.into(),
    };
    FigureHead {
        title: format!("{study}{invocations} of {name} by size{}", over(seconds)),
        y: "copies".to_owned(),
        reading: "Each mark counts the copies from its size up to the next.".to_owned(),
        only: vec![only("operation", operation), only("routines", routines)],
        ..by_size()
    }
}

fn latency() -> FigureHead {
    FigureHead {
        title: "Time of a copy by size".to_owned(),
        y: "time".to_owned(),
        y_log: true,
        series: vec!["operation".to_owned()],
        only: vec![Setting {
            axis: "routines".to_owned(),
            value: ONE.into(),
        }],
        reading: "Each time includes the recorder's own work: compare sizes, not machines."
            .to_owned(),
        below: vec!["p99_time".to_owned()],
        ..by_size()
    }
}

fn by_size() -> FigureHead {
    FigureHead {
        x: "size".to_owned(),
        x_log2: true,
        ..FigureHead::default()
    }
}

/// ` over 100 s`, ` over 12.3 s`.
fn over(seconds: Option<f64>) -> String {
    seconds.map_or_else(String::new, |s| {
        let whole = (s - s.round()).abs() < 0.01 * s;
        let digits = usize::from(!whole);
        format!(" over {s:.digits$} s")
    })
}

fn operation() -> AxisHead {
    axis("operation", Unit::Word, "the copy routine")
}

fn engine() -> AxisHead {
    axis("engine", Unit::Word, "what copied: the CPU or DMA")
}

fn axis(name: &str, unit: Unit, doc: &str) -> AxisHead {
    AxisHead {
        name: name.to_owned(),
        unit,
        doc: doc.to_owned(),
    }
}

/// In the order of [`metric`].
fn metrics() -> Vec<MetricHead> {
    let amount = |name: &str, unit, doc: &str| MetricHead {
        name: name.to_owned(),
        unit,
        doc: doc.to_owned(),
        lower_is_better: true,
        explains: true,
    };
    vec![
        time("time", "half of the copies took at most this long"),
        amount("copies", Unit::Count, "copies recorded"),
        amount("bytes", Unit::Bytes, "bytes copied by all of them"),
        time("longest_time", "the longest copy"),
        time("mean_time", "mean over the copies"),
        time("p99_time", "99 of 100 copies took at most this long"),
    ]
}

fn time(name: &str, doc: &str) -> MetricHead {
    MetricHead {
        name: name.to_owned(),
        unit: Unit::Nanoseconds,
        doc: doc.to_owned(),
        lower_is_better: true,
        explains: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_stand_where_the_points_put_them() {
        let [trace, callers] = &heads(None)[..] else {
            panic!("two experiments");
        };
        for (index, name) in [
            (metric::TIME, "time"),
            (metric::COPIES, "copies"),
            (metric::BYTES, "bytes"),
            (metric::LONGEST, "longest_time"),
            (metric::MEAN, "mean_time"),
            (metric::P99, "p99_time"),
        ] {
            assert_eq!(trace.metrics[usize::from(index)].name, name);
        }
        assert_eq!(callers.metrics, trace.metrics);
    }

    #[test]
    fn titles_tell_the_figure_of_the_study_and_the_true_time() {
        let titles = |s| {
            heads(s)[0]
                .figures
                .iter()
                .map(|f| f.title.clone())
                .collect()
        };
        let long: Vec<String> = titles(Some(100.02));
        assert_eq!(
            long[0],
            "I/OAT-CFTU figure 2.21: invocations of copy_from_user by size over 100 s"
        );
        assert_eq!(
            long[5],
            "I/OAT-CFTU figure 2.26: invocations of copy_to_user and __copy_to_user by size over \
             100 s"
        );
        assert_eq!(long[6], "Invocations of copy_from_iter by size over 100 s");
        let cut: Vec<String> = titles(Some(12.34));
        assert!(cut[1].ends_with("by size over 12.3 s"), "{}", cut[1]);
        let unknown: Vec<String> = titles(None);
        assert!(unknown[1].ends_with("by size"), "{}", unknown[1]);
    }

    #[test]
    fn figures_show_one_routine_by_size() {
        let [trace, callers] = &heads(None)[..] else {
            panic!("two experiments");
        };
        assert_eq!((trace.id.as_str(), callers.id.as_str()), (TRACE, CALLERS));
        let axes = |head: &ExperimentHead| -> Vec<String> {
            head.axes.iter().map(|a| a.name.clone()).collect()
        };
        assert_eq!(axes(trace), ["operation", "routines", "engine", "size"]);
        assert_eq!(axes(callers), ["operation", "caller"]);
        for head in [trace, callers] {
            assert!(
                !head.title.is_empty() && head.question.ends_with('?'),
                "{head:?}"
            );
            assert!(!head.counts.is_empty() && !head.does_not_count.is_empty());
        }
        let [counts @ .., time] = &trace.figures[..] else {
            panic!("figures");
        };
        for (figure, (_, operation, routines, _)) in counts.iter().zip(FIGURES) {
            let only: Vec<String> = figure.only.iter().map(|s| s.value.to_string()).collect();
            assert_eq!(only, [operation, routines]);
            let drawn = (
                figure.x.as_str(),
                figure.y.as_str(),
                figure.x_log2,
                figure.y_log,
            );
            assert_eq!(drawn, ("size", "copies", true, false));
            assert!(figure.reading.starts_with("Each mark counts"));
        }
        let drawn = (time.x.as_str(), time.y.as_str(), time.x_log2, time.y_log);
        assert_eq!(drawn, ("size", "time", true, true));
        assert_eq!(
            (time.series.as_slice(), time.below.as_slice()),
            (&["operation".to_owned()][..], &["p99_time".to_owned()][..])
        );
        assert_eq!(time.title, "Time of a copy by size");
        assert_eq!(time.only[0].value.to_string(), ONE);
        assert!(time.reading.contains("compare sizes, not machines"));
        let by_caller = &callers.figures[0];
        assert_eq!(
            (by_caller.x.as_str(), by_caller.y.as_str()),
            ("caller", "copies")
        );
        assert_eq!(by_caller.series, ["operation"]);
    }

    /// Within a hundredth it is a whole number of seconds.
    #[test]
    fn seconds_are_whole_where_they_nearly_are() {
        assert_eq!(over(Some(100.9)), " over 101 s");
        assert_eq!(over(Some(10.2)), " over 10.2 s");
        assert_eq!(over(Some(10.05)), " over 10 s");
    }
}
