//! Sessions with measuring processes that crash, hang and leave things behind.
//!
//! This executable is its own measuring process, as the real one is.

use harness::worker;
use harness::worker::WORKER_ARGUMENT;
use libtest_mimic::Arguments;
use libtest_mimic::Failed;
use libtest_mimic::Trial;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::ExitCode;

#[path = "session/acting.rs"]
mod acting;
#[path = "session/again.rs"]
mod again;
#[path = "session/deaths.rs"]
mod deaths;
#[path = "session/endings.rs"]
mod endings;
#[path = "session/plans.rs"]
mod plans;
#[path = "session/results.rs"]
mod results;

/// Draws nothing.
struct NoProgress;

impl harness::Progress for NoProgress {
    fn update(&mut self, _status: &harness::Status) {}
}

const COORDINATOR: &str = "__coordinator";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some(WORKER_ARGUMENT) => {
            say_nothing();
            worker::main(&acting::set_up)
        }
        Some(COORDINATOR) => deaths::coordinate(Path::new(&arguments[2])),
        _ => libtest_mimic::run(&Arguments::from_args(), trials()).exit_code(),
    }
}

/// A measuring process panics here on purpose: who looks through a long
/// log for what failed is not to find that.
fn say_nothing() {
    let nothing = File::create("/dev/null").unwrap();
    // SAFETY: both descriptors are open; no other thread is there yet.
    assert_eq!(unsafe { libc::dup2(nothing.as_raw_fd(), 2) }, 2);
}

fn trials() -> Vec<Trial> {
    let list: [(&str, fn()); 23] = [
        (
            "progress_counts_the_points_of_each_process_and_those_measured_again",
            again::progress_counts_the_points_of_each_process_and_those_measured_again,
        ),
        (
            "what_met_something_is_measured_again_until_most_processes_are_free_of_it",
            again::what_met_something_is_measured_again_until_most_processes_are_free_of_it,
        ),
        (
            "who_always_disturbs_is_not_measured_for_ever",
            again::who_always_disturbs_is_not_measured_for_ever,
        ),
        (
            "a_stop_while_points_are_measured_again_leaves_a_run_that_is_done",
            again::a_stop_while_points_are_measured_again_leaves_a_run_that_is_done,
        ),
        (
            "nothing_is_measured_again_without_a_doubt_or_time",
            again::nothing_is_measured_again_without_a_doubt_or_time,
        ),
        (
            "points_come_back_with_their_samples",
            results::points_come_back_with_their_samples,
        ),
        (
            "what_interrupts_is_kept_where_it_is_asked_for",
            results::what_interrupts_is_kept_where_it_is_asked_for,
        ),
        (
            "repetitions_visit_experiments_in_rounds",
            results::repetitions_visit_experiments_in_rounds,
        ),
        (
            "traces_are_kept_once_and_what_is_not_is_noted",
            results::traces_are_kept_once_and_what_is_not_is_noted,
        ),
        (
            "a_crash_fails_its_point_and_the_rest_goes_on",
            deaths::a_crash_fails_its_point_and_the_rest_goes_on,
        ),
        (
            "a_crash_among_several_is_found_and_the_others_measured",
            deaths::a_crash_among_several_is_found_and_the_others_measured,
        ),
        (
            "each_way_to_die_is_read_and_not_guessed",
            deaths::each_way_to_die_is_read_and_not_guessed,
        ),
        ("a_hang_is_ended", deaths::a_hang_is_ended),
        (
            "who_is_slow_is_left_out_and_does_not_fail",
            deaths::who_is_slow_is_left_out_and_does_not_fail,
        ),
        (
            "a_set_up_that_crashes_or_hangs_is_blamed",
            deaths::a_set_up_that_crashes_or_hangs_is_blamed,
        ),
        (
            "skipped_points_are_not_tried_again",
            endings::skipped_points_are_not_tried_again,
        ),
        (
            "a_point_without_a_sample_is_not_done",
            endings::a_point_without_a_sample_is_not_done,
        ),
        (
            "a_stop_keeps_what_was_finished",
            endings::a_stop_keeps_what_was_finished,
        ),
        (
            "a_full_disk_ends_the_run",
            endings::a_full_disk_ends_the_run,
        ),
        (
            "a_program_that_is_no_worker_fails_the_points",
            endings::a_program_that_is_no_worker_fails_the_points,
        ),
        (
            "a_missing_program_is_an_error",
            endings::a_missing_program_is_an_error,
        ),
        (
            "children_of_a_crashed_subject_are_ended",
            deaths::children_of_a_crashed_subject_are_ended,
        ),
        (
            "a_killed_coordinator_takes_its_worker_along",
            deaths::a_killed_coordinator_takes_its_worker_along,
        ),
    ];
    list.into_iter()
        .map(|(name, test)| {
            Trial::test(name, move || {
                test();
                Ok::<(), Failed>(())
            })
        })
        .collect()
}
