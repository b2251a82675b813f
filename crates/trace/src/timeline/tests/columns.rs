//! The bytes of an encoded timeline.

use super::{Cpu, head, timeline};

#[test]
fn columns_are_small_and_in_order() {
    let mut cpu = Cpu::new();
    cpu.switch(10, 0, 0, 1)
        .switch(310, 1, 0x100, 2)
        .switch(315, 2, 1, 0);
    let t = timeline(head(), vec![cpu]);
    // Two slices (begins, lengths, tasks, how), two changes of those that wait
    // (times, numbers), one unserved: task, since.
    let slices = [0, 0, 0xac, 2, 5, 0, 1, 1, 3];
    let crowd = [0xac, 2, 5, 1, 0];
    let unserved = [0, 0xac, 2];
    let all: Vec<u8> = [&slices[..], &crowd, &unserved].concat();
    assert_eq!(t.encode(), all);
}

#[test]
fn one_byte_holds_the_end_and_the_wait_of_a_slice() {
    let mut cpu = Cpu::new();
    cpu.switch(10, 0, 0, 1).switch(20, 1, 1, 0);
    cpu.wake(50, 2, 0x08, 0, 1);
    cpu.switch(55, 0, 0, 1).switch(60, 1, 1, 0);
    let t = timeline(head(), vec![cpu]);
    // Begins, lengths, tasks; both end asleep, and the second was woken; length of its
    // wait, waker (an interrupt of the idle task), CPU of the waker.
    assert_eq!(t.encode(), [0, 35, 10, 5, 0, 0, 3, 3 | 2 << 4, 5, 1, 0]);
}

#[test]
fn an_empty_capture_is_an_empty_timeline() {
    let t = timeline(head(), vec![Cpu::new()]);
    assert_eq!((t.length_ns(), t.slice_count()), (0, 0));
    assert!(t.encode().is_empty());
}
