//! Writes the report of a made-up run: `synthetic OUT.html [--incomplete] [--traces]`.

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;
#[path = "../tests/timeline_capture/mod.rs"]
mod timeline_capture;

use report::timeline::About;
use report::timeline::kept::{Content, Kept, PAGE_BYTES, fit};
use std::process::ExitCode;
use trace::timeline::Timeline;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = args.first() else {
        eprintln!("usage: synthetic OUT.html [--incomplete] [--traces]");
        return ExitCode::from(2);
    };
    let view = if args.iter().any(|a| a == "--incomplete") {
        synthetic::incomplete()
    } else {
        synthetic::run()
    };
    let mut traces = match args.iter().any(|a| a == "--traces") {
        true => [2_000, 300_000].map(|events| kept(&view, events)).to_vec(),
        false => Vec::new(),
    };
    fit(&mut traces, PAGE_BYTES);
    match std::fs::write(path, report::html::render_with(&view, &traces)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("cannot write {path}: {cause}");
            ExitCode::from(2)
        }
    }
}

/// Of the first experiment.
fn kept(view: &analysis::RunView, events: usize) -> Kept {
    let capture = timeline_capture::capture(events, 2, false);
    Kept {
        experiment: view.tables[0].head.id.clone(),
        point: format!("events={events}"),
        about: About {
            file: format!("runs/made-up/traces/{events}.dat"),
            uname: None,
            clock: Some("mono".to_owned()),
            generator: None,
        },
        content: Content::Whole(Timeline::of(&capture).unwrap()),
    }
}
