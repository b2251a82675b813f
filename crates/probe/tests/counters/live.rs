//! The running kernel. Where it forbids even its own events, the refusal is
//! looked at instead.

use probe::counters::{Count, Group, GroupName, State, System, Table, Target};

fn software(target: Target) -> Group<System> {
    Group::open(
        System,
        &Table::software().events(GroupName::Software),
        target,
    )
}

/// Touches fresh pages of the smallest size.
fn touch(pages: usize) {
    const PAGE: usize = 4096;
    // SAFETY: a new private mapping; it is written inside its bounds and
    // unmapped once.
    unsafe {
        let at = libc::mmap(
            std::ptr::null_mut(),
            pages * PAGE,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        assert_ne!(at, libc::MAP_FAILED);
        libc::madvise(at, pages * PAGE, libc::MADV_NOHUGEPAGE);
        for page in 0..pages {
            at.cast::<u8>().add(page * PAGE).write_volatile(1);
        }
        libc::munmap(at, pages * PAGE);
    }
}

#[test]
fn touching_pages_is_counted_page_by_page() {
    let mut group = software(Target::ThisThread);
    if group.is_empty() {
        assert!(group.slots().iter().all(|s| s.refusal.is_some()));
        return;
    }
    let mut faults = |pages| {
        group.begin().unwrap();
        touch(pages);
        let counts: Vec<Count> = group.end().unwrap();
        assert_eq!(counts[0].state, State::Counted);
        counts[0].known().unwrap() as usize
    };
    faults(1);
    let (few, many) = (faults(16), faults(516));
    assert!(few >= 16 && many >= 516, "{few} {many}");
    // The kernel may count its own touches of our memory; not hundreds.
    assert!(many - few < 600, "{few} {many}");
}

#[test]
fn another_thread_is_counted_by_its_number() {
    let (to_thread, from_main) = std::sync::mpsc::channel::<()>();
    let (to_main, from_thread) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        // SAFETY: takes nothing, returns a number.
        let id = unsafe { libc::syscall(libc::SYS_gettid) };
        to_main.send(u32::try_from(id).unwrap()).unwrap();
        from_main.recv().unwrap();
        touch(256);
        to_main.send(0).unwrap();
        from_main.recv().unwrap();
    });
    let id = from_thread.recv().unwrap();
    let mut group = software(Target::Thread(id));
    if !group.is_empty() {
        group.begin().unwrap();
        to_thread.send(()).unwrap();
        from_thread.recv().unwrap();
        let counts = group.end().unwrap();
        assert!(counts[0].known().unwrap() >= 256.0, "{counts:?}");
        to_thread.send(()).unwrap();
    } else {
        to_thread.send(()).unwrap();
        to_thread.send(()).unwrap();
    }
    thread.join().unwrap();
}

#[test]
fn a_thread_that_does_not_exist_is_refused() {
    let group = software(Target::Thread(u32::MAX));
    assert!(group.is_empty());
    assert!(group.slots().iter().all(|s| s.refusal.is_some()));
}

/// Whatever this machine has: opening and reading works or says why not.
#[test]
fn every_group_of_this_machine_opens_or_says_why() {
    let cpu = machine::read(std::path::Path::new("/")).cpu;
    for name in GroupName::ALL {
        let events = match name {
            GroupName::Software => Table::software().events(name),
            _ => Table::of(&cpu).events(name),
        };
        let mut group = Group::open(System, &events, Target::ThisThread);
        group.begin().unwrap();
        let counts = group.end().unwrap();
        for (slot, count) in group.slots().iter().zip(counts) {
            assert_eq!(
                slot.refusal.is_some(),
                count.state == State::Absent,
                "{slot:?}"
            );
        }
    }
}
