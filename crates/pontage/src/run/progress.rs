//! The bar: the point being measured and the time left. Off a terminal it is a
//! line for each experiment, and one now and then while it lasts.

use harness::{Progress, Status};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Time without a line, off a terminal.
const SILENCE: Duration = Duration::from_secs(30);
/// Before this a speed says little.
const TOO_EARLY: Duration = Duration::from_secs(10);

pub struct Bar {
    bar: ProgressBar,
    began: Instant,
    experiment: String,
    spoke: Instant,
    terminal: bool,
}

impl Bar {
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(4));
        let style = ProgressStyle::with_template("{bar:24} {percent:>3} %  {prefix}  {wide_msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Bar {
            bar,
            began: Instant::now(),
            experiment: String::new(),
            spoke: Instant::now(),
            terminal: std::io::stderr().is_terminal(),
        }
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn line(&mut self, status: &Status) {
        if self.experiment != status.experiment || self.spoke.elapsed() >= SILENCE {
            self.experiment.clone_from(&status.experiment);
            self.spoke = Instant::now();
            harness::message!(
                "{:>3} of {} points  {}  about {} s left",
                status.points_done,
                status.points_total,
                status.experiment,
                left(status, self.began.elapsed()).as_secs()
            );
        }
    }
}

/// Time left, from how fast the budget was used so far: points that end early
/// and set-ups that take long are both in it.
fn left(status: &Status, elapsed: Duration) -> Duration {
    let limit = status.left_ns.map_or(Duration::MAX, Duration::from_nanos);
    limit.min(of_the_plan(status, elapsed))
}

fn of_the_plan(status: &Status, elapsed: Duration) -> Duration {
    let todo = status.budget_total_ns.saturating_sub(status.budget_done_ns);
    let early = status.budget_done_ns < status.budget_total_ns / 50 && elapsed < TOO_EARLY;
    if early || status.budget_done_ns == 0 {
        return Duration::from_nanos(todo);
    }
    elapsed.mul_f64(todo as f64 / status.budget_done_ns as f64)
}

impl Progress for Bar {
    fn update(&mut self, status: &Status) {
        if !self.terminal {
            self.line(status);
            return;
        }
        self.bar.set_length(status.budget_total_ns / 1_000_000);
        self.bar.set_position(status.budget_done_ns / 1_000_000);
        self.bar.set_prefix(format!(
            "{:>3} s left",
            left(status, self.began.elapsed()).as_secs()
        ));
        let repetition = if status.processes > 1 {
            format!(" (process {} of {})", status.process + 1, status.processes)
        } else {
            String::new()
        };
        self.bar.set_message(format!(
            "{} {}{repetition}",
            status.experiment, status.label
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::left;
    use harness::Status;
    use std::time::Duration;

    fn after(done_ns: u64, elapsed_s: u64) -> u64 {
        let status = Status {
            budget_done_ns: done_ns,
            budget_total_ns: 1_000,
            ..Status::default()
        };
        left(&status, Duration::from_secs(elapsed_s)).as_secs()
    }

    #[test]
    fn what_points_really_took_counts_once_it_is_known() {
        assert_eq!(after(0, 60), 0, "nothing is done: the plan's own time");
        assert_eq!(after(10, 2), 0, "one point may be a slow start");
        assert_eq!(after(10, 20), 1_980, "after a while it is what there is");
        assert_eq!(after(500, 2), 2);
    }

    #[test]
    fn a_limit_of_time_is_never_exceeded() {
        let status = Status {
            budget_done_ns: 10,
            budget_total_ns: 1_000,
            left_ns: Some(50_000_000_000),
            ..Status::default()
        };
        assert_eq!(left(&status, Duration::from_secs(20)).as_secs(), 50);
    }
}
