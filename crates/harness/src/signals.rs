//! Ctrl-C and termination as a flag; limits that would kill as errors.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that the first SIGINT, SIGTERM or SIGHUP sets, so that the run ends
/// in order. A second one ends the program at once with 128 + its number; what
/// the machine had changed is then put back by the caretaker, or by `restore`.
///
/// # Errors
/// As sigaction(2).
pub fn stop_flag() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // In this order: the first signal finds the flag unset.
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

extern "C" fn nothing(_: libc::c_int) {}

/// Has a write beyond RLIMIT_FSIZE (`ulimit -f`) fail with EFBIG, as a full disk
/// fails, where the kernel would end the program. By a handler that does nothing: it
/// is gone after exec(2), so commands that this program starts find the default.
pub fn survive_file_size_limit() {
    let handler: extern "C" fn(libc::c_int) = nothing;
    // SAFETY: the structures are zeroed, which is valid, and live through the calls;
    // the handler touches nothing. A refusal leaves everything as it was.
    unsafe {
        let mut known: libc::sigaction = std::mem::zeroed();
        let asked = libc::sigaction(libc::SIGXFSZ, std::ptr::null(), &raw mut known) == 0;
        // Ignored by whoever started this program: that serves, and is for its
        // children too.
        if asked && known.sa_sigaction == libc::SIG_DFL {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as libc::sighandler_t;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(libc::SIGXFSZ, &raw const action, std::ptr::null_mut());
        }
    }
}

/// Has an abort, which a program without memory or stack ends with, end this process
/// with status 2, as other failures do. The cause is printed before it comes.
pub fn abort_as_failure() {
    let handler: extern "C" fn(libc::c_int) = aborted;
    // SAFETY: the structure is zeroed, which is valid, and lives through the call; the
    // handler only makes system calls. SA_ONSTACK: the stack may be what ran out.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = libc::SA_ONSTACK;
        libc::sigaction(libc::SIGABRT, &raw const action, std::ptr::null_mut());
    }
}

extern "C" fn aborted(_: libc::c_int) {
    const HINT: &[u8] = b"hint: give it more memory or stack; see: ulimit -v; ulimit -s; free -m\n";
    // SAFETY: writes live bytes and ends the process; both may stand in a handler.
    unsafe {
        libc::write(2, HINT.as_ptr().cast(), HINT.len());
        libc::_exit(2);
    }
}
