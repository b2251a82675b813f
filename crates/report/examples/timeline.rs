//! Writes the timeline of a made-up capture: `timeline OUT.html [EVENTS [CPUS]]`.
//! With `--gaps` the capture has lost events.

#[path = "../tests/timeline_capture/mod.rs"]
mod timeline_capture;

use report::timeline::{About, page};
use std::process::ExitCode;
use trace::timeline::Timeline;

fn main() -> ExitCode {
    let (flags, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let number =
        |at: usize, usual: usize| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(usual);
    let Some(path) = words.first() else {
        eprintln!("usage: timeline OUT.html [EVENTS [CPUS]] [--gaps]");
        return ExitCode::from(2);
    };
    let gaps = flags.iter().any(|f| f == "--gaps");
    let capture = timeline_capture::capture(number(1, 20_000), number(2, 4) as u32, gaps);
    let timeline = Timeline::of(&capture);
    let about = About {
        file: "made up.dat".to_owned(),
        uname: None,
        clock: Some("mono".to_owned()),
    };
    let page = page(&timeline, &about);
    eprintln!(
        "{} events, {} slices, page of {} bytes",
        timeline.account.events,
        timeline.slice_count(),
        page.len()
    );
    match std::fs::write(path, page) {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("cannot write {path}: {cause}");
            ExitCode::from(2)
        }
    }
}
