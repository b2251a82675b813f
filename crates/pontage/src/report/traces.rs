//! The traces that a run kept, opened for its report. What cannot be drawn says
//! why; the report is none the worse.

use ::report::timeline::About;
use ::report::timeline::kept::{Content, Kept, PAGE_BYTES, fit};
use ::trace::timeline::Timeline;
use analysis::RunView;
use record::{PointHead, TraceHead};
use std::path::Path;

/// In the order of the points, cut to what the page has room for.
pub fn of(view: &RunView, folder: &Path) -> Vec<Kept> {
    let points = view.head.points.iter();
    let traces = points.flat_map(|point| point.traces.iter().map(move |trace| (point, trace)));
    let mut all: Vec<Kept> = traces
        .map(|(point, trace)| kept(view, point, trace, folder))
        .collect();
    fit(&mut all, PAGE_BYTES);
    all
}

fn kept(view: &RunView, point: &PointHead, trace: &TraceHead, folder: &Path) -> Kept {
    let mut about = About {
        file: trace.file.clone(),
        ..About::default()
    };
    let drawn = trace
        .path(folder)
        .ok_or_else(|| format!("its name {:?} points outside the run", trace.file))
        .and_then(|path| {
            about.file = path.display().to_string();
            draw(&path, &mut about)
        });
    Kept {
        experiment: point.experiment.clone(),
        point: distinguished(view, point),
        about,
        content: drawn.map_or_else(Content::Nothing, Content::Whole),
    }
}

fn draw(path: &Path, about: &mut About) -> Result<Timeline, String> {
    let capture = ::trace::file::open(path).map_err(|e| e.to_string())?;
    about.uname.clone_from(&capture.head.uname);
    about.clock.clone_from(&capture.head.clock);
    if !capture.head.in_nanoseconds() {
        return Err("its clock counts no time".to_owned());
    }
    let timeline = Timeline::of(&capture).map_err(|e| e.to_string())?;
    match timeline.account.events {
        0 => Err("it has no events".to_owned()),
        _ => Ok(timeline),
    }
}

/// The settings by which the experiment's traced points differ: `policy=rr`.
fn distinguished(view: &RunView, point: &PointHead) -> String {
    let traced = |p: &PointHead| p.experiment == point.experiment && !p.traces.is_empty();
    let points = view.head.points.iter().map(|p| &**p);
    let all: Vec<&PointHead> = points.filter(|p| traced(p)).collect();
    let differs = |axis: &str| all.iter().any(|p| p.value(axis) != point.value(axis));
    let settings = point.settings.iter().filter(|s| differs(&s.axis));
    let words: Vec<String> = settings
        .map(|s| format!("{}={}", s.axis, s.value))
        .collect();
    words.join(" ")
}
