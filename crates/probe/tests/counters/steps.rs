//! The loops of known work, counted by stepping through them one instruction at a time: no
//! counter is needed to know that they do what they say.
#![cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]

use probe::counters::selftest::work::{Loop, Processor, Work};

/// Instructions that a child takes for so many turns, with what surrounds them; None where
/// tracing a child is forbidden.
fn steps(work: &mut Processor, what: Loop, turns: u64) -> Option<u64> {
    // SAFETY: the child calls nothing but system calls and the loop, and exits. The parent
    // waits for it and moves it on by one instruction at a time.
    unsafe {
        let child = libc::fork();
        assert!(child >= 0);
        let nothing = std::ptr::null_mut::<libc::c_void>();
        if child == 0 {
            let refused = libc::ptrace(libc::PTRACE_TRACEME, 0, nothing, nothing) < 0;
            libc::raise(libc::SIGSTOP);
            work.run(what, turns);
            libc::_exit(i32::from(refused));
        }
        let (mut status, mut steps) = (0, 0);
        loop {
            libc::waitpid(child, &raw mut status, libc::WUNTRACED);
            if libc::WIFEXITED(status) {
                return (libc::WEXITSTATUS(status) == 0).then_some(steps);
            }
            assert!(libc::WIFSTOPPED(status), "{status:#x}");
            if libc::ptrace(libc::PTRACE_SINGLESTEP, child, nothing, nothing) < 0 {
                // Stopped, but not traced.
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, &raw mut status, 0);
                return None;
            }
            steps += 1;
        }
    }
}

#[test]
fn every_exact_loop_has_as_many_instructions_as_it_says() {
    let mut work = Processor::ready();
    let exact = [
        Loop::Multiply,
        Loop::Calls,
        Loop::Loads,
        Loop::Stores,
        Loop::Lines,
        Loop::Code,
    ];
    for what in exact {
        let Some(few) = steps(&mut work, what, 2) else {
            eprintln!("SKIP: this process may not trace its child");
            return;
        };
        let many = steps(&mut work, what, 7).unwrap();
        assert_eq!(many - few, 5 * what.turn().instructions, "{what:?}");
    }
}
