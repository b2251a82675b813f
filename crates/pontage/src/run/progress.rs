//! The bar: how far the run is, the time left and the point being measured. Off a terminal it is
//! a line for each experiment and each further process, and one now and then while it lasts.

mod forecast;
mod line;
mod words;

pub use forecast::Expected;

use super::clock_time::clock_time;
use catalogue::plan::Plan;
use forecast::Forecast;
use harness::{Progress, Status};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use line::Said;
use std::collections::HashMap;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Time without a line, off a terminal.
const SILENCE: Duration = Duration::from_secs(30);
/// Columns of a terminal that does not say.
const USUAL_COLUMNS: usize = 80;

/// What is worth a line: each experiment of the first process, then each process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turn {
    process: u16,
    experiment: usize,
}

impl Turn {
    fn of(status: &Status) -> Turn {
        Turn {
            process: status.process,
            experiment: if status.process == 0 { status.at } else { 0 },
        }
    }
}

pub struct Bar {
    bar: ProgressBar,
    began: Instant,
    forecast: Forecast,
    words: HashMap<u32, String>,
    /// Of the time; it never falls.
    share: f64,
    said: Option<Turn>,
    spoke: Instant,
    terminal: bool,
}

impl Bar {
    /// Of a plan, whose experiments are expected to take so long.
    pub fn new(plan: &Plan, expected: Expected) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(4));
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        Bar {
            bar,
            began: Instant::now(),
            forecast: Forecast::new(expected),
            words: words::of(plan),
            share: 0.0,
            said: None,
            spoke: Instant::now(),
            terminal: std::io::stderr().is_terminal(),
        }
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn line(&mut self, status: &Status, left: Duration) {
        let turn = Turn::of(status);
        if self.said != Some(turn) || self.spoke.elapsed() >= SILENCE {
            self.said = Some(turn);
            self.spoke = Instant::now();
            harness::message!("{}", spoken(status, left));
        }
    }

    fn draw(&mut self, status: &Status, left: Duration) {
        let elapsed = self.began.elapsed().as_secs_f64();
        let share = elapsed / (elapsed + left.as_secs_f64());
        self.share = self.share.max(share);
        let point = status.point.and_then(|index| self.words.get(&index));
        let said = Said {
            share: self.share,
            left: in_words(left),
            experiment: &status.experiment,
            point: point.map_or("", String::as_str),
            turn: turn(status).unwrap_or_default(),
        };
        self.bar.set_message(line::line(&said, columns()));
    }
}

impl Progress for Bar {
    fn update(&mut self, status: &Status) {
        self.forecast.see(status, self.began.elapsed());
        let left = self.forecast.left(status);
        match self.terminal {
            true => self.draw(status, left),
            false => self.line(status, left),
        }
    }
}

/// Of the terminal that messages go to.
fn columns() -> usize {
    let columns = terminal_size::terminal_size_of(std::io::stderr());
    columns.map_or(USUAL_COLUMNS, |(w, _)| usize::from(w.0))
}

/// `process 2 of 5: 412 of 986 points  mem/latency  about 40 s left`.
fn spoken(status: &Status, left: Duration) -> String {
    let turn = turn(status).map_or(String::new(), |turn| format!("{turn}: "));
    format!(
        "{turn}{:>3} of {} points  {}  {}",
        status.points_done,
        status.points_total,
        status.experiment,
        in_words(left)
    )
}

/// Which of several processes it is.
fn turn(status: &Status) -> Option<String> {
    match status.process < status.processes {
        true if status.processes == 1 => None,
        true => Some(format!(
            "process {} of {}",
            status.process + 1,
            status.processes
        )),
        false => Some("measured again".to_owned()),
    }
}

fn in_words(left: Duration) -> String {
    format!("about {} left", clock_time(left.as_nanos() as f64))
}

#[cfg(test)]
mod tests {
    use super::{Turn, spoken};
    use harness::Status;
    use std::time::Duration;

    #[test]
    fn further_processes_are_a_line_each() {
        let turn = |process, at| {
            Turn::of(&Status {
                process,
                at,
                ..Status::default()
            })
        };
        assert_ne!(turn(0, 1), turn(0, 2));
        assert_ne!(turn(0, 2), turn(1, 0));
        assert_eq!(turn(1, 1), turn(1, 2));
        assert_ne!(turn(1, 2), turn(2, 2));
    }

    #[test]
    fn points_are_those_of_the_plan() {
        let status = Status {
            experiment: "mem/line".to_owned(),
            process: 1,
            processes: 5,
            points_done: 41,
            points_total: 986,
            ..Status::default()
        };
        let left = Duration::from_secs(35);
        assert_eq!(
            spoken(&status, left),
            "process 2 of 5:  41 of 986 points  mem/line  about 35 s left"
        );
        let alone = Status {
            process: 0,
            processes: 1,
            ..status.clone()
        };
        let minutes = Duration::from_secs(150);
        assert_eq!(
            spoken(&alone, minutes),
            " 41 of 986 points  mem/line  about 3 min left"
        );
        let again = Status {
            process: 5,
            ..status
        };
        assert!(spoken(&again, left).starts_with("measured again:  41 of 986"));
    }
}
