//! Writes the timeline of a made-up capture: `timeline OUT.html [EVENTS [CPUS]]`.
//! With `--gaps` the capture has lost events; with `--section` the timeline is a
//! part of a longer page.

#[path = "../tests/timeline_capture/mod.rs"]
mod timeline_capture;

use report::timeline::{self as drawn, About};
use std::process::ExitCode;
use trace::timeline::Timeline;

fn main() -> ExitCode {
    let (flags, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let number =
        |at: usize, usual: usize| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(usual);
    let Some(path) = words.first() else {
        eprintln!("usage: timeline OUT.html [EVENTS [CPUS]] [--gaps] [--section]");
        return ExitCode::from(2);
    };
    let gaps = flags.iter().any(|f| f == "--gaps");
    let capture = timeline_capture::capture(number(1, 20_000), number(2, 4) as u32, gaps);
    let timeline = Timeline::of(&capture).unwrap();
    let about = About {
        file: "made up.dat".to_owned(),
        uname: None,
        clock: Some("mono".to_owned()),
        generator: None,
    };
    let page = match flags.iter().any(|f| f == "--section") {
        true => longer(&timeline, &about),
        false => drawn::page(&timeline, &about),
    };
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

/// A page with something before and behind the timeline.
fn longer(timeline: &Timeline, about: &About) -> String {
    let policy = drawn::policy("default-src 'none'; script-src; style-src");
    let (style, script) = (drawn::style().into_string(), drawn::script().into_string());
    let section = drawn::section(timeline, about).into_string();
    let text = "<p>Something else.</p>".repeat(40);
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">{style}</head>\
         <body><h1>A run</h1>{section}{text}{script}</body></html>"
    )
}
