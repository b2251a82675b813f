//! What the programs of the fuzzer have in common: bounds on memory and stack
//! that end in a report of libFuzzer, with the input kept.

use cap::Cap;
use std::alloc::System;

/// Of all that an input needs at once. Beyond, allocation fails, and the program
/// is aborted.
const MOST_BYTES: usize = 512 << 20;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, MOST_BYTES);

/// Without a stack of its own the handler of SIGSEGV could not run where the
/// stack is at its end, and no input would be kept.
pub fn prepare() {
    let bytes = 1 << 17;
    let stack = libc::stack_t {
        ss_sp: vec![0u8; bytes].leak().as_mut_ptr().cast(),
        ss_flags: 0,
        ss_size: bytes,
    };
    // SAFETY: the stack is never freed; libFuzzer, which sets its handler later,
    // keeps the flag.
    unsafe {
        libc::sigaltstack(&raw const stack, std::ptr::null_mut());
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = libc::SIG_DFL;
        action.sa_flags = libc::SA_ONSTACK;
        libc::sigaction(libc::SIGSEGV, &raw const action, std::ptr::null_mut());
    }
}

/// The program of one target of `fuzzing::targets`.
#[macro_export]
macro_rules! target {
    ($name:ident) => {
        libfuzzer_sys::fuzz_target!(init: $crate::prepare(), |bytes: &[u8]| {
            fuzzing::targets::$name::body(bytes)
        });
    };
}
