//! What the programs of the fuzzer have in common: bounds on memory and stack,
//! and panics, that end in a report of libFuzzer with the input kept.

use cap::Cap;
use std::alloc::System;
use std::backtrace::Backtrace;
use std::panic::{AssertUnwindSafe, PanicHookInfo};
use std::sync::Mutex;

/// Of all that an input needs at once. Beyond, allocation fails, and the program
/// is aborted.
const MOST_BYTES: usize = 512 << 20;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, MOST_BYTES);

static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Runs a body, or changes an input. A panic that is caught within (a library's,
/// made an error) is none; any other one ends the program, with its message and the
/// input kept.
pub fn guarded<T>(body: impl FnOnce() -> T) -> T {
    let result = std::panic::catch_unwind(AssertUnwindSafe(body));
    result.unwrap_or_else(|_| {
        if let Ok(message) = LAST_PANIC.lock() {
            eprintln!("{message}");
        }
        std::process::abort()
    })
}

/// In place of that of libfuzzer-sys, which would abort before a panic is caught.
fn remember(panic: &PanicHookInfo<'_>) {
    let backtrace = Backtrace::force_capture();
    if let Ok(mut last) = LAST_PANIC.lock() {
        *last = format!("{panic}\n{backtrace}");
    }
}

/// Without a stack of its own the handler of SIGSEGV could not run where the
/// stack is at its end, and no input would be kept.
pub fn prepare() {
    std::panic::set_hook(Box::new(remember));
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
            $crate::guarded(|| fuzzing::targets::$name::body(bytes))
        });
    };
    ($name:ident of documents) => {
        $crate::target!($name);

        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
            $crate::guarded(|| $crate::mutated(data, size, most, seed))
        });
    };
}

/// Half of the time a value of the document is changed, else bytes as always.
pub fn mutated(data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    let new = match seed % 2 {
        0 => fuzzing::json::changed(&data[..size], seed.into()),
        _ => None,
    };
    match new {
        Some(new) if new.len() <= most => {
            data[..new.len()].copy_from_slice(&new);
            new.len()
        }
        _ => libfuzzer_sys::fuzzer_mutate(data, size, most),
    }
}
