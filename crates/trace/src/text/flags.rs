//! What the CPU was doing, in five letters: `d..2.` as the kernel's own text has
//! them (trace_print_lat_fmt() in kernel/trace/trace_output.c).

use crate::page::Event;

// TRACE_FLAG_* of include/linux/trace_events.h.
const IRQS_OFF: u8 = 0x01;
/// Since Linux 6.13; before it was set on machines only that do not know whether
/// interrupts are off.
const RESCHED_LAZY: u8 = 0x02;
const RESCHED: u8 = 0x04;
const HARD: u8 = 0x08;
const SOFT: u8 = 0x10;
const PREEMPT_RESCHED: u8 = 0x20;
const NMI: u8 = 0x40;
const BH_OFF: u8 = 0x80;

/// Interrupts and softirqs off; a switch is wanted; what interrupted the task;
/// how often preemption, and migration, are forbidden.
pub fn letters(event: &Event<'_>) -> [u8; 5] {
    let flags = event.flags();
    let has = |bits: u8| flags & bits != 0;
    let off = match (has(IRQS_OFF), has(BH_OFF)) {
        (true, true) => b'D',
        (true, false) => b'd',
        (false, true) => b'b',
        (false, false) => b'.',
    };
    let wanted = match (has(RESCHED), has(RESCHED_LAZY), has(PREEMPT_RESCHED)) {
        (true, true, true) => b'B',
        (true, false, true) => b'N',
        (false, true, true) => b'L',
        (true, true, false) => b'b',
        (true, false, false) => b'n',
        (false, true, false) => b'l',
        (false, false, true) => b'p',
        (false, false, false) => b'.',
    };
    let inside = match (has(NMI), has(HARD), has(SOFT)) {
        (true, true, _) => b'Z',
        (true, false, _) => b'z',
        (false, true, true) => b'H',
        (false, true, false) => b'h',
        (false, false, true) => b's',
        (false, false, false) => b'.',
    };
    let count = event.preempt_count();
    [off, wanted, inside, digit(count & 0xf), digit(count >> 4)]
}

fn digit(count: u8) -> u8 {
    match count {
        0 => b'.',
        1..=9 => b'0' + count,
        _ => b'a' + (count - 10),
    }
}

#[cfg(test)]
mod tests {
    use super::letters;
    use crate::page::Event;

    fn text(flags: u8, count: u8) -> String {
        let event = Event {
            at_ns: 0,
            cpu: 0,
            payload: &[1, 0, flags, count],
        };
        String::from_utf8(letters(&event).to_vec()).unwrap()
    }

    #[test]
    fn letters_are_the_kernels() {
        for (flags, count, wanted) in [
            (0x00, 0x00, "....."),
            (0x01, 0x02, "d..2."),
            (0x01 | 0x04 | 0x20, 0x01, "dN.1."),
            (0x01 | 0x08, 0x0a, "d.ha."),
            (0x10, 0x11, "..s11"),
            (0x08 | 0x10, 0x00, "..H.."),
            (0x40 | 0x08, 0x00, "..Z.."),
            (0x40, 0x00, "..z.."),
            (0x80, 0x00, "b...."),
            (0x81, 0x00, "D...."),
            (0x04, 0x00, ".n..."),
            (0x20, 0x00, ".p..."),
            (0x02, 0x00, ".l..."),
            (0x02 | 0x04 | 0x20, 0x00, ".B..."),
        ] {
            assert_eq!(text(flags, count), wanted, "{flags:x} {count:x}");
        }
    }
}
