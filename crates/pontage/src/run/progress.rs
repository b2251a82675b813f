//! The bar: the point being measured and the time left. Off a terminal it is a
//! line for each experiment.

use harness::{Progress, Status};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

pub struct Bar {
    bar: ProgressBar,
    began: Instant,
    experiment: String,
    terminal: bool,
}

impl Bar {
    #[must_use]
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
            terminal: std::io::stderr().is_terminal(),
        }
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Time left, from how fast the budget was used so far: points that end
    /// early and set-ups that take long are both in it.
    fn left(&self, status: &Status) -> Duration {
        let todo = status.budget_total_ns.saturating_sub(status.budget_done_ns);
        let elapsed = self.began.elapsed();
        if status.budget_done_ns < status.budget_total_ns / 50 {
            return Duration::from_nanos(todo);
        }
        elapsed.mul_f64(todo as f64 / status.budget_done_ns as f64)
    }

    fn line(&mut self, status: &Status) {
        if self.experiment != status.experiment {
            self.experiment.clone_from(&status.experiment);
            eprintln!(
                "{:>3} of {} points  {}  about {} s left",
                status.points_done,
                status.points_total,
                status.experiment,
                self.left(status).as_secs()
            );
        }
    }
}

impl Progress for Bar {
    fn update(&mut self, status: &Status) {
        if !self.terminal {
            self.line(status);
            return;
        }
        self.bar.set_length(status.budget_total_ns / 1_000_000);
        self.bar.set_position(status.budget_done_ns / 1_000_000);
        self.bar
            .set_prefix(format!("{:>3} s left", self.left(status).as_secs()));
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
