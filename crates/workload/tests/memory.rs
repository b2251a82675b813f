//! What programs allocate: all of it before they run, and no more than they say.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static HELD_BYTES: Cell<i64> = const { Cell::new(0) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

fn note(bytes: i64) {
    HELD_BYTES.set(HELD_BYTES.get() + bytes);
    CALLS.set(CALLS.get() + 1);
}

// SAFETY: the system's allocator does the work; the counters are of the thread and
// need no memory of their own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as i64);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        note(-(layout.size() as i64));
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SIZES: workload::Sizes = workload::Sizes {
    l1d_bytes: 32 << 10,
    l2_bytes: 256 << 10,
    last_level_bytes: 2 << 20,
};
/// The program's own fields: pointers, counters, its ledger.
const FIELDS_BYTES: u64 = 512;

#[test]
fn a_program_holds_what_its_working_set_says() {
    for kind in workload::ALL {
        let before = HELD_BYTES.get();
        let Ok(program) = (kind.build)(&SIZES) else {
            continue;
        };
        let held = (HELD_BYTES.get() - before) as u64;
        let reported = program.working_set_bytes();
        let name = kind.name;
        assert!(
            reported + FIELDS_BYTES >= held,
            "{name} says {reported}, holds {held}"
        );
        assert!(reported <= held, "{name} says {reported}, holds {held}");
    }
}

#[test]
fn no_program_allocates_while_it_runs() {
    for kind in workload::ALL {
        let Ok(mut program) = (kind.build)(&SIZES) else {
            continue;
        };
        let before = CALLS.get();
        program.run(2);
        assert_eq!(CALLS.get(), before, "{}", kind.name);
    }
}
