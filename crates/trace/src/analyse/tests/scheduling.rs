//! Slices, waits and queues of captures that the tests make up.

mod losses;
mod slices;
mod sums;

use crate::analyse::queue::Queues;
use crate::analyse::slices::{Slice, Slices};
use crate::analyse::tasks::Tasks;
use crate::analyse::{Known, Pass};
use crate::testing::Making;
use crate::{Capture, Order};

fn slices(capture: &Capture) -> (Vec<Slice>, Pass) {
    let known = Known::of(capture);
    let mut all = Vec::new();
    let mut slices = Slices::new(&known, |slice: &Slice| all.push(*slice));
    let pass = Pass::over(capture, &known, &mut [&mut slices]);
    (all, pass)
}

fn sums(capture: &Capture) -> (Tasks, Queues, Pass) {
    let known = Known::of(capture);
    let mut slices = Slices::new(&known, Tasks::new(&known.cpus));
    let mut queues = Queues::new(&known, ());
    let pass = Pass::over(capture, &known, &mut [&mut slices, &mut queues]);
    (slices.sink, queues, pass)
}

/// 7 runs, is preempted by 8, waits, runs, sleeps; 9 is woken by 7 meanwhile.
fn known_capture(order: Order, long_bytes: u8) -> Capture {
    let mut m = Making::of(order, long_bytes, |_| true);
    m.switch(0, 100, 0, 0, 7)
        .wake("sched_waking", 0, 150, 7, 8, 0)
        .switch(0, 200, 7, 0x100, 8)
        .wake("sched_waking", 0, 250, 8, 9, 0)
        .wake("sched_wakeup", 0, 260, 8, 9, 0)
        .switch(0, 300, 8, 1, 7)
        .switch(0, 450, 7, 0, 9)
        .switch(0, 500, 9, 0x10, 7)
        .switch(0, 600, 7, 2, 0)
        .switch(0, 700, 0, 0, 8);
    m.capture()
}
